-- Each source, with what the file holds of it by a day (:horizon, its last instant) as
-- it knew at an instant (:known_at; NULL: all it knows now). A run of unknown date
-- can't be said to be later than any day.
WITH known AS (
    SELECT id, source_id, snapshot_id, rejected, learned_at, license, attribution,
           redistribution, terms_basis
    FROM reading
    WHERE :known_at IS NULL OR learned_at <= :known_at
)
SELECT s.slug, s.name, s.home, s.data_license, s.module_license, s.attribution, s.terms,
       s.redistribution, s.freshness_days,
       (SELECT count(*) FROM measurement m
        WHERE m.source_id = s.id AND m.copy_of IS NULL
          AND (m.observed_at IS NULL OR m.observed_at <= :horizon)
          AND (:known_at IS NULL OR EXISTS (
              SELECT 1 FROM sighting si JOIN known k ON k.id = si.reading_id
              WHERE si.measurement_id = m.id))) AS runs,
       (SELECT count(DISTINCT k.snapshot_id) FROM known k
        WHERE k.source_id = s.id) AS snapshots,
       (SELECT coalesce(sum(k.rejected), 0) FROM known k
        WHERE k.source_id = s.id) AS rejected,
       (SELECT json_group_object(severity, number) FROM (
            SELECT i.severity, count(*) AS number
            FROM known k JOIN issue i ON i.reading_id = k.id
            WHERE k.source_id = s.id
            GROUP BY i.severity)) AS issues,
       (SELECT json_group_array(json_object(
            'license', t.license, 'attribution', t.attribution,
            'redistribution', t.redistribution, 'files', t.files))
        FROM (SELECT k.license, k.attribution, k.redistribution,
                     count(DISTINCT k.snapshot_id) AS files
              FROM known k
              WHERE k.source_id = s.id AND k.terms_basis <> 'source'
              GROUP BY k.license, k.attribution, k.redistribution
              ORDER BY k.license, k.attribution, k.redistribution) t) AS file_terms,
       (SELECT max(k.learned_at) FROM known k
        WHERE k.source_id = s.id) AS last_import
FROM source s
ORDER BY s.slug;
