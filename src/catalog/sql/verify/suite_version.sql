-- Suite versions.
SELECT concat_ws('/', suite, version), concat_ws(' | ', commit_id, committed_on, current)
FROM suite_version;
