//! The rows of a tab: filtered, searched, sorted, with one selected. The selection follows its row, not its place.

use super::{EdgeId, Order, Tab, orders};
use fw_agent::model::{CauseKind, Snapshot};
use std::collections::HashSet;

/// What names a row from window to window.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each holds the name of a row of that tab")]
pub enum RowId {
    Irq(String),
    Thread(u32),
    Edge(EdgeId),
    Softirq(String),
}

impl RowId {
    fn of(tab: Tab, s: &Snapshot, row: usize) -> Option<RowId> {
        Some(match tab {
            Tab::Overview | Tab::Edges => RowId::Edge(EdgeId::of(&s.edges[row])),
            Tab::Irqs => RowId::Irq(s.irqs[row].label.clone()),
            Tab::Threads => RowId::Thread(s.threads[row].tid),
            Tab::Softirqs => RowId::Softirq(s.softirqs[row].name.clone()),
            Tab::Host => return None,
        })
    }

    fn is(&self, s: &Snapshot, row: usize) -> bool {
        match self {
            RowId::Irq(label) => s.irqs[row].label == *label,
            RowId::Thread(tid) => s.threads[row].tid == *tid,
            RowId::Edge(id) => id.is(&s.edges[row]),
            RowId::Softirq(name) => s.softirqs[row].name == *name,
        }
    }
}

/// Which rows a list leaves out.
pub struct Sieve<'a> {
    /// Lower-case text that a row's names or numbers must contain; empty for all.
    search: &'a str,
    /// The process that threads must belong to, and the interrupts that wake it.
    process: Option<(u32, HashSet<u32>)>,
}

impl Sieve<'_> {
    /// A sieve for rows of one window: `search` is lower case, `pid` the process that they must have to do with.
    pub fn new<'a>(search: &'a str, pid: Option<u32>, s: &Snapshot) -> Sieve<'a> {
        let irqs = |pid| s.edges.iter().filter(|e| e.pid == pid).filter_map(|e| e.cause.irq).collect();
        Sieve { search, process: pid.map(|pid| (pid, irqs(pid))) }
    }

    fn keeps(&self, tab: Tab, s: &Snapshot, row: usize) -> bool {
        let process = |pid: u32| self.process.as_ref().is_none_or(|(wanted, _)| *wanted == pid);
        match tab {
            Tab::Overview | Tab::Edges => {
                let e = &s.edges[row];
                process(e.pid)
                    && (self.text(&e.cause.name)
                        || self.text(&e.comm)
                        || self.text(kind(e.cause.kind))
                        || self.numbers(&[Some(e.tid), Some(e.pid), e.cause.irq, e.cause.tid]))
            }
            Tab::Irqs => {
                let i = &s.irqs[row];
                let wakes = |irqs: &HashSet<u32>| i.irq.is_some_and(|irq| irqs.contains(&irq));
                self.process.as_ref().is_none_or(|(_, irqs)| wakes(irqs))
                    && (self.text(&i.label)
                        || self.text(&i.name)
                        || self.text(&i.device)
                        || self.text(&i.chip)
                        || i.consumers.iter().any(|c| self.text(&c.comm) || self.numbers(&[Some(c.tid)])))
            }
            Tab::Threads => {
                let t = &s.threads[row];
                process(t.pid)
                    && (self.text(&t.comm) || self.text(&t.cgroup) || self.numbers(&[Some(t.tid), Some(t.pid)]))
            }
            Tab::Softirqs => self.text(&s.softirqs[row].name),
            Tab::Host => false,
        }
    }

    fn text(&self, text: &str) -> bool {
        self.search.is_empty() || text.to_lowercase().contains(self.search)
    }

    fn numbers(&self, numbers: &[Option<u32>]) -> bool {
        numbers.iter().flatten().any(|n| n.to_string().contains(self.search))
    }
}

/// The word for a kind of cause.
pub fn kind(kind: CauseKind) -> &'static str {
    match kind {
        CauseKind::Irq => "irq",
        CauseKind::Softirq => "softirq",
        CauseKind::Task => "task",
    }
}

/// The rows of one tab.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// Places in the window, in the order of the screen.
    rows: Vec<usize>,
    /// The selected place in `rows`; below its length unless that is 0.
    selected: usize,
    id: Option<RowId>,
    order: usize,
    reversed: bool,
    /// First row on screen in the last frame.
    pub offset: usize,
}

impl List {
    /// Places in the window, in the order of the screen.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The selected place in [`List::rows`]; below its length unless that is 0.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// The selected row's place in the window.
    pub fn row(&self) -> Option<usize> {
        self.rows.get(self.selected).copied()
    }

    /// The column it is sorted by, and whether backwards; none for a tab without a list.
    pub fn order(&self, tab: Tab) -> Option<(&'static Order, bool)> {
        orders(tab).get(self.order).map(|order| (order, self.reversed))
    }

    /// Makes the rows anew from a window, and finds the selected one again.
    pub(super) fn refresh(&mut self, tab: Tab, s: &Snapshot, sieve: &Sieve) {
        let all = match tab {
            Tab::Overview | Tab::Edges => s.edges.len(),
            Tab::Irqs => s.irqs.len(),
            Tab::Threads => s.threads.len(),
            Tab::Softirqs => s.softirqs.len(),
            Tab::Host => 0,
        };
        self.rows = (0..all).filter(|&row| sieve.keeps(tab, s, row)).collect();
        if let Some((order, reversed)) = self.order(tab) {
            let mut keyed: Vec<_> = self.rows.iter().map(|&row| ((order.value)(s, row), row)).collect();
            keyed.sort_by(|(a, i), (b, j)| {
                let by_value = if reversed { b.compare(a) } else { a.compare(b) };
                by_value.then(i.cmp(j))
            });
            self.rows = keyed.into_iter().map(|(_, row)| row).collect();
        }
        match self.id.as_ref().and_then(|id| self.rows.iter().position(|&row| id.is(s, row))) {
            Some(found) => self.selected = found,
            // Gone: stay at its place, or at the top as long as the user has not chosen a row.
            None => self.selected = self.selected.min(self.rows.len().saturating_sub(1)),
        }
    }

    /// Selects a row by its place, as near as there is one.
    pub(super) fn select(&mut self, place: usize, tab: Tab, s: &Snapshot) {
        self.selected = place.min(self.rows.len().saturating_sub(1));
        // The top row is a place, "the worst one", rather than a certain row.
        self.id = self.row().filter(|_| self.selected > 0).and_then(|row| RowId::of(tab, s, row));
    }

    /// Sorts by the next column.
    pub(super) fn next_order(&mut self, tab: Tab) {
        self.order = (self.order + 1) % orders(tab).len().max(1);
        self.reversed = false;
    }

    /// Turns the order around.
    pub(super) fn reverse(&mut self) {
        self.reversed = !self.reversed;
    }
}
