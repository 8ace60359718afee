-- The runs that stand in some cohorts, best first: one per implementation, as kept up
-- to date by imports.
SELECT st.cohort_id, st.rank, st.tied,
       m.id, lower(hex(m.digest)) AS digest, m.status, m.value_ps, m.std_ps, m.min_ps, m.max_ps, m.samples,
       m.resolution_ps, m.observed_at, m.observed_basis,
       i.name AS implementation, i.slug AS implementation_slug, i.project, i.language, i.interface, i.role,
       i.license AS implementation_license, i.digest AS implementation_digest,
       s.slug AS source, s.module_license, s.freshness_days,
       coalesce((SELECT min(r.license) FROM sighting si JOIN reading r ON r.id = si.reading_id
                 WHERE si.measurement_id = m.id), s.data_license) AS data_license,
       NULL AS doubts, 0 AS retracted, NULL AS observations
FROM json_each(:cohorts) AS wanted
JOIN standing st ON st.cohort_id = wanted.value
JOIN measurement m ON m.id = st.measurement_id
JOIN implementation i ON i.id = m.implementation_id
JOIN source s ON s.id = m.source_id
ORDER BY st.cohort_id, st.position;
