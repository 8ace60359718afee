-- The runs that stand in some cohorts, best first: one per implementation, as kept up
-- to date by imports. Licences of single files are looked for where any file has one.
SELECT st.cohort_id, st.rank, st.tied,
       m.id, lower(hex(m.digest)) AS digest, m.implementation_id, m.source_id, m.status,
       m.value_ps, m.std_ps, m.min_ps, m.max_ps, m.samples,
       m.resolution_ps, m.observed_at, m.observed_basis,
       CASE WHEN (SELECT EXISTS (SELECT 1 FROM reading WHERE license IS NOT NULL)) THEN
           (SELECT min(r.license) FROM sighting si JOIN reading r ON r.id = si.reading_id
            WHERE si.measurement_id = m.id) END AS file_license,
       NULL AS doubts, 0 AS retracted, NULL AS observations
FROM json_each(:cohorts) AS wanted
JOIN standing st ON st.cohort_id = wanted.value
JOIN measurement m ON m.id = st.measurement_id
ORDER BY st.cohort_id, st.position;
