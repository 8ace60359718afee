-- How some sources (:slugs, JSON array) are called and cited.
SELECT slug, name, home, attribution
FROM source
WHERE slug IN (SELECT value FROM json_each(:slugs))
ORDER BY name, slug;
