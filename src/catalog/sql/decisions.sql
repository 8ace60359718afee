-- Events, by a place that states the run they are about.
SELECT sn.sha256, si.pointer, e.kind, e.rule, e.reason, e.at
FROM event e
JOIN sighting si ON si.measurement_id = e.measurement_id
JOIN reading r ON r.id = si.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id
ORDER BY e.id, sn.sha256, si.pointer;
