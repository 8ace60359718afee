//! Documents and program say the same, and no link leads nowhere.

use std::path::{Path, PathBuf};

use crate::sandbox::Sandbox;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn the_table_of_sources_is_the_registry() {
    let text = read("docs/sources.md");
    let mut rows = text
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim));
    let heads: Vec<&str> = rows.next().unwrap().collect();
    let at = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let columns = ["source", "verb", "data licence", "attribution"].map(at);
    let told: Vec<[String; 4]> = rows
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.collect();
            assert_eq!(cells.len(), heads.len(), "{cells:?}");
            columns.map(|column| cells[column].trim_matches('`').to_owned())
        })
        .collect();
    let known: Vec<[String; 4]> = kidx_importers::REGISTRY
        .iter()
        .map(|importer| {
            let source = importer.source();
            let license = source.data_license.unwrap_or("unknown");
            [source.name, source.slug, license, source.attribution].map(str::to_owned)
        })
        .collect();
    assert_eq!(told, known);
}

#[test]
fn every_command_is_in_the_readme() {
    let help = Sandbox::new().expect(0, &["--help"]).out;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.contains(&"records") && commands.len() > 10);
    let readme = read("README.md");
    // `kidx records`, and `kidx --db demo.db records` too.
    let called = |command: &str| {
        readme.lines().any(|line| {
            line.split("kidx ").skip(1).any(|call| {
                call.split_whitespace()
                    .take(6)
                    .any(|word| word.trim_matches(|c: char| !c.is_alphanumeric()) == command)
            })
        })
    };
    let missing: Vec<&&str> = commands.iter().filter(|name| !called(name)).collect();
    assert!(missing.is_empty(), "not in README.md: {missing:?}");
}

/// Every Markdown file of the repository.
fn documents() -> Vec<PathBuf> {
    let hidden_or_built = |name: &str| name == "target" || name.starts_with('.');
    walkdir::WalkDir::new(root())
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || !entry.file_name().to_str().is_some_and(hidden_or_built)
        })
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect()
}

/// The lines of a document that are neither code blocks nor, within them, code.
fn prose(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // Every second part stands between backquotes.
            lines.push(line.split('`').step_by(2).collect::<Vec<_>>().join("`"));
        }
    }
    lines
}

/// Where a document's links lead: `[text](target)` and `[text]: target`.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        for part in line.split("](").skip(1) {
            let target = part.split([')', ' ']).next().unwrap_or_default();
            links.push(target.to_owned());
        }
        if let Some((_, target)) = line
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]: "))
        {
            links.push(target.trim().to_owned());
        }
    }
    links
}

/// Names by which a document's headings are linked to.
fn anchors(text: &str) -> Vec<String> {
    let mut fenced = false;
    text.lines()
        .filter(|line| {
            fenced ^= line.trim_start().starts_with("```");
            !fenced && line.starts_with('#')
        })
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

/// Why a link of a document leads nowhere, if it does.
fn broken(document: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() {
        document.to_owned()
    } else {
        document.parent().unwrap().join(file)
    };
    if !target.exists() {
        return Some(format!("{}: no `{link}`", document.display()));
    }
    if anchor.is_empty() {
        return None;
    }
    let text = std::fs::read_to_string(&target).unwrap_or_default();
    let known = anchors(&text).iter().any(|known| known == anchor);
    (!known).then(|| format!("{}: no heading `{link}`", document.display()))
}

#[test]
fn no_link_leads_nowhere() {
    let documents = documents();
    assert!(documents.len() > 4, "{documents:?}");
    let found: Vec<String> = documents
        .iter()
        .flat_map(|document| {
            let text = std::fs::read_to_string(document).unwrap();
            links(&text)
                .iter()
                .filter_map(|link| broken(document, link))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn broken_links_are_found() {
    let sandbox = Sandbox::new();
    let text = "# A title, with `code`\n\
                [here](#a-title-with-code) [there](b.md#more) [page](https://example.org/x)\n\
                `[code](none.md)` [gone](none.md) [wrong](b.md#less)\n\
                ```\n[block](none.md)\n```\n[ref]: c/none.md\n";
    let document = sandbox.write("a.md", text);
    sandbox.write("b.md", "## More\n");
    let found: Vec<String> = links(text)
        .iter()
        .filter_map(|link| broken(&document, link))
        .collect();
    let name = document.display();
    assert_eq!(
        found,
        [
            format!("{name}: no `none.md`"),
            format!("{name}: no heading `b.md#less`"),
            format!("{name}: no `c/none.md`"),
        ]
    );
}
