-- Operations beside their specs.
SELECT digest, concat_ws(' | ', quote(published_digest), quote(published_commit), suite,
       quote(suite_version), level, quote(level_number), quote(problem), file, slug, name, family,
       shapes_known, quote(facts))
FROM operation;
