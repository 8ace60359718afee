-- Who published the runs of some cohorts.
SELECT s.slug, s.name, s.home, s.data_license, s.attribution, s.redistribution
FROM source s
WHERE s.id IN (
    SELECT m.source_id
    FROM json_each(:cohorts) AS wanted
    JOIN measurement m ON m.cohort_id = wanted.value)
ORDER BY s.slug;
