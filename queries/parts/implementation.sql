-- An implementation.
SELECT i.name AS implementation, i.slug AS implementation_slug, i.project, i.language,
       i.interface, i.role, i.license AS implementation_license,
       i.digest AS implementation_digest
FROM implementation i
WHERE i.id = :id;
