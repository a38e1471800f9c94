//! Array maps of the kernel, mapped into this process. The one place of the agent with raw memory.

use std::{
    marker::PhantomData,
    os::fd::BorrowedFd,
    ptr,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

use fw_ebpf::records::Record;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// An mmap-able array map with elements `T`, shared with the probes that write it.
pub struct Mapped<T> {
    base: ptr::NonNull<u8>,
    len: usize,
    of: PhantomData<T>,
}

// SAFETY: the mapping belongs to this value alone and is only reached through its methods, which copy.
unsafe impl<T> Send for Mapped<T> {}

impl<T: Record> Mapped<T> {
    /// Maps the array behind `fd`, which has `len` elements of type `T`.
    pub fn new(fd: BorrowedFd<'_>, len: u32) -> rustix::io::Result<Mapped<T>> {
        let len = len as usize;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let base = unsafe {
            mmap(ptr::null_mut(), len * Self::STRIDE, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, fd, 0)
        }?;
        // A successful mapping is never at address 0.
        let base = ptr::NonNull::new(base.cast()).ok_or(rustix::io::Errno::NOMEM)?;
        Ok(Mapped { base, len, of: PhantomData })
    }

    /// The kernel rounds elements up to 8 bytes.
    const STRIDE: usize = size_of::<T>().next_multiple_of(8);

    /// Elements.
    #[expect(clippy::len_without_is_empty, reason = "no map is empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    fn at(&self, index: usize) -> *mut T {
        assert!(index < self.len, "element {index} of {}", self.len);
        // SAFETY: within the mapping, as just checked.
        unsafe { self.base.as_ptr().add(index * Self::STRIDE).cast() }
    }

    /// A copy of an element. Probes may write it meanwhile: its fields can be of slightly different instants.
    pub fn read(&self, index: usize) -> T {
        // SAFETY: the pointer is valid and aligned, and any bytes are a `T` (it is a `Record`).
        unsafe { self.at(index).read_volatile() }
    }

    /// Overwrites an element.
    pub fn write(&self, index: usize, value: T) {
        // SAFETY: as in `read`.
        unsafe { self.at(index).write_volatile(value) }
    }

    /// Reads the word at byte `offset` of an element and sets it to 0, at once.
    pub fn take(&self, index: usize, offset: usize) -> u64 {
        assert!(offset + 8 <= size_of::<T>() && offset.is_multiple_of(8), "word at {offset}");
        // SAFETY: an aligned word within the element; the probes' plain stores to it are single instructions.
        let word = unsafe { AtomicU64::from_ptr(self.at(index).cast::<u8>().add(offset).cast()) };
        // Most are 0 already: no store then, which would take the cache line from the CPU that counts.
        if word.load(Ordering::Relaxed) == 0 { 0 } else { word.swap(0, Ordering::Relaxed) }
    }

    /// Stores a 32-bit word at byte `offset` of an element.
    pub fn put(&self, index: usize, offset: usize, value: u32) {
        assert!(offset + 4 <= size_of::<T>() && offset.is_multiple_of(4), "word at {offset}");
        // SAFETY: an aligned word within the element.
        let word = unsafe { AtomicU32::from_ptr(self.at(index).cast::<u8>().add(offset).cast()) };
        word.store(value, Ordering::Relaxed);
    }

    /// Bytes mapped.
    pub fn bytes(&self) -> usize {
        self.len * Self::STRIDE
    }
}

impl<T> Drop for Mapped<T> {
    fn drop(&mut self) {
        let bytes = self.len * size_of::<T>().next_multiple_of(8);
        // SAFETY: exactly what `new` mapped; nothing borrows from it. Unmapping it can't fail then.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), bytes) };
    }
}
