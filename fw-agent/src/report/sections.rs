//! The parts of a text report, in the order of the question: who pays, for what, and how far can this be trusted.

use super::{
    hist,
    table::{
        Column::{Number, Words},
        Table, wrap,
    },
};
use crate::model::{CauseKind, Dist, Distance, Edge, Irq, Managed, Snapshot, Thread, units};

/// Edges whose legs are shown one by one.
const OPENED: usize = 3;

/// Stands where nothing was counted: 0 would be a measurement.
const NOTHING: &str = "-";

/// Every section that has something to show.
pub(super) fn all(s: &Snapshot, top: usize) -> Vec<String> {
    [
        edges(s, top),
        irqs(s, top),
        threads(s, top),
        softirqs(s, top),
        napi(s, top),
        cpus(s, top),
        worst_edge(s),
        legs(s, top),
        waits(s, top),
        distances(s),
        cost(s),
        losses(s),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A heading over a table; says how many of `all` rows are shown if not all are.
fn titled(title: &str, shown: usize, all: usize, table: &Table) -> Option<String> {
    let left_out = if shown < all { format!("  ({shown} of {all} shown, see --top)") } else { String::new() };
    (all > 0).then(|| format!("{title}{left_out}\n{table}"))
}

fn edges(s: &Snapshot, top: usize) -> Option<String> {
    let mut table = Table::new(&[
        ("cause", Words(26)),
        ("thread", Words(22)),
        ("wakes", Number),
        ("cross", Number),
        ("p50", Number),
        ("p99", Number),
        ("lost", Number),
    ]);
    for edge in s.edges.iter().take(top) {
        table.row([
            cause(edge),
            named(&edge.comm, edge.tid),
            units::rate(edge.wakes, s.window_s),
            units::share(edge.cross_cpu_share),
            quantile(&edge.latency, 0.5),
            quantile(&edge.latency, 0.99),
            units::ns_rate(edge.latency.sum_ns, s.window_s),
        ]);
    }
    let title = "EDGES: what wakes which thread; most wake-up time lost first";
    titled(title, top.min(s.edges.len()), s.edges.len(), &table)
}

fn irqs(s: &Snapshot, top: usize) -> Option<String> {
    let mut fired: Vec<&Irq> = s.irqs.iter().filter(|irq| irq.count > 0).collect();
    fired.sort_by_key(|irq| std::cmp::Reverse(irq.count));
    let mut table = Table::new(&[
        ("IRQ", Words(6)),
        ("name", Words(16)),
        ("device", Words(8)),
        ("moves", Words(8)),
        ("rate", Number),
        ("CPU", Words(5)),
        ("allowed", Words(7)),
        ("p50", Number),
        ("p99", Number),
        ("wakes", Words(17)),
    ]);
    for irq in fired.iter().take(top) {
        table.row([
            irq.label.clone(),
            irq.name.clone(),
            irq.device.clone(),
            moves(irq).into(),
            units::rate(irq.count, s.window_s),
            irq.effective_cpus.clone(),
            irq.affinity.clone(),
            quantile(&irq.handler, 0.5),
            quantile(&irq.handler, 0.99),
            irq.consumers.first().map_or(String::new(), |c| named(&c.comm, c.tid)),
        ]);
    }
    titled("IRQS: most frequent first; p50 and p99 of the handlers", top.min(fired.len()), fired.len(), &table)
}

fn threads(s: &Snapshot, top: usize) -> Option<String> {
    let mut table = Table::new(&[
        ("thread", Words(22)),
        ("CPU", Number),
        ("allowed", Words(8)),
        ("wakes", Number),
        ("cross", Number),
        ("p50", Number),
        ("p99", Number),
        ("p99.9", Number),
        ("max", Number),
        ("preempted", Number),
    ]);
    for thread in s.threads.iter().take(top) {
        let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|q| quantile(&thread.latency, q));
        table.row([
            named(&thread.comm, thread.tid),
            thread.cpu.to_string(),
            thread.allowed_cpus.clone(),
            units::rate(thread.wakes, s.window_s),
            if thread.wakes == 0 { NOTHING.into() } else { units::share(thread.cross_cpu_share) },
            p50,
            p99,
            p999,
            max(&thread.latency),
            units::rate(thread.preempted, s.window_s),
        ]);
    }
    let title = "THREADS: waking to running; most time lost first";
    titled(title, top.min(s.threads.len()), s.threads.len(), &table)
}

fn softirqs(s: &Snapshot, top: usize) -> Option<String> {
    let mut table = Table::new(&[
        ("softirq", Words(12)),
        ("runs", Number),
        ("delay p50", Number),
        ("delay p99", Number),
        ("run p50", Number),
        ("run p99", Number),
        ("busy", Number),
        ("most on", Words(8)),
    ]);
    for softirq in s.softirqs.iter().take(top) {
        table.row([
            softirq.name.clone(),
            units::rate(softirq.count, s.window_s),
            quantile(&softirq.delay, 0.5),
            quantile(&softirq.delay, 0.99),
            quantile(&softirq.run, 0.5),
            quantile(&softirq.run, 0.99),
            units::ns_rate(softirq.run.sum_ns, s.window_s),
            softirq.per_cpu.iter().max_by_key(|(_, n)| *n).map_or(String::new(), |(cpu, _)| format!("CPU {cpu}")),
        ]);
    }
    let title = "SOFTIRQS: delay is raise to entry, run is entry to exit";
    titled(title, top.min(s.softirqs.len()), s.softirqs.len(), &table)
}

fn napi(s: &Snapshot, top: usize) -> Option<String> {
    let mut table = Table::new(&[
        ("NAPI", Words(8)),
        ("device", Words(16)),
        ("CPU", Number),
        ("polls", Number),
        ("packets", Number),
        ("a poll", Number),
        ("out of budget", Number),
    ]);
    for napi in s.napi.iter().take(top) {
        table.row([
            napi.id.to_string(),
            napi.device.clone(),
            napi.cpu.to_string(),
            units::rate(napi.polls, s.window_s),
            units::rate(napi.work, s.window_s),
            format!("{:.1}", napi.work as f64 / napi.polls.max(1) as f64),
            units::share(napi.exhausted as f64 / napi.polls.max(1) as f64),
        ]);
    }
    titled("NAPI: polls of network queues", top.min(s.napi.len()), s.napi.len(), &table)
}

fn cpus(s: &Snapshot, top: usize) -> Option<String> {
    let mut cpus: Vec<_> = s.cpus.iter().collect();
    // All of them in order if there is room, otherwise those that serve most interrupts.
    if cpus.len() > top {
        cpus.sort_by(|a, b| (b.hardirq_share + b.softirq_share).total_cmp(&(a.hardirq_share + a.softirq_share)));
    }
    let mut table = Table::new(&[
        ("CPU", Number),
        ("interrupts", Number),
        ("hard IRQ", Number),
        ("softirq", Number),
        ("idle", Number),
        ("wakes", Number),
        ("p50", Number),
        ("p99", Number),
        ("", Words(8)),
    ]);
    for cpu in cpus.iter().take(top) {
        table.row([
            cpu.cpu.to_string(),
            units::rate(cpu.hardirqs, s.window_s),
            units::share(cpu.hardirq_share),
            units::share(cpu.softirq_share),
            units::share(cpu.idle_share),
            units::rate(cpu.wakes.count, s.window_s),
            quantile(&cpu.wakes.latency, 0.5),
            quantile(&cpu.wakes.latency, 0.99),
            if cpu.isolated { "isolated".into() } else { String::new() },
        ]);
    }
    titled("CPUS: shares of the window; wakes that ran there", top.min(cpus.len()), cpus.len(), &table)
}

fn worst_edge(s: &Snapshot) -> Option<String> {
    let worst = s.edges.first()?;
    let bars = hist::text(&worst.latency);
    (!bars.is_empty()).then(|| format!("{}{bars}", wrap("", &format!("WAKE-UP LATENCY of {}", arrow(worst)))))
}

fn legs(s: &Snapshot, top: usize) -> Option<String> {
    let opened: Vec<String> = s.edges.iter().take(OPENED.min(top)).map(|edge| edge_legs(s, edge)).collect();
    (!opened.is_empty()).then(|| opened.join("\n"))
}

fn edge_legs(s: &Snapshot, edge: &Edge) -> String {
    let mut table =
        Table::new(&[("leg", Words(26)), ("wakes", Number), ("p50", Number), ("p99", Number), ("share", Number)]);
    if edge.cause.kind != CauseKind::Task {
        table.row(["device to handler", "n/a", "n/a", "n/a", "n/a"].map(String::from));
        for (name, leg) in edge.legs.before().into_iter().filter(|(_, leg)| !leg.is_empty()) {
            table.row([
                name.into(),
                units::count(leg.count()),
                quantile(leg, 0.5),
                quantile(leg, 0.99),
                "before".into(),
            ]);
        }
    }
    for (name, leg) in edge.legs.wake() {
        let share = if edge.latency.sum_ns == 0 { 0.0 } else { leg.sum_ns as f64 / edge.latency.sum_ns as f64 };
        let count = units::count(leg.count());
        table.row([name.into(), count, quantile(leg, 0.5), quantile(leg, 0.99), units::share(share)]);
    }
    table.row([
        "waking to running".into(),
        units::count(edge.latency.count()),
        quantile(&edge.latency, 0.5),
        quantile(&edge.latency, 0.99),
        units::share(1.0),
    ]);
    let mut text = format!("{}{table}", wrap("", &format!("LEGS of {}", arrow(edge))));
    let held =
        edge.occupants.iter().map(|o| format!("{} {}", named(&o.comm, o.tid), units::ns_rate(o.held_ns, s.window_s)));
    let held: Vec<String> = held.collect();
    if !held.is_empty() {
        text.push_str(&wrap("  CPU held by: ", &held.join(", ")));
    }
    let states = edge.idle_states.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, n)| {
        let name = s.host.idle_states.get(i).map_or("", String::as_str);
        format!("{i} {name} {}", units::share(*n as f64 / edge.wakes.max(1) as f64))
    });
    let states: Vec<String> = states.collect();
    if !states.is_empty() {
        text.push_str(&wrap("  CPU was idle in state: ", &states.join(", ")));
    }
    text
}

fn waits(s: &Snapshot, top: usize) -> Option<String> {
    let mut table = Table::new(&[
        ("thread", Words(20)),
        ("waited", Number),
        ("IPI", Number),
        ("thread", Number),
        ("IRQ", Number),
        ("softirq", Number),
        ("idle", Number),
        ("switch", Number),
        ("SMT", Number),
        ("LLC", Number),
        ("node", Number),
        ("remote", Number),
    ]);
    for thread in s.threads.iter().take(top) {
        table.row(wait_cells(s, thread));
    }
    let title = "WAITS: share of a thread's waits by cause (IPI to switch); of its wakes by distance (SMT to remote)";
    titled(title, top.min(s.threads.len()), s.threads.len(), &table)
}

fn wait_cells(s: &Snapshot, thread: &Thread) -> Vec<String> {
    let w = &thread.waited_for;
    let parts = [w.queue_ns, w.thread_ns, w.hardirq_ns, w.softirq_ns, w.idle_ns, w.switch_ns];
    let waited = parts.iter().fold(0u64, |sum, ns| sum.saturating_add(*ns));
    let woken = thread.by_distance.iter().fold(0u64, |sum, n| sum.saturating_add(*n));
    let of = |part: u64, whole: u64| {
        if part == 0 { NOTHING.into() } else { units::share(part as f64 / whole as f64) }
    };
    let mut cells = vec![named(&thread.comm, thread.tid), units::ns_rate(waited, s.window_s)];
    cells.extend(parts.map(|part| of(part, waited)));
    cells.extend(thread.by_distance[Distance::Sibling as usize..].iter().map(|n| of(*n, woken)));
    cells
}

fn distances(s: &Snapshot) -> Option<String> {
    let mut table = Table::new(&[
        ("distance", Words(12)),
        ("wakes", Number),
        ("share", Number),
        ("p50", Number),
        ("p90", Number),
        ("p99", Number),
        ("p99.9", Number),
        ("max", Number),
    ]);
    let all: u64 = s.wakes.by_distance.iter().map(Dist::count).fold(0, u64::saturating_add);
    let seen = Distance::ALL.into_iter().zip(&s.wakes.by_distance).filter(|(_, latency)| !latency.is_empty());
    for (distance, latency) in seen {
        let mut cells = vec![
            distance.label().into(),
            units::rate(latency.count(), s.window_s),
            units::share(latency.count() as f64 / all as f64),
        ];
        cells.extend([0.5, 0.9, 0.99, 0.999].map(|q| quantile(latency, q)));
        cells.push(max(latency));
        table.row(cells);
    }
    (all > 0)
        .then(|| format!("DISTANCE: waking to running, by how far the running CPU is from the waking one\n{table}"))
}

fn cost(s: &Snapshot) -> Option<String> {
    let own = &s.own;
    let mut table = Table::new(&[("probe", Words(26)), ("runs", Number), ("a run", Number), ("of a core", Number)]);
    for probe in &own.probes {
        table.row([
            probe.name.clone(),
            units::rate(probe.run_count, s.window_s),
            probe.run_time_ns.checked_div(probe.run_count).map_or(NOTHING.into(), units::ns),
            units::share(probe.run_time_ns as f64 / (s.window_s * 1e9)),
        ]);
    }
    let probes = if own.probes.is_empty() { String::new() } else { table.to_string() };
    Some(format!(
        "OWN COST: process {} of a core, {} resident; probes {} of a core, {} of maps\n{probes}",
        units::share(own.cpu_share),
        units::bytes(own.resident_bytes),
        units::share(own.probes_cpu_share),
        units::bytes(own.maps_bytes),
    ))
}

fn losses(s: &Snapshot) -> Option<String> {
    let lost: Vec<String> = s
        .losses
        .reasons()
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(why, n)| format!("{why} {}", units::count(*n)))
        .collect();
    if lost.is_empty() {
        return Some("LOSSES: none\n".into());
    }
    let mut text = wrap("LOSSES: ", &format!("events not counted: {}", lost.join(", ")));
    let by_cpu: Vec<String> =
        s.losses.per_cpu.iter().map(|(cpu, n)| format!("CPU {cpu}: {}", units::count(*n))).collect();
    if !by_cpu.is_empty() {
        text.push_str(&wrap("        on ", &by_cpu.join(", ")));
    }
    Some(text)
}

/// `36 virtio1-req.0`, `softirq NET_RX (39)`, `task kworker/1:2`
fn cause(edge: &Edge) -> String {
    let cause = &edge.cause;
    match (cause.kind, cause.irq) {
        (CauseKind::Irq, Some(irq)) => format!("{irq} {}", cause.name),
        (CauseKind::Irq, None) => cause.name.clone(),
        (CauseKind::Softirq, Some(irq)) => format!("softirq {} ({irq})", cause.name),
        (CauseKind::Softirq, None) => format!("softirq {}", cause.name),
        (CauseKind::Task, _) => format!("task {}", cause.name),
    }
}

/// `36 virtio1-req.0 -> fio 4711`
fn arrow(edge: &Edge) -> String {
    format!("{} -> {}", cause(edge), named(&edge.comm, edge.tid))
}

/// `fio 4711`
fn named(comm: &str, tid: u32) -> String {
    format!("{comm} {tid}")
}

/// A percentile.
fn quantile(dist: &Dist, q: f64) -> String {
    if dist.is_empty() { NOTHING.into() } else { units::ns(dist.quantile(q)) }
}

/// The largest value.
fn max(dist: &Dist) -> String {
    if dist.is_empty() { NOTHING.into() } else { units::ns(dist.max_ns) }
}

/// Whether an interrupt can be moved, in one word.
fn moves(irq: &Irq) -> &'static str {
    match irq.managed {
        Managed::Yes => "managed",
        Managed::Likely => "managed?",
        Managed::No => "yes",
        Managed::Unknown => "-",
    }
}
