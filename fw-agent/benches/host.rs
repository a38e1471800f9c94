//! Reading of a made-up large host: 1,024 CPUs and 4,000 interrupts. The bar is 20 ms a parse.

use divan::{Bencher, black_box, counter::BytesCount};
use fw_agent::host::deltas::Deltas;
use fw_agent::host::interrupts::identity;
use fw_agent::host::table::CpuTable;
use std::fmt::Write;

const CPUS: u32 = 1_024;
const IRQS: u32 = 4_000;

fn main() {
    divan::main();
}

/// `/proc/interrupts` of a host. A device's interrupt has fired on `busy` CPUs, an architecture's on all.
fn interrupts(busy: u32, round: u32) -> Vec<u8> {
    let mut file = " ".repeat(11);
    (0..CPUS).for_each(|cpu| write!(file, "CPU{cpu:<8}").unwrap());
    for irq in 0..IRQS {
        write!(file, "\n{irq:>5}:").unwrap();
        for cpu in 0..CPUS {
            let fires = (cpu + CPUS - irq * 7 % CPUS) % CPUS < busy;
            let count = if fires { (irq * 7_919 + cpu * 104_729) % 3_000_000_000 + round } else { 0 };
            write!(file, " {count:>10}").unwrap();
        }
        write!(file, "  IR-PCI-MSIX-0000:{:02x}:00.0  {irq}-edge      mlx5_comp{irq}@pci:0000:17:00.0", irq % 200)
            .unwrap();
    }
    for label in ["NMI", "LOC", "RES", "CAL", "TLB", "MCP"] {
        write!(file, "\n  {label}:").unwrap();
        (0..CPUS).for_each(|cpu| write!(file, " {:>10}", cpu * 4_000_000 + round).unwrap());
        file.push_str("   Some interrupts");
    }
    file.push_str("\n  ERR:          0\n");
    file.into_bytes()
}

/// Interrupts that fired on a few CPUs each, as on real hosts, and on all CPUs, the worst case.
#[divan::bench(args = [8, CPUS])]
fn parse(bencher: Bencher, busy: u32) {
    let file = interrupts(busy, 0);
    let mut table = CpuTable::default();
    bencher.counter(BytesCount::of_slice(&file)).bench_local(|| table.parse(black_box(&file)));
}

#[divan::bench(args = [8, CPUS])]
fn parse_and_difference(bencher: Bencher, busy: u32) {
    let files = [interrupts(busy, 0), interrupts(busy, 1)];
    let (mut table, mut deltas, mut round) = (CpuTable::default(), Deltas::default(), 0);
    bencher.bench_local(|| {
        round += 1;
        table.parse(black_box(&files[round % 2]));
        deltas.update(&table, identity, |_| true)
    });
}
