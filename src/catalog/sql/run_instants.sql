-- When and how firmly each sighting dates a run, those of its copies included.
SELECT r.observed_at, r.observed_basis
FROM sighting s
JOIN reading r ON r.id = s.reading_id
WHERE s.measurement_id = ?1
UNION ALL
SELECT s.recorded_at, 'record'
FROM sighting s
WHERE s.measurement_id = ?1 AND s.recorded_at IS NOT NULL
UNION ALL
SELECT s.recorded_at, 'record'
FROM measurement copy
JOIN sighting s ON s.measurement_id = copy.id
WHERE copy.copy_of = ?1 AND s.recorded_at IS NOT NULL
UNION ALL
SELECT r.observed_at, r.observed_basis
FROM measurement copy
JOIN sighting s ON s.measurement_id = copy.id
JOIN reading r ON r.id = s.reading_id
WHERE copy.copy_of = ?1;
