-- Every run of some cohorts, copies left out, with when it was observed according to
-- what the file had learned by an instant (:known_at; NULL: all it knows now), and the
-- doubts that nobody had acknowledged by then.
SELECT m.cohort_id, 0 AS rank, 0 AS tied,
       m.id, m.digest, m.implementation_id, m.source_id, m.status,
       m.value, m.std, m.min, m.max, m.low, m.high, m.samples,
       m.resolution, m.observed_at, m.observed_basis,
       CASE WHEN (SELECT EXISTS (SELECT 1 FROM reading WHERE license IS NOT NULL)) THEN
           (SELECT min(r.license) FROM sighting si JOIN reading r ON r.id = si.reading_id
            WHERE si.measurement_id = m.id) END AS file_license,
       (SELECT group_concat(d.code) FROM doubt d
        WHERE d.measurement_id = m.id
          AND NOT EXISTS (SELECT 1 FROM event a
                          WHERE a.measurement_id = m.id AND a.kind = 'acknowledge'
                            AND a.rule IN ('*', d.code)
                            AND (:known_at IS NULL OR a.at <= :known_at))) AS doubts,
       EXISTS (SELECT 1 FROM event v
               WHERE v.measurement_id = m.id AND v.kind = 'retract'
                 AND (:known_at IS NULL OR v.at <= :known_at)) AS retracted,
       (SELECT json_group_array(json_array(dated.at, dated.basis)) FROM (
            SELECT og.observed_at AS at, og.observed_basis AS basis
            FROM sighting si
            JOIN origin og ON og.reading_id = si.reading_id
            WHERE (:known_at IS NULL OR og.learned_at <= :known_at)
              AND (si.measurement_id = m.id OR si.measurement_id IN
                   (SELECT copy.id FROM measurement copy WHERE copy.copy_of = m.id))
            UNION ALL
            SELECT si.recorded_at, 'record'
            FROM sighting si
            JOIN reading r ON r.id = si.reading_id
            WHERE si.recorded_at IS NOT NULL
              AND (:known_at IS NULL OR r.learned_at <= :known_at)
              AND (si.measurement_id = m.id OR si.measurement_id IN
                   (SELECT copy.id FROM measurement copy WHERE copy.copy_of = m.id)))  AS dated
       ) AS observations
FROM json_each(:cohorts) AS wanted
JOIN measurement m ON m.cohort_id = wanted.value
WHERE m.copy_of IS NULL
ORDER BY m.cohort_id, m.digest;
