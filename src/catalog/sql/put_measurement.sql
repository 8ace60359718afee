-- A run, once: the same figures stated again are the same measurement.
INSERT INTO measurement (
    digest, source_id, cohort_id, implementation_id, status, value, std, min, max, low, high,
    samples, resolution, observed_at, observed_basis
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
ON CONFLICT DO NOTHING;
