//! `kidx suite-facts`: reads the problem modules of a suite version and writes the facts
//! that are built in: names, axes, inputs, digests; figures, no code.

use std::path::Path;

use kidx_importers::kernelbench::problem::{self, ProblemFacts};

use crate::catalog::reference::SuiteHeader;
use crate::cli;
use crate::error::{self, Error, Result};
use crate::output::{Ui, json};

/// Runs the command.
pub fn run(arguments: &cli::SuiteFacts, ui: &mut Ui) -> Result<u8> {
    let mut all: Vec<ProblemFacts> = Vec::new();
    for level in folders(&arguments.folder)? {
        for file in modules(&arguments.folder.join(&level))? {
            let path = arguments.folder.join(&level).join(&file);
            let source = std::fs::read(&path).map_err(|error| {
                Error::failed(format!("`{}` can't be read", path.display())).because(error)
            })?;
            match problem::describe(&level, &file, &source) {
                Ok(facts) => {
                    for unknown in &facts.unknown {
                        ui.detail(format_args!("{}: {unknown}", path.display()));
                    }
                    all.push(facts);
                }
                Err(refusal) => ui.warning(format_args!("{}: {refusal}", path.display())),
            }
        }
    }
    all.sort_by(|a, b| {
        let number = |facts: &ProblemFacts| {
            facts
                .file
                .split('_')
                .next()
                .and_then(|number| number.parse::<u32>().ok())
        };
        (&a.level, number(a), &a.file).cmp(&(&b.level, number(b), &b.file))
    });
    let header = SuiteHeader {
        suite: "kernelbench".to_owned(),
        version: arguments.version.clone(),
        commit: arguments.commit.clone(),
        committed_on: arguments.committed_on.clone(),
    };
    json::lines(ui.out(), &[header])?;
    json::lines(ui.out(), &all)?;
    ui.finish()?;
    ui.note(format_args!("{} problems", all.len()));
    Ok(error::EXIT_DONE)
}

fn folders(folder: &Path) -> Result<Vec<String>> {
    let mut names = names(folder, |entry| entry.path().is_dir())?;
    names.retain(|name| name.starts_with("level"));
    if names.is_empty() {
        return Err(Error::failed(format!(
            "`{}` holds no `level…` folder",
            folder.display()
        )));
    }
    Ok(names)
}

fn modules(folder: &Path) -> Result<Vec<String>> {
    let mut names = names(folder, |entry| entry.path().is_file())?;
    names.retain(|name| {
        Path::new(name)
            .extension()
            .is_some_and(|ending| ending == "py")
    });
    Ok(names)
}

fn names(folder: &Path, takes: impl Fn(&std::fs::DirEntry) -> bool) -> Result<Vec<String>> {
    let failed = |error: std::io::Error| {
        Error::failed(format!("`{}` can't be listed", folder.display())).because(error)
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if takes(&entry) {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
