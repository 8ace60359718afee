-- A workload and its operation.
SELECT o.id AS operation_id, o.digest AS operation_digest, o.slug, o.name, o.suite,
       o.level_number, o.problem, o.family, o.level, o.file,
       CASE WHEN o.inferred THEN coalesce(sv.current, 0) ELSE 1 END AS is_current,
       w.summary, w.axes, w.dtype, w.digest AS workload_digest, o.shapes_known,
       o.suite_version, w.input_bytes, w.work
FROM workload w
JOIN operation o ON o.id = w.operation_id
LEFT JOIN suite_version sv ON sv.suite = o.suite AND sv.version = o.suite_version
WHERE w.id = :id;
