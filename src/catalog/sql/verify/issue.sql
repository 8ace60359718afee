-- Issues, in the order they were met.
SELECT concat_ws(' ', sn.sha256, coalesce(r.folder, '') || '/' || coalesce(r.file, ''), r.declared,
       row_number() OVER (PARTITION BY r.id ORDER BY i.id)),
       concat_ws(' | ', i.severity, i.code, i.pointer, quote(i.line), quote(i.col), i.message,
       quote(i.hint), i.rejects)
FROM issue i
JOIN reading r ON r.id = i.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id;
