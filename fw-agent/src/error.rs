//! What can go wrong while observing, and what to do about it.

/// Why a host could not be observed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This build has no probes.
    #[error("this build has no probes: build it with `cargo xtask setup && cargo build`")]
    NoProbes,
}
