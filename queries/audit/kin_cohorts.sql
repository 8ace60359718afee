-- The cohorts that a run's marks depend on: those on products of the family that its cohort's
-- product belongs to, and those of the other records in its files. CROSS JOIN keeps the order: from the
-- product outwards, by index.
SELECT c.id
FROM cohort own
CROSS JOIN environment oe ON oe.id = own.environment_id
CROSS JOIN hardware oh ON oh.id = oe.hardware_id
CROSS JOIN hardware h ON coalesce(h.family, h.slug) = coalesce(oh.family, oh.slug)
CROSS JOIN environment e ON e.hardware_id = h.id
CROSS JOIN cohort c ON c.environment_id = e.id
WHERE own.id = :cohort
UNION
SELECT m.cohort_id
FROM sighting si
JOIN sighting other ON other.reading_id = si.reading_id
JOIN measurement stated ON stated.id = other.measurement_id
JOIN measurement m ON m.id = coalesce(stated.copy_of, stated.id)
WHERE si.measurement_id = :run;
