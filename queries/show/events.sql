-- What was decided about a run by an instant (:known_at; NULL: until now).
SELECT kind, nullif(rule, '*') AS rule, reason, at
FROM event
WHERE measurement_id = :measurement AND (:known_at IS NULL OR at <= :known_at)
-- Instants are whole seconds; of one second, the order in which they were made.
ORDER BY at, id;
