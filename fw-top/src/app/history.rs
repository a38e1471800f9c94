//! The last windows, as much of them as sparklines and heat maps need.

use fw_agent::model::{Cause, CauseKind, Edge, Snapshot};
use std::collections::{HashMap, VecDeque};

/// Windows that are kept.
pub const LENGTH: usize = 60;
/// Edges of each window that are kept, worst first: those a user is likely to open. An opened one is kept always.
const EDGES: usize = 64;

/// What names an edge from window to window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EdgeId {
    kind: CauseKind,
    irq: Option<u32>,
    waker: Option<u32>,
    cause: String,
    /// The woken thread.
    pub tid: u32,
}

impl EdgeId {
    /// The name of an edge.
    pub fn of(edge: &Edge) -> EdgeId {
        let Cause { kind, irq, tid, name } = &edge.cause;
        EdgeId { kind: *kind, irq: *irq, waker: *tid, cause: name.clone(), tid: edge.tid }
    }

    /// Whether it is this edge's name.
    pub fn is(&self, edge: &Edge) -> bool {
        let Cause { kind, irq, tid, name } = &edge.cause;
        self.tid == edge.tid && self.kind == *kind && self.irq == *irq && self.waker == *tid && self.cause == *name
    }

    /// The cause's name.
    pub fn cause(&self) -> &str {
        &self.cause
    }
}

/// One window, reduced.
#[derive(Clone, Debug, Default)]
struct Past {
    /// Wake-up p99 by CPU, ns; only CPUs on which a thread was woken.
    cpu_p99_ns: HashMap<u32, u64>,
    /// Wake-up latency by octave, as `Dist::octaves`.
    edges: HashMap<EdgeId, Vec<u64>>,
}

/// The last [`LENGTH`] windows.
#[derive(Clone, Debug, Default)]
pub struct History {
    windows: VecDeque<Past>,
}

impl History {
    /// Adds a window and forgets the oldest.
    pub fn push(&mut self, snapshot: &Snapshot, opened: Option<&EdgeId>) {
        let measured = snapshot.cpus.iter().filter(|c| !c.wakes.latency.is_empty());
        let cpu_p99_ns = measured.map(|c| (c.cpu, c.wakes.latency.quantile(0.99))).collect();
        let opened = opened.and_then(|id| snapshot.edges.iter().find(|e| id.is(e)));
        let edges = snapshot.edges.iter().take(EDGES).chain(opened);
        let edges = edges.map(|e| (EdgeId::of(e), e.latency.octaves())).collect();
        if self.windows.len() == LENGTH {
            self.windows.pop_front();
        }
        self.windows.push_back(Past { cpu_p99_ns, edges });
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.windows.clear();
    }

    /// Windows seen, at most [`LENGTH`].
    pub fn len(&self) -> usize {
        self.windows.len()
    }

    /// True before the first window.
    pub fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// Wake-up p99 of a CPU in each window, ns, oldest first; none where nothing was woken on it.
    pub fn cpu_p99_ns(&self, cpu: u32) -> impl DoubleEndedIterator<Item = Option<u64>> + '_ {
        self.windows.iter().map(move |w| w.cpu_p99_ns.get(&cpu).copied())
    }

    /// Wake-up latency of an edge by octave in each window, oldest first; empty where it was not among those kept.
    pub fn edge(&self, id: &EdgeId) -> Vec<&[u64]> {
        self.windows.iter().map(|w| w.edges.get(id).map(Vec::as_slice).unwrap_or_default()).collect()
    }
}
