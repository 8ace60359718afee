-- Metrics other than latency that have records, and how many.
SELECT c.quantity, count(*) AS records
FROM cohort c
JOIN record r ON r.cohort_id = c.id
WHERE c.quantity <> 'latency'
GROUP BY c.quantity
ORDER BY c.quantity;
