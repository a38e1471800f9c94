//! The maps, and the few ways to reach into them. Sizes are set by user space before loading; everything is an array
//! (no hash map on the hot path), and what user space reads at every tick is mmap-able.

use aya_ebpf::{Global, helpers::bpf_get_smp_processor_id, macros::map, maps::Array};
use fw_ebpf::{
    context::Cpu,
    hist::{BUCKETS, bucket},
    records::{Counts, Edge, EdgeCounts, Irq, Loss, NAPIS, Napi, PerCpu, Softirq, SoftirqCounts, Thread},
    wait::Slot,
};

const MMAPABLE: u32 = 1 << 10;

#[map]
pub static CPUS: Array<PerCpu> = Array::with_max_entries(1, MMAPABLE);
/// Where waits begin; index `tid & SLOT_MASK`.
#[map]
pub static SLOTS: Array<Slot> = Array::with_max_entries(1, 0);
#[map]
pub static THREADS: Array<Thread> = Array::with_max_entries(1, MMAPABLE);
#[map]
pub static EDGES: Array<Edge> = Array::with_max_entries(1, MMAPABLE);
#[map]
pub static EDGE_COUNTS: Array<EdgeCounts> = Array::with_max_entries(1, 0);
/// Index: IRQ number.
#[map]
pub static IRQS: Array<Irq> = Array::with_max_entries(1, MMAPABLE);
#[map]
pub static IRQ_COUNTS: Array<Counts> = Array::with_max_entries(1, 0);
/// Index: [`fw_ebpf::records::softirq_index`].
#[map]
pub static SOFTIRQS: Array<Softirq> = Array::with_max_entries(1, MMAPABLE);
#[map]
pub static SOFTIRQ_COUNTS: Array<SoftirqCounts> = Array::with_max_entries(1, 0);
#[map]
pub static NAPI: Array<Napi> = Array::with_max_entries(NAPIS, MMAPABLE);

/// Table sizes less one; powers of two less one.
#[unsafe(no_mangle)]
static SLOT_MASK: Global<u32> = Global::new(0);
#[unsafe(no_mangle)]
static THREAD_MASK: Global<u32> = Global::new(0);
#[unsafe(no_mangle)]
static EDGE_MASK: Global<u32> = Global::new(0);

pub fn thread_mask() -> u32 {
    THREAD_MASK.load()
}

pub fn edge_mask() -> u32 {
    EDGE_MASK.load()
}

/// A record of a map, to be changed in place.
///
/// What is shared between CPUs is written by one of them at a time because of what it describes: a CPU by itself, a
/// slot, a thread and an edge under the scheduler's locks of that thread. The exceptions say so where they are.
#[inline(always)]
pub fn at<T>(map: &'static Array<T>, index: u32) -> Option<&'static mut T> {
    // SAFETY: a map's value is valid for as long as the program runs; see above for who writes it when.
    map.get_ptr_mut(index).map(|p| unsafe { &mut *p })
}

/// The number of the CPU that the program runs on.
#[inline(always)]
pub fn cpu_number() -> u32 {
    // SAFETY: the helper has no preconditions.
    unsafe { bpf_get_smp_processor_id() }
}

/// The number and the record of the CPU that the program runs on.
#[inline(always)]
pub fn this_cpu() -> Option<(u32, &'static mut PerCpu)> {
    let number = cpu_number();
    let cpu = at(&CPUS, number);
    if cpu.is_none() {
        lose(0, Loss::CpuOutOfRange);
    }
    cpu.map(|cpu| (number, cpu))
}

/// What a CPU is doing.
#[inline(always)]
pub fn context(number: u32) -> Option<&'static mut Cpu> {
    at(&CPUS, number).map(|cpu: &mut PerCpu| &mut cpu.context)
}

/// The number of the CPU that the program runs on, and what it is doing.
#[inline(always)]
pub fn here() -> Option<(u32, &'static mut Cpu)> {
    this_cpu().map(|(number, cpu)| (number, &mut cpu.context))
}

/// The wake slot that `tid` would use.
#[inline(always)]
pub fn slot(tid: u32) -> Option<&'static mut Slot> {
    at(&SLOTS, tid & SLOT_MASK.load())
}

/// Counts a loss.
#[inline(always)]
pub fn lose(number: u32, loss: Loss) {
    if let Some(cpu) = at(&CPUS, number) {
        cpu.losses[loss as usize] += 1;
    }
}

/// The bucket of `ns`. A global function: the verifier takes its result for any number and goes on in one state, where
/// the inlined code would leave it with one state for each octave.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn bucket_of(ns: u64) -> u32 {
    bucket(ns) as u32
}

/// A bucket's place in a distribution, checked in a way that the compiler can't reason away: it knows what
/// [`bucket_of`] can give, the verifier does not.
#[inline(always)]
pub fn place(counts: &mut Counts, index: u32) -> Option<&mut u32> {
    let mut index = u64::from(index);
    // SAFETY: leaves the register as it is (an empty sequence would leave a line without code, which the kernel refuses).
    unsafe { core::arch::asm!("{0} = {0}", inout(reg) index, options(pure, nomem, nostack, preserves_flags)) };
    // SAFETY: just checked; written so that no panicking path is compiled in.
    if index < BUCKETS as u64 { Some(unsafe { counts.get_unchecked_mut(index as usize) }) } else { None }
}

/// Counts `ns` in a distribution.
#[inline(always)]
pub fn count(counts: &mut Counts, ns: u64) {
    count_in(counts, bucket_of(ns));
}

/// Counts one event in a bucket, which comes from [`bucket_of`].
#[inline(always)]
pub fn count_in(counts: &mut Counts, index: u32) {
    if let Some(n) = place(counts, index) {
        *n += 1;
    }
}
