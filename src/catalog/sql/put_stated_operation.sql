-- An operation that a source states in full, once. Of several titles for one the smallest
-- shows, whatever came first.
INSERT INTO operation (
    digest, spec, suite, level, file, slug, name, family, shapes_known, inferred
) VALUES (:digest, :spec, :suite, :level, :file, :slug, :name, :family, :shapes_known, 0)
ON CONFLICT (digest) DO UPDATE SET
    name = min(name, excluded.name), family = min(family, excluded.family),
    shapes_known = max(shapes_known, excluded.shapes_known);
