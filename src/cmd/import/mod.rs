//! `kidx import`: each input in one transaction; a report that adds up; the records set.

mod answer;
mod report;

use std::time::Instant;

use kidx_importers::{Declared, Importer, Input, Issue, Place, Severity};
use kidx_queries::filter::Selection;
use kidx_queries::policy::observation::Basis;
use kidx_queries::records::Options;
use rusqlite::{Connection, TransactionBehavior};

pub use answer::Answer;
use answer::{FileReport, IssueReport, RecordsReport, Totals};

use super::context::{self, Context};
use super::records;
use crate::catalog;
use crate::catalog::derive::Changes;
use crate::catalog::identity;
use crate::catalog::ingest::{Incoming, Ingest, Ingested, Outcome};
use crate::cli;
use crate::error::{self, Error, Result};
use crate::fetch::{self, Fetched, Target};
use crate::output::{Format, Ui};

/// Runs the command.
pub fn run(arguments: &cli::Import, context: &Context, ui: &mut Ui) -> Result<u8> {
    let started = Instant::now();
    // Asked for before anything is written.
    records::one_item_format(context.format_or(Format::Table))?;
    let importer = importer(&arguments.source)?;
    let declared = declared(arguments);
    let observed = observed_on(arguments, context)?;
    let targets = fetch::targets(&arguments.paths)?;
    let learned_at = context.now();
    let mut connection = if arguments.dry_run {
        dry_connection(context)?
    } else {
        context.writer()?
    };

    let mut import = Import {
        importer,
        declared: &declared,
        observed,
        answer: Answer::new(importer.source().slug),
    };
    let changes = if arguments.dry_run {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let changes = import.take_all(&transaction, &targets, &learned_at, ui, take_nested)?;
        import.answer.records = set_records(&transaction, &changes, context)?;
        transaction.rollback()?;
        changes
    } else {
        let changes = import.take_all(&connection, &targets, &learned_at, ui, take_alone)?;
        import.answer.records = set_records(&connection, &changes, context)?;
        changes
    };
    let mut answer = import.answer;
    answer.dry_run = arguments.dry_run;
    answer.records.set = changes.set.len();
    answer.records.broken = changes.broken.len();
    answer.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    report::write(&answer, context, ui)?;
    exit_code(&answer, arguments.allow_rejected)
}

fn exit_code(answer: &Answer, allow_rejected: bool) -> Result<u8> {
    let used = |file: &FileReport| matches!(file.outcome, Outcome::Imported | Outcome::Copy);
    if !answer.files.iter().any(used) {
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

fn importer(slug: &str) -> Result<&'static dyn Importer> {
    kidx_importers::importer(slug).ok_or_else(|| {
        let known: Vec<&str> = kidx_importers::REGISTRY
            .iter()
            .map(|importer| importer.source().slug)
            .collect();
        Error::usage(format!("there is no source `{slug}`"))
            .hint(format!("sources: {}", known.join(", ")))
    })
}

fn declared(arguments: &cli::Import) -> Declared {
    Declared {
        implementation: arguments.implementation.clone(),
        provider: arguments.provider.clone(),
        hardware: arguments.hardware.clone(),
        software: arguments.software.iter().cloned().collect(),
        license: arguments.license.clone(),
        unit: arguments.unit.clone(),
        level: arguments.level,
        suite_version: arguments.suite_version.clone(),
    }
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

/// Where a dry run happens: in the file, rolled back, or in memory if there is none.
fn dry_connection(context: &Context) -> Result<Connection> {
    if context.path()?.exists() {
        context.writer()
    } else {
        catalog::open_in_memory()
    }
}

/// Takes one input: what the caller wraps around it decides when it is kept.
type Take =
    fn(&Connection, &mut Ingest<'_>, &Incoming<'_>, &kidx_importers::Reading) -> Result<Ingested>;

/// In a transaction of its own.
fn take_alone(
    connection: &Connection,
    ingest: &mut Ingest<'_>,
    incoming: &Incoming<'_>,
    reading: &kidx_importers::Reading,
) -> Result<Ingested> {
    let transaction =
        rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let taken = ingest.take(&transaction, incoming, reading)?;
    transaction.commit()?;
    Ok(taken)
}

/// Inside the caller's transaction.
fn take_nested(
    connection: &Connection,
    ingest: &mut Ingest<'_>,
    incoming: &Incoming<'_>,
    reading: &kidx_importers::Reading,
) -> Result<Ingested> {
    ingest.take(connection, incoming, reading)
}

struct Import<'a> {
    importer: &'static dyn Importer,
    declared: &'a Declared,
    observed: Option<(String, Basis)>,
    answer: Answer,
}

impl Import<'_> {
    fn take_all(
        &mut self,
        connection: &Connection,
        targets: &[Target],
        learned_at: &str,
        ui: &mut Ui,
        take: Take,
    ) -> Result<Changes> {
        let mut ingest = Ingest::new(
            connection,
            self.importer.source(),
            self.declared,
            learned_at,
        )?;
        let progress = ui.progress(Some(targets.len() as u64), "importing");
        for target in targets {
            progress.message(&target.display());
            self.take_one(connection, &mut ingest, target, take)
                .map_err(|error| self.after_failure(target, error))?;
            progress.advance(1);
        }
        Ok(ingest.changes)
    }

    /// A failure of the database ends the command; what was committed before stays.
    fn after_failure(&self, target: &Target, mut error: Error) -> Error {
        let done = self.answer.files.len();
        error.message = format!("importing `{}` failed: {}", target.display(), error.message);
        if done > 0 {
            error = error.hint(format!(
                "the {done} inputs before it are whole; running the same command again goes on from here"
            ));
        }
        error
    }

    fn take_one(
        &mut self,
        connection: &Connection,
        ingest: &mut Ingest<'_>,
        target: &Target,
        take: Take,
    ) -> Result<()> {
        let fetched = match fetch::read(target) {
            Ok(fetched) => fetched,
            Err(error) => {
                self.refuse(
                    target,
                    None,
                    &Place::default(),
                    "UNREADABLE",
                    &error.to_string(),
                    error.hints.first(),
                );
                return Ok(());
            }
        };
        let input = Input {
            folder: fetched.folder.as_deref(),
            file: fetched.file.as_deref(),
            bytes: &fetched.content,
        };
        if matches!(target, Target::Found(_)) && !self.importer.recognises(&input) {
            self.answer.files.push(FileReport::unused(
                target.display(),
                Outcome::Ignored,
                &fetched.content,
            ));
            return Ok(());
        }
        let reading = match self.importer.read(&input, self.declared) {
            Ok(reading) => reading,
            Err(refused) => {
                self.refuse(
                    target,
                    Some(&fetched),
                    &refused.place,
                    refused.code,
                    &refused.message,
                    refused.hint.as_ref(),
                );
                return Ok(());
            }
        };
        let observed = self
            .observed
            .clone()
            .or_else(|| fetched.modified.clone().map(|at| (at, Basis::FileTime)));
        let incoming = Incoming {
            location: &fetched.location,
            folder: fetched.folder.as_deref(),
            file: fetched.file.as_deref(),
            content: &fetched.content,
            container: fetched.container.clone(),
            observed,
        };
        let taken = take(connection, ingest, &incoming, &reading)?;
        let path = target.display();
        for issue in &taken.issues {
            self.answer.issues.push(IssueReport::new(&path, issue));
        }
        self.answer.totals.add(&taken);
        self.answer
            .files
            .push(FileReport::taken(path, &fetched.content, taken));
        Ok(())
    }

    fn refuse(
        &mut self,
        target: &Target,
        fetched: Option<&Fetched>,
        place: &Place,
        code: &str,
        message: &str,
        hint: Option<&String>,
    ) {
        let path = target.display();
        let content = fetched.map_or(&[][..], |fetched| &fetched.content);
        let mut file = FileReport::unused(path.clone(), Outcome::Refused, content);
        if fetched.is_none() {
            file.sha256 = None;
            file.bytes = None;
        }
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

/// The records that this command set or broke, as the view has them.
fn set_records(
    connection: &Connection,
    changes: &Changes,
    context: &Context,
) -> Result<RecordsReport> {
    let selection = Selection::of(changes.set.union(&changes.broken).copied().collect());
    Ok(RecordsReport {
        set: 0,
        broken: 0,
        items: kidx_queries::records::records(
            connection,
            &selection,
            context.view(),
            Options::default(),
        )?,
    })
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
    fn unused(path: String, outcome: Outcome, content: &[u8]) -> Self {
        Self {
            path,
            sha256: Some(identity::sha256(content)),
            bytes: Some(content.len() as u64),
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

    fn taken(path: String, content: &[u8], taken: Ingested) -> Self {
        Self {
            sha256: Some(taken.sha256),
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
            ..Self::unused(path, taken.outcome, content)
        }
    }
}
