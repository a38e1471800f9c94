//! What a host looks like, as plain data: no I/O and no clock in here. Live observation, replay and tests share it.

mod cpulist;
mod dist;
pub mod lint;
#[cfg(test)]
pub(crate) mod sample;
pub mod series;
mod snapshot;
pub mod units;

pub(crate) use cpulist::CpuList;
pub use dist::Dist;
pub use snapshot::*;
