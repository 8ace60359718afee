//! `kidx import`: each input in one transaction; a report that adds up; the records set.

mod answer;
mod report;

use std::collections::BTreeMap;
use std::time::Instant;

use kidx_importers::{Declared, Importer, Input, Issue, Place, Reading, Severity};
use kidx_queries::filter::Selection;
use kidx_queries::policy::observation::Basis;
use kidx_queries::records::Options;
use rusqlite::{Connection, TransactionBehavior};

pub use answer::Answer;
use answer::{FileReport, IssueReport, RecordsReport, Totals};

use super::context::{self, Context};
use super::records;
use crate::catalog;
use crate::catalog::identity;
use crate::catalog::ingest::{Incoming, Ingest, Ingested, Outcome, Revision, State};
use crate::cli;
use crate::error::{self, Error, Result};
use crate::fetch::git::Tips;
use crate::fetch::problems::Problems;
use crate::fetch::{self, Fetched, Reach, Target};
use crate::output::{Format, Ui};

/// Runs the command.
pub fn run(arguments: &cli::Import, context: &Context, ui: &mut Ui) -> Result<u8> {
    let started = Instant::now();
    // Asked for before anything is written.
    records::one_item_format(context.format_or(Format::Table))?;
    let importer = importer(&arguments.source)?;
    let declared = declared(arguments)?;
    let observed = observed_on(arguments, context)?;
    let targets = fetch::targets(&arguments.paths, &reach(arguments, importer))?;
    let learned_at = context.now();
    let mut import = Import {
        importer,
        declared: &declared,
        observed,
        learned_at: &learned_at,
        dry_run: arguments.dry_run,
        context,
        problems: Problems::default(),
        catalogue: None,
        answer: Answer::new(importer.source().slug),
    };
    import.take_all(&targets, ui)?;
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
fn reach<'a>(arguments: &'a cli::Import, importer: &dyn Importer) -> Reach<'a> {
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
        usual: importer.source().repository.map(|layout| layout.results),
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

fn declared(arguments: &cli::Import) -> Result<Declared> {
    let mut software = BTreeMap::new();
    for (name, version) in &arguments.software {
        if software.insert(name.clone(), version.clone()).is_some() {
            return Err(Error::usage(format!("`--software` names `{name}` twice")));
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

/// When figures were observed, where nobody declared it.
fn dated(fetched: &Fetched, revision: Option<&Revision>) -> Option<(String, Basis)> {
    let git = revision.map(|revision| (revision.authored_at.clone(), Basis::Git));
    let stored = || {
        let brought = &fetched.committed.as_ref()?.brought;
        let basis = if brought.first {
            Basis::Git
        } else {
            Basis::Revision
        };
        Some((brought.authored_at.clone(), basis))
    };
    let file = || Some((fetched.modified.clone()?, Basis::FileTime));
    git.or_else(stored).or_else(file)
}

/// The open file and what is remembered of it.
struct Catalogue<'a> {
    connection: Connection,
    ingest: Ingest<'a>,
}

struct Import<'a> {
    importer: &'static dyn Importer,
    declared: &'a Declared,
    observed: Option<(String, Basis)>,
    learned_at: &'a str,
    dry_run: bool,
    context: &'a Context,
    /// Problem modules read from repositories.
    problems: Problems,
    /// Opened when there is something to write, so that a command that imports nothing
    /// makes no file.
    catalogue: Option<Catalogue<'a>>,
    answer: Answer,
}

impl<'a> Import<'a> {
    fn take_all(&mut self, targets: &[Target], ui: &mut Ui) -> Result<()> {
        let progress = ui.progress(Some(targets.len() as u64), "importing");
        for target in targets {
            progress.message(&target.display());
            self.take_one(target)
                .map_err(|error| self.after_failure(target, error))?;
            if let Some(file) = self.answer.files.last() {
                ui.detail(format_args!("{}: {} inserted", file.path, file.inserted));
            }
            progress.advance(1);
        }
        Ok(())
    }

    /// The catalogue, opened on first use. A dry run happens in the file too, or in
    /// memory if there is none, in one transaction that is never committed.
    fn catalogue(&mut self) -> Result<&mut Catalogue<'a>> {
        if self.catalogue.is_none() {
            let connection = if self.dry_run && !self.context.path()?.exists() {
                catalog::open_in_memory()?
            } else {
                self.context.writer()?
            };
            if self.dry_run {
                connection.execute_batch("BEGIN IMMEDIATE")?;
            }
            let ingest = Ingest::new(
                &connection,
                self.importer.source(),
                self.declared,
                self.learned_at,
            )?;
            self.catalogue = Some(Catalogue { connection, ingest });
        }
        self.catalogue
            .as_mut()
            .ok_or_else(|| Error::failed("the database is not open"))
    }

    /// Takes one input in a transaction of its own; a dry run has one around all.
    fn take(&mut self, incoming: &Incoming<'_>, reading: &Reading) -> Result<Ingested> {
        let dry_run = self.dry_run;
        let Catalogue { connection, ingest } = self.catalogue()?;
        if dry_run {
            return ingest.take(connection, incoming, reading);
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let taken = ingest.take(&transaction, incoming, reading)?;
        transaction.commit()?;
        Ok(taken)
    }

    /// The records that this command set or broke, and the end of a dry run.
    fn finish(&mut self) -> Result<()> {
        let Some(Catalogue { connection, ingest }) = self.catalogue.take() else {
            return Ok(());
        };
        let changes = ingest.changes.held(&connection)?;
        let cohorts = changes.set.union(&changes.broken).copied().collect();
        self.answer.records = RecordsReport {
            set: changes.set.len(),
            broken: changes.broken.len(),
            items: kidx_queries::records::records(
                &connection,
                &Selection::of(cohorts),
                self.context.view(),
                Options::default(),
            )?,
        };
        if self.dry_run {
            connection.execute_batch("ROLLBACK")?;
        }
        Ok(())
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

    fn take_one(&mut self, target: &Target) -> Result<()> {
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
        let revision = self.revision(&fetched)?;
        let input = Input {
            folder: fetched.folder.as_deref(),
            file: fetched.file.as_deref(),
            bytes: &fetched.content,
            committed_at: revision.as_ref().map(|revision| &*revision.authored_at),
        };
        if matches!(target, Target::Found(..) | Target::Stored(..))
            && !self.importer.recognises(&input)
        {
            self.answer.files.push(FileReport::unused(
                target.display(),
                Outcome::Ignored,
                Some(&fetched.content),
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
            .or_else(|| dated(&fetched, revision.as_ref()));
        let incoming = Incoming {
            location: &fetched.location,
            folder: fetched.folder.as_deref(),
            file: fetched.file.as_deref(),
            content: &fetched.content,
            container: fetched.container.clone(),
            observed,
            revision,
            repository: match target {
                Target::Stored(_, _, by) => Some(by.repository.location()),
                _ => None,
            },
        };
        let taken = self.take(&incoming, &reading)?;
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

    /// The commit of the suite's repository that first brought the bytes: of files that
    /// the suite published, by their digest, wherever they were met.
    fn revision(&mut self, fetched: &Fetched) -> Result<Option<Revision>> {
        if let Some(known) = Revision::published(&identity::sha256(&fetched.content))? {
            return Ok(Some(known));
        }
        let (Some(by), Some(layout)) = (&fetched.committed, self.importer.source().repository)
        else {
            return Ok(None);
        };
        // A shallow clone doesn't know who brought them, and another repository than the
        // suite's says when somebody kept the figures, not how they were measured.
        if !by.brought.first {
            return Ok(None);
        }
        let found = self
            .problems
            .at(&by.repository, &by.brought.commit, layout.problems)?;
        Ok(found.map(|definitions| Revision {
            commit: by.brought.commit.clone(),
            authored_at: by.brought.authored_at.clone(),
            problems: State::Defined(definitions),
        }))
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
        let content = fetched.map(|fetched| &fetched.content[..]);
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
    fn unused(path: String, outcome: Outcome, content: Option<&[u8]>) -> Self {
        Self {
            path,
            sha256: content.map(identity::sha256),
            bytes: content.map(|content| content.len() as u64),
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
            bytes: Some(content.len() as u64),
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
            ..Self::unused(path, taken.outcome, None)
        }
    }
}
