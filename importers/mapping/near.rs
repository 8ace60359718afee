//! Which of some names a misspelled one may mean.

/// The name that is spelled most alike, if one is alike enough to be meant.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    const ALIKE: f64 = 0.75;
    let plain = |name: &str| name.trim().to_lowercase().replace([' ', '-', '.'], "_");
    let wanted = plain(name);
    names
        .map(|known| (strsim::jaro_winkler(&wanted, &plain(known)), known))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}
