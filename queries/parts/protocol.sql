-- A protocol.
SELECT p.digest AS protocol_digest, p.harness, p.statistic, p.timer, p.warmups, p.cache,
       p.precision, p.autograd
FROM protocol p
WHERE p.id = :id;
