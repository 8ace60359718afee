-- How a run's figures contradict the rest of the file.
SELECT code, factor, against
FROM doubt
WHERE measurement_id = :measurement
ORDER BY code;
