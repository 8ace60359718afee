-- Who computes, once. Of several names for one the smallest shows, whatever came first.
INSERT INTO implementation
    (digest, spec, slug, name, project, language, interface, role, license)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (digest) DO UPDATE SET
    slug = min(slug, excluded.slug), name = min(name, excluded.name),
    role = min(role, excluded.role),
    license = coalesce(min(license, excluded.license), license, excluded.license);
