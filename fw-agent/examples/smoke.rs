//! smoke
use fw_agent::probe::*;
fn main() {
    let f = Filter::default();
    let places = vec![fw_ebpf::context::Place::default(); 2];
    let t = std::time::Instant::now();
    let fam = match std::env::args().nth(1).as_deref() {
        Some("w") => [Family::Wakes].into(),
        _ => Family::ALL.into(),
    };
    let mut p = Probes::attach(&Config {
        root: "/".as_ref(),
        places: &places,
        irqs: 1024,
        realtime: false,
        filter: &f,
        families: &fam,
    })
    .unwrap_or_else(|e| panic!("{e}"));
    eprintln!("attached in {:?}", t.elapsed());
    if let Some(n) = std::env::args().nth(2) {
        std::thread::sleep(std::time::Duration::from_secs(n.parse().unwrap()));
    }
    std::thread::sleep(std::time::Duration::from_secs(2));
    p.measure_cost(std::time::Duration::from_millis(200));
    for c in p.take_cost(std::time::Duration::from_secs(1)).0 {
        println!(
            "{:30} {:8} runs {:6} ns each",
            c.name,
            c.run_count,
            c.run_time_ns.checked_div(c.run_count).unwrap_or(0)
        );
    }
    for i in 0..2 {
        let t = p.maps.cpu_totals.read(i);
        println!("cpu {i} losses {:?} still {} wake sums {:?}", t.losses, t.still_running, t.wake.map(|w| w.sum_ns));
    }
    for i in 0..THREADS as usize {
        let t = p.maps.threads.read(i);
        if t.tid != 0 && t.wake.sum_ns > 1_000_000 {
            println!(
                "{} {} {:?} {:?} {:?}",
                t.tid,
                String::from_utf8_lossy(&t.comm).trim_end_matches('\0'),
                t.distance,
                t.wake.sum_ns / 1,
                t.waited
            );
        }
    }
    for i in 0..EDGES as usize {
        let e = p.maps.edges.read(i);
        if e.tid != 0 && e.same_cpu.sum_ns + e.cross_cpu.sum_ns > 1_000_000 {
            println!("{:?} -> {} {:?} legs {:?} idle {:?}", e.cause.origin(), e.tid, e.distance, e.legs, e.idle_states);
        }
    }
    for i in 0..64 {
        let q = p.maps.irqs.read(i);
        if q.count > 0 {
            println!("irq {i} {} {}", q.count, q.sum_ns / q.count);
        }
    }
}
