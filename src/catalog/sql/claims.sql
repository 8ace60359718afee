-- Every measurement that the places of one snapshot are read as.
SELECT s.pointer, s.measurement_id, m.digest,
       r.basis, r.unit_declared,
       r.declared ->> '$.suite_version' IS NOT NULL
           OR r.declared ->> '$.beside' IS NOT NULL AS versioned,
       r.commit_id IS NOT NULL AS committed, r.provider, r.observed_at, r.observed_basis
FROM reading r
JOIN sighting s ON s.reading_id = r.id
JOIN measurement m ON m.id = s.measurement_id
WHERE r.snapshot_id = :snapshot;
