-- Version 2: the commit that first brought a file's bytes became known, with the suite's
-- problems and the timing method of that day. Readings keep it, protocols say whether
-- gradients were recorded, workloads keep what their modules move and compute, and
-- everything is read again, since the same bytes mean more.
DROP VIEW v_source;
DROP VIEW v_issue;
DROP VIEW v_sighting;
CREATE TABLE reading_2 (
    id             INTEGER PRIMARY KEY,
    snapshot_id    INTEGER NOT NULL REFERENCES snapshot (id),
    source_id      INTEGER NOT NULL REFERENCES source (id),
    importer       TEXT NOT NULL,
    folder         TEXT,
    file           TEXT,
    declared       TEXT NOT NULL,
    provider       TEXT,
    basis          TEXT NOT NULL CHECK (basis IN ('assumed', 'path', 'declared')),
    assumptions    TEXT NOT NULL,
    unit_declared  INTEGER NOT NULL CHECK (unit_declared IN (0, 1)),
    commit_id      TEXT,
    committed_at   TEXT,
    committed_version TEXT,
    suite_version  TEXT,
    license        TEXT,
    records        INTEGER NOT NULL CHECK (records >= 0),
    rejected       INTEGER NOT NULL CHECK (rejected >= 0),
    learned_at     TEXT NOT NULL,
    observed_at    TEXT,
    observed_basis TEXT,
    UNIQUE (snapshot_id, importer, folder, file, declared, commit_id)
) STRICT;
INSERT INTO reading_2 (id, snapshot_id, source_id, importer, folder, file, declared, provider,
    basis, assumptions, unit_declared, suite_version, license, records, rejected, learned_at,
    observed_at, observed_basis)
SELECT id, snapshot_id, source_id, importer, folder, file, declared, provider,
    basis, assumptions, unit_declared, suite_version, license, records, rejected, learned_at,
    observed_at, observed_basis
FROM reading;
DROP TABLE reading;
ALTER TABLE reading_2 RENAME TO reading;
CREATE INDEX reading_source ON reading (source_id);
ALTER TABLE protocol ADD COLUMN autograd TEXT;
ALTER TABLE workload ADD COLUMN work TEXT;
CREATE VIEW v_source AS
SELECT s.slug AS source, s.name, s.home, s.data_license, s.attribution, s.terms,
       s.redistribution, s.freshness_days,
       (SELECT count(*) FROM measurement m WHERE m.source_id = s.id AND m.copy_of IS NULL) AS runs,
       (SELECT count(DISTINCT r.snapshot_id) FROM reading r WHERE r.source_id = s.id) AS snapshots,
       (SELECT max(r.observed_at) FROM reading r WHERE r.source_id = s.id) AS newest_observation,
       (SELECT max(r.learned_at) FROM reading r WHERE r.source_id = s.id) AS last_import
FROM source s;
CREATE VIEW v_issue AS
SELECT i.severity, i.code, r.folder, r.file, i.pointer, i.line, i.col AS "column",
       i.message, i.hint, i.rejects, sn.sha256 AS snapshot
FROM issue i
JOIN reading r ON r.id = i.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id;
CREATE VIEW v_sighting AS
SELECT 'run:' || lower(hex(m.digest)) AS run, sn.sha256 AS snapshot,
       r.folder, r.file, si.pointer, si.line, si.hardware, si.stated,
       r.observed_at, r.observed_basis
FROM sighting si
JOIN measurement m ON m.id = si.measurement_id
JOIN reading r ON r.id = si.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id;
