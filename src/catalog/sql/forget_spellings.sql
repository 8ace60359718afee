-- Spellings of unlisted products that no run was measured on.
DELETE FROM hardware_alias WHERE hardware_id IN (
    SELECT id FROM hardware
    WHERE listed = 0 AND id NOT IN (SELECT hardware_id FROM environment));
