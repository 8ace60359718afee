-- The same decision about whatever run the place states now.
INSERT INTO event (kind, measurement_id, rule, reason, at)
SELECT DISTINCT ?1, coalesce(m.copy_of, m.id), ?6, ?2, ?3
FROM snapshot sn
JOIN reading r ON r.snapshot_id = sn.id
JOIN sighting si ON si.reading_id = r.id
JOIN measurement m ON m.id = si.measurement_id
WHERE sn.sha256 = ?4 AND si.pointer = ?5
ON CONFLICT (kind, measurement_id, rule, reason) DO NOTHING;
