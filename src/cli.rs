//! Arguments, and nothing but arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use crate::output::{Color, Format};

/// An offline index of GPU-kernel benchmark results.
///
/// Imports published timings with provenance, licence and observation date into one
/// SQLite file; answers who holds each record, how old it is, how much faster than the
/// baseline, and how far from the hardware's limit.
#[derive(Debug, Parser)]
#[command(
    name = "kidx",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Cli {
    /// Flags that every command understands.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Database file [default: kidx/kidx.db in the XDG data folder]
    #[arg(long, env = "KIDX_DB", global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub db: Option<PathBuf>,
    /// How to write the answer
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Short for `--format json`
    #[arg(long, global = true, conflicts_with = "format")]
    pub json: bool,
    /// Answer as of this day: later observations don't count, ages are counted to it
    #[arg(long, global = true, value_name = "DATE")]
    pub as_of: Option<String>,
    /// Answer as this file knew at this instant (`2026-03-05` or `2026-03-05T12:00:00Z`)
    #[arg(long, global = true, value_name = "TIME")]
    pub known_at: Option<String>,
    /// At most this many rows
    #[arg(long, global = true, value_name = "N")]
    pub limit: Option<usize>,
    /// Skip this many rows first
    #[arg(
        long,
        global = true,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub offset: usize,
    /// Order by these columns; `-` before a name turns it round
    #[arg(
        long,
        global = true,
        value_name = "COLUMNS",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub sort: Vec<String>,
    /// Only these columns, in this order
    #[arg(long, global = true, value_name = "COLUMNS", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Colour the output
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_default_value = true)]
    pub color: Color,
    /// Wait this long for another process that is writing
    #[arg(
        long,
        env = "KIDX_WAIT",
        global = true,
        value_name = "SECONDS",
        default_value_t = 20
    )]
    pub wait: u64,
    /// Say nothing but the answer and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// Filters that every question shares.
#[derive(Debug, Args, Default, Clone)]
#[command(next_help_heading = "Filters")]
pub struct Filters {
    /// Family (`h100`), short name (`h100-pcie`), id, or the string that tools print
    #[arg(long, value_name = "HARDWARE")]
    pub hardware: Option<String>,
    /// Source (`kernelbench`)
    #[arg(long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// Suite (`kernelbench`)
    #[arg(long, value_name = "SUITE")]
    pub suite: Option<String>,
    /// Suite version
    #[arg(long, value_name = "VERSION")]
    pub suite_version: Option<String>,
    /// Level (`2`)
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<String>,
    /// Operation family (`gemm`, `conv`, `model` …)
    #[arg(long, value_name = "FAMILY")]
    pub family: Option<String>,
    /// Operation (`kernelbench/level2/28`, or its digest)
    #[arg(long, value_name = "ID")]
    pub operation: Option<String>,
    /// Workload, by digest
    #[arg(long, value_name = "DIGEST")]
    pub workload: Option<String>,
    /// Implementation (`PyTorch eager`, `torch-compile-inductor`)
    #[arg(long, value_name = "NAME")]
    pub implementation: Option<String>,
    /// `permissive`, `unknown` or an SPDX id
    #[arg(long, value_name = "LICENCE")]
    pub license: Option<String>,
    /// Least trust: reported, reproducible, replicated, verified
    #[arg(long, value_name = "TRUST")]
    pub trust: Option<String>,
    /// Dtype of the inputs (`fp32`)
    #[arg(long, value_name = "DTYPE")]
    pub dtype: Option<String>,
    /// Metric (`latency`, `bandwidth`, `memory` …); questions that compare take latencies unless told
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<String>,
}

impl From<&Filters> for kidx_queries::filter::Filter {
    fn from(filters: &Filters) -> Self {
        let filters = filters.clone();
        Self {
            hardware: filters.hardware,
            source: filters.source,
            suite: filters.suite,
            suite_version: filters.suite_version,
            level: filters.level,
            family: filters.family,
            operation: filters.operation,
            workload: filters.workload,
            implementation: filters.implementation,
            license: filters.license,
            trust: filters.trust,
            dtype: filters.dtype,
            metric: filters.metric,
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Take in a source's files
    Import(Import),
    /// The current record of every cohort
    Records(Records),
    /// The whole page of an operation, run, implementation, hardware product or snapshot
    Show(Show),
    /// Records that need measuring again, the worst first
    Stale(Stale),
    /// The staircase of a record: who held it, from when, by how much each step
    History(History),
    /// Each implementation against the baseline: geometric mean, wins, ties, losses
    Speedups(Speedups),
    /// Lower bounds, and how far the records are above them
    Floors(Floors),
    /// Figures that can't be right or shouldn't be trusted, by rule
    Audit(Audit),
    /// Hardware products: their peaks, and what was measured on them
    Hardware(Hardware),
    /// What a PyTorch module needs: tensors, parameters, FLOPs, memory, floors
    Inspect(Inspect),
    /// What an evaluation of generated kernels is worth against a baseline
    Score(Score),
    /// Propose a mapping for a file of any harness, or explain what one makes of it
    Mapping(Mapping),
    /// Each source: licence, attribution, runs, newest observation
    Sources(Sources),
    /// Every run, in a form for other programs; same content, same bytes
    Export(Export),
    /// Take a run out of the answers, with a reason; nothing is deleted
    Retract(Retract),
    /// Let what the audit found about a run stand, with a reason; it stays visible
    Acknowledge(Acknowledge),
    /// Check the file: digests, derived tables, every figure in its snapshot
    Verify,
    /// Read-only SQL over the documented views
    Sql(Sql),
    /// The database file itself
    Db(Db),
    /// Shell completions
    Completions(Completions),
    /// Manual page, in roff
    Man,
    /// Write the facts of a suite's history, for building them in
    #[command(hide = true)]
    SuiteFacts(SuiteFacts),
}

/// What `SOURCE` may be.
fn sources() -> String {
    let known = kidx_importers::REGISTRY
        .iter()
        .map(|importer| importer.source().slug);
    let known: Vec<&str> = known.collect();
    format!(
        "Source whose format the files are in: {}; or auto, whichever recognises their content",
        known.join(", ")
    )
}

/// `kidx import`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Import {
    /// Slug of a source, or `auto`.
    #[arg(help = sources())]
    pub source: String,
    /// Files or folders; `-` is standard input; gzip and zstd are undone
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Day the figures were observed
    #[arg(long, value_name = "DATE")]
    pub observed_on: Option<String>,
    /// Implementation, where the file name doesn't say it or says it wrong
    #[arg(long, value_name = "NAME", value_parser = not_blank)]
    pub implementation: Option<String>,
    /// Who ran it, instead of the folder's name
    #[arg(long, value_name = "NAME", value_parser = not_blank)]
    pub provider: Option<String>,
    /// Hardware of the records that name none
    #[arg(long, value_name = "DEVICE", value_parser = not_blank)]
    pub hardware: Option<String>,
    /// Software versions, `torch=2.9.0,cuda=12.8`
    #[arg(long, value_name = "NAME=VERSION", value_delimiter = ',', value_parser = name_and_version)]
    pub software: Vec<(String, String)>,
    /// Licence of this data: an SPDX expression or the source's own text
    #[arg(long, value_name = "LICENCE", value_parser = not_blank)]
    pub license: Option<String>,
    /// Whom to name when these figures are passed on
    #[arg(long, value_name = "TEXT", value_parser = not_blank)]
    pub attribution: Option<String>,
    /// Whether these figures may be passed on: yes or no
    #[arg(long, value_name = "YES|NO", value_parser = clap::builder::BoolishValueParser::new())]
    pub redistribution: Option<bool>,
    /// Unit of the figures: s, ms, us, ns
    #[arg(long, value_name = "UNIT", value_parser = ["s", "ms", "us", "µs", "ns"])]
    pub unit: Option<String>,
    /// Level of a file whose problems stand at its top
    #[arg(long, value_name = "N")]
    pub level: Option<u32>,
    /// Suite version that was timed
    #[arg(long, value_name = "VERSION", value_parser = not_blank)]
    pub suite_version: Option<String>,
    /// Every content that a git repository's history had, not only what is there now
    #[arg(long)]
    pub history: bool,
    /// With the commits of all local and remote branches
    #[arg(long, requires = "history")]
    pub all_branches: bool,
    /// With the commits of everything that has a name: branches, tags, pull requests
    #[arg(long, requires = "history", conflicts_with = "all_branches")]
    pub all_refs: bool,
    /// Folder of the repository that holds the files [default: the source's own]
    #[arg(long, value_name = "DIR", value_parser = not_blank)]
    pub path: Option<String>,
    /// Report the same and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Exit with 0 though records or files were rejected
    #[arg(long)]
    pub allow_rejected: bool,
}

fn not_blank(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("the value is blank".to_owned());
    }
    Ok(text.to_owned())
}

fn name_and_version(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, version)) if !name.trim().is_empty() && !version.trim().is_empty() => {
            Ok((name.trim().to_lowercase(), version.trim().to_owned()))
        }
        _ => Err(format!("`{text}` is not of the form name=version")),
    }
}

/// `kidx records`
#[derive(Debug, Args)]
pub struct Records {
    /// Which records.
    #[command(flatten)]
    pub filters: Filters,
    /// Floor: roofline-v2 or headroom-v1
    #[arg(long, value_name = "POLICY", default_value = "roofline-v2")]
    pub floor_policy: String,
}

/// `kidx show`
#[derive(Debug, Args)]
pub struct Show {
    /// `kernelbench/level2/28`, `sha256:…`, `run:…`, `impl:…`, `hw:…`, `snap:…`
    pub id: String,
    /// Floor: roofline-v2 or headroom-v1
    #[arg(long, value_name = "POLICY", default_value = "roofline-v2")]
    pub floor_policy: String,
    /// Hardware families that "not measured on" asks about [default: h100,b200]
    #[arg(long, value_name = "FAMILIES", value_delimiter = ',')]
    pub watch: Vec<String>,
}

/// `kidx stale`
#[derive(Debug, Args)]
pub struct Stale {
    /// Which records.
    #[command(flatten)]
    pub filters: Filters,
    /// Stale after this many days, instead of each source's own limit
    #[arg(long, value_name = "N")]
    pub days: Option<u32>,
    /// Exit with 3 if anything is stale
    #[arg(long)]
    pub check: bool,
}

/// `kidx history`
#[derive(Debug, Args)]
pub struct History {
    /// `kernelbench/level2/28`, `slug@version`, a workload's digest, or `run:…` for its cohort
    pub id: String,
    /// Which cohorts, and which holders.
    #[command(flatten)]
    pub filters: Filters,
}

/// `kidx speedups`
#[derive(Debug, Args)]
pub struct Speedups {
    /// What to hold runs against: `eager`, `compile`, `best` (of a cohort's baseline and
    /// references), an implementation, or `run:…` in its own cohort [default: the baseline
    /// that the source designates]
    #[arg(long, value_name = "BASELINE")]
    pub baseline: Option<String>,
    /// What a row of the table is; JSON holds all of it
    #[arg(long, value_enum, default_value_t = By::Level, value_name = "WHAT")]
    pub by: By,
    /// Which runs.
    #[command(flatten)]
    pub filters: Filters,
}

/// What a row of `kidx speedups` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// A level, and all of them
    Level,
    /// An operation family, and all of them
    Family,
    /// One workload in one environment
    Cohort,
}

/// `kidx floors`
#[derive(Debug, Args)]
pub struct Floors {
    /// Which workloads.
    #[command(flatten)]
    pub filters: Filters,
    /// Floor: roofline-v2 or headroom-v1
    #[arg(long, value_name = "POLICY", default_value = "roofline-v2")]
    pub floor_policy: String,
}

/// `kidx audit`
#[derive(Debug, Args)]
pub struct Audit {
    /// Only what these rules find, however grave
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub rule: Vec<String>,
    /// List, and exit with 3 for, findings that are at least this grave and not acknowledged
    /// [default: list warnings and errors, exit with 3 for errors]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub min_severity: Option<Grave>,
    /// Say what a rule looks for and what to do, and audit nothing
    #[arg(long, value_name = "RULE", conflicts_with_all = ["rule", "min_severity", "rules"])]
    pub explain: Option<String>,
    /// List the rules, and audit nothing
    #[arg(long, conflicts_with_all = ["rule", "min_severity"])]
    pub rules: bool,
    /// Which runs.
    #[command(flatten)]
    pub filters: Filters,
}

/// How grave findings are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Grave {
    /// Can't be true as reported
    Error,
    /// Contradicts something else
    Warning,
    /// True, but easily misread
    Note,
}

impl From<Grave> for kidx_queries::policy::audit::Severity {
    fn from(grave: Grave) -> Self {
        match grave {
            Grave::Error => Self::Error,
            Grave::Warning => Self::Warning,
            Grave::Note => Self::Note,
        }
    }
}

/// `kidx hardware`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Hardware {
    /// The page of one product instead.
    #[command(subcommand)]
    pub command: Option<HardwareCommand>,
    /// Products on which nothing was measured, too
    #[arg(long)]
    pub all: bool,
    /// What counts as measured, and which products.
    #[command(flatten)]
    pub filters: Filters,
}

/// `kidx hardware …`
#[derive(Debug, Subcommand)]
pub enum HardwareCommand {
    /// The whole page of a product: peaks, their source, spellings, what was measured
    Show {
        /// `h100-pcie`, its id, or the string that tools print
        id: String,
    },
    /// Take figures of products from a CSV file, in place of all given before
    Peaks {
        /// Columns `id` and any of those that docs/floors.md lists; blank cells leave the
        /// built-in figure, a header alone takes all given figures away
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
}

/// `kidx sources`
#[derive(Debug, Args)]
pub struct Sources {}

/// `kidx export`
#[derive(Debug, Args)]
pub struct Export {
    /// Which runs.
    #[command(flatten)]
    pub filters: Filters,
    /// Where to; its ending names the format if `--format` doesn't [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Add learned-at instants and local paths: the same content then differs by machine
    #[arg(long)]
    pub with_provenance: bool,
    /// Also runs whose terms don't allow passing them on: for your own use
    #[arg(long)]
    pub include_restricted: bool,
}

/// `kidx retract`
#[derive(Debug, Args)]
pub struct Retract {
    /// `run:…`
    pub run: String,
    /// Why, for whoever reads the history
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
}

/// `kidx acknowledge`
#[derive(Debug, Args)]
pub struct Acknowledge {
    /// `run:…`
    pub run: String,
    /// Why it can be true, for whoever reads the audit
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Only what this rule finds [default: whatever is found about the run]
    #[arg(long, value_name = "RULE")]
    pub rule: Option<String>,
}

/// `kidx mapping`
#[derive(Debug, Args)]
pub struct Mapping {
    /// What about it.
    #[command(subcommand)]
    pub command: MappingCommand,
}

/// `kidx mapping …`
#[derive(Debug, Subcommand)]
pub enum MappingCommand {
    /// Propose a mapping from a file's header and first rows
    New {
        /// CSV, JSON or JSON Lines; `-` is standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// What a mapping makes of each row, and why; writes nothing
    Check {
        /// The mapping (TOML)
        #[arg(value_name = "MAPPING", value_hint = ValueHint::FilePath)]
        mapping: PathBuf,
        /// The file that it reads; `-` is standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
}

/// `kidx sql`
#[derive(Debug, Args)]
pub struct Sql {
    /// A statement that only reads (`SELECT …`)
    pub statement: String,
}

/// `kidx db`
#[derive(Debug, Args)]
pub struct Db {
    /// What about it.
    #[command(subcommand)]
    pub command: DbCommand,
}

/// `kidx db …`
#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// What the file holds
    Info,
    /// Copy the file while it is in use
    Backup {
        /// Where to; must not exist
        #[arg(value_hint = ValueHint::FilePath)]
        to: PathBuf,
    },
    /// Where the file is
    Path,
}

/// `kidx completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// Shell
    pub shell: clap_complete::Shell,
}

/// `kidx inspect`
#[derive(Debug, Args)]
pub struct Inspect {
    /// Module in KernelBench's form: `Model`, `get_inputs()`, `get_init_inputs()`; `-` is
    /// standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Hardware to give floors for: families, short names or ids [default: h100,b200]
    #[arg(long, value_name = "HARDWARE", value_delimiter = ',')]
    pub hardware: Vec<String>,
    /// What matrix work may run in: `declared` (fp32 at TF32), `strict` or `any`
    #[arg(long, value_name = "PRECISION", default_value = "declared")]
    pub precision: kidx_queries::policy::floor::Precision,
    /// Another value for a constant of the module, `batch_size=32`
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_number)]
    pub set: Vec<(String, Number)>,
}

/// A number as an option gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A whole one.
    Whole(i64),
    /// One with a point.
    Point(f64),
}

fn name_and_number(text: &str) -> Result<(String, Number), String> {
    let expected = || format!("`{text}` is not of the form name=number");
    let (name, value) = text.split_once('=').ok_or_else(expected)?;
    let value = value.trim();
    let number = value
        .parse()
        .map(Number::Whole)
        .ok()
        .or_else(|| {
            value
                .parse()
                .ok()
                .filter(|v: &f64| v.is_finite())
                .map(Number::Point)
        })
        .ok_or_else(expected)?;
    if name.trim().is_empty() {
        return Err(expected());
    }
    Ok((name.trim().to_owned(), number))
}

/// `kidx suite-facts`
#[derive(Debug, Args)]
pub struct SuiteFacts {
    /// Checkout or bare repository of the suite, with its whole history
    pub repository: PathBuf,
    /// Write the timing files that it published instead of its problems
    #[arg(long)]
    pub files: bool,
}

/// `kidx score`
#[derive(Debug, Args)]
pub struct Score {
    /// Evaluations (`eval_results.json`, or the run's folder that holds it), one a level
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub evaluations: Vec<PathBuf>,
    /// What it is held against: `eager`, `compile`, `best` (of what the database has for that
    /// hardware), or a file of baseline timings
    #[arg(long, value_name = "BASELINE", default_value = "eager")]
    pub baseline: String,
    /// Level, where the run's folder doesn't say it
    #[arg(long, value_name = "N")]
    pub level: Option<u32>,
    /// Hardware of samples that name none
    #[arg(long, value_name = "DEVICE")]
    pub hardware: Option<String>,
    /// Compare with a baseline on other hardware all the same; the answer says so
    #[arg(long)]
    pub any_hardware: bool,
    /// Version of the suite whose problems were to be solved [default: its own today]
    #[arg(long, value_name = "VERSION")]
    pub suite_version: Option<String>,
    /// Which of several samples of a problem count
    #[arg(long, value_enum, default_value_t = Sampling::First)]
    pub sample: Sampling,
    /// Values of k that pass@k is given for
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub k: Vec<u32>,
    /// The figures of the suite's own script first, with what they leave unsaid
    #[arg(long)]
    pub suite_rules: bool,
}

/// Which of several samples of a problem count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sampling {
    /// The one of the least number
    First,
    /// The fastest correct one
    Best,
    /// Each, as if it were a problem of its own
    All,
}
