-- Implementations beside their specs.
SELECT digest, concat_ws(' | ', slug, name, project, language, interface, role, quote(license))
FROM implementation;
