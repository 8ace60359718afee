//! All that an input needs before it is written: read, hashed, compressed, understood. Of
//! files this happens on a second thread, ahead of the one that writes.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

use kidx_importers::{Beside, Declared, Importer, Input, Reading, Refused};
use kidx_queries::policy::observation::Basis;

use crate::catalog::Content;
use crate::catalog::identity;
use crate::catalog::ingest::{self, Revision};
use crate::error::{Error, Result};
use crate::fetch::{self, Fetched, Target};

use super::which::{Choice, Which};

/// Bytes of content that wait to be written; one input may be larger.
const AHEAD: usize = 4 << 20;

/// What became of an input until it is written.
pub(super) enum Prepared {
    /// Its bytes could not be had.
    Unreadable(Error),
    /// Found in a folder, and not this source's.
    Ignored(Content),
    /// Not readable as what it is.
    Refused(Content, Refused),
    /// Understood.
    Read(Box<Understood>),
}

/// An input that was understood.
pub(super) struct Understood {
    pub(super) importer: &'static dyn Importer,
    /// Why it was taken for this source's, where nobody named that.
    pub(super) why: Option<String>,
    pub(super) place: Place,
    pub(super) content: Content,
    /// Files that were read with it.
    pub(super) beside: Vec<(Beside, Content)>,
    /// When its figures were observed, where nobody declared it.
    pub(super) dated: Option<(String, Basis)>,
    pub(super) revision: Option<Revision>,
    pub(super) reading: Reading,
}

/// Where its bytes were met, and in what.
pub(super) struct Place {
    pub(super) location: String,
    pub(super) folder: Option<String>,
    pub(super) file: Option<String>,
    pub(super) container: Option<(&'static str, String)>,
}

/// Reads inputs under the declared facts.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) which: Which,
    pub(super) declared: &'a Declared,
    /// Files that are read with each input.
    pub(super) given: &'a [Beside],
    /// The instant that no date may be later than.
    pub(super) now: &'a str,
}

impl Reader<'_> {
    /// Prepares what a target gave. `committed` tells the commit of bytes that the suite
    /// didn't publish.
    pub(super) fn prepare(
        self,
        target: &Target,
        fetched: Result<Fetched>,
        committed: impl FnOnce(&Fetched) -> Result<Option<Revision>>,
    ) -> Result<Prepared> {
        let fetched = match fetched {
            Ok(fetched) => not_from_the_future(fetched, self.now),
            Err(error) => return Ok(Prepared::Unreadable(error)),
        };
        let sha256 = identity::sha256(&fetched.content);
        let revision = match Revision::published(&sha256)? {
            Some(published) => Some(published),
            None => committed(&fetched)?,
        };
        let mut input = Input {
            folder: fetched.folder.as_deref(),
            file: fetched.file.as_deref(),
            bytes: &fetched.content,
            committed_at: revision.as_ref().map(|revision| &*revision.authored_at),
            beside: &[],
        };
        let found = matches!(target, Target::Found(..) | Target::Stored(..));
        let packed = || Content::hashed(sha256, &fetched.content);
        let (importer, why) = match self.which.choose(&input, found) {
            Choice::Of(importer, why) => (importer, why),
            Choice::Nobody => return Ok(Prepared::Ignored(packed()?)),
            Choice::Refused(refused) => return Ok(Prepared::Refused(packed()?, refused)),
        };
        let mut beside = self.given.to_vec();
        match fetch::beside(target, &importer.beside(&input)) {
            Ok(files) => beside.extend(files),
            Err(error) => return Ok(Prepared::Unreadable(error)),
        }
        input.beside = &beside;
        let read = importer.read(&input, self.declared);
        let content = packed()?;
        let beside = beside
            .into_iter()
            .map(|file| Ok((Content::of(&file.bytes)?, file)))
            .map(|both: Result<_>| both.map(|(content, file)| (file, content)))
            .collect::<Result<Vec<_>>>()?;
        Ok(match read {
            Err(refused) => Prepared::Refused(content, refused),
            Ok(mut reading) => {
                ingest::without_dates_to_come(&mut reading, self.now);
                Prepared::Read(Box::new(Understood {
                    importer,
                    why,
                    dated: recorded(&reading).or_else(|| dated(&fetched, revision.as_ref())),
                    place: Place {
                        location: fetched.location,
                        folder: fetched.folder,
                        file: fetched.file,
                        container: fetched.container,
                    },
                    content,
                    beside,
                    revision,
                    reading,
                }))
            }
        })
    }
}

/// Without dates that are yet to come: the clock that gave them was wrong.
fn not_from_the_future(fetched: Fetched, now: &str) -> Fetched {
    Fetched {
        committed: fetched
            .committed
            .filter(|by| &*by.brought.authored_at <= now),
        modified: fetched.modified.filter(|at| &**at <= now),
        ..fetched
    }
}

/// The newest of the times that records state, if all do: a file of dated records is as old
/// as they are, whenever it was written.
fn recorded(reading: &Reading) -> Option<(String, Basis)> {
    let times = reading.observations.iter().map(|run| {
        let circumstances = run.circumstances.as_deref()?;
        circumstances.recorded_at.as_deref()
    });
    let all: Option<Vec<&str>> = times.collect();
    let newest = all?.into_iter().max()?;
    Some((newest.to_owned(), Basis::Record))
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

/// Inputs prepared on another thread, in their order.
pub(super) struct Ahead {
    shared: Mutex<Shared>,
    changed: Condvar,
}

#[derive(Default)]
struct Shared {
    ready: VecDeque<(Result<Prepared>, usize)>,
    /// Inputs that are written. Freeing their many small pieces is left to the thread that
    /// made them, which has more time.
    spent: Vec<Prepared>,
    /// Bytes of content among them.
    bytes: usize,
    /// Nobody takes any more, or nobody makes any more.
    over: bool,
}

impl Ahead {
    pub(super) fn new() -> Self {
        Self {
            shared: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Starts preparing files, whose commit nobody but the suite's own list knows.
    pub(super) fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        reader: Reader<'scope>,
        files: Vec<File>,
    ) {
        scope.spawn(move || {
            let _over = Over(self);
            for file in files {
                let target = file.target();
                let fetched = fetch::read(&target);
                let bytes = fetched.as_ref().map_or(0, |fetched| fetched.content.len());
                if !self.wait_for_room(bytes) {
                    return;
                }
                let prepared = reader.prepare(&target, fetched, |_| Ok(None));
                let mut shared = self.lock();
                shared.ready.push_back((prepared, bytes));
                let spent = std::mem::take(&mut shared.spent);
                drop(shared);
                self.changed.notify_all();
                drop(spent);
            }
        });
    }

    /// The next input; `None` if preparing ended before its time.
    pub(super) fn next(&self) -> Option<Result<Prepared>> {
        let mut shared = self.lock();
        loop {
            if let Some((prepared, bytes)) = shared.ready.pop_front() {
                shared.bytes -= bytes;
                self.changed.notify_all();
                return Some(prepared);
            }
            if shared.over {
                return None;
            }
            shared = self.wait(shared);
        }
    }

    /// Gives back an input that is written.
    pub(super) fn spend(&self, prepared: Prepared) {
        let mut shared = self.lock();
        if !shared.over {
            shared.spent.push(prepared);
        }
    }

    /// To be held by whoever takes inputs: when it is dropped, no more are prepared.
    pub(super) fn taker(&self) -> Over<'_> {
        Over(self)
    }

    /// Waits until not too much waits; returns whether anybody still wants it.
    fn wait_for_room(&self, bytes: usize) -> bool {
        let mut shared = self.lock();
        while !shared.over && shared.bytes > 0 && shared.bytes + bytes > AHEAD {
            shared = self.wait(shared);
        }
        shared.bytes += bytes;
        !shared.over
    }

    // A thread that panicked while it held the lock leaves nothing half done behind.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, shared: MutexGuard<'a, Shared>) -> MutexGuard<'a, Shared> {
        self.changed
            .wait(shared)
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the other thread's waiting when it is dropped.
pub(super) struct Over<'a>(&'a Ahead);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.lock().over = true;
        self.0.changed.notify_all();
    }
}

/// A target that another thread can read.
pub(super) enum File {
    Named(PathBuf),
    Found(PathBuf),
}

impl File {
    /// `None` of what belongs to a repository, or isn't worth a thread.
    pub(super) fn of(target: &Target) -> Option<Self> {
        match target {
            Target::Named(path, None) => Some(Self::Named(path.clone())),
            Target::Found(path, None) => Some(Self::Found(path.clone())),
            _ => None,
        }
    }

    fn target(self) -> Target {
        match self {
            Self::Named(path) => Target::Named(path, None),
            Self::Found(path) => Target::Found(path, None),
        }
    }
}
