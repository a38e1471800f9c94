//! A window made ready for the screen, once, before it reaches the loop: going through all rows of a large one takes
//! longer than drawing a frame.

use super::clean::clean;
use fw_agent::model::Snapshot;
use std::{cmp::Reverse, sync::Arc};

/// A window whose names are safe to show, with what the overview says about the whole of it.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// The window; of length 0 until there is one.
    pub(super) snapshot: Arc<Snapshot>,
    /// What the overview needs of it.
    pub(super) digest: Digest,
}

impl Window {
    /// Makes a window ready.
    pub fn of(mut snapshot: Snapshot) -> Window {
        clean(&mut snapshot);
        Window { digest: Digest::of(&snapshot), snapshot: Arc::new(snapshot) }
    }
}

/// Rows kept of each ranking: more than any terminal shows.
const KEPT: usize = 256;

/// Rankings and sums over one window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// Wake-up time by leg over all edges, ns, in the order of `Legs::wake`.
    pub leg_ns: [u64; 6],
    /// Places in `cpus`, most wake-up time first.
    pub worst_cpus: Vec<usize>,
    /// Places in `irqs` of those that fired, most often first.
    pub busiest_irqs: Vec<usize>,
}

impl Digest {
    /// The digest of a window.
    pub fn of(snapshot: &Snapshot) -> Digest {
        let mut leg_ns = [0u64; 6];
        for edge in &snapshot.edges {
            for (sum, (_, dist)) in leg_ns.iter_mut().zip(edge.legs.wake()) {
                *sum = sum.saturating_add(dist.sum_ns);
            }
        }
        let worst_cpus = top(snapshot.cpus.iter().map(|c| c.wakes.latency.sum_ns), true);
        let busiest_irqs = top(snapshot.irqs.iter().map(|i| i.count), false);
        Digest { leg_ns, worst_cpus, busiest_irqs }
    }
}

/// Places of the largest values, largest first, equal ones in order.
fn top(values: impl Iterator<Item = u64>, with_zeroes: bool) -> Vec<usize> {
    let mut ranked: Vec<(u64, usize)> =
        values.enumerate().map(|(i, v)| (v, i)).filter(|(v, _)| with_zeroes || *v > 0).collect();
    ranked.sort_by_key(|(v, i)| (Reverse(*v), *i));
    ranked.into_iter().take(KEPT).map(|(_, i)| i).collect()
}
