-- A source, with its facts as this program knows them.
INSERT INTO source (
    slug, name, home, data_license, module_license, attribution, terms, redistribution,
    freshness_days
) VALUES (
    :slug, :name, :home, :data_license, :module_license, :attribution, :terms,
    :redistribution, :freshness_days
)
ON CONFLICT (slug) DO UPDATE SET
    name = excluded.name, home = excluded.home, data_license = excluded.data_license,
    module_license = excluded.module_license, attribution = excluded.attribution,
    terms = excluded.terms, redistribution = excluded.redistribution,
    freshness_days = excluded.freshness_days;
