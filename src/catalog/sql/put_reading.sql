-- A new interpretation of a snapshot.
INSERT INTO reading (
    snapshot_id, source_id, importer, folder, file, declared, provider, basis,
    assumptions, unit_declared, commit_id, committed_at, committed_version, suite_version, license,
    attribution, redistribution, terms_basis, records, rejected, learned_at
) VALUES (
    :snapshot_id, :source_id, :importer, :folder, :file, :declared, :provider, :basis,
    :assumptions, :unit_declared, :commit_id, :committed_at, :committed_version, :suite_version, :license,
    :attribution, :redistribution, :terms_basis, :records, :rejected, :learned_at
);
