-- An implementation.
SELECT name AS implementation, slug AS implementation_slug, project, language, interface,
       role, license, digest AS implementation_digest
FROM implementation
WHERE id = :implementation;
