//! Sees, judges and (later) changes where completion interrupts and the threads they wake meet.

mod error;
pub mod model;
pub mod probe;

pub use error::Error;
