//! Set-up, build, tests and benchmarks of FastWake.
fn main() {}
