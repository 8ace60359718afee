-- A workload and its operation.
SELECT o.id AS operation_id, o.digest AS operation_digest, o.slug, o.name, o.suite,
       o.suite_version, o.level, o.level_number, o.problem, o.file, o.family,
       o.shapes_known, o.facts,
       CASE WHEN o.inferred THEN coalesce(sv.current, 0) ELSE 1 END AS is_current, o.inferred,
       w.digest AS workload_digest, w.summary, w.axes, w.dtype, w.input_bytes,
       w.work
FROM workload w
JOIN operation o ON o.id = w.operation_id
LEFT JOIN suite_version sv ON sv.suite = o.suite AND sv.version = o.suite_version
WHERE w.id = :id;
