//! What a host looks like, as plain data: no I/O and no clock in here. Live observation, replay and tests share it.

mod dist;
mod snapshot;

pub use dist::Dist;
pub use snapshot::*;
