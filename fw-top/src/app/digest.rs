//! What the overview says about a whole window, worked out once when it arrives rather than in each frame.

use fw_agent::model::Snapshot;
use std::{cmp::Reverse, collections::BTreeMap};

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
    /// Numbers of the CPUs that take interrupts, most first.
    pub busiest_cpus: Vec<u32>,
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
        let mut by_cpu: BTreeMap<u32, u64> = BTreeMap::new();
        for (cpu, n) in snapshot.irqs.iter().flat_map(|i| &i.per_cpu) {
            let sum = by_cpu.entry(*cpu).or_default();
            *sum = sum.saturating_add(*n);
        }
        let mut busiest_cpus: Vec<(u32, u64)> = by_cpu.into_iter().collect();
        busiest_cpus.sort_by_key(|(cpu, n)| (Reverse(*n), *cpu));
        let busiest_cpus = busiest_cpus.into_iter().take(KEPT).map(|(cpu, _)| cpu).collect();
        Digest { leg_ns, worst_cpus, busiest_irqs, busiest_cpus }
    }
}

/// Places of the largest values, largest first, equal ones in order.
fn top(values: impl Iterator<Item = u64>, with_zeroes: bool) -> Vec<usize> {
    let mut ranked: Vec<(u64, usize)> =
        values.enumerate().map(|(i, v)| (v, i)).filter(|(v, _)| with_zeroes || *v > 0).collect();
    ranked.sort_by_key(|(v, i)| (Reverse(*v), *i));
    ranked.into_iter().take(KEPT).map(|(_, i)| i).collect()
}
