-- How a snapshot was read, and how many runs each reading states.
SELECT r.id, (SELECT count(DISTINCT coalesce(m.copy_of, m.id))
              FROM sighting si JOIN measurement m ON m.id = si.measurement_id
              WHERE si.reading_id = r.id) AS runs
FROM reading r
WHERE r.snapshot_id = :snapshot;
