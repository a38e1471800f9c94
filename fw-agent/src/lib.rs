//! Sees, judges and (later) changes where completion interrupts and the threads they wake meet.

pub mod doctor;
mod error;
pub mod host;
pub mod model;
pub mod observe;
pub mod probe;
pub mod report;

pub use error::Error;
