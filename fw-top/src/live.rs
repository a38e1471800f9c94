//! This host as a source of windows.

use crate::{cli::Args, sampler::Source};
use fw_agent::{
    model::Snapshot,
    observe::{Filter, Observer, Options},
};

/// The probes on this host.
pub struct Live(Observer);

impl Live {
    /// Attaches the probes with the filters of the command line.
    ///
    /// # Errors
    /// If this host cannot be observed: no permission, no BTF, a kernel that is too old.
    pub fn open(args: &Args) -> anyhow::Result<Live> {
        let filter =
            Filter { pid: args.pid, comm: args.comm.clone(), cgroup: args.cgroup.clone(), irq: args.irq.clone() };
        Ok(Live(Observer::start(&Options { filter, ..Options::default() })?))
    }
}

impl Source for Live {
    fn snapshot(&mut self) -> anyhow::Result<Snapshot> {
        Ok(self.0.snapshot()?)
    }
}
