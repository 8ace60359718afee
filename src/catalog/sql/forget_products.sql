-- Unlisted products that no run was measured on.
DELETE FROM hardware
WHERE listed = 0 AND id NOT IN (SELECT hardware_id FROM environment);
