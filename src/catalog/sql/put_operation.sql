-- An operation, once.
INSERT INTO operation (
    digest, spec, published_digest, published_commit, suite, suite_version, level,
    level_number, problem, file, slug, name, family, shapes_known, facts
) VALUES (
    :digest, :spec, :published_digest, :published_commit, :suite, :suite_version, :level,
    :level_number, :problem, :file, :slug, :name, :family, :shapes_known, :facts
)
ON CONFLICT (digest) DO NOTHING;
