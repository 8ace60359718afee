-- Version 2: the commit that first brought a file's bytes became known, with the suite's
-- problems and the timing method of that day. Readings keep it, protocols say whether
-- gradients were recorded, workloads keep what their modules move and compute, and
-- everything is read again, since the same bytes mean more.
-- Decisions may be about one rule of the audit.
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
CREATE TABLE event_2 (
    id             INTEGER PRIMARY KEY,
    kind           TEXT NOT NULL CHECK (kind IN ('retract', 'acknowledge')),
    measurement_id INTEGER NOT NULL REFERENCES measurement (id),
    rule           TEXT NOT NULL,
    reason         TEXT NOT NULL,
    at             TEXT NOT NULL,
    UNIQUE (kind, measurement_id, rule, reason)
) STRICT;
INSERT INTO event_2 (id, kind, measurement_id, rule, reason, at)
SELECT id, kind, measurement_id, '*', reason, at FROM event;
DROP TABLE event;
ALTER TABLE event_2 RENAME TO event;
CREATE INDEX event_measurement ON event (measurement_id);
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
CREATE TABLE given_peaks (
    hardware_id   INTEGER NOT NULL PRIMARY KEY REFERENCES hardware (id),
    source        TEXT NOT NULL,
    memory_gb     REAL,
    bandwidth_gbs REAL,
    fp64          REAL,
    fp64_tensor   REAL,
    fp32          REAL,
    tf32_tensor   REAL,
    fp16_tensor   REAL,
    bf16_tensor   REAL,
    fp8_tensor    REAL,
    int8_tensor   REAL,
    fp4_tensor    REAL,
    units         INTEGER,
    boost_mhz     REAL,
    l2_mib        REAL,
    llc_mib       REAL
) STRICT;
CREATE VIEW v_hardware AS
SELECT h.id, h.slug, h.short, h.family, h.vendor, h.product, h.form_factor, h.architecture,
       h.capability,
       coalesce(g.memory_gb, h.memory_gb) AS memory_gb,
       coalesce(g.bandwidth_gbs, h.bandwidth_gbs) AS bandwidth_gbs,
       coalesce(g.fp64, h.fp64) AS fp64,
       coalesce(g.fp64_tensor, h.fp64_tensor) AS fp64_tensor,
       coalesce(g.fp32, h.fp32) AS fp32,
       coalesce(g.tf32_tensor, h.tf32_tensor) AS tf32_tensor,
       coalesce(g.fp16_tensor, h.fp16_tensor) AS fp16_tensor,
       coalesce(g.bf16_tensor, h.bf16_tensor) AS bf16_tensor,
       coalesce(g.fp8_tensor, h.fp8_tensor) AS fp8_tensor,
       coalesce(g.int8_tensor, h.int8_tensor) AS int8_tensor,
       coalesce(g.fp4_tensor, h.fp4_tensor) AS fp4_tensor,
       coalesce(g.units, h.units) AS units,
       coalesce(g.boost_mhz, h.boost_mhz) AS boost_mhz,
       coalesce(g.l2_mib, h.l2_mib) AS l2_mib,
       coalesce(g.llc_mib, h.llc_mib) AS llc_mib,
       h.tdp_w, h.announced, h.confidence, h.peak_source, h.notes, h.listed,
       g.source AS given
FROM hardware h
LEFT JOIN given_peaks g ON g.hardware_id = h.id;
