-- Environments beside their specs.
SELECT e.digest, concat_ws(' | ', h.slug, quote(e.provider), e.software)
FROM environment e JOIN hardware h ON h.id = e.hardware_id;
