//! Observing a host: load the probes, then one [`Snapshot`] a window.

use crate::{Error, model::Snapshot};
use std::path::PathBuf;

/// Which woken threads count; all of them without a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Threads of this process.
    pub pid: Option<u32>,
    /// Threads of this name.
    pub comm: Option<String>,
    /// Threads in this cgroup or below.
    pub cgroup: Option<PathBuf>,
    /// Wakes by interrupts whose number, handler name or device matches this glob.
    pub irq: Option<String>,
}

/// How to observe.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which woken threads count.
    pub filter: Filter,
    /// Where `proc` and `sys` are.
    pub root: PathBuf,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            filter: Filter::default(),
            root: "/".into(),
        }
    }
}

/// A host under observation, until dropped.
#[derive(Debug)]
pub struct Observer {}

impl Observer {
    /// Loads and attaches the probes.
    pub fn start(_options: &Options) -> Result<Observer, Error> {
        Err(Error::Denied { reason: "nothing is observed yet".into() })
    }

    /// The window since the previous call, or since the start.
    pub fn snapshot(&mut self) -> Result<Snapshot, Error> {
        Err(Error::Denied { reason: "nothing is observed yet".into() })
    }
}
