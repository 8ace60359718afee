-- What was read of each snapshot, and how.
SELECT concat_ws(' ', sn.sha256, coalesce(r.folder, '') || '/' || coalesce(r.file, ''), r.declared,
       coalesce(r.commit_id, '')),
       concat_ws(' | ', s.slug, r.importer, quote(r.provider), r.basis, r.assumptions, r.unit_declared,
       quote(r.committed_at), quote(r.committed_version), quote(r.suite_version), quote(r.license), quote(r.attribution),
       quote(r.redistribution), r.terms_basis, r.records, r.rejected)
FROM reading r
JOIN snapshot sn ON sn.id = r.snapshot_id
JOIN source s ON s.id = r.source_id;
