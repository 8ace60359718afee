-- Problems of suite versions.
SELECT concat_ws('/', v.suite, v.version, p.level, p.file), concat_ws(' | ', quote(p.number), p.facts)
FROM suite_problem p JOIN suite_version v ON v.id = p.suite_version_id;
