-- The ways a snapshot was read, in the order they came.
SELECT r.id, s.slug AS source, r.folder, r.file, r.declared, r.records, r.commit_id,
       r.committed_at, r.committed_version, r.learned_at
FROM reading r
JOIN source s ON s.id = r.source_id
WHERE r.snapshot_id = ?1
ORDER BY r.id;
