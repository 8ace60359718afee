-- Runs that state the same place in the same bytes as a run, under other names.
SELECT 'run:' || lower(hex(digest)) AS run
FROM measurement
WHERE copy_of = :measurement
ORDER BY digest;
