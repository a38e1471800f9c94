//! Freeing records that the probes may be writing this instant: they are marked first, so that no new write begins, and
//! cleared a window later, when any that had begun has ended.

use crate::Error;

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

    /// Frees those marked in the last window by `clear`.
    pub fn free(&mut self, mut clear: impl FnMut(usize) -> Result<(), Error>) -> Result<(), Error> {
        self.0.drain(..).try_for_each(&mut clear)
    }
}
