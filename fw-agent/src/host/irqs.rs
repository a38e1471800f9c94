//! Interrupts from window to window: what each is, where it may fire, how often it did.

use super::AFFINITY_MAX_AGE;
use super::deltas::{Deltas, Growth};
use super::device::Devices;
use super::interrupts::{Description, identity};
use super::irq::{Affinity, Facts};
use super::root::Root;
use super::sys::Version;
use super::table::{CpuTable, Row};
use crate::model::Irq;
use std::collections::{HashMap, HashSet};
use std::time::Instant;

/// The interrupts of a host.
pub(super) struct Irqs {
    kernel: Version,
    devices: Devices,
    deltas: Deltas,
    /// What is known about each row, by the id that [`Deltas`] gives it.
    known: HashMap<usize, Known>,
    /// Ids of the rows of the last update.
    ids: Vec<usize>,
    /// Numbers that the kernel had given out at the start, whether they had a handler (and so a row) or not.
    allocated: HashSet<u32>,
    /// The row whose affinity is the next to be read again although it did not fire.
    next: usize,
    updated: Instant,
}

/// What does not change as long as the row reads the same, and the affinity.
struct Known {
    /// The row's text, verbatim.
    text: Vec<u8>,
    /// Everything but counts; affinity within.
    irq: Irq,
    affinity: Affinity,
}

impl Irqs {
    pub(super) fn new(root: &Root, kernel: Version) -> Irqs {
        Irqs {
            kernel,
            devices: Devices::default(),
            deltas: Deltas::default(),
            known: HashMap::new(),
            ids: Vec::new(),
            allocated: root.numbered("proc/irq", "").into_iter().collect(),
            next: 0,
            updated: Instant::now(),
        }
    }

    /// Takes the next read of `/proc/interrupts` and gives all of its rows.
    pub(super) fn update(&mut self, root: &Root, table: &CpuTable) -> Vec<Irq> {
        // An interrupt that was allocated without a handler may have a past from an earlier one (an interface that was
        // up before). A number that was given out since has none.
        let is_new = |row: Row<'_>| row.number().is_some_and(|irq| !self.allocated.contains(&irq));
        let ids = self.deltas.update(table, identity, is_new);
        if ids != self.ids {
            self.devices = Devices::read(root);
            let present: HashSet<usize> = ids.iter().copied().collect();
            self.known.retain(|id, _| present.contains(id));
            self.ids = ids;
        }
        let stale = self.take_turn(self.ids.len());
        let rows = table.rows().zip(self.ids.clone()).enumerate();
        rows.map(|(n, (row, id))| self.irq(root, row, id, stale.contains(&n))).collect()
    }

    /// The rows, by position, whose affinity has its turn, so that all had it within [`AFFINITY_MAX_AGE`].
    fn take_turn(&mut self, rows: usize) -> HashSet<usize> {
        let elapsed = std::mem::replace(&mut self.updated, Instant::now()).elapsed();
        let share = elapsed.div_duration_f64(AFFINITY_MAX_AGE).min(1.0);
        let count = (rows as f64 * share).ceil() as usize;
        let turn = (0..count).map(|n| (self.next + n) % rows.max(1)).collect();
        self.next = (self.next + count) % rows.max(1);
        turn
    }

    fn irq(&mut self, root: &Root, row: Row<'_>, id: usize, is_stale: bool) -> Irq {
        let growth = self.deltas.growth(id);
        match self.known.get_mut(&id) {
            Some(known) if known.text == row.text => {
                if let Some(irq) = known.irq.irq {
                    if is_stale {
                        known.affinity = Affinity::read(root, irq, &known.irq.name, self.kernel);
                    } else if growth.total > 0 {
                        known.affinity.refresh(root, irq);
                    }
                }
            }
            _ => {
                self.known.insert(id, Known::read(root, row, &self.devices, self.kernel));
            }
        }
        self.known[&id].with(growth)
    }
}

impl Known {
    fn read(root: &Root, row: Row<'_>, devices: &Devices, kernel: Version) -> Known {
        let label = String::from_utf8_lossy(row.label).into_owned();
        let text = String::from_utf8_lossy(row.text);
        let Some(number) = row.number() else {
            let irq = Irq { label, name: text.into_owned(), ..Irq::default() };
            return Known { text: row.text.to_owned(), irq, affinity: Affinity::default() };
        };
        let printed = Description::parse(&text);
        // sysfs says where a name with blanks ends; it may be ahead of the row by a handler, never by a device.
        let (chip, name) = match Facts::read(root, number) {
            Some(facts) if text.starts_with(&facts.chip) && text.ends_with(&facts.names) => (facts.chip, facts.names),
            _ => (printed.chip.to_owned(), printed.names.to_owned()),
        };
        let device = devices.of(number, &text).unwrap_or_default();
        let affinity = Affinity::read(root, number, &name, kernel);
        let irq =
            Irq { irq: Some(number), label, name, chip, device: device.name, node: device.node, ..Irq::default() };
        Known { text: row.text.to_owned(), irq, affinity }
    }

    fn with(&self, growth: Growth<'_>) -> Irq {
        Irq {
            count: growth.total,
            per_cpu: growth.per_cpu.to_vec(),
            managed: self.affinity.managed,
            affinity: self.affinity.requested.clone(),
            effective_cpus: self.affinity.effective.clone(),
            hint: self.affinity.hint.clone(),
            node: self.affinity.node.or(self.irq.node),
            ..self.irq.clone()
        }
    }
}
