//! Interrupts: what their handlers cost, and whom they wake.

use std::{collections::HashMap, mem::offset_of};

use fw_ebpf::records;

use super::glob;
use crate::{
    Error,
    model::{CauseKind, Consumer, Edge, Irq, series::Series},
    probe::Maps,
};

/// The last read of each interrupt.
#[derive(Default)]
pub struct Irqs {
    last: HashMap<u32, (u64, Series)>,
}

impl Irqs {
    /// Fills in the rows' handler times.
    pub fn advance(&mut self, maps: &Maps, rows: &mut [Irq]) -> Result<(), Error> {
        for row in rows {
            let Some(irq) = row.irq.filter(|irq| (*irq as usize) < maps.irqs.len()) else { continue };
            let total = maps.irqs.read(irq as usize);
            let (count, series) = self.last.entry(irq).or_default();
            if total.count != std::mem::replace(count, total.count) {
                let max_ns = maps.irqs.take(irq as usize, offset_of!(records::Irq, max_ns));
                let total = records::Total { sum_ns: total.sum_ns, max_ns };
                row.handler = series.advance(&[&maps.irq_counts.read(irq as usize)?], total);
            }
        }
        Ok(())
    }
}

/// Tells the probes which interrupts the filter wants.
pub fn want(maps: &Maps, rows: &[Irq], pattern: &str) {
    for row in rows {
        if let Some(irq) = row.irq.filter(|irq| (*irq as usize) < maps.irqs.len()) {
            maps.irqs.put(irq as usize, offset_of!(records::Irq, wanted), wanted(row, pattern).into());
        }
    }
}

/// True if the filter wants the interrupt: by its number or label, a handler's name, or the device.
pub fn wanted(row: &Irq, pattern: &str) -> bool {
    let handlers = row.name.split(',').map(str::trim);
    [row.label.as_str(), &row.name, &row.device].into_iter().chain(handlers).any(|text| glob::matches(pattern, text))
}

/// Adds to each interrupt the threads that it wakes, directly or through a softirq.
pub fn add_consumers(rows: &mut [Irq], edges: &[Edge]) {
    let by_irq: HashMap<String, usize> = rows.iter().enumerate().map(|(i, row)| (row.label.clone(), i)).collect();
    for edge in edges {
        let label = match (edge.cause.kind, edge.cause.irq) {
            (_, Some(irq)) => irq.to_string(),
            (CauseKind::Irq, None) => edge.cause.name.clone(),
            _ => continue,
        };
        let Some(row) = by_irq.get(&label).map(|i| &mut rows[*i]) else { continue };
        match row.consumers.iter_mut().find(|c| c.tid == edge.tid) {
            Some(consumer) => {
                let crossed =
                    consumer.cross_cpu_share * consumer.wakes as f64 + edge.cross_cpu_share * edge.wakes as f64;
                consumer.wakes += edge.wakes;
                consumer.cross_cpu_share = crossed / consumer.wakes.max(1) as f64;
            }
            None => row.consumers.push(Consumer {
                tid: edge.tid,
                comm: edge.comm.clone(),
                wakes: edge.wakes,
                cross_cpu_share: edge.cross_cpu_share,
            }),
        }
    }
    for row in rows {
        row.consumers.sort_by_key(|c| std::cmp::Reverse(c.wakes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Cause;

    fn irq(label: &str, name: &str) -> Irq {
        Irq { label: label.into(), irq: label.parse().ok(), name: name.into(), device: "vda".into(), ..Irq::default() }
    }

    #[test]
    fn an_interrupt_is_wanted_by_number_handler_or_device() {
        let row = irq("36", "virtio1-req.0, other");
        for pattern in ["36", "virtio1*", "other", "vd?"] {
            assert!(wanted(&row, pattern), "{pattern}");
        }
        assert!(!wanted(&row, "3") && !wanted(&row, "eth*"));
    }

    #[test]
    fn consumers_add_up_over_the_ways_an_interrupt_reaches_them() {
        let edge = |kind, wakes, cross_cpu_share| Edge {
            cause: Cause { kind, irq: Some(36), tid: None, name: String::new() },
            tid: 7,
            wakes,
            cross_cpu_share,
            ..Edge::default()
        };
        let mut rows = [irq("36", "virtio1-req.0"), irq("LOC", "Local timer interrupts")];
        let timer = Edge {
            cause: Cause { kind: CauseKind::Irq, name: "LOC".into(), ..Cause::default() },
            tid: 8,
            wakes: 1,
            ..Edge::default()
        };
        let task = Edge { tid: 9, wakes: 1, ..Edge::default() };
        add_consumers(&mut rows, &[edge(CauseKind::Irq, 30, 1.0), edge(CauseKind::Softirq, 10, 0.0), timer, task]);
        assert_eq!(rows[0].consumers.len(), 1);
        assert_eq!((rows[0].consumers[0].wakes, rows[0].consumers[0].cross_cpu_share), (40, 0.75));
        assert_eq!(rows[1].consumers[0].tid, 8);
    }
}
