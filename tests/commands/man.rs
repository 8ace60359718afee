//! `kidx man`

use super::{check, loaded, rendered};
use std::process::Stdio;

#[test]
fn whole() {
    let mut settings = insta::Settings::clone_current();
    let version = regex_of(env!("CARGO_PKG_VERSION"));
    settings.add_filter(&format!(r"\bv?{version}\b"), "[version]");
    settings.bind(|| {
        let text = rendered(&loaded(), 80, &["man"], Stdio::null());
        check("man", &text);
    });
}

fn regex_of(version: &str) -> String {
    version.replace('.', r"\.")
}
