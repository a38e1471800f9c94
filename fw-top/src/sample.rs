//! Made-up windows, for tests and benchmarks: the same numbers on every machine.

use fw_agent::model::{
    Cause, CauseKind, Consumer, Counted, Cpu, Dist, Distance, Edge, Host, Irq, Legs, Lint, Losses, Managed, Napi,
    Occupant, OwnCost, Probe, SCHEMA, Severity, Snapshot, Softirq, Thread, WaitedFor, Wakes,
};

/// A distribution of `count` values around `p50_ns` with a tail up to about `max_ns`: half of the events lie
/// just below `p50_ns`, and the rest falls off towards the maximum on a log scale.
fn spread(count: u64, p50_ns: u64, max_ns: u64) -> Dist {
    Dist::of((0..count).map(|i| {
        let rank = (i as f64 + 0.5) / count as f64;
        if rank < 0.5 {
            return (p50_ns as f64 * (0.6 + 0.8 * rank)) as u64;
        }
        // Nine halvings of what is left lead from the median to the maximum.
        let tail = -(2.0 * (1.0 - rank)).log2() / 9.0;
        (p50_ns as f64 * (max_ns as f64 / p50_ns.max(1) as f64).powf(tail.min(1.0))) as u64
    }))
}

/// Which leg of a wake took what part of the time, in the order of `Legs::wake`; the parts add up to 1.
type Parts = [f64; 6];

/// Legs that add up to `latency`.
fn legs(latency: &Dist, parts: Parts, before: [u64; 3]) -> Legs {
    let n = latency.count();
    let mut left = latency.sum_ns;
    let mut leg = |i: usize| {
        let sum = if i == 5 { left } else { ((latency.sum_ns as f64 * parts[i]) as u64).min(left) };
        left -= sum;
        let times = (n as f64 * (0.2 + parts[i]).min(1.0)) as u64;
        let mean = sum.checked_div(times).unwrap_or(0);
        let mut dist = if parts[i] > 0.0 { spread(times, mean.max(1), mean.max(1) * 3) } else { Dist::default() };
        dist.sum_ns = sum;
        dist
    };
    let [queue, thread, hardirq, softirq, idle, switch] = [0, 1, 2, 3, 4, 5].map(&mut leg);
    let [handler, softirq_delay, softirq_run] =
        before.map(|ns| if ns > 0 { spread(n, ns, ns * 6) } else { Dist::default() });
    Legs { handler, softirq_delay, softirq_run, queue, thread, hardirq, softirq, idle, switch }
}

struct Wake<'a> {
    cause: Cause,
    thread: (u32, u32, &'a str),
    wakes: u64,
    cross: f64,
    latency: (u64, u64),
    parts: Parts,
    before: [u64; 3],
    occupants: &'a [(u32, &'a str, f64)],
}

fn edge(w: Wake) -> Edge {
    let cross = (w.wakes as f64 * w.cross) as u64;
    let latency = spread(w.wakes, w.latency.0, w.latency.1);
    let n = latency.count();
    let sum = latency.sum_ns as f64;
    Edge {
        pid: w.thread.0,
        tid: w.thread.1,
        comm: w.thread.2.into(),
        wakes: n,
        cross_cpu_share: w.cross,
        by_distance: [w.wakes - cross, 0, cross, 0, 0],
        migrations: w.wakes / 900,
        latency_same_cpu: spread(w.wakes - cross, w.latency.0 / 6, w.latency.1 / 6),
        latency_cross_cpu: spread(cross, w.latency.0, w.latency.1),
        legs: legs(&latency, w.parts, w.before),
        idle_states: vec![w.wakes / 20, w.wakes / 3],
        occupants: w
            .occupants
            .iter()
            .map(|(tid, comm, part)| Occupant { tid: *tid, comm: (*comm).into(), held_ns: (sum * part) as u64 })
            .collect(),
        cause: w.cause,
        latency,
    }
}

fn cause(kind: CauseKind, irq: Option<u32>, tid: Option<u32>, name: &str) -> Cause {
    Cause { kind, irq, tid, name: name.into() }
}

fn thread(pid: u32, comm: &str, cgroup: &str, allowed: &str, edges: &[Edge]) -> Thread {
    let own: Vec<&Edge> = edges.iter().filter(|e| e.pid == pid).collect();
    let latency: Dist = own.iter().map(|e| e.latency.clone()).collect();
    let wakes = latency.count();
    let leg = |i: usize| own.iter().map(|e| e.legs.wake()[i].1.sum_ns).sum::<u64>();
    let mut by_distance = [0; 5];
    for (sum, i) in by_distance.iter_mut().zip(0..) {
        *sum = own.iter().map(|e| e.by_distance[i]).sum();
    }
    Thread {
        pid,
        tid: pid,
        comm: comm.into(),
        cgroup: cgroup.into(),
        allowed_cpus: allowed.into(),
        cpu: pid % 2,
        wakes,
        preempted: wakes / 40,
        migrations: wakes / 900,
        cross_cpu_share: 1.0 - by_distance[Distance::SameCpu as usize] as f64 / wakes.max(1) as f64,
        by_distance,
        waited_for: WaitedFor {
            queue_ns: leg(0),
            thread_ns: leg(1),
            hardirq_ns: leg(2),
            softirq_ns: leg(3),
            idle_ns: leg(4),
            switch_ns: leg(5),
        },
        runqueue: latency.clone(),
        latency,
        ..Thread::default()
    }
}

/// A database host with two CPUs: `fio` is woken by a disk interrupt that fires on the other CPU.
pub fn busy() -> Snapshot {
    let disk = || cause(CauseKind::Irq, Some(36), None, "virtio1-req.0");
    let fio = (4711, 4711, "fio");
    let edges = vec![
        edge(Wake {
            cause: disk(),
            thread: fio,
            wakes: 8_704,
            cross: 0.98,
            latency: (61_000, 1_900_000),
            parts: [0.08, 0.58, 0.02, 0.03, 0.26, 0.03],
            before: [2_100, 0, 0],
            occupants: &[(812, "redis-server", 0.41), (97, "kworker/1:2", 0.13), (23, "ksoftirqd/1", 0.04)],
        }),
        edge(Wake {
            cause: cause(CauseKind::Task, None, Some(2_201), "java"),
            thread: (2_200, 2_214, "GC Thread#3"),
            wakes: 12_400,
            cross: 0.47,
            latency: (3_300, 240_000),
            parts: [0.11, 0.52, 0.01, 0.01, 0.21, 0.14],
            before: [0, 0, 0],
            occupants: &[(2_201, "java", 0.4)],
        }),
        edge(Wake {
            cause: cause(CauseKind::Softirq, Some(39), None, "NET_RX"),
            thread: (812, 812, "redis-server"),
            wakes: 11_200,
            cross: 0.03,
            latency: (5_200, 19_000),
            parts: [0.0, 0.31, 0.04, 0.22, 0.33, 0.10],
            before: [1_300, 900, 6_400],
            occupants: &[(4711, "fio", 0.2)],
        }),
        edge(Wake {
            cause: cause(CauseKind::Irq, None, None, "LOC"),
            thread: (812, 815, "bio_lazy_free"),
            wakes: 3_010,
            cross: 0.0,
            latency: (4_100, 52_000),
            parts: [0.0, 0.2, 0.05, 0.05, 0.55, 0.15],
            before: [700, 0, 0],
            occupants: &[],
        }),
        edge(Wake {
            cause: cause(CauseKind::Task, None, Some(97), "kworker/1:2"),
            thread: fio,
            wakes: 41,
            cross: 0.12,
            latency: (12_000, 80_000),
            parts: [0.0, 0.9, 0.0, 0.0, 0.02, 0.08],
            before: [0, 0, 0],
            occupants: &[(97, "kworker/1:2", 0.9)],
        }),
        edge(Wake {
            cause: cause(CauseKind::Softirq, None, None, "RCU"),
            thread: (17, 17, "rcu_preempt"),
            wakes: 212,
            cross: 0.5,
            latency: (2_900, 31_000),
            parts: [0.2, 0.2, 0.0, 0.1, 0.4, 0.1],
            before: [0, 400, 300],
            occupants: &[],
        }),
    ];
    let latency: Dist = edges.iter().map(|e| e.latency.clone()).collect();
    let mut by_distance: [Dist; 5] = Default::default();
    for e in &edges {
        by_distance[Distance::SameCpu as usize].merge(&e.latency_same_cpu);
        by_distance[Distance::SameLlc as usize].merge(&e.latency_cross_cpu);
    }
    let host_wakes = Counted { count: latency.count(), latency };
    Snapshot {
        schema: SCHEMA,
        host: Host {
            name: "db-7".into(),
            kernel: "6.18.44".into(),
            uptime_s: 3 * 86_400 + 4 * 3_600 + 12 * 60,
            cpus_online: 2,
            cpus_possible: 2,
            nodes: 1,
            irqbalance_pid: Some(611),
            idle_states: vec!["POLL".into(), "C1".into()],
            ..Host::default()
        },
        window_s: 1.0,
        cpus: vec![cpu(0, 1_204, 0.004, 0.031, 0.62, 18_211, 2_800), cpu(1, 17_310, 0.061, 0.142, 0.17, 17_290, 3_400)],
        irqs: irqs(),
        softirqs: softirqs(),
        napi: vec![
            Napi { id: 8_193, device: "eth0".into(), polls: 1_120, work: 4_810, exhausted: 3, cpu: 1 },
            Napi { id: 8_194, device: "eth0".into(), polls: 12, work: 12, exhausted: 0, cpu: 0 },
        ],
        threads: vec![
            thread(4711, "fio", "/system.slice/bench.service", "0", &edges),
            thread(2_200, "java", "/system.slice/app.service", "0-1", &edges),
            thread(812, "redis-server", "/system.slice/redis.service", "0-1", &edges),
            thread(17, "rcu_preempt", "", "0-1", &edges),
        ],
        runqueue: host_wakes.clone(),
        wakes: Wakes { count: host_wakes.count, still_running: 311, latency: host_wakes.latency, by_distance },
        lints: vec![
            Lint {
                name: "cross-cpu-wake".into(),
                severity: Severity::Warning,
                evidence: "IRQ 36 virtio1-req.0 fires on CPU 1, its consumer fio (4711) runs on CPU 0: 98 % of 8,704 \
                           wakes crossed CPUs, p50 61us against 10us on the same CPU."
                    .into(),
                advice: "The IRQ is managed by the kernel: move the thread to CPU 1.".into(),
                irq: Some(36),
                tid: Some(4711),
                lost_ns: 440_000_000,
            },
            Lint {
                name: "irqbalance-running".into(),
                severity: Severity::Note,
                evidence: "irqbalance (611) runs and moved 2 interrupts in the last window.".into(),
                advice: "Ban the interrupts that you place yourself.".into(),
                ..Lint::default()
            },
        ],
        own: own_cost(),
        edges,
        ..Snapshot::default()
    }
}

fn cpu(cpu: u32, hardirqs: u64, hardirq: f64, softirq: f64, idle: f64, wakes: u64, p50: u64) -> Cpu {
    let latency = spread(wakes, p50, p50 * 40);
    let runqueue = spread(wakes, p50, p50 * 60);
    Cpu {
        cpu,
        node: Some(0),
        isolated: false,
        hardirqs,
        hardirq_share: hardirq,
        softirq_share: softirq,
        idle_share: idle,
        wakes: Counted { count: latency.count(), latency },
        runqueue: Counted { count: runqueue.count(), latency: runqueue },
    }
}

fn irqs() -> Vec<Irq> {
    let consumer =
        |tid, comm: &str, wakes, cross_cpu_share| Consumer { tid, comm: comm.into(), wakes, cross_cpu_share };
    let device = |irq: u32, name: &str, device: &str, managed, cpu: u32, count| Irq {
        irq: Some(irq),
        label: irq.to_string(),
        name: name.into(),
        chip: format!("PCI-MSIX-0000:00:{:02x}.0", irq - 32),
        device: device.into(),
        managed,
        count,
        per_cpu: if count > 0 { vec![(cpu, count)] } else { Vec::new() },
        affinity: "0-1".into(),
        effective_cpus: cpu.to_string(),
        node: Some(0),
        handler: spread(count, 1_900, 14_000),
        ..Irq::default()
    };
    let row = |label: &str, name: &str, per_cpu: Vec<(u32, u64)>| Irq {
        label: label.into(),
        name: name.into(),
        count: per_cpu.iter().map(|(_, n)| n).sum(),
        per_cpu,
        ..Irq::default()
    };
    vec![
        device(35, "virtio1-config", "vda", Managed::No, 0, 0),
        Irq {
            consumers: vec![consumer(4711, "fio", 8_704, 0.98), consumer(309, "jbd2/vda1-8", 36, 0.4)],
            ..device(36, "virtio1-req.0", "vda", Managed::Yes, 1, 17_240)
        },
        Irq {
            consumers: vec![consumer(812, "redis-server", 11_200, 0.03)],
            ..device(39, "virtio2-input.0", "eth0", Managed::No, 1, 1_090)
        },
        device(40, "virtio2-output.0", "eth0", Managed::No, 0, 1_130),
        row("LOC", "Local timer interrupts", vec![(0, 271), (1, 225)]),
        row("CAL", "Function call interrupts", vec![(0, 2_140), (1, 18)]),
        row("NMI", "Non-maskable interrupts", Vec::new()),
    ]
}

fn softirqs() -> Vec<Softirq> {
    let softirq = |name: &str, delay: (u64, u64), run: (u64, u64), per_cpu: Vec<(u32, u64)>| {
        let count = per_cpu.iter().map(|(_, n)| n).sum();
        let (delay, run) = (spread(count, delay.0, delay.1), spread(count, run.0, run.1));
        Softirq { name: name.into(), count, delay, run, per_cpu }
    };
    vec![
        softirq("TIMER", (1_100, 48_000), (1_600, 12_000), vec![(0, 190), (1, 141)]),
        softirq("NET_RX", (900, 310_000), (6_400, 91_000), vec![(0, 12), (1, 1_120)]),
        softirq("BLOCK", (700, 9_000), (2_300, 21_000), vec![(1, 412)]),
        softirq("SCHED", (1_900, 88_000), (1_200, 9_000), vec![(0, 77), (1, 80)]),
        softirq("RCU", (2_400, 120_000), (800, 30_000), vec![(0, 204), (1, 187)]),
    ]
}

fn own_cost() -> OwnCost {
    let probe = |name: &str, run_count, each| Probe { name: name.into(), run_count, run_time_ns: run_count * each };
    OwnCost {
        cpu_share: 0.007,
        probes_cpu_share: 0.0052,
        resident_bytes: 22_400_000,
        maps_bytes: 6_815_744,
        probes: vec![
            probe("sched_waking", 35_900, 41),
            probe("sched_switch", 48_100, 52),
            probe("irq_handler_entry", 19_460, 22),
            probe("irq_handler_exit", 19_460, 24),
            probe("softirq_entry", 2_423, 20),
            probe("softirq_exit", 2_423, 26),
            probe("cpu_idle", 12_010, 19),
        ],
    }
}

/// The same host when nothing runs: no thread is woken.
pub fn idle() -> Snapshot {
    let mut s = busy();
    s.wakes = Wakes::default();
    s.runqueue = Counted::default();
    for cpu in &mut s.cpus {
        *cpu = Cpu { cpu: cpu.cpu, node: cpu.node, idle_share: 1.0, ..Cpu::default() };
    }
    for irq in &mut s.irqs {
        (irq.count, irq.per_cpu, irq.handler, irq.consumers) = (0, Vec::new(), Dist::default(), Vec::new());
    }
    (s.softirqs, s.napi, s.threads, s.edges, s.lints) = Default::default();
    s
}

/// The busy host, with events that could not be counted.
pub fn lossy() -> Snapshot {
    let losses = Losses { aliased: 1_200, edges_full: 34, per_cpu: vec![(0, 1_100), (1, 134)], ..Losses::default() };
    Snapshot { losses, ..busy() }
}

/// A host of many CPUs, interrupts and edges, to see that drawing keeps up.
pub fn huge(cpus: u32, irqs: u32, edges: u32) -> Snapshot {
    let mut s = busy();
    let (template, disk) = (s.edges[0].clone(), s.irqs[1].clone());
    s.host.cpus_online = cpus;
    s.host.cpus_possible = cpus;
    s.cpus = (0..cpus)
        .map(|i| cpu(i, u64::from(i * 7 % 4_000), 0.02, 0.03, 0.4, 1_000, 2_000 + u64::from(i * 37 % 90_000)))
        .collect();
    s.irqs = (0..irqs)
        .map(|i| Irq {
            irq: Some(i),
            label: i.to_string(),
            name: format!("mlx5_comp{i}@pci:0000:{:02x}:00.0", i / 64),
            count: u64::from(i * 31 % 5_000),
            per_cpu: (0..8).map(|k| ((i + k * 17) % cpus, u64::from(i * 31 % 5_000) / 8)).collect(),
            effective_cpus: (i % cpus).to_string(),
            ..disk.clone()
        })
        .collect();
    s.edges = (0..edges)
        .map(|i| Edge {
            cause: cause(CauseKind::Irq, Some(i % irqs), None, &format!("mlx5_comp{}", i % irqs)),
            tid: 10_000 + i,
            pid: 10_000 + i / 64,
            comm: format!("worker-{i}"),
            wakes: template.wakes - u64::from(i % 997),
            ..template.clone()
        })
        .collect();
    let thread = s.threads[0].clone();
    s.threads = (0..edges).map(|i| Thread { tid: 10_000 + i, pid: 10_000 + i / 64, ..thread.clone() }).collect();
    s
}
