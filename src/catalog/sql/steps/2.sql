-- Version 2: the commit that first brought a file's bytes became known, with the suite's
-- problems and the timing method of that day. Readings keep it, protocols say whether
-- gradients were recorded, workloads keep what their modules move and compute, and
-- everything is read again, since the same bytes mean more.
-- Decisions may be about one rule of the audit.
-- Other metrics than latency came in, with their directions and units; failed runs; terms
-- of single files; times that records state.
DROP VIEW v_record;
DROP VIEW v_run;
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
    attribution    TEXT,
    redistribution INTEGER CHECK (redistribution IN (0, 1)),
    terms_basis    TEXT NOT NULL CHECK (terms_basis IN ('source', 'stated', 'declared')),
    records        INTEGER NOT NULL CHECK (records >= 0),
    rejected       INTEGER NOT NULL CHECK (rejected >= 0),
    learned_at     TEXT NOT NULL,
    observed_at    TEXT,
    observed_basis TEXT,
    UNIQUE (snapshot_id, importer, folder, file, declared, commit_id)
) STRICT;
INSERT INTO reading_2 (id, snapshot_id, source_id, importer, folder, file, declared, provider,
    basis, assumptions, unit_declared, suite_version, license, terms_basis, records, rejected,
    learned_at, observed_at, observed_basis)
SELECT id, snapshot_id, source_id, importer, folder, file, declared, provider,
    basis, assumptions, unit_declared, suite_version, license,
    CASE WHEN license IS NULL THEN 'source' ELSE 'declared' END, records, rejected,
    learned_at, observed_at, observed_basis
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
CREATE TABLE metric (
    name      TEXT NOT NULL PRIMARY KEY,
    direction TEXT NOT NULL CHECK (direction IN ('lower', 'higher')),
    unit      TEXT NOT NULL,
    parts     INTEGER NOT NULL CHECK (parts > 0)
) STRICT, WITHOUT ROWID;
INSERT INTO metric (name, direction, unit, parts) VALUES
    ('latency', 'lower', 'ns', 1000),
    ('bandwidth', 'higher', 'B/s', 1),
    ('compute', 'higher', 'FLOP/s', 1),
    ('throughput', 'higher', 'items/s', 1000),
    ('memory', 'lower', 'B', 1),
    ('speedup', 'higher', '1', 1000000000),
    ('utilization', 'higher', '1', 1000000000);
CREATE TABLE cohort_2 (
    id             INTEGER PRIMARY KEY,
    digest         TEXT NOT NULL UNIQUE,
    workload_id    INTEGER NOT NULL REFERENCES workload (id),
    environment_id INTEGER NOT NULL REFERENCES environment (id),
    protocol_id    INTEGER NOT NULL REFERENCES protocol (id),
    metric         TEXT NOT NULL,
    quantity       TEXT NOT NULL REFERENCES metric (name),
    UNIQUE (workload_id, environment_id, protocol_id, metric)
) STRICT;
INSERT INTO cohort_2 (id, digest, workload_id, environment_id, protocol_id, metric,
    quantity)
SELECT id, digest, workload_id, environment_id, protocol_id, metric, 'latency'
FROM cohort;
DROP TABLE cohort;
ALTER TABLE cohort_2 RENAME TO cohort;
CREATE INDEX cohort_environment ON cohort (environment_id);
CREATE INDEX cohort_protocol ON cohort (protocol_id);
CREATE INDEX cohort_other ON cohort (quantity) WHERE quantity <> 'latency';
CREATE TABLE operation_2 (
    id               INTEGER PRIMARY KEY,
    digest           TEXT NOT NULL UNIQUE,
    spec             TEXT NOT NULL,
    published_digest TEXT,
    published_commit TEXT,
    suite            TEXT NOT NULL,
    suite_version    TEXT,
    level            TEXT NOT NULL,
    level_number     INTEGER,
    problem          INTEGER,
    file             TEXT NOT NULL,
    slug             TEXT NOT NULL,
    name             TEXT NOT NULL,
    family           TEXT NOT NULL,
    shapes_known     INTEGER NOT NULL CHECK (shapes_known IN (0, 1)),
    inferred         INTEGER NOT NULL CHECK (inferred IN (0, 1)),
    facts            TEXT
) STRICT;
INSERT INTO operation_2 (id, digest, spec, published_digest, published_commit, suite,
    suite_version, level, level_number, problem, file, slug, name, family, shapes_known,
    inferred, facts)
SELECT id, digest, spec, published_digest, published_commit, suite, suite_version, level,
    level_number, problem, file, slug, name, family, shapes_known, 1, facts
FROM operation;
DROP TABLE operation;
ALTER TABLE operation_2 RENAME TO operation;
CREATE INDEX operation_slug ON operation (slug);
CREATE INDEX operation_file ON operation (suite, level, file);
CREATE TABLE measurement_2 (
    id                INTEGER PRIMARY KEY,
    digest            BLOB NOT NULL CHECK (length(digest) = 32),
    source_id         INTEGER NOT NULL REFERENCES source (id),
    cohort_id         INTEGER NOT NULL REFERENCES cohort (id),
    implementation_id INTEGER NOT NULL REFERENCES implementation (id),
    status            TEXT NOT NULL CHECK (status = 'passed' OR status IN
        ('not_run', 'skipped', 'compile_error', 'runtime_error', 'timeout', 'incorrect',
         'reward_hack', 'invalid_reference', 'failed')),
    value             INTEGER,
    std               INTEGER,
    min               INTEGER,
    max               INTEGER,
    low               INTEGER,
    high              INTEGER,
    samples           INTEGER,
    resolution        INTEGER NOT NULL,
    observed_at       TEXT,
    observed_basis    TEXT,
    copy_of           INTEGER REFERENCES measurement (id),
    CHECK (value IS NULL OR status = 'passed'),
    CHECK ((low IS NULL) = (high IS NULL))
) STRICT;
INSERT INTO measurement_2 (id, digest, source_id, cohort_id, implementation_id, status, value,
    std, min, max, samples, resolution, observed_at, observed_basis, copy_of)
SELECT id, digest, source_id, cohort_id, implementation_id, status, value_ps,
    std_ps, min_ps, max_ps, samples, resolution_ps, observed_at, observed_basis, copy_of
FROM measurement;
DROP TABLE measurement;
ALTER TABLE measurement_2 RENAME TO measurement;
CREATE UNIQUE INDEX measurement_digest ON measurement (substr(digest, 1, 16));
CREATE INDEX measurement_cohort ON measurement (cohort_id, implementation_id, value);
CREATE INDEX measurement_copy ON measurement (copy_of) WHERE copy_of IS NOT NULL;
ALTER TABLE sighting ADD COLUMN recorded_at TEXT;
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
       r.folder, r.file, si.pointer, si.line, si.hardware, si.stated, si.recorded_at,
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
CREATE VIEW v_run AS
SELECT m.id                                          AS measurement_id,
       'run:' || lower(hex(m.digest))                AS run,
       s.slug                                        AS source,
       o.slug                                        AS operation,
       o.name                                        AS operation_name,
       o.suite, o.suite_version, o.level, o.problem, o.family,
       o.shapes_known,
       w.summary                                     AS workload,
       w.dtype,
       w.input_bytes,
       i.name                                        AS implementation,
       i.role,
       h.slug                                        AS hardware,
       h.product,
       h.family                                      AS hardware_family,
       e.provider,
       e.software,
       p.harness,
       p.cache,
       m.status,
       c.metric,
       c.quantity,
       1.0 * m.value / q.parts                        AS value,
       1.0 * m.std / q.parts                          AS std,
       1.0 * m.min / q.parts                          AS min,
       1.0 * m.max / q.parts                          AS max,
       CASE c.quantity WHEN 'latency' THEN m.value / 1000.0 END AS latency_ns,
       CASE c.quantity WHEN 'latency' THEN m.std / 1000.0 END AS std_ns,
       CASE c.quantity WHEN 'latency' THEN m.min / 1000.0 END AS min_ns,
       CASE c.quantity WHEN 'latency' THEN m.max / 1000.0 END AS max_ns,
       m.samples,
       m.observed_at, m.observed_basis,
       st.rank,
       st.tied,
       c.digest                                      AS cohort,
       (SELECT group_concat(d.code) FROM doubt d WHERE d.measurement_id = m.id) AS doubts
FROM measurement m
JOIN source s ON s.id = m.source_id
JOIN cohort c ON c.id = m.cohort_id
JOIN metric q ON q.name = c.quantity
JOIN workload w ON w.id = c.workload_id
JOIN operation o ON o.id = w.operation_id
JOIN environment e ON e.id = c.environment_id
JOIN hardware h ON h.id = e.hardware_id
JOIN protocol p ON p.id = c.protocol_id
JOIN implementation i ON i.id = m.implementation_id
LEFT JOIN standing st ON st.measurement_id = m.id
WHERE m.copy_of IS NULL;
CREATE VIEW v_record AS
SELECT r.operation, r.operation_name, r.suite, r.level, r.problem, r.family, r.workload,
       r.hardware, r.product, r.hardware_family, r.provider,
       r.implementation, r.metric, r.quantity, r.value, r.latency_ns, r.samples, r.observed_at,
       CASE r.quantity WHEN 'latency' THEN b.value / 1000.0 END AS baseline_ns,
       CASE q.direction WHEN 'lower' THEN 1.0 * b.value / m.value
                        ELSE 1.0 * m.value / b.value END AS speedup,
       rec.unbeaten, rec.runs, r.run, r.cohort, r.source
FROM record rec
JOIN measurement m ON m.id = rec.measurement_id
JOIN cohort c ON c.id = rec.cohort_id
JOIN metric q ON q.name = c.quantity
JOIN v_run r ON r.measurement_id = rec.measurement_id
LEFT JOIN measurement b ON b.id = rec.baseline_id;
