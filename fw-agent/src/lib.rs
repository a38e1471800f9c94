//! Sees, judges and (later) changes where completion interrupts and the threads they wake meet.

pub mod host;
pub mod model;
