-- Other snapshots that state a run which this one states too.
SELECT DISTINCT theirs.snapshot_id
FROM reading mine
JOIN sighting s ON s.reading_id = mine.id
JOIN sighting t ON t.measurement_id = s.measurement_id
JOIN reading theirs ON theirs.id = t.reading_id
WHERE mine.snapshot_id = :snapshot AND theirs.snapshot_id <> :snapshot;
