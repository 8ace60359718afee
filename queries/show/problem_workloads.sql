-- Every workload of the problems that some operations (:operations, JSON array) are
-- versions of: same suite and level, same number (without one: same file name).
SELECT o.id AS operation_id, o.digest AS operation_digest, o.published_digest,
       o.published_commit, o.suite, o.suite_version, o.level, o.level_number, o.problem,
       o.file, o.slug, o.name, o.family, o.shapes_known, o.facts,
       CASE WHEN o.inferred THEN coalesce(sv.current, 0) ELSE 1 END AS is_current, o.inferred, sv.commit_id,
       w.id AS workload_id, w.digest AS workload_digest, w.summary, w.axes, w.dtype
FROM operation o
JOIN workload w ON w.operation_id = o.id
LEFT JOIN suite_version sv ON sv.suite = o.suite AND sv.version = o.suite_version
WHERE EXISTS (
    SELECT 1 FROM json_each(:operations) AS asked
    JOIN operation a ON a.id = asked.value
    WHERE a.suite = o.suite AND a.level = o.level
      AND (a.problem = o.problem OR (a.problem IS NULL AND a.file = o.file)))
ORDER BY o.digest, w.digest;
