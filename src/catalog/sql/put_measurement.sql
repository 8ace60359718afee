-- A run, once: the same figures stated again are the same measurement.
INSERT INTO measurement (
    digest, source_id, cohort_id, implementation_id, status, value_ps, std_ps, min_ps,
    max_ps, samples, resolution_ps, observed_at, observed_basis
) VALUES (
    :digest, :source_id, :cohort_id, :implementation_id, :status, :value_ps, :std_ps,
    :min_ps, :max_ps, :samples, :resolution_ps, :observed_at, :observed_basis
)
ON CONFLICT (digest) DO NOTHING;
