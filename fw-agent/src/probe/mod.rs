//! Loads and attaches the probes, and gives access to what they count.

pub mod btf;
mod cost;
mod filter;
mod mapped;
mod maps;

use std::{collections::BTreeSet, io, path::Path, time::Duration};

use aya::{
    Btf, Ebpf, EbpfLoader,
    programs::{BtfTracePoint, ProgramError},
};
use fw_ebpf::{context::Place, wait::Slot};

pub use filter::{Cgroup, Filter};
pub use mapped::Mapped;
pub use maps::{Maps, Table};

use crate::{Error, model};
use btf::Kernel;
use cost::{Cost, Program};

/// The object that `build.rs` compiled from `fw-ebpf`.
static OBJECT: &[u8] = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/fw-ebpf"));

/// Wake slots: 4 MiB of kernel memory. A power of two.
const SLOTS: u32 = 1 << 15;
/// Threads that can be told apart: 512 KiB of kernel memory. A power of two.
const THREADS: u32 = 1 << 14;

/// Edges with a record of their own, for a host of so many CPUs: an edge takes 16 KiB of kernel memory, and more CPUs run
/// more threads. A power of two.
const fn edges(cpus: u32) -> u32 {
    let wanted = cpus.next_power_of_two() * 64;
    if wanted < 1 << 11 {
        1 << 11
    } else if wanted > 1 << 14 {
        1 << 14
    } else {
        wanted
    }
}

/// A group of probes that makes sense on its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// Hard IRQs of devices, and interrupts without a number (local timer, function calls).
    Irqs,
    /// Softirqs and NAPI.
    Softirqs,
    /// Wakes and waits for a CPU, with their causes and legs; needs the other two to tell causes.
    Wakes,
}

impl Family {
    /// All of them: the whole wake chain.
    pub const ALL: [Family; 3] = [Family::Irqs, Family::Softirqs, Family::Wakes];
}

/// A tracepoint that is probed.
pub struct Tracepoint {
    /// Its name, and its program's.
    pub name: &'static str,
    /// The family it serves.
    pub family: Family,
    /// Whether the family is useless without it.
    pub required: bool,
}

const fn tracepoint(family: Family, name: &'static str, required: bool) -> Tracepoint {
    Tracepoint { name, family, required }
}

/// Every tracepoint that is probed. The optional ones are missing on other architectures (interrupts without a number
/// have other names or none there) or in kernels without networking.
pub const TRACEPOINTS: [Tracepoint; 21] = [
    tracepoint(Family::Irqs, "irq_handler_entry", true),
    tracepoint(Family::Irqs, "irq_handler_exit", true),
    tracepoint(Family::Irqs, "local_timer_entry", false),
    tracepoint(Family::Irqs, "local_timer_exit", false),
    tracepoint(Family::Irqs, "call_function_single_entry", false),
    tracepoint(Family::Irqs, "call_function_single_exit", false),
    tracepoint(Family::Irqs, "call_function_entry", false),
    tracepoint(Family::Irqs, "call_function_exit", false),
    tracepoint(Family::Irqs, "irq_work_entry", false),
    tracepoint(Family::Irqs, "irq_work_exit", false),
    tracepoint(Family::Softirqs, "softirq_raise", true),
    tracepoint(Family::Softirqs, "softirq_entry", true),
    tracepoint(Family::Softirqs, "softirq_exit", true),
    tracepoint(Family::Softirqs, "napi_poll", false),
    tracepoint(Family::Wakes, "cpu_idle", true),
    tracepoint(Family::Wakes, "sched_process_exit", true),
    tracepoint(Family::Wakes, "sched_switch", true),
    tracepoint(Family::Wakes, "sched_migrate_task", true),
    tracepoint(Family::Wakes, "sched_wakeup", true),
    tracepoint(Family::Wakes, "sched_wakeup_new", true),
    tracepoint(Family::Wakes, "sched_waking", true),
];

/// How a thread that is woken gets onto the run queue of another CPU (the scheduler's feature `TTWU_QUEUE`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queueing {
    /// The waking CPU puts it there itself: realtime kernels.
    Direct,
    /// An idle CPU is told by an IPI and queues it itself; a busy one shares a cache with the waking CPU, which does it.
    /// When an idle CPU left idle is known without a further event.
    IdleByIpi,
    /// So does a busy CPU that shares no cache with the waking one: it takes the event `sched_wakeup` to know when.
    ByIpi,
}

/// What the probes need to know about the host.
pub struct Config<'a> {
    /// Root directory of the host.
    pub root: &'a Path,
    /// Where each possible CPU lies, by CPU number.
    pub places: &'a [Place],
    /// IRQ numbers that must have a place in the table, and some more.
    pub irqs: u32,
    /// PREEMPT_RT: softirqs run in threads.
    pub realtime: bool,
    /// How a thread gets onto the run queue of another CPU.
    pub queueing: Queueing,
    /// Which waits are wanted.
    pub filter: &'a Filter,
    /// What to attach.
    pub families: &'a BTreeSet<Family>,
}

/// Attached probes. Dropping it detaches them.
pub struct Probes {
    /// What they count.
    pub maps: Maps,
    cost: Cost,
    // Owns the programs and their links.
    _ebpf: Ebpf,
}

impl Probes {
    /// Loads and attaches.
    pub fn attach(config: &Config<'_>) -> Result<Probes, Error> {
        let kernel = Kernel::read(config.root)?;
        let mut wanted = wanted(config.families, &kernel)?;
        if config.queueing != Queueing::ByIpi {
            wanted.retain(|name| *name != "sched_wakeup");
        }
        let mut ebpf = load(config, &kernel)?;
        drop(kernel);
        // Programs refer to their maps from here on, and the maps can be taken out.
        let programs = load_programs(&mut ebpf, &wanted)?;
        let maps = Maps::take(&mut ebpf)?;
        for (i, place) in config.places.iter().enumerate() {
            let mut cpu = maps.cpus.read(i);
            cpu.context.place = *place;
            cpu.context.realtime = config.realtime.into();
            maps.cpus.write(i, cpu);
        }
        // All are loaded before the first is attached, and exits are attached before entries: no context is opened whose
        // end would be missed.
        for name in wanted.into_iter().rev() {
            program(&mut ebpf, name).and_then(|p| p.attach()).map_err(|e| refused(name, &e))?;
        }
        Ok(Probes { maps, cost: Cost::start(programs), _ebpf: ebpf })
    }

    /// Kernel memory of all maps, bytes.
    pub fn memory(&self) -> u64 {
        self.maps.bytes() + u64::from(SLOTS) * size_of::<Slot>() as u64
    }

    /// The probes' cost over the window that ends, and the programs skipped within it by recursion.
    pub fn take_cost(&mut self, window: Duration) -> (Vec<model::Probe>, u64) {
        self.cost.take(window)
    }
}

fn wanted(families: &BTreeSet<Family>, kernel: &Kernel) -> Result<Vec<&'static str>, Error> {
    if kernel.tracepoint_args("sched_switch").is_some_and(|args| args < 4) {
        let release = rustix::system::uname().release().to_string_lossy().into_owned();
        return Err(Error::KernelTooOld { release });
    }
    let mut names = Vec::new();
    for t in TRACEPOINTS.iter().filter(|t| families.contains(&t.family)) {
        match (kernel.tracepoint_args(t.name), t.required) {
            (Some(_), _) => names.push(t.name),
            (None, false) => {}
            (None, true) => return Err(Error::NoTracepoint { name: t.name }),
        }
    }
    Ok(names)
}

fn load(config: &Config<'_>, kernel: &Kernel) -> Result<Ebpf, Error> {
    let cpus = config.places.len() as u32;
    let offsets = [
        ("TASK_PID", kernel.offset("task_struct", &["pid"])?),
        ("TASK_TGID", kernel.offset("task_struct", &["tgid"])?),
        ("TASK_FLAGS", kernel.offset("task_struct", &["flags"])?),
        ("TASK_CPU", kernel.offset("task_struct", &["thread_info", "cpu"])?),
        ("TASK_COMM", kernel.offset("task_struct", &["comm"])?),
        ("ACTION_NEXT", kernel.offset("irqaction", &["next"])?),
        // A kernel without networking has none of these, nor the event that needs them.
        ("NAPI_ID", kernel.offset("napi_struct", &["napi_id"]).unwrap_or(0)),
        ("NAPI_DEV", kernel.offset("napi_struct", &["dev"]).unwrap_or(0)),
        ("DEVICE_NAME", kernel.offset("net_device", &["name"]).unwrap_or(0)),
        ("SLOT_MASK", SLOTS - 1),
        ("THREAD_MASK", THREADS - 1),
        ("EDGE_MASK", edges(cpus) - 1),
    ];
    let infer_queued = u32::from(config.queueing == Queueing::IdleByIpi);
    let filter = filter::Globals::resolve(config.filter, kernel)?;
    let softirqs = cpus * fw_ebpf::context::SOFTIRQS as u32;
    let mut loader = EbpfLoader::new();
    for (name, value) in &offsets {
        loader.override_global(name, value, true);
    }
    loader.override_global("INFER_QUEUED", &infer_queued, true);
    filter.set(&mut loader);
    for (map, size) in [
        ("CPUS", cpus),
        ("SLOTS", SLOTS),
        ("THREADS", THREADS),
        ("EDGES", edges(cpus)),
        ("EDGE_COUNTS", edges(cpus)),
        ("IRQS", config.irqs),
        ("IRQ_COUNTS", config.irqs),
        ("SOFTIRQS", softirqs),
        ("SOFTIRQ_COUNTS", softirqs),
    ] {
        loader.map_max_entries(map, size);
    }
    loader.load(OBJECT).map_err(|e| match denied(&e) {
        Some(reason) => Error::Denied { reason },
        None => e.into(),
    })
}

fn load_programs(ebpf: &mut Ebpf, wanted: &[&'static str]) -> Result<Vec<Program>, Error> {
    let btf = Btf::from_sys_fs()
        .map_err(|e| Error::NoBtf { path: Path::new("/").join(btf::VMLINUX), reason: e.to_string() })?;
    let load = |name| {
        program(ebpf, name)
            .and_then(|p| {
                p.load(name, &btf)?;
                p.fd()?.try_clone().map_err(ProgramError::from)
            })
            .map(|fd| Program { name, fd })
            .map_err(|e| refused(name, &e))
    };
    wanted.iter().copied().map(load).collect()
}

fn program<'a>(ebpf: &'a mut Ebpf, name: &str) -> Result<&'a mut BtfTracePoint, ProgramError> {
    ebpf.program_mut(name).ok_or(ProgramError::NotLoaded)?.try_into()
}

fn refused(program: &str, error: &ProgramError) -> Error {
    match denied(error) {
        Some(reason) => Error::Denied { reason },
        None => Error::Program { program: program.into(), reason: chain(error) },
    }
}

/// The reason, if what went wrong is a missing permission. (EACCES is the verifier's way to refuse a program.)
fn denied(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(e) = cause {
        if let Some(io) = e.downcast_ref::<io::Error>()
            && io.raw_os_error() == Some(rustix::io::Errno::PERM.raw_os_error())
        {
            return Some(io.to_string());
        }
        cause = e.source();
    }
    None
}

/// An error with its causes.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(e) = cause {
        text = format!("{text}: {e}");
        cause = e.source();
    }
    text
}
