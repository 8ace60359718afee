-- A source, as far as it bears on a run.
SELECT s.slug AS source, s.module_license, s.data_license, s.freshness_days
FROM source s
WHERE s.id = :id;
