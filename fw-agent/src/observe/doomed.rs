//! Freeing records that the probes may be writing this instant: they are marked first, so that no new write begins, and
//! cleared a window later, when any that had begun has ended.

/// Stands in a record's `tid` once it is doomed. No thread has it.
pub const DOOMED: u32 = u32::MAX;

/// Records that are to be freed.
#[derive(Default)]
pub struct Doomed(Vec<usize>);

impl Doomed {
    /// A record has been marked.
    pub fn add(&mut self, index: usize) {
        self.0.push(index);
    }

    /// Those marked in the last window, to be cleared now.
    pub fn take(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.0)
    }
}
