//! Reading small files under a root. // host:: the crate's readers take over

use std::{fs, path::Path};

/// The file's text without blanks around it; none if it cannot be read.
pub(super) fn text(root: &Path, path: &str) -> Option<String> {
    let bytes = fs::read(root.join(path)).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim().into())
}

/// The names in a directory, sorted, numbers by value; empty if it cannot be read.
pub(super) fn names(root: &Path, path: &str) -> Vec<String> {
    let entries = fs::read_dir(root.join(path)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_by_cached_key(|name| (name.parse::<u64>().unwrap_or(u64::MAX), name.clone()));
    names
}

/// The field of `/proc/self/status` with this name.
pub(super) fn own_status(root: &Path, field: &str) -> Option<String> {
    let status = text(root, "proc/self/status")?;
    let value = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    Some(value.trim().into())
}

/// Some of many: the first few, and how many more there are.
pub(super) fn some(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}
