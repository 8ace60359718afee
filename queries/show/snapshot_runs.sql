-- How many different runs the readings of a snapshot (:readings, JSON array) state.
SELECT count(DISTINCT coalesce(m.copy_of, m.id))
FROM sighting si
JOIN measurement m ON m.id = si.measurement_id
WHERE si.reading_id IN (SELECT value FROM json_each(:readings));
