//! Temporary.
fn main() { std::fs::copy("/tmp/bpftarget/bpfel-unknown-none/release/fw-ebpf", format!("{}/fw-ebpf", std::env::var("OUT_DIR").unwrap())).unwrap(); println!("cargo:rerun-if-changed=/tmp/bpftarget/bpfel-unknown-none/release/fw-ebpf"); }
