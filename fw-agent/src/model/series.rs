//! From totals since the probes were attached to windows: each series remembers the last read of one record.

use fw_ebpf::{
    cause::Cause,
    records::{self, Counts, DISTANCES, EdgeCounts, IDLE_STATES, LEGS, SoftirqCounts, Total},
};

use super::{Dist, Legs};

/// Index of the leg that is another thread, in [`records::Edge::legs`].
const THREAD: usize = 4;

/// One distribution.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// The counts of the last read, sparse: most of a distribution is empty.
    counts: Vec<(u16, u32)>,
    sum_ns: u64,
}

impl Series {
    /// The window between the last read and this one. `now` gives the counts (several, where they add up), `total` the
    /// sum since the start and the largest value since the last read.
    pub fn advance(&mut self, now: &[&Counts], total: Total) -> Dist {
        let mut before = std::mem::take(&mut self.counts).into_iter().peekable();
        let mut window = [0u64; fw_ebpf::hist::BUCKETS];
        for (i, count) in window.iter_mut().enumerate() {
            let sum = now.iter().fold(0u32, |sum, counts| sum.wrapping_add(counts[i]));
            let old = before.next_if(|(b, _)| usize::from(*b) == i).map_or(0, |(_, n)| n);
            // Counters wrap; what a window adds to one does not come to 2^32.
            *count = sum.wrapping_sub(old).into();
            if sum != 0 {
                self.counts.push((i as u16, sum));
            }
        }
        let sum_ns = total.sum_ns.wrapping_sub(self.sum_ns);
        self.sum_ns = total.sum_ns;
        // No value is larger than the sum of all.
        Dist::from_counts(window, sum_ns, total.max_ns.min(sum_ns))
    }
}

/// The difference to the last value, which becomes this one.
fn delta<const N: usize>(last: &mut [u32; N], now: &[u32; N]) -> [u64; N] {
    let before = std::mem::replace(last, *now);
    std::array::from_fn(|i| now[i].wrapping_sub(before[i]).into())
}

fn delta_one(last: &mut u32, now: u32) -> u64 {
    now.wrapping_sub(std::mem::replace(last, now)).into()
}

/// Waits on one CPU.
#[derive(Clone, Debug, Default)]
pub struct CpuSeries {
    wake: [Series; DISTANCES],
    runnable: Series,
    still_running: u64,
    losses: [u64; records::LOSSES],
}

/// What a window added on one CPU.
pub struct CpuWindow {
    /// Waking to running, by distance.
    pub by_distance: [Dist; DISTANCES],
    /// Runnable to running.
    pub runqueue: Dist,
    /// Wakes that found the thread still running.
    pub still_running: u64,
    /// By [`records::Loss`].
    pub losses: [u64; records::LOSSES],
}

impl CpuSeries {
    /// The window between the last read and this one.
    pub fn advance(&mut self, cpu: &records::PerCpu) -> CpuWindow {
        let records::PerCpu { waits, counts, .. } = cpu;
        let by_distance = std::array::from_fn(|i| {
            let total = sum(&[waits.direct[i], waits.remote[i]]);
            self.wake[i].advance(&[&counts.direct[i], &counts.remote[i]], total)
        });
        let runnable: Vec<&Counts> = counts.direct.iter().chain([&counts.runnable]).collect();
        let total = sum(&[&waits.direct[..], &[waits.runnable]].concat());
        let losses = std::array::from_fn(|i| cpu.losses[i].wrapping_sub(self.losses[i]));
        self.losses = cpu.losses;
        let still_running = cpu.still_running.wrapping_sub(self.still_running);
        self.still_running = cpu.still_running;
        CpuWindow { by_distance, runqueue: self.runnable.advance(&runnable, total), still_running, losses }
    }
}

/// Totals of classes that count as one.
fn sum(totals: &[Total]) -> Total {
    Total {
        sum_ns: totals.iter().fold(0, |sum, t| sum.wrapping_add(t.sum_ns)),
        max_ns: totals.iter().map(|t| t.max_ns).max().unwrap_or(0),
    }
}

/// Waits along one edge.
#[derive(Clone, Debug, Default)]
pub struct EdgeSeries {
    same_cpu: Series,
    cross_cpu: Series,
    runnable: Series,
    legs: [Series; LEGS],
    distance: [u32; DISTANCES - 1],
    migrations: u32,
    idle_states: [u32; IDLE_STATES],
    occupants: Vec<(u32, u64)>,
}

/// What a window added to one edge.
#[derive(Clone, Debug, Default)]
pub struct EdgeWindow {
    /// Waking to running, on the waking CPU.
    pub same_cpu: Dist,
    /// Waking to running, on another CPU.
    pub cross_cpu: Dist,
    /// Runnable to running; for a preempted thread's edge, all there is.
    pub runqueue: Dist,
    /// Where the time went.
    pub legs: Legs,
    /// Wakes by distance.
    pub by_distance: [u64; DISTANCES],
    /// Waits during which the thread changed CPU.
    pub migrations: u64,
    /// Waits that found the CPU idle, by state; up to the deepest one seen.
    pub idle_states: Vec<u64>,
    /// Who had the CPU last, and for how long (ns), most first.
    pub occupants: Vec<(u32, u64)>,
}

impl EdgeSeries {
    /// The window between the last read and this one.
    pub fn advance(&mut self, edge: &records::Edge, counts: &EdgeCounts) -> EdgeWindow {
        let records::EdgeWaits { same_cpu, direct, remote, runnable } = edge.waits;
        let behind = edge.behind;
        let preempted = edge.cause == Cause::PREEMPTED;
        // The kernel keeps no maximum of a leg: its highest bucket bounds it.
        let mut leg = |i: usize| {
            let total = Total { sum_ns: edge.legs[i], max_ns: u64::MAX };
            if i == THREAD {
                self.legs[i].advance(&[&counts.legs[i], &counts.behind], sum(&[total, behind]))
            } else {
                self.legs[i].advance(&[&counts.legs[i]], total)
            }
        };
        let legs = Legs {
            handler: leg(0),
            softirq_delay: leg(1),
            softirq_run: leg(2),
            queue: leg(3),
            thread: leg(4),
            hardirq: leg(5),
            softirq: leg(6),
            idle: leg(7),
            switch: leg(8),
        };
        let mut idle_states = delta(&mut self.idle_states, &edge.idle_states).to_vec();
        idle_states.truncate(idle_states.iter().rposition(|n| *n > 0).map_or(0, |last| last + 1));
        let cross_cpu = self.cross_cpu.advance(&[&counts.direct, &counts.remote], sum(&[direct, remote]));
        let on_same: (&[&Counts], _) = (&[&counts.same_cpu, &counts.behind], sum(&[same_cpu, behind]));
        let same_cpu_window = if preempted { Dist::default() } else { self.same_cpu.advance(on_same.0, on_same.1) };
        let [sibling, llc, node, far] = delta(&mut self.distance, &edge.distance);
        let queued: [&Counts; 4] = [&counts.same_cpu, &counts.behind, &counts.direct, &counts.runnable];
        EdgeWindow {
            runqueue: self.runnable.advance(&queued, sum(&[same_cpu, behind, direct, runnable])),
            by_distance: [same_cpu_window.count(), sibling, llc, node, far],
            same_cpu: same_cpu_window,
            cross_cpu,
            legs,
            migrations: delta_one(&mut self.migrations, edge.migrations),
            idle_states,
            occupants: self.occupants(edge),
        }
    }

    /// A newcomer takes over the weight of the place it gets, so it starts from what that place had.
    fn occupants(&mut self, edge: &records::Edge) -> Vec<(u32, u64)> {
        let before = std::mem::replace(
            &mut self.occupants,
            edge.occupants.iter().filter(|o| o.tid != 0).map(|o| (o.tid, o.held_ns)).collect(),
        );
        let lightest = before.iter().map(|(_, ns)| *ns).min().filter(|_| before.len() == records::OCCUPANTS);
        let mut window: Vec<(u32, u64)> = self
            .occupants
            .iter()
            .map(|&(tid, ns)| {
                let old = before.iter().find(|(t, _)| *t == tid).map(|(_, ns)| *ns);
                (tid, ns.saturating_sub(old.or(lightest).unwrap_or(0)))
            })
            .filter(|(_, ns)| *ns > 0)
            .collect();
        window.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
        window
    }
}

/// One softirq on one CPU.
#[derive(Clone, Debug, Default)]
pub struct SoftirqSeries {
    delay: Series,
    run: Series,
}

impl SoftirqSeries {
    /// Raise to entry, and entry to exit, in the window between the last read and this one.
    pub fn advance(&mut self, softirq: &records::Softirq, counts: &SoftirqCounts) -> (Dist, Dist) {
        let (delay, run) = (softirq.delay, softirq.run);
        (self.delay.advance(&[&counts.delay], delay), self.run.advance(&[&counts.run], run))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fw_ebpf::{
        hist::{BUCKETS, bucket},
        records::Record,
    };

    #[test]
    fn a_window_is_the_difference_of_two_reads_across_a_wrap() {
        let total = |sum_ns, max_ns| Total { sum_ns, max_ns };
        let mut series = Series::default();
        let mut counts = [0u32; BUCKETS];
        counts[bucket(1000)] = u32::MAX;
        series.advance(&[&counts], total(1000, 1000));
        counts[bucket(1000)] = 1;
        counts[bucket(64)] = 3;
        let window = series.advance(&[&counts], total(1000 + 2 * 1000 + 3 * 64, 1001));
        assert_eq!(window.count(), 5);
        assert_eq!(window.sum_ns, 2192);
        assert_eq!(window.max_ns, 1001);
        assert!(series.advance(&[&counts], total(3192, 0)).is_empty());
    }

    #[test]
    fn a_newcomer_among_the_occupants_does_not_inherit_the_time_of_the_one_it_replaced() {
        let occupant = |tid, held_ns| records::Occupant { tid, unused: 0, held_ns };
        let mut edge = records::Edge::zeroed();
        edge.occupants = [occupant(1, 900), occupant(2, 500), occupant(3, 400), occupant(4, 300)];
        let mut series = EdgeSeries::default();
        assert_eq!(series.occupants(&edge), [(1, 900), (2, 500), (3, 400), (4, 300)]);
        edge.occupants = [occupant(1, 950), occupant(2, 500), occupant(3, 400), occupant(5, 310)];
        assert_eq!(series.occupants(&edge), [(1, 50), (5, 10)]);
    }
}
