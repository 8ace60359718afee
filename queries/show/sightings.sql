-- Every place that states a run or a copy of it.
SELECT 'run:' || lower(hex(m.digest)) AS run, si.reading_id, sn.sha256 AS snapshot,
       si.pointer, si.line, si.hardware, si.stated
FROM measurement m
JOIN sighting si ON si.measurement_id = m.id
JOIN reading r ON r.id = si.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id
WHERE m.id = :measurement OR m.copy_of = :measurement
ORDER BY r.learned_at, sn.sha256, si.reading_id, si.ordinal;
