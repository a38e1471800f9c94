//! Which threads are wanted. The test is on the thread that waits, never on the one that happens to run, and in the
//! kernel, so that what is not wanted costs next to nothing.

use aya_ebpf::{Global, helpers::bpf_probe_read_kernel};
use fw_ebpf::{cause::Cause, records::Irq};

use crate::{kernel, maps};

const PROCESS: u32 = 1;
const COMM: u32 = 2;
const CGROUP: u32 = 4;
const IRQ: u32 = 8;

/// Which tests apply: the bits above.
#[unsafe(no_mangle)]
static FILTER: Global<u32> = Global::new(0);
/// Process or thread id.
#[unsafe(no_mangle)]
static FILTER_PID: Global<u32> = Global::new(0);
/// Wanted name under its mask, as two words: a mask shorter than the name wants a prefix.
#[unsafe(no_mangle)]
static FILTER_COMM: Global<[u64; 2]> = Global::new([0; 2]);
#[unsafe(no_mangle)]
static FILTER_COMM_MASK: Global<[u64; 2]> = Global::new([0; 2]);
/// Id of the wanted cgroup, and how deep it lies: a thread is wanted if the ancestor of its cgroup at that depth is it.
#[unsafe(no_mangle)]
static FILTER_CGROUP: Global<u64> = Global::new(0);
/// Offsets on the way from a task to that ancestor's id: `task_struct.cgroups`; in `css_set` the default hierarchy's
/// cgroup or the controller's state; from that state to its cgroup (`STATE_TO_CGROUP` is `u32::MAX` if there is no such
/// step); in the cgroup the ancestor; its `kn`; that one's `id`.
#[unsafe(no_mangle)]
static TASK_CGROUPS: Global<u32> = Global::new(0);
#[unsafe(no_mangle)]
static SET_TO_STATE: Global<u32> = Global::new(0);
#[unsafe(no_mangle)]
static STATE_TO_CGROUP: Global<u32> = Global::new(0);
#[unsafe(no_mangle)]
static CGROUP_ANCESTOR: Global<u32> = Global::new(0);
#[unsafe(no_mangle)]
static CGROUP_KN: Global<u32> = Global::new(0);
#[unsafe(no_mangle)]
static KN_ID: Global<u32> = Global::new(0);

/// True if waits of `task` are to be counted.
#[inline(always)]
pub fn wants_task(task: *const u8) -> bool {
    let filter = FILTER.load();
    if filter & (PROCESS | COMM | CGROUP) == 0 {
        return true;
    }
    if filter & PROCESS != 0 {
        let pid = FILTER_PID.load();
        if kernel::tgid(task) != pid && kernel::pid(task) != pid {
            return false;
        }
    }
    if filter & COMM != 0 {
        // SAFETY: sixteen bytes are two words.
        let [a, b]: [u64; 2] = unsafe { core::mem::transmute(kernel::comm(task)) };
        let (mask, want) = (FILTER_COMM_MASK.load(), FILTER_COMM.load());
        if a & mask[0] != want[0] || b & mask[1] != want[1] {
            return false;
        }
    }
    filter & CGROUP == 0 || in_cgroup(task)
}

/// True if wakes with this cause are to be counted. Waits without one (preemption) belong to no interrupt.
#[inline(always)]
pub fn wants_cause(cause: Cause) -> bool {
    FILTER.load() & IRQ == 0
        || cause.device_irq().and_then(|irq| maps::at(&maps::IRQS, irq)).is_some_and(|irq: &mut Irq| irq.wanted != 0)
}

fn in_cgroup(task: *const u8) -> bool {
    let Some(set) = pointer(task, TASK_CGROUPS.load()) else { return false };
    let Some(mut cgroup) = pointer(set, SET_TO_STATE.load()) else { return false };
    if STATE_TO_CGROUP.load() != u32::MAX {
        let Some(next) = pointer(cgroup, STATE_TO_CGROUP.load()) else { return false };
        cgroup = next;
    }
    let Some(ancestor) = pointer(cgroup, CGROUP_ANCESTOR.load()) else { return false };
    let Some(kn) = pointer(ancestor, CGROUP_KN.load()) else { return false };
    // SAFETY: the helper checks the address.
    let id = unsafe { bpf_probe_read_kernel(kn.wrapping_add(KN_ID.load() as usize).cast::<u64>()) };
    id == Ok(FILTER_CGROUP.load())
}

#[inline(always)]
fn pointer(base: *const u8, offset: u32) -> Option<*const u8> {
    // SAFETY: the helper checks the address.
    unsafe { bpf_probe_read_kernel(base.wrapping_add(offset as usize).cast::<*const u8>()) }
        .ok()
        .filter(|p| !p.is_null())
}
