-- Versions of a suite with their problems, as this file keeps them.
SELECT v.version, v.commit_id, v.committed_on, p.facts
FROM suite_version v
JOIN suite_problem p ON p.suite_version_id = v.id
WHERE v.suite = ?1
ORDER BY v.committed_on, v.version, p.level, p.file;
