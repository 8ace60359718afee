-- What each run's digest is made of.
SELECT m.digest, s.slug AS source, i.digest AS implementation, c.digest AS cohort,
       m.status, c.quantity, m.value, m.std, m.min, m.max, m.low, m.high, m.samples
FROM measurement m
JOIN source s ON s.id = m.source_id
JOIN implementation i ON i.id = m.implementation_id
JOIN cohort c ON c.id = m.cohort_id;
