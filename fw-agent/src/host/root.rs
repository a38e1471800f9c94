//! The directory under which `proc` and `sys` lie, and the few ways in which they are read.

use super::{Error, Result};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where `proc` and `sys` lie: `/` on a live host, the directory of a captured tree in tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(PathBuf);

impl Root {
    /// The host this runs on.
    pub fn live() -> Root {
        Root::new("/")
    }

    /// A captured tree: a directory that has `proc` and `sys` in it.
    pub fn new(directory: impl Into<PathBuf>) -> Root {
        Root(directory.into())
    }

    /// The real place of a path of the host, e.g. of `/proc/interrupts`.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Reads a file into a buffer that is used again for every read: `/proc/interrupts` of a large host has megabytes.
    ///
    /// # Errors
    /// [`Error::Read`] if it cannot be opened or read.
    pub fn read_into(&self, path: &str, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.clear();
        let place = self.path(path);
        File::open(&place)
            .and_then(|mut file| file.read_to_end(buffer))
            .map_err(|source| Error::Read { path: place, source })?;
        Ok(())
    }

    /// The text of a small file without blanks and line ends around it; none if it is absent, unreadable or gone while
    /// it was read (interrupts, CPUs and tasks come and go at any time).
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let mut bytes = Vec::new();
        File::open(self.path(path)).and_then(|mut file| file.read_to_end(&mut bytes)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
    }

    /// A file that holds one number; none if it is absent or holds something else (`-1` for an unsigned type: "none").
    pub fn number<N: FromStr>(&self, path: impl AsRef<Path>) -> Option<N> {
        self.text(path)?.parse().ok()
    }

    /// The value of the line `NAME: value` of a file such as `/proc/PID/status`.
    pub fn field(&self, path: impl AsRef<Path>, name: &str) -> Option<String> {
        let text = self.text(path)?;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(value.trim().to_owned())
    }

    /// Names in a directory, sorted; none if it is absent.
    pub fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(path)) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    /// The numbers N of the entries `prefixN` of a directory, ascending; other entries are passed over.
    pub fn numbered(&self, path: impl AsRef<Path>, prefix: &str) -> Vec<u32> {
        let mut numbers: Vec<u32> =
            self.names(path).iter().filter_map(|name| name.strip_prefix(prefix)?.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }
}
