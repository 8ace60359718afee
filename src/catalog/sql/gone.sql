-- Places that the newest other content of the same file stated, and this reading
-- doesn't; none when this reading is older than that content.
WITH mine AS (SELECT * FROM reading WHERE id = :reading),
previous AS (
    SELECT r.id FROM reading r, mine
    WHERE r.id <> mine.id AND r.snapshot_id <> mine.snapshot_id
      AND r.source_id = mine.source_id
      AND r.folder = mine.folder AND r.file = mine.file
      AND (r.observed_at IS NULL OR :observed_at IS NULL OR r.observed_at <= :observed_at)
    ORDER BY r.observed_at DESC, r.id DESC LIMIT 1
)
SELECT count(*) FROM sighting s, previous
WHERE s.reading_id = previous.id
  AND s.pointer NOT IN (SELECT pointer FROM sighting WHERE reading_id = :reading);
