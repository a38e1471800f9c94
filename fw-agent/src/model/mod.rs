//! What a host looks like, as plain data: no I/O and no clock in here. Live observation, replay and tests share it.

mod cpuset;
mod dist;
pub mod lint;
#[cfg(test)]
pub(crate) mod sample;
pub mod series;
mod snapshot;
pub mod units;

pub use cpuset::{BadCpuSet, CpuSet, MAX_CPUS};
pub use dist::Dist;
pub use snapshot::*;
