-- The readings that state some runs.
SELECT DISTINCT si.reading_id
FROM json_each(:runs) AS wanted
JOIN sighting si ON si.measurement_id = wanted.value;
