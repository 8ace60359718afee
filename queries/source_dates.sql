-- When the bytes that each source published were observed, as the file knew at an instant
-- (:known_at; NULL: all it knows now).
SELECT s.slug, s.freshness_days, r.snapshot_id, og.observed_at, og.observed_basis
FROM source s
JOIN reading r ON r.source_id = s.id
JOIN origin og ON og.reading_id = r.id
WHERE og.observed_at IS NOT NULL AND (:known_at IS NULL OR og.learned_at <= :known_at)
ORDER BY s.id, r.snapshot_id;
