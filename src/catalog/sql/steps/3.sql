-- Version 3: an index of digests was half of what importing many runs cost, since digests
-- come in no order. That a run stands once is kept by cohort, implementation and figure now,
-- and one that is asked for by its digest is looked for in the table.
DROP INDEX measurement_digest;
DROP INDEX measurement_cohort;
CREATE UNIQUE INDEX measurement_run ON measurement (cohort_id, implementation_id, value, substr(digest, 1, 8));
CREATE UNIQUE INDEX measurement_without ON measurement (cohort_id, implementation_id, substr(digest, 1, 8)) WHERE value IS NULL;
