//! Names of threads: read from `/proc` when a thread first appears, and again now and then (a program that starts
//! another, or renames itself, keeps its thread).

use std::{cell::RefCell, collections::HashMap};

use crate::host::{Root, Task};

/// A thread is read again after so many windows, threads by turns.
const REFRESH_WINDOWS: u64 = 16;
/// A thread that nobody asked about for so many windows is forgotten.
const FORGET_WINDOWS: u64 = 120;

struct Entry {
    task: Option<Task>,
    asked: u64,
}

/// What is known about threads.
pub struct Names {
    root: Root,
    window: u64,
    entries: RefCell<HashMap<u32, Entry>>,
}

impl Names {
    /// Nothing is known yet.
    pub fn new(root: Root) -> Names {
        Names { root, window: 0, entries: RefCell::default() }
    }

    /// A new window begins.
    pub fn next_window(&mut self) {
        self.window += 1;
        let window = self.window;
        self.entries.get_mut().retain(|_, entry| window - entry.asked <= FORGET_WINDOWS);
    }

    /// The thread as it was read last; `None` if it was never there to be read.
    pub fn task(&self, tid: u32) -> Option<Task> {
        let mut entries = self.entries.borrow_mut();
        let turn = (self.window + u64::from(tid)).is_multiple_of(REFRESH_WINDOWS);
        let entry =
            entries.entry(tid).or_insert_with(|| Entry { task: Task::read(&self.root, tid), asked: self.window });
        if turn && entry.asked != self.window {
            // A thread that is gone keeps the name it had.
            entry.task = Task::read(&self.root, tid).or(entry.task.take());
        }
        entry.asked = self.window;
        entry.task.clone()
    }

    /// True if the thread is still there.
    pub fn is_alive(&self, tid: u32) -> bool {
        self.root.path(format!("proc/{tid}")).exists()
    }

    /// The thread is gone, and its id may come back for another.
    pub fn forget(&mut self, tid: u32) {
        self.entries.get_mut().remove(&tid);
    }
}

/// The kernel's name of a thread: up to 15 bytes and a zero.
pub fn comm(bytes: &[u8; 16]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
