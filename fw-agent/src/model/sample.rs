//! Made-up windows for tests: a disk's managed interrupt away from the thread it wakes, and a host in good order.

use super::*;
use proptest::prelude::*;
use serde_json::Value;
use std::sync::LazyLock;

/// What one wake spent on each leg of [`Legs::wake`], ns.
pub(crate) type Spent = [u64; 6];

/// Only run-queue and switch work, so that a wake takes `ns`.
pub(crate) fn direct(ns: u64) -> Spent {
    [0, 0, 0, 0, 0, ns]
}

/// `n` factors around 1, a few of them far above: the shape that wake-up latencies have.
fn spread(n: u64) -> impl Iterator<Item = f64> {
    (0..n).map(|i| match i % 100 {
        99 => 1.9,
        tail @ 90..99 => 1.2 + f64::from(tail as u32 - 90) / 20.0,
        body => 0.85 + f64::from(body as u32) / 300.0,
    })
}

/// A distribution of `n` values around `median_ns`.
pub(crate) fn dist(median_ns: u64, n: u64) -> Dist {
    Dist::of(spread(n).map(|f| (median_ns as f64 * f) as u64))
}

/// An edge with `same` wakes on the waking CPU and `cross` on another one, each around the time it was given.
pub(crate) fn edge(cause: Cause, tid: u32, comm: &str, same: (u64, Spent), cross: (u64, Spent)) -> Edge {
    let scaled = |(n, spent): (u64, Spent)| {
        spread(n).map(move |f| spent.map(|ns| (ns as f64 * f) as u64)).collect::<Vec<Spent>>()
    };
    let (here, there) = (scaled(same), scaled(cross));
    let total = |wakes: &[Spent]| Dist::of(wakes.iter().map(|legs| legs.iter().sum()));
    let leg = |i: usize| Dist::of(here.iter().chain(&there).map(|legs| legs[i]).filter(|ns| *ns > 0));
    let wakes = same.0 + cross.0;
    Edge {
        pid: tid,
        tid,
        comm: comm.into(),
        wakes,
        cross_cpu_share: cross.0 as f64 / wakes as f64,
        by_distance: [same.0, 0, cross.0, 0, 0],
        latency: [total(&here), total(&there)].into_iter().collect(),
        latency_same_cpu: total(&here),
        latency_cross_cpu: total(&there),
        legs: Legs {
            handler: if cause.kind == CauseKind::Irq { dist(2_400, wakes) } else { Dist::default() },
            queue: leg(0),
            thread: leg(1),
            hardirq: leg(2),
            softirq: leg(3),
            idle: leg(4),
            switch: leg(5),
            ..Legs::default()
        },
        cause,
        ..Edge::default()
    }
}

/// The cause for wakes from this interrupt's handler.
pub(crate) fn by_irq(irq: u32, name: &str) -> Cause {
    Cause { kind: CauseKind::Irq, irq: Some(irq), tid: None, name: name.into() }
}

/// The cause for wakes by this thread.
pub(crate) fn by_task(tid: u32, comm: &str) -> Cause {
    Cause { kind: CauseKind::Task, irq: None, tid: Some(tid), name: comm.into() }
}

/// The thread that an edge wakes, on `cpu`, as if nothing else woke it.
pub(crate) fn woken(edge: &Edge, cpu: u32, allowed: &str) -> Thread {
    let sums = edge.legs.wake().map(|(_, leg)| leg.sum_ns);
    let [queue_ns, thread_ns, hardirq_ns, softirq_ns, idle_ns, switch_ns] = sums;
    Thread {
        pid: edge.pid,
        tid: edge.tid,
        comm: edge.comm.clone(),
        allowed_cpus: allowed.into(),
        cpu,
        wakes: edge.wakes,
        latency: edge.latency.clone(),
        runqueue: edge.latency.clone(),
        by_distance: edge.by_distance,
        cross_cpu_share: edge.cross_cpu_share,
        waited_for: WaitedFor { queue_ns, thread_ns, hardirq_ns, softirq_ns, idle_ns, switch_ns },
        ..Thread::default()
    }
}

/// A device's interrupt that fires on one CPU and may be moved.
pub(crate) fn irq(number: u32, name: &str, count: u64, cpu: u32) -> Irq {
    Irq {
        irq: Some(number),
        label: number.to_string(),
        name: name.into(),
        chip: "PCI-MSIX-0000:00:02.0".into(),
        device: name.split('-').next().unwrap_or_default().into(),
        managed: Managed::No,
        count,
        per_cpu: vec![(cpu, count)],
        affinity: "0-3".into(),
        effective_cpus: cpu.to_string(),
        handler: dist(2_600, count.min(5_000)),
        ..Irq::default()
    }
}

/// Four CPUs in good order: a network queue wakes a server on its own CPU.
pub(crate) fn fine() -> Snapshot {
    let served = edge(by_irq(40, "eth0-0"), 812, "server", (10_000, [0, 0, 0, 0, 3_000, 2_000]), (0, direct(0)));
    let server = woken(&served, 0, "0-3");
    let cpu = |cpu| Cpu { cpu, node: Some(0), idle_share: 0.9, ..Cpu::default() };
    let mut s = Snapshot {
        schema: SCHEMA,
        host: Host {
            name: "db-7".into(),
            kernel: "6.18.44".into(),
            uptime_s: 274_320,
            cpus_online: 4,
            cpus_possible: 4,
            nodes: 1,
            idle_states: ["POLL", "C1", "C1E", "C6"].map(String::from).into(),
            ..Host::default()
        },
        window_s: 10.0,
        cpus: (0..4).map(cpu).collect(),
        irqs: vec![irq(40, "eth0-0", 10_000, 0)],
        edges: vec![served],
        threads: vec![server],
        ..Snapshot::default()
    };
    total(&mut s);
    s
}

/// Adds an edge with its thread (on `cpu`, allowed on `allowed`).
pub(crate) fn add(s: &mut Snapshot, edge: Edge, cpu: u32, allowed: &str) {
    s.threads.push(woken(&edge, cpu, allowed));
    s.edges.push(edge);
    total(s);
}

/// Makes the host's totals agree with the edges.
fn total(s: &mut Snapshot) {
    let latency: Dist = s.edges.iter().map(|e| e.latency.clone()).collect();
    s.wakes = Wakes { count: latency.count(), still_running: 12, latency: latency.clone(), ..Wakes::default() };
    s.wakes.by_distance[0] = s.edges.iter().map(|e| e.latency_same_cpu.clone()).collect();
    s.wakes.by_distance[2] = s.edges.iter().map(|e| e.latency_cross_cpu.clone()).collect();
    s.runqueue = Counted { count: latency.count(), latency };
}

/// Two CPUs: the disk's managed interrupt fires on CPU 1, fio, which it wakes, is pinned to CPU 0.
pub(crate) fn fio() -> Snapshot {
    let mut disk = edge(
        by_irq(36, "virtio1-req.0"),
        4711,
        "fio",
        (1_047, direct(9_000)),
        (51_293, [6_000, 0, 900, 0, 52_000, 2_600]),
    );
    disk.idle_states = vec![0, 51_000];
    disk.occupants = vec![Occupant { tid: 4720, comm: "redis-server".into(), held_ns: 1_200_000 }];
    let mut net = edge(
        Cause { kind: CauseKind::Softirq, irq: Some(39), tid: None, name: "NET_RX".into() },
        812,
        "redis-server",
        (10_860, [0, 900, 0, 1_100, 0, 3_100]),
        (340, [4_000, 0, 0, 0, 11_000, 3_000]),
    );
    net.legs.handler = dist(1_300, 11_200);
    net.legs.softirq_delay = dist(1_900, 11_200);
    net.legs.softirq_run = dist(4_200, 11_200);
    net.occupants = vec![Occupant { tid: 91, comm: "kworker/0:1".into(), held_ns: 9_774_000 }];
    let kick = edge(by_task(91, "kworker/1:2"), 4711, "fio", (410, direct(12_000)), (0, direct(0)));

    let mut s = fine();
    s.host.cpus_online = 2;
    s.host.cpus_possible = 2;
    s.host.idle_states = ["POLL", "C1"].map(String::from).into();
    s.cpus =
        vec![cpu(0, 12_040, (0.011, 0.004, 0.47), &net.latency), cpu(1, 173_100, (0.061, 0.018, 0.71), &disk.latency)];
    s.irqs = vec![
        irq(35, "virtio1-config", 0, 0),
        Irq {
            managed: Managed::Yes,
            device: "vda".into(),
            affinity: "0-1".into(),
            consumers: vec![Consumer { tid: 4711, comm: "fio".into(), wakes: 52_340, cross_cpu_share: 0.98 }],
            ..irq(36, "virtio1-req.0", 52_344, 1)
        },
        Irq {
            device: "eth0".into(),
            affinity: "0-1".into(),
            consumers: vec![Consumer { tid: 812, comm: "redis-server".into(), wakes: 11_200, cross_cpu_share: 0.03 }],
            ..irq(39, "virtio2-input.0", 11_204, 0)
        },
        Irq {
            label: "LOC".into(),
            name: "Local timer interrupts".into(),
            count: 4_960,
            per_cpu: vec![(0, 2_480), (1, 2_480)],
            handler: dist(1_100, 4_960),
            ..Irq::default()
        },
    ];
    s.softirqs = vec![
        Softirq {
            name: "NET_RX".into(),
            count: 11_204,
            delay: dist(1_900, 11_204),
            run: dist(7_400, 11_204),
            per_cpu: vec![(0, 11_204)],
        },
        Softirq {
            name: "TIMER".into(),
            count: 2_010,
            delay: dist(2_800, 2_010),
            run: dist(900, 2_010),
            per_cpu: vec![(0, 1_000), (1, 1_010)],
        },
    ];
    s.napi = vec![Napi { id: 8193, device: "eth0".into(), polls: 11_204, work: 23_004, exhausted: 3, cpu: 0 }];
    s.threads = vec![
        Thread { by_distance: [1_457, 0, 51_293, 0, 0], wakes: 52_750, ..woken(&disk, 0, "0") },
        Thread { preempted: 41, migrations: 2, ..woken(&net, 0, "0-1") },
    ];
    s.edges = vec![disk, net, kick];
    total(&mut s);
    s.losses = Losses { aliased: 2, per_cpu: vec![(1, 2)], ..Losses::default() };
    s.own = OwnCost {
        cpu_share: 0.007,
        probes_cpu_share: 0.004,
        resident_bytes: 24_400_000,
        maps_bytes: 8_300_000,
        probes: vec![
            Probe { name: "sched_switch".into(), run_count: 130_000, run_time_ns: 9_100_000 },
            Probe { name: "sched_waking".into(), run_count: 66_000, run_time_ns: 4_000_000 },
        ],
    };
    s.lints = lint::check(&s);
    s
}

/// One CPU, with its shares of the window (hard IRQ, softirq, idle).
fn cpu(cpu: u32, hardirqs: u64, shares: (f64, f64, f64), latency: &Dist) -> Cpu {
    let counted = Counted { count: latency.count(), latency: latency.clone() };
    Cpu {
        cpu,
        node: Some(0),
        isolated: false,
        hardirqs,
        hardirq_share: shares.0,
        softirq_share: shares.1,
        idle_share: shares.2,
        wakes: counted.clone(),
        runqueue: counted,
    }
}

static FIO: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(fio()).expect("a snapshot is plain data"));

/// Any window that JSON could carry: the fio one with leaves replaced and lists cut or doubled.
pub(crate) fn arbitrary() -> impl Strategy<Value = Snapshot> {
    prop::collection::vec(any::<u32>(), 64).prop_map(|choices| {
        let mut tree = FIO.clone();
        let mut choices = choices.into_iter().cycle().enumerate().map(|(i, c)| c.rotate_left(i as u32 / 64));
        distort(&mut tree, "", &mut choices);
        serde_json::from_value(tree).expect("only values were changed")
    })
}

/// Changes a tree here and there without changing its shape.
fn distort(tree: &mut Value, key: &str, choices: &mut dyn Iterator<Item = u32>) {
    let mut choose = || choices.next().unwrap_or_default();
    let (change, value) = (choose() % 8 == 0, choose());
    let strange =
        ["", "0", "2-3", "irq/36-virtio1", "ksoftirqd/0", "kworker/0:1", "\u{1b}[2J\n\t", "0-4294967295", "ü"];
    match tree {
        Value::Object(fields) => fields.iter_mut().for_each(|(key, field)| distort(field, key, choices)),
        Value::Array(items) => {
            // Pairs and by-distance arrays have a fixed length.
            if change && key != "by_distance" && items.iter().all(Value::is_object) {
                let doubled = items.first().cloned();
                items.truncate(value as usize % (items.len() + 1));
                items.extend(doubled);
            }
            items.iter_mut().for_each(|item| distort(item, key, choices));
        }
        Value::String(text) if change && !["kind", "managed", "severity"].contains(&key) => {
            *text = strange[value as usize % strange.len()].into();
        }
        Value::Number(number) if change && number.is_f64() => {
            *tree = serde_json::json!([0.0, -1.0, 1e300, 0.5][value as usize % 4]);
        }
        Value::Number(_) if change && key.ends_with("_ns") => *tree = serde_json::json!(u64::from(value) << 16),
        Value::Number(_) if change => *tree = serde_json::json!(value >> (value % 32)),
        _ => {}
    }
}
