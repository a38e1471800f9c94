//! What was counted between two reads of a [`CpuTable`], whatever came, went or wrapped in between.

use super::table::{CpuTable, Row};
use crate::model::CpuSet;
use std::collections::HashMap;

/// The last value seen of every counter, and its growth at the last update.
///
/// - Counters have 32 bits and wrap. One that went down by less than half its range has wrapped; by more, it was started
///   anew (the interrupt was freed and requested again), and then counts from 0. Values past 2^32 are taken as they are.
/// - The counters of an offline CPU and of an interrupt without a handler are kept by the kernel but not printed. So
///   their last values are kept here too: what comes back is not taken for new.
/// - A CPU that was offline from the start has an unknown past: it counts from its first reading.
#[derive(Debug, Default)]
pub struct Deltas {
    rows: Vec<Tracked>,
    index: HashMap<Vec<u8>, usize>,
    key: Vec<u8>,
    /// CPUs that were in the header of any update.
    known: CpuSet,
    updates: u64,
}

#[derive(Debug, Default)]
struct Tracked {
    last: Vec<(u32, u64)>,
    growth: Vec<(u32, u64)>,
    updated: u64,
}

/// Growth of one row.
#[derive(Clone, Copy, Debug)]
pub struct Growth<'a> {
    /// Names the row for as long as the [`Deltas`] lives, wherever it stands in the table.
    pub id: usize,
    /// Sum over all CPUs.
    pub total: u64,
    /// (CPU, growth), zeroes left out; empty for rows that do not count by CPU.
    pub per_cpu: &'a [(u32, u64)],
}

impl Deltas {
    /// Takes the next read; the first is the baseline. Gives an id for each row, in order, for [`Deltas::growth`].
    ///
    /// `identity` names what a row counts apart from its label, because numbers of interrupts are used again; rows with
    /// equal label and identity are told apart by their order. `is_new` says whether a row that was never seen before
    /// counts something that did not exist before either: only then is all that it counted growth.
    pub fn update<'t>(
        &mut self,
        table: &'t CpuTable,
        identity: impl Fn(Row<'t>) -> &'t [u8],
        is_new: impl Fn(Row<'t>) -> bool,
    ) -> Vec<usize> {
        self.updates += 1;
        let present: CpuSet = table.cpus().iter().copied().collect();
        let baseline = self.updates == 1;
        let ids = table
            .rows()
            .map(|row| {
                let (id, is_first) = self.find(row, identity(row));
                let starts_at_zero = !is_first || (!baseline && is_new(row));
                let tracked = &mut self.rows[id];
                tracked.growth.clear();
                // The counters of a torn row belong to nobody knows whom: the next whole one makes up for it.
                if !row.is_torn() {
                    tracked.advance(row, &present, |cpu| starts_at_zero && (!row.per_cpu || self.known.contains(cpu)));
                }
                if !row.per_cpu {
                    tracked.growth = tracked.growth.iter().map(|(_, n)| (u32::MAX, *n)).collect();
                }
                id
            })
            .collect();
        self.known = self.known.union(&present);
        ids
    }

    /// The growth of a row at the last update.
    pub fn growth(&self, id: usize) -> Growth<'_> {
        let growth = &self.rows[id].growth;
        let per_cpu = if growth.first().is_some_and(|(cpu, _)| *cpu == u32::MAX) { &[] } else { &growth[..] };
        Growth { id, total: growth.iter().map(|(_, n)| n).fold(0, |sum, n| sum.saturating_add(*n)), per_cpu }
    }

    /// The id of a row, and whether it is new.
    fn find(&mut self, row: Row<'_>, identity: &[u8]) -> (usize, bool) {
        self.key.clear();
        self.key.extend_from_slice(row.label);
        self.key.push(b':');
        self.key.extend_from_slice(identity);
        loop {
            match self.index.get(&self.key[..]) {
                // Equal rows of one table: powerpc prints LOC twice.
                Some(id) if self.rows[*id].updated == self.updates => self.key.push(b'\n'),
                Some(id) => {
                    self.rows[*id].updated = self.updates;
                    return (*id, false);
                }
                None => {
                    let id = self.rows.len();
                    self.rows.push(Tracked { updated: self.updates, ..Tracked::default() });
                    self.index.insert(self.key.clone(), id);
                    return (id, true);
                }
            }
        }
    }
}

impl Tracked {
    /// Puts the row's counters in the place of the last ones and their growth into `growth`. A counter without a last
    /// value was 0 if `was_zero` says so; else its past is unknown and it has not grown.
    fn advance(&mut self, row: Row<'_>, present: &CpuSet, was_zero: impl Fn(u32) -> bool) {
        let before = std::mem::take(&mut self.last);
        self.last.reserve(before.len().max(row.counts.len()));
        let mut before = before.into_iter().peekable();
        let mut now = row.counts.iter().copied().peekable();
        loop {
            let cpu = match (before.peek(), now.peek()) {
                (Some((a, _)), Some((b, _))) => *a.min(b),
                (Some((cpu, _)), None) | (None, Some((cpu, _))) => *cpu,
                (None, None) => return,
            };
            let value = now.next_if(|(c, _)| *c == cpu).map(|(_, n)| n);
            let last = before.next_if(|(c, _)| *c == cpu).map(|(_, n)| n);
            let value = match (value, last) {
                (Some(value), _) => value,
                (None, Some(last)) if row.per_cpu && !present.contains(cpu) => last,
                (None, _) => 0,
            };
            let last = last.unwrap_or(if was_zero(cpu) { 0 } else { value });
            match since(last, value) {
                0 => {}
                growth => self.growth.push((cpu, growth)),
            }
            if value != 0 {
                self.last.push((cpu, value));
            }
        }
    }
}

/// Growth of a 32-bit counter between two reads.
fn since(last: u64, now: u64) -> u64 {
    const RANGE: u64 = 1 << 32;
    match now.checked_sub(last) {
        Some(growth) => growth,
        None if last < RANGE && now + RANGE - last < RANGE / 2 => now + RANGE - last,
        None => now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// (label, total, by CPU)
    type Grown = (String, u64, Vec<(u32, u64)>);

    /// Growth of each row of the last of the given tables.
    fn growth(tables: &[&str]) -> Vec<Grown> {
        let (mut deltas, mut table) = (Deltas::default(), CpuTable::default());
        let mut ids = Vec::new();
        for text in tables {
            table.parse(text.as_bytes());
            ids = deltas.update(&table, |row| row.text, |_| true);
        }
        let label = |row: Row<'_>| String::from_utf8_lossy(row.label).into_owned();
        let growth = |id| (deltas.growth(id).total, deltas.growth(id).per_cpu.to_vec());
        table.rows().zip(ids).map(|(row, id)| (label(row), growth(id).0, growth(id).1)).collect()
    }

    #[test]
    fn the_first_read_is_the_baseline() {
        assert_eq!(growth(&["CPU0\nA: 5\n"]), [("A".into(), 0, vec![])]);
        assert_eq!(growth(&["CPU0\nA: 5\n", "CPU0\nA: 7\n"]), [("A".into(), 2, vec![(0, 2)])]);
    }

    #[test]
    fn counters_wrap_and_start_anew() {
        assert_eq!((since(4_294_967_290, 4), since(4_294_967_295, 0)), (10, 1));
        assert_eq!((since(1_000, 5), since(7, 0), since(1 << 40, 3)), (5, 0, 3));
        assert_eq!(since(u64::from(u32::MAX), (1 << 32) + 1), 2);
    }

    #[test]
    fn an_offline_cpu_brings_its_past_back() {
        let tables = ["CPU0 CPU1\nA: 1 100\n", "CPU0\nA: 2\n", "CPU0 CPU1\nA: 3 101\n"];
        assert_eq!(growth(&tables), [("A".into(), 2, vec![(0, 1), (1, 1)])]);
        let late = ["CPU0\nA: 1\n", "CPU0 CPU1\nA: 1 900\n", "CPU0 CPU1\nA: 1 901\n"];
        assert_eq!(growth(&late[..2]), [("A".into(), 0, vec![])]);
        assert_eq!(growth(&late), [("A".into(), 1, vec![(1, 1)])]);
    }

    #[test]
    fn a_row_that_vanished_brings_its_past_back() {
        let tables = ["CPU0\n7: 50 x\nA: 1\n", "CPU0\nA: 1\n", "CPU0\n7: 53 x\nA: 1\n"];
        assert_eq!(growth(&tables)[0], ("7".into(), 3, vec![(0, 3)]));
        let reused = ["CPU0\n7: 50 x\n", "CPU0\n7: 53 y\n"];
        assert_eq!(growth(&reused)[0], ("7".into(), 53, vec![(0, 53)]), "another device got the number");
    }

    #[test]
    fn equal_rows_are_told_apart_by_order() {
        let growth = growth(&["CPU0\nLOC: 1 t\nLOC: 10 t\n", "CPU0\nLOC: 2 t\nLOC: 15 t\n"]);
        assert_eq!((growth[0].1, growth[1].1), (1, 5));
    }

    #[test]
    fn a_torn_row_is_made_up_for_by_the_next() {
        let tables = ["CPU0 CPU1\n7: 1 1 x\n", "CPU0 CPU1\n7: 5 x\n", "CPU0 CPU1\n7: 2 9 x\n"];
        assert_eq!(growth(&tables[..2])[0].1, 0);
        assert_eq!(growth(&tables)[0], ("7".into(), 9, vec![(0, 1), (1, 8)]));
    }

    #[test]
    fn a_total_has_no_cpu() {
        assert_eq!(growth(&["CPU0 CPU1\nERR: 1\n", "CPU0 CPU1\nERR: 4\n"]), [("ERR".into(), 3, vec![])]);
    }

    proptest! {
        /// Whatever a counter does within a window, short of half its range, is growth; no more, no less.
        #[test]
        fn growth_adds_up(start in any::<u32>(), steps in prop::collection::vec(0u32..1 << 31, 1..8)) {
            let (mut deltas, mut table) = (Deltas::default(), CpuTable::default());
            let (mut now, mut sum) = (start, 0);
            table.parse(format!("CPU0 CPU3\n 9: 0 {now} chip\n").as_bytes());
            deltas.update(&table, |row| row.text, |_| true);
            for step in &steps {
                now = now.wrapping_add(*step);
                table.parse(format!("CPU0 CPU3\n 9: 0 {now} chip\n").as_bytes());
                let ids = deltas.update(&table, |row| row.text, |_| true);
                sum += deltas.growth(ids[0]).total;
            }
            prop_assert_eq!(sum, steps.iter().map(|s| u64::from(*s)).sum::<u64>());
        }
    }
}
