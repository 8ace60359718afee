-- What a reading found wrong or doubtful, by code; the place and message are those of
-- the first of each. (With min(), SQLite takes the other columns from the same row.)
SELECT severity, code, count(*) AS issues, sum(rejects) AS rejects,
       min(id) AS first, pointer, line, message, hint
FROM issue
WHERE reading_id = :reading
GROUP BY severity, code
ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, code;
