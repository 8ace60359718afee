-- An implementation.
SELECT name, slug, project, language, interface, role, license, digest
FROM implementation
WHERE id = :implementation;
