//! Softirqs from `/proc/softirqs`, whose columns are the possible CPUs, not the online ones.

use super::deltas::Deltas;
use super::table::CpuTable;
use crate::model::Softirq;

/// Counts of softirqs between two reads.
#[derive(Debug, Default)]
pub struct Softirqs {
    table: CpuTable,
    deltas: Deltas,
}

impl Softirqs {
    /// Takes the next read of `/proc/softirqs`; the first is the baseline. What only probes can know is left empty.
    pub fn update(&mut self, file: &[u8]) -> Vec<Softirq> {
        self.table.parse(file);
        let ids = self.deltas.update(&self.table, |row| row.text, |_| true);
        let softirq = |(row, id): (super::table::Row<'_>, usize)| {
            let growth = self.deltas.growth(id);
            Softirq {
                name: String::from_utf8_lossy(row.label).into_owned(),
                count: growth.total,
                per_cpu: growth.per_cpu.to_vec(),
                ..Softirq::default()
            }
        };
        self.table.rows().zip(ids).map(softirq).collect()
    }

    /// Lines of the last read that are no row, verbatim.
    pub fn unknown(&self) -> &[String] {
        self.table.unknown()
    }
}
