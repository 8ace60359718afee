-- kidx: the contract between importers and questions, and for anyone who opens the
-- file with another tool. Read it top to bottom to learn the data model; the views
-- at the end (v_run, v_record, v_source, …) are what to query from outside.
--
-- Conventions
--   * A digest is `sha256:` + 64 hex digits over RFC 8785 canonical JSON of
--     {apiVersion, kind, spec}; `spec` is kept beside it, so each can be recomputed.
--     Runs keep theirs as 32 raw bytes, since there are many.
--   * Figures are whole numbers of parts of their metric's unit: picoseconds for durations,
--     bytes for memory (table `metric`). Dates are `YYYY-MM-DD`, instants
--     `YYYY-MM-DDTHH:MM:SSZ`, always UTC, so text order is time order.
--   * NULL is unknown. It never means zero, false or "none".
--   * Stated tables only grow. Columns and tables marked DERIVED follow from the rest;
--     `kidx verify` rebuilds them and compares.

-- Small facts about this file: digests of the reference data loaded into it.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,  -- e.g. `reference/hardware`
    value TEXT NOT NULL               -- digest or plain text
) STRICT, WITHOUT ROWID;

------------------------------------------------------------------ who and where from

-- Who publishes figures.
CREATE TABLE source (
    id             INTEGER PRIMARY KEY,  -- row
    slug           TEXT NOT NULL UNIQUE,  -- import verb: `kernelbench`
    name           TEXT NOT NULL,         -- display name
    home           TEXT NOT NULL,         -- where it is published
    data_license   TEXT,                  -- the source's own text of the data licence
    module_license TEXT,                  -- licence text of the published modules
    attribution    TEXT NOT NULL,         -- whom to name when figures are passed on
    terms          TEXT NOT NULL,         -- terms worth knowing, one sentence
    redistribution INTEGER CHECK (redistribution IN (0, 1)),  -- may figures be passed on
    freshness_days INTEGER NOT NULL CHECK (freshness_days > 0)  -- stale after this many days
) STRICT;

-- The exact content of an input, after decompression. Immutable.
CREATE TABLE snapshot (
    id     INTEGER PRIMARY KEY,  -- row
    sha256 TEXT NOT NULL UNIQUE,              -- `sha256:…` of the content
    bytes  INTEGER NOT NULL CHECK (bytes >= 0)  -- length of the content
) STRICT;

-- That content, in zstd chunks small enough to stream.
CREATE TABLE snapshot_chunk (
    snapshot_id INTEGER NOT NULL REFERENCES snapshot (id),  -- whose content
    ordinal     INTEGER NOT NULL CHECK (ordinal >= 0),  -- order of the chunks, from 0
    zstd        BLOB NOT NULL,                          -- one zstd frame
    PRIMARY KEY (snapshot_id, ordinal)
) STRICT, WITHOUT ROWID;

-- One interpretation of a snapshot: by which importer, under which names and declared
-- facts. The same bytes read the same way again are the same reading.
CREATE TABLE reading (
    id             INTEGER PRIMARY KEY,  -- row
    snapshot_id    INTEGER NOT NULL REFERENCES snapshot (id),  -- what was read
    source_id      INTEGER NOT NULL REFERENCES source (id),  -- whose format it is in
    importer       TEXT NOT NULL,     -- importer and its version: `kernelbench/1`
    folder         TEXT,              -- name of the folder that held the file
    file           TEXT,              -- file name without compression suffix
    declared       TEXT NOT NULL,     -- facts the user declared, JSON object
    provider       TEXT,              -- who ran it, as written
    basis          TEXT NOT NULL CHECK (basis IN ('assumed', 'path', 'declared')),  -- how configuration and provider are known
    assumptions    TEXT NOT NULL,     -- what the importer relied on unsaid, JSON array of text
    unit_declared  INTEGER NOT NULL CHECK (unit_declared IN (0, 1)),  -- the unit was stated, not assumed
    commit_id      TEXT,              -- commit of the source's repository that first brought the bytes
    committed_at   TEXT,              -- author date of that commit
    committed_version TEXT,           -- suite version that the commit has
    suite_version  TEXT,              -- suite version whose definitions apply; NULL: unknown or several
    license        TEXT,              -- licence text of this file's data, where it differs from the source's
    attribution    TEXT,              -- whom to name for this file's figures, where that differs
    redistribution INTEGER CHECK (redistribution IN (0, 1)),  -- may they be passed on, where that differs
    terms_basis    TEXT NOT NULL CHECK (terms_basis IN ('source', 'stated', 'declared')),  -- who says so: the source in general, the file, the user
    records        INTEGER NOT NULL CHECK (records >= 0),   -- records in the input
    rejected       INTEGER NOT NULL CHECK (rejected >= 0),  -- of them not used
    learned_at     TEXT NOT NULL,     -- when this file first learned of it
    observed_at    TEXT,              -- DERIVED: best observation instant among its origins
    observed_basis TEXT,              -- DERIVED: and how that is known
    UNIQUE (snapshot_id, importer, folder, file, declared, commit_id)
) STRICT;
CREATE INDEX reading_source ON reading (source_id);

-- Where and when the bytes of a reading were met.
CREATE TABLE origin (
    id               INTEGER PRIMARY KEY,  -- row
    reading_id       INTEGER NOT NULL REFERENCES reading (id),  -- what was met
    location         TEXT NOT NULL,  -- path, URL or `-`
    container        TEXT CHECK (container IN ('gzip', 'zstd')),  -- compression around the content
    container_sha256 TEXT,           -- `sha256:…` of the compressed bytes
    observed_at      TEXT,           -- instant or date the figures were observed
    observed_basis   TEXT CHECK (observed_basis IN  -- how that is known, strongest first:
        ('declared', 'record', 'git', 'revision', 'http-last-modified', 'file-time')),
    learned_at       TEXT NOT NULL,  -- when this file learned of this origin
    CHECK ((observed_at IS NULL) = (observed_basis IS NULL))
) STRICT;
CREATE INDEX origin_reading ON origin (reading_id);

-- A record or file that was not used, or used with doubt.
CREATE TABLE issue (
    id         INTEGER PRIMARY KEY,  -- row
    reading_id INTEGER NOT NULL REFERENCES reading (id),  -- reading that met it
    severity   TEXT NOT NULL CHECK (severity IN ('error', 'warning', 'note')),  -- only an error changes the exit code
    code       TEXT NOT NULL,     -- stable, upper case: `NO_TIMING`
    pointer    TEXT NOT NULL,     -- JSON pointer of the place; empty: the whole input
    line       INTEGER,           -- 1-based line of the place
    col        INTEGER,           -- 1-based column of the place
    message    TEXT NOT NULL,     -- what was found, what was expected
    hint       TEXT,              -- what to try
    rejects    INTEGER NOT NULL CHECK (rejects >= 0)  -- records it keeps out
) STRICT;
CREATE INDEX issue_reading ON issue (reading_id);

------------------------------------------------------------------ hardware

-- Hardware products: those of the built-in table with their peaks, and whatever else
-- was measured on, as products of their own without peaks. Peaks are dense, per device:
-- GB/s = 10^9 B/s, TFLOP/s = 10^12 per second (int8: TOPS). NULL: unsupported or unknown.
CREATE TABLE hardware (
    id             INTEGER PRIMARY KEY,  -- row
    slug           TEXT NOT NULL UNIQUE,  -- `h100-sxm5-80gb`
    short          TEXT NOT NULL,         -- slug without memory size where unambiguous
    family         TEXT,                  -- groups the forms of one chip: `h100`
    vendor         TEXT,  -- NVIDIA, AMD …; NULL for an unlisted device
    product        TEXT NOT NULL,         -- full name, or the device string of an unlisted one
    form_factor    TEXT,                  -- SXM5, PCIe …
    architecture   TEXT,  -- Hopper, CDNA3 …
    capability     TEXT,                  -- compute capability or gfx target
    memory_gb      REAL,                  -- the vendor's label, not a byte count
    bandwidth_gbs  REAL,                  -- DRAM
    fp64           REAL,                  -- TFLOP/s, vector
    fp64_tensor    REAL,  -- TFLOP/s, matrix
    fp32           REAL,                  -- vector
    tf32_tensor    REAL,                  -- fastest path for fp32 inputs with reduced mantissa
    fp16_tensor    REAL,  -- TFLOP/s, matrix, the faster accumulator
    bf16_tensor    REAL,  -- TFLOP/s, matrix
    fp8_tensor     REAL,  -- TFLOP/s, matrix, the faster accumulator
    int8_tensor    REAL,                  -- TOPS
    fp4_tensor     REAL,  -- TFLOP/s, matrix
    units          INTEGER,               -- SMs, CUs, cores
    boost_mhz      REAL,                  -- maximum clock
    l2_mib         REAL,                  -- L2 of the whole device
    llc_mib        REAL,                  -- memory-side cache behind L2 (AMD Infinity Cache)
    tdp_w          REAL,  -- board power in watts
    announced      TEXT,                  -- month of public announcement
    confidence     TEXT CHECK (confidence IN ('high', 'medium', 'low')),  -- of the peaks
    peak_source    TEXT,                  -- document the peaks originate from
    notes          TEXT,  -- what to know about the figures
    listed         INTEGER NOT NULL CHECK (listed IN (0, 1))  -- in the built-in table
) STRICT;
CREATE INDEX hardware_family ON hardware (family);

-- Spellings of a product: whole strings, lower case, blanks folded. Never substrings.
CREATE TABLE hardware_alias (
    alias       TEXT NOT NULL PRIMARY KEY,  -- the spelling
    hardware_id INTEGER NOT NULL REFERENCES hardware (id)  -- what it means
) STRICT, WITHOUT ROWID;

-- Figures of products that the user gave: floors and pages take them before those of the
-- built-in table, and say so. What is derived from all runs (doubts) doesn't.
CREATE TABLE given_peaks (
    hardware_id   INTEGER NOT NULL PRIMARY KEY REFERENCES hardware (id),  -- whose
    source        TEXT NOT NULL,  -- file that they are from, with the digest of its bytes
    memory_gb     REAL,  -- NULL in these: as in the built-in table
    bandwidth_gbs REAL,  -- DRAM, GB/s
    fp64          REAL,  -- TFLOP/s, vector
    fp64_tensor   REAL,  -- TFLOP/s, matrix
    fp32          REAL,  -- TFLOP/s, vector
    tf32_tensor   REAL,  -- TFLOP/s, matrix
    fp16_tensor   REAL,  -- TFLOP/s, matrix
    bf16_tensor   REAL,  -- TFLOP/s, matrix
    fp8_tensor    REAL,  -- TFLOP/s, matrix
    int8_tensor   REAL,  -- TOPS
    fp4_tensor    REAL,  -- TFLOP/s, matrix
    units         INTEGER,  -- SMs, CUs, cores
    boost_mhz     REAL,  -- maximum clock
    l2_mib        REAL,  -- L2 of the whole device
    llc_mib       REAL   -- memory-side cache behind L2
) STRICT;

-- Hardware families that coverage asks about ("not measured on").
CREATE TABLE watch (
    family  TEXT NOT NULL PRIMARY KEY,  -- any form factor counts
    display TEXT NOT NULL,              -- as pages print it: `B200`
    ordinal INTEGER NOT NULL            -- order on pages
) STRICT, WITHOUT ROWID;

------------------------------------------------------------------ suites

-- Versions of a suite whose problem definitions are known.
CREATE TABLE suite_version (
    id           INTEGER PRIMARY KEY,  -- row
    suite        TEXT NOT NULL,      -- `kernelbench`
    version      TEXT NOT NULL,      -- short name of the version
    commit_id    TEXT NOT NULL,      -- newest commit of the suite with these definitions
    committed_on TEXT NOT NULL,      -- date of the commit that brought them
    current      INTEGER NOT NULL CHECK (current IN (0, 1)),  -- the suite's own today
    UNIQUE (suite, version)
) STRICT;

-- Problems of a suite version: figures read off their modules, no code.
CREATE TABLE suite_problem (
    suite_version_id INTEGER NOT NULL REFERENCES suite_version (id),  -- version that defines it
    level            TEXT NOT NULL,  -- `level2`
    file             TEXT NOT NULL,  -- `28_BMM_….py`
    number           INTEGER,        -- 28
    facts            TEXT NOT NULL,  -- JSON: names, axes, inputs, digests
    PRIMARY KEY (suite_version_id, level, file)
) STRICT, WITHOUT ROWID;

------------------------------------------------------------------ what is compared

-- What is computed. Names are aliases; the digest is the identity.
CREATE TABLE operation (
    id               INTEGER PRIMARY KEY,  -- row
    digest           TEXT NOT NULL UNIQUE,  -- identity, `sha256:…`
    spec             TEXT NOT NULL,     -- canonical JSON
    published_digest TEXT,              -- identity that the published index gives it
    published_commit TEXT,              -- the commit inside that identity
    suite            TEXT NOT NULL,     -- `kernelbench`
    suite_version    TEXT,              -- newest known version with this definition; NULL: unknown
    level            TEXT NOT NULL,     -- level key: `level2`
    level_number     INTEGER,  -- 2; NULL for levels without a number
    problem          INTEGER,           -- number within the level
    file             TEXT NOT NULL,     -- file name as stated
    slug             TEXT NOT NULL,     -- `kernelbench/level2/28`; several versions may share it
    name             TEXT NOT NULL,     -- title
    family           TEXT NOT NULL,     -- gemm, conv, model …; `unknown` where shapes are
    shapes_known     INTEGER NOT NULL CHECK (shapes_known IN (0, 1)),  -- its definition is known
    inferred         INTEGER NOT NULL CHECK (inferred IN (0, 1)),  -- sources give a name only: which definition was meant is concluded, and can be doubted
    facts            TEXT               -- how the module words it, JSON: input names, symbols, draws
) STRICT;
CREATE INDEX operation_slug ON operation (slug);
CREATE INDEX operation_file ON operation (suite, level, file);

-- An operation with every axis bound.
CREATE TABLE workload (
    id           INTEGER PRIMARY KEY,  -- row
    digest       TEXT NOT NULL UNIQUE,  -- identity, `sha256:…`
    spec         TEXT NOT NULL,     -- canonical JSON
    operation_id INTEGER NOT NULL REFERENCES operation (id),  -- what is computed
    summary      TEXT NOT NULL,     -- `batch_size=1024 in_features=8192 … fp32`
    axes         TEXT NOT NULL,     -- JSON object, name to integer
    dtype        TEXT,              -- of the inputs; `mixed` when they differ
    input_bytes  INTEGER,           -- every declared input once; NULL: unknown
    work         TEXT               -- what it moves and computes, JSON; NULL: unknown
) STRICT;
CREATE INDEX workload_operation ON workload (operation_id);

-- Who computes it, in one configuration.
CREATE TABLE implementation (
    id        INTEGER PRIMARY KEY,  -- row
    digest    TEXT NOT NULL UNIQUE,  -- identity, `sha256:…`
    spec      TEXT NOT NULL,     -- canonical JSON
    slug      TEXT NOT NULL,     -- `torch-compile-inductor`
    name      TEXT NOT NULL,     -- `torch.compile (inductor)`
    project   TEXT NOT NULL,     -- `PyTorch`
    language  TEXT NOT NULL,  -- as published: `python`
    interface TEXT NOT NULL,     -- `torch_compile_inductor`
    role      TEXT NOT NULL CHECK (role IN ('baseline', 'reference', 'candidate')),  -- designated baseline, other reference, competitor
    license   TEXT               -- licence text of what runs, as its project declares it
) STRICT;

-- Where it ran: product, provider, software as far as stated.
CREATE TABLE environment (
    id          INTEGER PRIMARY KEY,  -- row
    digest      TEXT NOT NULL UNIQUE,  -- identity, `sha256:…`
    spec        TEXT NOT NULL,     -- canonical JSON
    hardware_id INTEGER NOT NULL REFERENCES hardware (id),  -- product it ran on
    provider    TEXT,              -- as written; spellings differing in case are one
    software    TEXT NOT NULL      -- JSON object, name to version; empty: unknown
) STRICT;
CREATE INDEX environment_hardware ON environment (hardware_id);

-- How it was timed.
CREATE TABLE protocol (
    id        INTEGER PRIMARY KEY,  -- row
    digest    TEXT NOT NULL UNIQUE,  -- identity, `sha256:…`
    spec      TEXT NOT NULL,     -- canonical JSON
    harness   TEXT NOT NULL,  -- name as pages print it
    statistic TEXT NOT NULL,  -- primary statistic: `mean`
    timer     TEXT,  -- `cuda_event` …
    warmups   INTEGER,  -- runs before the timed trials
    cache     TEXT,              -- state between trials
    precision TEXT,  -- precision mode of the arithmetic
    autograd  TEXT               -- gradients while timing: `recorded` or `off`
) STRICT;

-- What can be measured. A figure is kept as a whole number of parts of its unit: a latency of
-- 1 ns is 1000 parts (picoseconds), 1 byte is 1, a ratio of 1 is 10^9.
CREATE TABLE metric (
    name      TEXT NOT NULL PRIMARY KEY,  -- `latency`, as `--metric` takes it
    direction TEXT NOT NULL CHECK (direction IN ('lower', 'higher')),  -- which is better
    unit      TEXT NOT NULL,     -- unit that figures leave in; a throughput's cohorts name their own
    parts     INTEGER NOT NULL CHECK (parts > 0)  -- how many make one of the unit
) STRICT, WITHOUT ROWID;
INSERT INTO metric (name, direction, unit, parts) VALUES
    ('latency', 'lower', 'ns', 1000),
    ('bandwidth', 'higher', 'B/s', 1),
    ('compute', 'higher', 'FLOP/s', 1),
    ('throughput', 'higher', 'items/s', 1000),
    ('memory', 'lower', 'B', 1),
    ('speedup', 'higher', '1', 1000000000),
    ('utilization', 'higher', '1', 1000000000);

-- What may be compared: one workload, environment, protocol, correctness rule, metric.
-- The implementation is not in it; that is what a cohort compares.
CREATE TABLE cohort (
    id             INTEGER PRIMARY KEY,  -- row
    digest         TEXT NOT NULL UNIQUE,  -- identity, `sha256:…`
    workload_id    INTEGER NOT NULL REFERENCES workload (id),  -- what was computed
    environment_id INTEGER NOT NULL REFERENCES environment (id),  -- where
    protocol_id    INTEGER NOT NULL REFERENCES protocol (id),  -- how it was timed
    metric         TEXT NOT NULL,     -- `latency:mean:ns`
    quantity       TEXT NOT NULL REFERENCES metric (name),  -- first part of it: `latency`
    UNIQUE (workload_id, environment_id, protocol_id, metric)
) STRICT;
CREATE INDEX cohort_environment ON cohort (environment_id);
CREATE INDEX cohort_protocol ON cohort (protocol_id);
CREATE INDEX cohort_other ON cohort (quantity) WHERE quantity <> 'latency';

------------------------------------------------------------------ runs

-- A measurement: one implementation in one cohort with these stated figures. Its
-- digest holds no date: the same figures stated again are the same measurement. SQLite
-- builds the list of a check for every row that comes to it, so the usual status stands before.
CREATE TABLE measurement (
    id                INTEGER PRIMARY KEY,  -- row
    digest            BLOB NOT NULL CHECK (length(digest) = 32),  -- identity, raw
    source_id         INTEGER NOT NULL REFERENCES source (id),  -- who states it
    cohort_id         INTEGER NOT NULL REFERENCES cohort (id),  -- what it may be compared with
    implementation_id INTEGER NOT NULL REFERENCES implementation (id),  -- who computed
    status            TEXT NOT NULL CHECK (status = 'passed' OR status IN  -- what became of the run
        ('not_run', 'skipped', 'compile_error', 'runtime_error', 'timeout', 'incorrect',
         'reward_hack', 'invalid_reference', 'failed')),
    value             INTEGER,           -- the metric's value, in parts of its unit (latency: ps); NULL: none
    std               INTEGER,           -- population standard deviation; these are in parts too
    min               INTEGER,           -- least trial
    max               INTEGER,           -- greatest trial
    low               INTEGER,           -- low end of an interval that the source states
    high              INTEGER,           -- and its high end
    samples           INTEGER,           -- trials behind the statistic
    resolution        INTEGER NOT NULL,  -- the source's printing hides ± this much
    observed_at       TEXT,              -- DERIVED: strongest basis among its sightings, then earliest
    observed_basis    TEXT,              -- DERIVED: how that is known
    copy_of           INTEGER REFERENCES measurement (id),  -- DERIVED: same place in the same bytes, under other names
    CHECK (value IS NULL OR status = 'passed'),
    CHECK ((low IS NULL) = (high IS NULL))
) STRICT;
-- A run stands once. Not by its whole digest: digests come in no order, and an import of
-- many runs would take longest for writing an index of them, all over, again and again. Of
-- runs with the same figure, 8 bytes tell one from another. A NULL equals no other, so runs
-- without a figure have an index of their own.
CREATE UNIQUE INDEX measurement_run ON measurement (cohort_id, implementation_id, value, substr(digest, 1, 8));
CREATE UNIQUE INDEX measurement_without ON measurement (cohort_id, implementation_id, substr(digest, 1, 8)) WHERE value IS NULL;
CREATE INDEX measurement_copy ON measurement (copy_of) WHERE copy_of IS NOT NULL;

-- A reading that states a measurement, and the place where it does.
CREATE TABLE sighting (
    reading_id     INTEGER NOT NULL REFERENCES reading (id),  -- reading that states it
    ordinal        INTEGER NOT NULL,  -- order of the record among those used, from 0
    measurement_id INTEGER NOT NULL REFERENCES measurement (id),  -- what it states
    pointer        TEXT NOT NULL,     -- JSON pointer
    line           INTEGER,           -- 1-based
    hardware       TEXT NOT NULL,     -- device string as stated or declared
    stated         TEXT NOT NULL,     -- JSON object: each figure's own text, and other evidence
    recorded_at    TEXT,              -- when it was measured, as the record says
    PRIMARY KEY (reading_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX sighting_measurement ON sighting (measurement_id);

-- What was decided about runs later, and why. Nothing is rewritten.
CREATE TABLE event (
    id             INTEGER PRIMARY KEY,  -- row
    kind           TEXT NOT NULL CHECK (kind IN ('retract', 'acknowledge')),  -- what was decided
    measurement_id INTEGER NOT NULL REFERENCES measurement (id),  -- about which run
    rule           TEXT NOT NULL,  -- audit rule that is acknowledged; `*`: whatever is found, or the run itself
    reason         TEXT NOT NULL,  -- why, for whoever reads the history
    at             TEXT NOT NULL,     -- instant
    UNIQUE (kind, measurement_id, rule, reason)
) STRICT;
CREATE INDEX event_measurement ON event (measurement_id);

------------------------------------------------------------------ derived

-- DERIVED: runs whose figures contradict the rest of this file, or what hardware can do.
CREATE TABLE doubt (
    measurement_id INTEGER NOT NULL REFERENCES measurement (id),  -- the doubted run
    code           TEXT NOT NULL,     -- UNIT_DOUBTED, SHAPE_DOUBTED, MARKED_EXCESSIVE, BELOW_HARD
    factor         REAL NOT NULL,     -- own figure divided by what it was held against
    against        TEXT NOT NULL,     -- what that was
    PRIMARY KEY (measurement_id, code)
) STRICT, WITHOUT ROWID;

-- DERIVED: the run of each implementation that stands in a cohort (eligible, newest),
-- ranked under ranking-v1.
CREATE TABLE standing (
    cohort_id         INTEGER NOT NULL REFERENCES cohort (id),  -- where
    implementation_id INTEGER NOT NULL REFERENCES implementation (id),  -- whose run
    measurement_id    INTEGER NOT NULL REFERENCES measurement (id),  -- the run that stands
    position          INTEGER NOT NULL,  -- order within the cohort, from 1
    rank              INTEGER NOT NULL,  -- dense; tied runs share one
    tied              INTEGER NOT NULL CHECK (tied IN (0, 1)),  -- another run shares the rank
    PRIMARY KEY (cohort_id, implementation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX standing_measurement ON standing (measurement_id);

-- DERIVED: the current record of each cohort that has an eligible run.
CREATE TABLE record (
    cohort_id      INTEGER NOT NULL PRIMARY KEY REFERENCES cohort (id),  -- whose record
    measurement_id INTEGER NOT NULL REFERENCES measurement (id),  -- leads: position 1
    baseline_id    INTEGER REFERENCES measurement (id),  -- the designated baseline's standing run
    unbeaten       INTEGER NOT NULL CHECK (unbeaten IN (0, 1)),  -- the baseline is among rank 1
    runs           INTEGER NOT NULL    -- eligible runs in the cohort
) STRICT, WITHOUT ROWID;

------------------------------------------------------------------ views

-- One row per run (copies left out), with everything that names it.
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

-- Products with the figures that floors use: given ones before those of the built-in table.
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

-- The current record of every cohort.
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

-- Each source with what this file holds of it.
CREATE VIEW v_source AS
SELECT s.slug AS source, s.name, s.home, s.data_license, s.attribution, s.terms,
       s.redistribution, s.freshness_days,
       (SELECT count(*) FROM measurement m WHERE m.source_id = s.id AND m.copy_of IS NULL) AS runs,
       (SELECT count(DISTINCT r.snapshot_id) FROM reading r WHERE r.source_id = s.id) AS snapshots,
       (SELECT max(r.observed_at) FROM reading r WHERE r.source_id = s.id) AS newest_observation,
       (SELECT max(r.learned_at) FROM reading r WHERE r.source_id = s.id) AS last_import
FROM source s;

-- Records and files that were not used, or used with doubt.
CREATE VIEW v_issue AS
SELECT i.severity, i.code, r.folder, r.file, i.pointer, i.line, i.col AS "column",
       i.message, i.hint, i.rejects, sn.sha256 AS snapshot
FROM issue i
JOIN reading r ON r.id = i.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id;

-- Every sighting: which file states a run, and where in it.
CREATE VIEW v_sighting AS
SELECT 'run:' || lower(hex(m.digest)) AS run, sn.sha256 AS snapshot,
       r.folder, r.file, si.pointer, si.line, si.hardware, si.stated, si.recorded_at,
       r.observed_at, r.observed_basis
FROM sighting si
JOIN measurement m ON m.id = si.measurement_id
JOIN reading r ON r.id = si.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id;
