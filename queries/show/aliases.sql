-- Spellings of a product.
SELECT alias FROM hardware_alias WHERE hardware_id = :hardware ORDER BY alias;
