-- Where the bytes of some readings (:readings, JSON array) were met.
SELECT reading_id, location, container, container_sha256, observed_at, observed_basis,
       learned_at
FROM origin
WHERE reading_id IN (SELECT value FROM json_each(:readings))
  AND (:known_at IS NULL OR learned_at <= :known_at)
ORDER BY reading_id, learned_at, location;
