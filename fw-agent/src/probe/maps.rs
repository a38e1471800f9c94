//! The probes' maps, typed.

use std::os::fd::AsFd;

use aya::{
    Ebpf, Pod,
    maps::{Array, Map, MapData},
};
use fw_ebpf::records::{Counts, Edge, EdgeCounts, Irq, Napi, PerCpu, Record, Softirq, SoftirqCounts, Thread};

use super::mapped::Mapped;
use crate::Error;

/// A [`Record`] as aya wants plain data.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Plain<T>(T);

// SAFETY: `Record` promises what `Pod` asks for.
unsafe impl<T: Record> Pod for Plain<T> {}

/// Distributions: read one at a time, and only those that changed.
pub struct Table<T: Record>(Array<MapData, Plain<T>>);

impl<T: Record> Table<T> {
    /// A copy of an element.
    pub fn read(&self, index: usize) -> Result<T, Error> {
        Ok(self.0.get(&(index as u32), 0)?.0)
    }

    /// Overwrites an element.
    pub fn write(&mut self, index: usize, value: T) -> Result<(), Error> {
        Ok(self.0.set(index as u32, Plain(value), 0)?)
    }

    fn bytes(&self) -> usize {
        self.0.len() as usize * size_of::<T>()
    }
}

/// All maps. What lies in one record of `X` and one of `XCounts` belongs together by its index.
pub struct Maps {
    /// By CPU.
    pub cpus: Mapped<PerCpu>,
    /// In no order.
    pub threads: Mapped<Thread>,
    /// In no order.
    pub edges: Mapped<Edge>,
    /// As `edges`.
    pub edge_counts: Table<EdgeCounts>,
    /// By IRQ number.
    pub irqs: Mapped<Irq>,
    /// By IRQ number.
    pub irq_counts: Table<Counts>,
    /// By [`fw_ebpf::records::softirq_index`].
    pub softirqs: Mapped<Softirq>,
    /// As `softirqs`.
    pub softirq_counts: Table<SoftirqCounts>,
    /// In no order.
    pub napi: Mapped<Napi>,
}

impl Maps {
    /// Takes the maps out of a loaded object.
    pub fn take(ebpf: &mut Ebpf) -> Result<Maps, Error> {
        Ok(Maps {
            cpus: mapped(ebpf, "CPUS")?,
            threads: mapped(ebpf, "THREADS")?,
            edges: mapped(ebpf, "EDGES")?,
            edge_counts: table(ebpf, "EDGE_COUNTS")?,
            irqs: mapped(ebpf, "IRQS")?,
            irq_counts: table(ebpf, "IRQ_COUNTS")?,
            softirqs: mapped(ebpf, "SOFTIRQS")?,
            softirq_counts: table(ebpf, "SOFTIRQ_COUNTS")?,
            napi: mapped(ebpf, "NAPI")?,
        })
    }

    /// Kernel memory of these maps, bytes. The wake slots, which user space never reads, are not among them.
    pub fn bytes(&self) -> u64 {
        let mapped = [
            self.cpus.bytes(),
            self.threads.bytes(),
            self.edges.bytes(),
            self.irqs.bytes(),
            self.softirqs.bytes(),
            self.napi.bytes(),
        ];
        let tables = [self.edge_counts.bytes(), self.irq_counts.bytes(), self.softirq_counts.bytes()];
        mapped.iter().chain(&tables).sum::<usize>() as u64
    }
}

fn take(ebpf: &mut Ebpf, name: &'static str) -> Result<Map, Error> {
    ebpf.take_map(name).ok_or(Error::NoMap { name })
}

fn mapped<T: Record>(ebpf: &mut Ebpf, name: &'static str) -> Result<Mapped<T>, Error> {
    let Map::Array(data) = take(ebpf, name)? else { return Err(Error::NoMap { name }) };
    let len = data.info()?.max_entries();
    Mapped::new(data.fd().as_fd(), len).map_err(|e| Error::Mmap { name, reason: e.into() })
}

fn table<T: Record>(ebpf: &mut Ebpf, name: &'static str) -> Result<Table<T>, Error> {
    Ok(Table(Array::try_from(take(ebpf, name)?)?))
}
