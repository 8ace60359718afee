-- An operation, once. What computes the same may have several names; the caller gives
-- the newest, so a later one replaces what was known.
INSERT INTO operation (
    digest, spec, published_digest, published_commit, suite, suite_version, level,
    level_number, problem, file, slug, name, family, shapes_known, inferred, facts
) VALUES (
    :digest, :spec, :published_digest, :published_commit, :suite, :suite_version, :level,
    :level_number, :problem, :file, :slug, :name, :family, :shapes_known, :inferred, :facts
)
ON CONFLICT (digest) DO UPDATE SET
    published_digest = excluded.published_digest,
    published_commit = excluded.published_commit,
    suite_version = excluded.suite_version,
    level = excluded.level,
    level_number = excluded.level_number,
    problem = excluded.problem,
    file = excluded.file,
    slug = excluded.slug,
    name = excluded.name,
    facts = excluded.facts;
