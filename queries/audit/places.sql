-- Every place that states some runs, as far as known at an instant (:known_at; NULL: now).
SELECT si.measurement_id, sn.sha256 AS snapshot, r.folder, r.file, si.pointer, si.line
FROM json_each(:runs) AS wanted
JOIN sighting si ON si.measurement_id = wanted.value
JOIN reading r ON r.id = si.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id
WHERE :known_at IS NULL OR r.learned_at <= :known_at
ORDER BY si.measurement_id, coalesce(r.committed_at, r.observed_at, '~'), r.folder, r.file,
         sn.sha256, si.pointer;
