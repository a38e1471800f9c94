//! Lets the linker use what the target's instruction set has since Linux 5.1: `find` needs 32-bit atomic operations.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "bpf") {
        println!("cargo::rustc-link-arg-bins=--cpu-features=+alu32");
    }
}
