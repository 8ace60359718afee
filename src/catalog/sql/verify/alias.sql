-- Spellings of products.
SELECT a.alias, h.slug
FROM hardware_alias a JOIN hardware h ON h.id = a.hardware_id;
