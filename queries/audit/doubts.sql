-- Every doubt, acknowledged or not.
SELECT measurement_id, code, factor, against
FROM doubt
ORDER BY measurement_id, code;
