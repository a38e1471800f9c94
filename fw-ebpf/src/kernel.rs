//! Fields of the kernel's structures. Their offsets differ from kernel to kernel: user space resolves them from BTF and
//! sets them before loading, so that the verifier sees constants and a field is one plain load (it handles a bad
//! pointer itself by reading 0).

use aya_ebpf::{Global, helpers::bpf_probe_read_kernel_buf};

/// Declares a field by the global that holds its offset.
macro_rules! fields {
    ($($(#[$doc:meta])* $offset:ident $name:ident: $t:ty;)*) => {$(
        #[unsafe(no_mangle)]
        static $offset: Global<u32> = Global::new(0);
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(base: *const u8) -> $t {
            // SAFETY: `base` is a kernel pointer that the verifier tracks, the offset that of a field of type `$t`; the
            // verifier rejects the program otherwise. Volatile, so that the load keeps this shape.
            unsafe { base.add($offset.load() as usize).cast::<$t>().read_volatile() }
        }
    )*};
}

fields! {
    /// `task_struct.pid`: the thread id.
    TASK_PID pid: u32;
    /// `task_struct.tgid`: the process id.
    TASK_TGID tgid: u32;
    /// `task_struct.flags`.
    TASK_FLAGS flags: u32;
    /// `task_struct.thread_info.cpu`: the CPU the thread last ran on or is queued on.
    TASK_CPU cpu: u32;
    /// `irqaction.next`: the next handler of a shared line.
    ACTION_NEXT next: *const u8;
    /// `napi_struct.napi_id`.
    NAPI_ID napi_id: u32;
    /// `napi_struct.dev`.
    NAPI_DEV napi_dev: *const u8;
}

#[unsafe(no_mangle)]
static TASK_COMM: Global<u32> = Global::new(0);
#[unsafe(no_mangle)]
static DEVICE_NAME: Global<u32> = Global::new(0);
const PF_KTHREAD: u32 = 0x0020_0000;

/// True for a kernel thread.
#[inline(always)]
pub fn is_kthread(task: *const u8) -> bool {
    flags(task) & PF_KTHREAD != 0
}

/// `task_struct.comm`. A helper call: for slow paths.
#[inline(always)]
pub fn comm(task: *const u8) -> [u8; 16] {
    read(task.wrapping_add(TASK_COMM.load() as usize))
}

/// `net_device.name`. A helper call: for slow paths.
#[inline(always)]
pub fn device_name(device: *const u8) -> [u8; 16] {
    read(device.wrapping_add(DEVICE_NAME.load() as usize))
}

/// Sixteen bytes of kernel memory; zeroes if they can't be read.
#[inline(always)]
fn read(from: *const u8) -> [u8; 16] {
    let mut bytes = [0; 16];
    // SAFETY: the helper checks the address.
    let _ = unsafe { bpf_probe_read_kernel_buf(from, &mut bytes) };
    bytes
}
