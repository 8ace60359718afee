-- A workload's matrix work by operation.
SELECT coalesce(work ->> '$.flops.by_op', '{}') FROM workload WHERE id = :workload;
