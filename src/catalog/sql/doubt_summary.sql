-- Doubts about the runs of some cohorts, by the file that states them. What is too fast
-- for a reason that another doubt names is said once.
SELECT d.code,
       coalesce(r.folder || '/', '') || coalesce(r.file, 'standard input') AS name,
       count(*) AS runs, d.factor, min(d.against) AS against
FROM json_each(:cohorts) AS wanted
JOIN measurement m ON m.cohort_id = wanted.value
JOIN doubt d ON d.measurement_id = m.id
JOIN sighting s ON s.measurement_id = m.id
JOIN reading r ON r.id = s.reading_id
WHERE d.code <> 'BELOW_HARD' OR NOT EXISTS (
    SELECT 1 FROM doubt other WHERE other.measurement_id = d.measurement_id AND other.code NOT IN (d.code, 'MARKED_EXCESSIVE'))
GROUP BY d.code, r.id
ORDER BY d.code, name;
