-- A run, or the run that it is a copy of, with who published it.
SELECT m.id, m.cohort_id, c.metric, i.license AS implementation_license,
       'run:' || lower(hex(asked.digest)) AS asked, asked.copy_of IS NOT NULL AS is_copy,
       s.slug AS source, s.name AS source_name, s.home, s.attribution, s.terms,
       s.redistribution, s.data_license, s.module_license,
       o.level, o.file, coalesce(o.published_commit, sv.commit_id) AS suite_commit
FROM measurement asked
JOIN measurement m ON m.id = coalesce(asked.copy_of, asked.id)
JOIN cohort c ON c.id = m.cohort_id
JOIN workload w ON w.id = c.workload_id
JOIN operation o ON o.id = w.operation_id
LEFT JOIN suite_version sv ON sv.suite = o.suite AND sv.version = o.suite_version
JOIN implementation i ON i.id = m.implementation_id
JOIN source s ON s.id = m.source_id
WHERE asked.id = :measurement;
