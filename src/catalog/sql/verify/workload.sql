-- Workloads beside their specs.
SELECT w.digest, concat_ws(' | ', o.digest, w.summary, w.axes, quote(w.dtype), quote(w.input_bytes),
       quote(w.work))
FROM workload w JOIN operation o ON o.id = w.operation_id;
