//! The live dashboard of FastWake: where wake-up time goes on this host, and who pays.
//!
//! ```text
//! sampler (thread) --Window--> run (loop) --Event--> app::reduce --&App--> render::draw --Layout--> app
//! ```
//! The state ([`app`]) is pure; [`render`] gets plain data and draws it; only [`sampler`] and [`live`] touch the host and
//! only [`terminal`] and [`run`] touch the terminal.

pub mod app;
pub mod cli;
pub mod fmt;
pub mod keys;
pub mod live;
pub mod once;
pub mod render;
pub mod run;
pub mod sample;
pub mod sampler;
pub mod terminal;
pub mod theme;
