-- What was acknowledged by an instant (:known_at; NULL: until now).
SELECT measurement_id, rule, reason, at
FROM event
WHERE kind = 'acknowledge' AND (:known_at IS NULL OR at <= :known_at)
ORDER BY measurement_id, at, rule, reason;
