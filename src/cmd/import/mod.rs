//! `kidx import`: inputs in transactions, none split over two; a report that adds up; the
//! records set.

mod answer;
mod batch;
mod prepare;
mod report;
mod which;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use kidx_importers::{Beside, Declared, Issue, Place, Severity, Source};
use kidx_queries::filter::Selection;
use kidx_queries::policy::observation::Basis;
use kidx_queries::records::Options;

pub use answer::{Answer, IssueReport, PlaceReport};
use answer::{FileReport, RecordsReport, Totals};
use batch::Batch;
use prepare::{Ahead, File, Prepared, Reader, Understood};
use which::Which;

use super::context::{self, Context};
use super::records;
use crate::catalog::ingest::{Incoming, Ingest, Ingested, Outcome, Revision, State};
use crate::catalog::{self, Content};
use crate::cli;
use crate::error::{self, Error, Result};
use crate::fetch::git::Tips;
use crate::fetch::problems::Problems;
use crate::fetch::{self, Fetched, Reach, Target};
use crate::output::{Format, Ui, visible};

/// Runs the command.
pub fn run(arguments: &cli::Import, context: &Context, ui: &mut Ui) -> Result<u8> {
    let started = Instant::now();
    // Asked for before anything is written.
    records::one_item_format(context.format_or(Format::Table))?;
    let which = which(&arguments.source)?;
    let (given, paths) = given(which, &arguments.paths)?;
    let declared = declared(arguments)?;
    let observed = observed_on(arguments, context)?;
    let targets = fetch::targets(paths, &reach(arguments, which))?;
    let learned_at = context.now();
    let mut import = Import {
        which,
        declared: &declared,
        observed,
        learned_at: &learned_at,
        dry_run: arguments.dry_run,
        context,
        given: &given,
        problems: Problems::default(),
        batch: None,
        answer: Answer::new(&arguments.source),
    };
    for undated in &targets.undated {
        import.warn_of_history(
            &undated.place,
            "the commits that brought its files can't be found, so they are dated by the time of the file",
            &undated.error,
        );
    }
    import.take_all(&targets.list, ui)?;
    import.finish()?;
    let mut answer = import.answer;
    answer.dry_run = arguments.dry_run;
    answer.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    report::write(&answer, context, ui).map_err(|mut error| {
        if error.kind == error::Kind::Failed && answer.files.iter().any(FileReport::is_used) {
            error.kind = error::Kind::Unreported;
            error
                .hints
                .push("the import itself is done and kept; only its report was lost".to_owned());
        }
        error
    })?;
    exit_code(&answer, arguments.allow_rejected)
}

/// How far into repositories the arguments reach.
fn reach(arguments: &cli::Import, which: Which) -> Reach<'_> {
    let tips = if arguments.all_refs {
        Tips::All
    } else if arguments.all_branches {
        Tips::Branches
    } else {
        Tips::Head
    };
    Reach {
        history: arguments.history.then_some(tips),
        folder: arguments.path.as_deref(),
        usual: match which {
            Which::Named(importer) => importer.source().repository.map(|layout| layout.results),
            Which::Auto => None,
        },
        endings: match which {
            Which::Named(importer) => importer.endings(),
            Which::Auto => kidx_importers::ENDINGS,
        },
    }
}

fn exit_code(answer: &Answer, allow_rejected: bool) -> Result<u8> {
    if !answer.files.iter().any(FileReport::is_used) {
        return Err(Error::failed("nothing was imported"));
    }
    let refused = answer
        .files
        .iter()
        .any(|file| file.outcome == Outcome::Refused);
    let errors = answer
        .issues
        .iter()
        .any(|issue| issue.severity == Severity::Error);
    Ok(if (refused || errors) && !allow_rejected {
        error::EXIT_FOUND
    } else {
        error::EXIT_DONE
    })
}

/// The source that recognises whatever it is given.
const AUTO: &str = "auto";

/// The source whose first path is the mapping.
const MAPPING: &str = "mapping";

fn which(slug: &str) -> Result<Which> {
    if slug == AUTO {
        return Ok(Which::Auto);
    }
    let importer = kidx_importers::importer(slug).ok_or_else(|| {
        let known: Vec<&str> = kidx_importers::REGISTRY
            .iter()
            .map(|importer| importer.source().slug)
            .collect();
        Error::usage(format!("there is no source `{slug}`"))
            .hint(format!("sources: {}, or {AUTO}", known.join(", ")))
    })?;
    Ok(Which::Named(importer))
}

/// What is read with each input, and the paths that are inputs.
fn given(which: Which, paths: &[PathBuf]) -> Result<(Vec<Beside>, &[PathBuf])> {
    let Which::Named(importer) = which else {
        return Ok((Vec::new(), paths));
    };
    if importer.source().slug != MAPPING {
        return Ok((Vec::new(), paths));
    }
    let [mapping, rest @ ..] = paths else {
        return Ok((Vec::new(), paths));
    };
    if rest.is_empty() {
        return Err(Error::usage("a mapping and what it maps are needed")
            .hint("`kidx import mapping my.toml results.csv`; `kidx mapping new results.csv` proposes one"));
    }
    let fetched = fetch::read(&Target::Named(mapping.clone(), None))?;
    let beside = Beside {
        name: kidx_importers::mapping::BESIDE.to_owned(),
        bytes: fetched.content,
    };
    Ok((vec![beside], rest))
}

fn declared(arguments: &cli::Import) -> Result<Declared> {
    let mut software = BTreeMap::new();
    for (name, version) in &arguments.software {
        if software.insert(name.clone(), version.clone()).is_some() {
            return Err(Error::usage(format!("`--software` names `{name}` twice")));
        }
    }
    let words = [
        ("--implementation", &arguments.implementation),
        ("--provider", &arguments.provider),
        ("--license", &arguments.license),
        ("--suite-version", &arguments.suite_version),
        ("--attribution", &arguments.attribution),
    ];
    let versions = software.values().map(|version| ("--software", version));
    let words = words
        .iter()
        .filter_map(|(option, word)| Some((*option, word.as_ref()?)));
    for (option, word) in words.chain(versions) {
        // They stand in exports as they are.
        if word.contains(char::is_control) {
            return Err(Error::usage(format!(
                "`{option} {}` holds a control character",
                visible(word)
            )));
        }
    }
    Ok(Declared {
        implementation: arguments.implementation.clone(),
        provider: arguments.provider.clone(),
        hardware: arguments.hardware.clone(),
        software,
        license: arguments.license.clone(),
        unit: arguments.unit.clone(),
        level: arguments.level,
        suite_version: arguments.suite_version.clone(),
        attribution: arguments.attribution.clone(),
        redistribution: arguments.redistribution,
        beside: BTreeMap::new(),
    })
}

fn observed_on(arguments: &cli::Import, context: &Context) -> Result<Option<(String, Basis)>> {
    let Some(text) = &arguments.observed_on else {
        return Ok(None);
    };
    let day = context::day("--observed-on", text)?;
    if day > context.today() {
        return Err(Error::usage(format!(
            "`--observed-on {text}` is in the future (today is {})",
            context.today()
        )));
    }
    Ok(Some((day.to_string(), Basis::Declared)))
}

struct Import<'a> {
    which: Which,
    declared: &'a Declared,
    observed: Option<(String, Basis)>,
    learned_at: &'a str,
    dry_run: bool,
    context: &'a Context,
    /// Files that are read with each input.
    given: &'a [Beside],
    /// Problem modules read from repositories.
    problems: Problems,
    /// Opened when there is something to write, so that a command that imports nothing
    /// makes no file.
    batch: Option<Batch>,
    answer: Answer,
}

impl Import<'_> {
    fn take_all(&mut self, targets: &[Target], ui: &mut Ui) -> Result<()> {
        let progress = ui.progress(Some(targets.len() as u64), "importing");
        let reader = Reader {
            which: self.which,
            declared: self.declared,
            given: self.given,
            now: self.learned_at,
        };
        let ahead = Ahead::new();
        std::thread::scope(|scope| {
            let _taker = ahead.taker();
            let files = targets.iter().filter_map(File::of).collect();
            ahead.start(scope, reader, files);
            for target in targets {
                progress.message(&target.display());
                let prepared = match File::of(target) {
                    Some(_) => ahead.next(),
                    None => None,
                };
                let prepared = prepared.unwrap_or_else(|| {
                    reader.prepare(target, fetch::read(target), |fetched| {
                        self.revision(target, fetched)
                    })
                });
                prepared
                    .and_then(|prepared| {
                        self.take(target, &prepared)?;
                        ahead.spend(prepared);
                        Ok(())
                    })
                    .map_err(|error| self.after_failure(target, error))?;
                if let Some(file) = self.answer.files.last() {
                    ui.detail(format_args!(
                        "{}: {} inserted",
                        visible(&file.path),
                        file.inserted
                    ));
                }
                progress.advance(1);
            }
            Ok(())
        })
    }

    /// The file, opened on first use. A dry run happens in it too, or in memory if there is
    /// none.
    fn batch(&mut self, source: &'static Source) -> Result<&mut Batch> {
        let batch = if let Some(batch) = self.batch.take() {
            batch
        } else {
            let connection = if self.dry_run && !self.context.path()?.exists() {
                catalog::open_in_memory()?
            } else {
                self.context.writer()?
            };
            let ingest = Ingest::new(&connection, source, self.declared, self.learned_at)?;
            Batch::new(connection, ingest, self.dry_run)
        };
        Ok(self.batch.insert(batch))
    }

    /// The records that this command set or broke.
    fn finish(&mut self) -> Result<()> {
        let Some(batch) = self.batch.take() else {
            return Ok(());
        };
        let (changed, connection) = batch.finish()?;
        let cohorts: Vec<i64> = changed.set.union(&changed.broken).copied().collect();
        // A table lists a few; looking up all of many takes long and fills the memory.
        let view = self.context.view();
        let few = self.context.format_or(Format::Table) == Format::Table;
        let selection = if few && !view.is_limited(&connection)? {
            Selection::first(&connection, &cohorts, report::SHOWN_RECORDS)?
        } else {
            Selection::of(cohorts)
        };
        self.answer.records = RecordsReport {
            set: changed.set.len(),
            broken: changed.broken.len(),
            items: kidx_queries::records::records(
                &connection,
                &selection,
                view,
                Options::default(),
            )?,
        };
        Ok(())
    }

    /// A failure of the database ends the command; what was committed before stays.
    fn after_failure(&self, target: &Target, mut error: Error) -> Error {
        let done = self.batch.as_ref().map_or(0, Batch::committed);
        error.message = format!("importing `{}` failed: {}", target.display(), error.message);
        if done > 0 {
            error = error.hint(format!(
                "the first {done} inputs are whole; running the same command again goes on from there"
            ));
        }
        error
    }

    fn take(&mut self, target: &Target, prepared: &Prepared) -> Result<()> {
        let understood = match prepared {
            Prepared::Read(understood) => understood,
            Prepared::Unreadable(error) => {
                let place = Place::default();
                let (message, hint) = (error.to_string(), error.hints.first());
                self.refuse(target, None, &place, "UNREADABLE", &message, hint);
                return Ok(());
            }
            Prepared::Ignored(content) => {
                let path = target.display();
                let file = FileReport::unused(path, Outcome::Ignored, Some(content));
                self.answer.files.push(file);
                return Ok(());
            }
            Prepared::Refused(content, why) => {
                self.refuse(
                    target,
                    Some(content),
                    &why.place,
                    why.code,
                    &why.message,
                    why.hint.as_ref(),
                );
                return Ok(());
            }
        };
        let Understood {
            importer,
            why,
            place,
            content,
            beside,
            dated,
            revision,
            reading,
        } = &**understood;
        let incoming = Incoming {
            location: &place.location,
            folder: place.folder.as_deref(),
            file: place.file.as_deref(),
            content,
            beside,
            container: place.container.clone(),
            observed: self.observed.clone().or_else(|| dated.clone()),
            revision: revision.as_ref(),
            repository: match target {
                Target::Stored(_, _, by) => Some(by.repository.location()),
                _ => None,
            },
        };
        let source = importer.source();
        let taken = self.batch(source)?.take(source, &incoming, reading)?;
        let path = target.display();
        for issue in &taken.issues {
            self.answer.issues.push(IssueReport::new(&path, issue));
        }
        self.answer.totals.add(&taken);
        self.answer.files.push(FileReport::taken(
            path,
            source.slug,
            why.clone(),
            content,
            taken,
        ));
        Ok(())
    }

    /// The commit of the suite's repository that first brought the bytes.
    fn revision(&mut self, target: &Target, fetched: &Fetched) -> Result<Option<Revision>> {
        let layout = match self.which {
            Which::Named(importer) => importer.source().repository,
            Which::Auto => kidx_importers::REGISTRY
                .iter()
                .find_map(|importer| importer.source().repository),
        };
        let (Some(by), Some(layout)) = (&fetched.committed, layout) else {
            return Ok(None);
        };
        // A shallow clone doesn't know who brought them, and another repository than the
        // suite's says when somebody kept the figures, not how they were measured.
        if !by.brought.first {
            return Ok(None);
        }
        let commit = &by.brought.commit;
        let found = match self.problems.at(&by.repository, commit, layout.problems) {
            Ok(found) => found,
            Err(error) if !matches!(target, Target::Stored(..)) => {
                self.warn_of_history(
                    by.repository.location(),
                    "the suite's problems at the commits that brought its files can't be read, so the files alone say what they timed",
                    &error,
                );
                None
            }
            Err(error) => return Err(error),
        };
        Ok(found.map(|definitions| Revision {
            commit: commit.clone(),
            authored_at: by.brought.authored_at.clone(),
            problems: State::Defined(definitions),
        }))
    }

    /// Not all that a repository should know can be had; its files are imported anyway.
    fn warn_of_history(&mut self, place: &str, what: &str, error: &Error) {
        const CODE: &str = "NO_HISTORY";
        let known = &mut self.answer.issues;
        if known
            .iter()
            .any(|issue| issue.code == CODE && issue.file == place)
        {
            return;
        }
        known.push(IssueReport::new(
            place,
            &Issue {
                severity: Severity::Warning,
                code: CODE.to_owned(),
                place: Place::default(),
                message: format!("{what}: {error}"),
                hint: error.hints.first().cloned(),
                rejects: 0,
            },
        ));
    }

    fn refuse(
        &mut self,
        target: &Target,
        content: Option<&Content>,
        place: &Place,
        code: &str,
        message: &str,
        hint: Option<&String>,
    ) {
        let path = target.display();
        let file = FileReport::unused(path.clone(), Outcome::Refused, content);
        self.answer.files.push(file);
        self.answer.issues.push(IssueReport::new(
            &path,
            &Issue {
                severity: Severity::Error,
                code: code.to_owned(),
                place: place.clone(),
                message: message.to_owned(),
                hint: hint.cloned(),
                rejects: 0,
            },
        ));
    }
}

impl Totals {
    fn add(&mut self, taken: &Ingested) {
        self.inserted += taken.inserted;
        self.unchanged += taken.unchanged;
        self.rejected += taken.rejected;
        self.read += taken.inserted + taken.unchanged + taken.rejected;
    }
}

impl FileReport {
    fn is_used(&self) -> bool {
        matches!(self.outcome, Outcome::Imported | Outcome::Copy)
    }

    /// A file of which nothing was taken; without content it could not be read.
    fn unused(path: String, outcome: Outcome, content: Option<&Content>) -> Self {
        Self {
            path,
            sha256: content.map(|content| content.sha256.clone()),
            bytes: content.map(|content| content.bytes as u64),
            source: None,
            recognised: None,
            outcome,
            copy_of: None,
            records: 0,
            inserted: 0,
            unchanged: 0,
            rejected: 0,
            superseded: 0,
            gone: 0,
            observed_on: None,
            observed_basis: None,
            suite_version: None,
            assumptions: Vec::new(),
        }
    }

    fn taken(
        path: String,
        source: &str,
        why: Option<String>,
        content: &Content,
        taken: Ingested,
    ) -> Self {
        Self {
            source: Some(source.to_owned()),
            recognised: why,
            copy_of: taken.copy_of,
            records: taken.inserted + taken.unchanged + taken.rejected,
            inserted: taken.inserted,
            unchanged: taken.unchanged,
            rejected: taken.rejected,
            superseded: taken.superseded,
            gone: taken.gone,
            observed_on: taken
                .observed
                .as_ref()
                .map(|(at, _)| at.get(..10).unwrap_or(at).to_owned()),
            observed_basis: taken.observed.map(|(_, basis)| basis.as_str().to_owned()),
            suite_version: taken.suite_version,
            assumptions: taken.assumptions,
            ..Self::unused(path, taken.outcome, Some(content))
        }
    }
}
