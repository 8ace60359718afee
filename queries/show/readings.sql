-- Some readings (:readings, JSON array) that the file had learned of by an instant
-- (:known_at; NULL: all), with their source.
SELECT r.id, r.importer, s.slug AS source, r.folder, r.file, r.declared, r.provider,
       r.basis, r.assumptions, r.unit_declared, r.suite_version, r.license, r.terms_basis,
       coalesce(r.attribution, s.attribution) AS own_attribution,
       coalesce(r.redistribution, s.redistribution) AS own_redistribution,
       r.records, r.rejected, r.learned_at,
       s.data_license, s.module_license, s.redistribution, s.attribution, s.terms,
       s.name AS source_name, s.home
FROM reading r
JOIN source s ON s.id = r.source_id
WHERE r.id IN (SELECT value FROM json_each(:readings))
  AND (:known_at IS NULL OR r.learned_at <= :known_at)
ORDER BY r.learned_at, r.folder, r.file, r.declared;
