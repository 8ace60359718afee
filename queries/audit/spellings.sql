-- Every spelling of hardware with the family it belongs to; a product without one is its
-- own.
SELECT a.alias AS spelling, coalesce(h.family, h.slug) AS family
FROM hardware_alias a JOIN hardware h ON h.id = a.hardware_id
UNION SELECT slug, coalesce(family, slug) FROM hardware WHERE listed
UNION SELECT short, coalesce(family, slug) FROM hardware WHERE listed
UNION SELECT family, family FROM hardware WHERE family IS NOT NULL
ORDER BY 1, 2;
