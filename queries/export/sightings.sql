-- Where some runs are stated, their copies included: the same place in the same bytes
-- under other names states them too.
WITH stating (run, measurement_id) AS (
    SELECT value, value FROM json_each(:runs)
    UNION ALL
    SELECT m.copy_of, m.id
    FROM json_each(:runs) AS wanted
    JOIN measurement m ON m.copy_of = wanted.value
)
SELECT st.run, sn.sha256 AS snapshot, r.folder, r.file, si.pointer, si.line,
       si.hardware, r.learned_at, r.attribution, r.redistribution,
       CASE WHEN :provenance THEN (
           SELECT json_group_array(DISTINCT og.location)
           FROM origin og
           WHERE og.reading_id = r.id
             AND (:known_at IS NULL OR og.learned_at <= :known_at))
       END AS locations
FROM stating st
JOIN sighting si ON si.measurement_id = st.measurement_id
JOIN reading r ON r.id = si.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id
WHERE :known_at IS NULL OR r.learned_at <= :known_at;
