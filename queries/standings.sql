-- The runs that stand in some cohorts, one per implementation, as kept up to date by
-- imports: all of them, or (:leading) only those that share the first rank and the
-- designated baseline's. Cohort by cohort in any order: the caller knows theirs, and sorting
-- wide rows costs as much as reading them. Licences of single files are looked for where any
-- file has one.
SELECT wanted.key AS at, st.position, st.rank, st.tied, rec.runs,
       m.observed_at, m.observed_basis,
       CASE WHEN (SELECT EXISTS (SELECT 1 FROM reading WHERE license IS NOT NULL)) THEN
           (SELECT min(r.license) FROM sighting si JOIN reading r ON r.id = si.reading_id
            WHERE si.measurement_id = m.id) END AS file_license,
       m.value, m.implementation_id, m.source_id, m.id, m.digest, m.status,
       m.std, m.min, m.max, m.low, m.high, m.samples, m.resolution
FROM json_each(:cohorts) AS wanted
CROSS JOIN record rec ON rec.cohort_id = wanted.value
CROSS JOIN standing st ON st.cohort_id = rec.cohort_id
    AND (NOT :leading OR st.rank = 1 OR st.measurement_id = rec.baseline_id)
CROSS JOIN measurement m ON m.id = st.measurement_id;
