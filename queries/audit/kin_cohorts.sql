-- The cohorts on products of the family that a cohort's product belongs to.
SELECT c.id
FROM cohort own
JOIN environment oe ON oe.id = own.environment_id
JOIN hardware oh ON oh.id = oe.hardware_id
JOIN hardware h ON coalesce(h.family, h.slug) = coalesce(oh.family, oh.slug)
JOIN environment e ON e.hardware_id = h.id
JOIN cohort c ON c.environment_id = e.id
WHERE own.id = :cohort;
