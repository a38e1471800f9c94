//! Every rule once where it fires and once where it just does not, then all of them on arbitrary windows.

use super::*;
use crate::model::{sample::*, *};
use proptest::prelude::*;

/// The first finding of `rule`.
fn found(snapshot: &Snapshot, rule: &str) -> Option<Lint> {
    let lints = check(snapshot);
    for text in lints.iter().flat_map(|lint| [&lint.evidence, &lint.advice]) {
        assert!(is_sentence(text), "{text}");
    }
    lints.into_iter().find(|lint| lint.name == rule)
}

/// One sentence that another one can follow.
fn is_sentence(text: &str) -> bool {
    let stopped = text.strip_suffix('.').is_some_and(|text| !text.ends_with(['.', ' ', ':', ',']));
    stopped && !text.contains(". ") && !text.contains("  ")
}

#[track_caller]
fn fires(snapshot: &Snapshot, rule: &str) -> Lint {
    found(snapshot, rule).unwrap_or_else(|| panic!("{rule} did not fire, but: {:#?}", check(snapshot)))
}

#[track_caller]
fn silent(snapshot: &Snapshot, rule: &str) {
    assert_eq!(found(snapshot, rule), None);
}

/// The good host with a database that a disk's interrupt on CPU 1 wakes on CPU 2, `cross` times of 10,000.
fn disk(cross: u64) -> Snapshot {
    let mut s = fine();
    s.irqs.push(irq(36, "nvme0q2", 10_000, 1));
    let far = [5_000, 0, 0, 0, 30_000, 3_000];
    add(&mut s, edge(by_irq(36, "nvme0q2"), 900, "db", (10_000 - cross, direct(6_000)), (cross, far)), 2, "0-3");
    s
}

#[test]
fn a_host_in_good_order_gives_none() {
    assert_eq!(check(&fine()), []);
    assert_eq!(check(&Snapshot::default()), []);
}

#[test]
fn names_are_kebab_case_and_unique() {
    for (i, rule) in RULES.iter().enumerate() {
        assert!(rule.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.name);
        assert!(RULES[..i].iter().all(|other| other.name != rule.name), "{} twice", rule.name);
        assert!(!rule.finds.is_empty());
    }
}

#[test]
fn the_headline() {
    let lint = check(&fio()).remove(0);
    assert_eq!(lint.name, "managed-irq-target-mismatch");
    assert_eq!(lint.severity, Severity::Warning);
    insta::assert_snapshot!(format!("{}\n{}", lint.evidence, lint.advice), @r"
    IRQ 36 virtio1-req.0 fires on CPU 1, its consumer fio (pid 4711) runs on CPU 0: 98 % of 52,340 wakes crossed CPUs, p50 63 us against 8.7 us on the same CPU; the IRQ is managed: move the thread.
    Let the thread run where its interrupt fires: `taskset -pc 1 4711`.
    ");
}

#[test]
fn cross_cpu_wake() {
    let lint = fires(&disk(5_000), "cross-cpu-wake");
    assert!(lint.advice.contains("`echo 2 > /proc/irq/36/smp_affinity_list`"), "{}", lint.advice);
    silent(&disk(4_999), "cross-cpu-wake");

    // A managed interrupt is the other rule's, and an interrupt that mostly serves others stays where it is.
    let mut s = disk(9_000);
    s.irqs[1].managed = Managed::Likely;
    silent(&s, "cross-cpu-wake");
    assert!(fires(&s, "managed-irq-target-mismatch").evidence.contains("likely managed"));
    let mut s = disk(9_000);
    s.irqs[1].consumers = vec![Consumer { tid: 901, wakes: 10_001, ..Consumer::default() }];
    assert!(fires(&s, "cross-cpu-wake").advice.contains("`taskset -pc 1 900`"));
}

#[test]
fn a_thread_that_wanders_is_sent_to_its_interrupt() {
    let mut s = disk(7_500);
    s.threads[1].cpu = 1;
    let lint = fires(&s, "cross-cpu-wake");
    assert!(lint.evidence.contains("runs on CPUs 0-3 in turn"), "{}", lint.evidence);
    assert!(lint.advice.contains("`taskset -pc 1 900`"), "{}", lint.advice);
}

#[test]
fn crossing_that_costs_nothing_is_no_lint() {
    let mut s = fine();
    s.irqs.push(irq(36, "nvme0q2", 10_000, 1));
    let near = edge(by_irq(36, "nvme0q2"), 900, "db", (500, direct(6_000)), (9_500, direct(8_000)));
    add(&mut s, near, 2, "0-3");
    silent(&s, "cross-cpu-wake");
}

/// A quiet host of two CPUs: fio reads with nothing else in flight, pinned away from the disk's managed interrupt. Both
/// the interrupt and the softirq that it raises wake it, spending `spent`, and hardly anything wakes without crossing.
fn quiet(spent: Spent) -> Snapshot {
    let mut s = fio();
    s.irqs[1].count = 100_000;
    let by_softirq = Cause { kind: CauseKind::Softirq, irq: Some(36), tid: None, name: "BLOCK".into() };
    let timer = Cause { kind: CauseKind::Irq, irq: None, tid: None, name: "LOC".into() };
    s.edges = vec![
        edge(by_softirq, 4711, "fio", (20, direct(9_000)), (59_980, spent)),
        edge(by_irq(36, "virtio1-req.0"), 4711, "fio", (20, direct(9_000)), (39_980, spent)),
        edge(timer, 30, "sshd", (400, direct(30_000)), (0, direct(0))),
    ];
    let [a, b, _] = &s.edges[..] else { unreachable!("three edges") };
    s.threads = vec![Thread { latency: [&a.latency, &b.latency].into_iter().collect(), ..woken(a, 0, "0") }];
    s
}

#[test]
fn nothing_to_compare_with_is_no_excuse() {
    let lint = fires(&quiet([3_000, 0, 0, 0, 15_000, 2_000]), "managed-irq-target-mismatch");
    assert_eq!((lint.severity, lint.irq, lint.tid), (Severity::Warning, Some(36), Some(4711)));
    insta::assert_snapshot!(format!("{}\n{}", lint.evidence, lint.advice), @r"
    IRQ 36 virtio1-req.0 fires on CPU 1, its consumer fio (pid 4711) runs on CPU 0: 100 % of 100,000 wakes crossed CPUs, p50 19 us (90 % for the IPI and idle exit), no same-CPU wakes to compare with yet; the IRQ is managed: move the thread.
    Let the thread run where its interrupt fires: `taskset -pc 1 4711`.
    ");
}

#[test]
fn interrupt_and_softirq_are_judged_together() {
    let host = |by_softirq| {
        let mut s = quiet([3_000, 0, 0, 0, 50_000, 2_000]);
        for (edge, wakes) in s.edges.iter_mut().zip([by_softirq, 60]) {
            *edge = sample::edge(edge.cause.clone(), 4711, "fio", (0, direct(0)), (wakes, [0, 0, 0, 0, 900_000, 0]));
        }
        s
    };
    assert!(fires(&host(40), "managed-irq-target-mismatch").evidence.contains("100 % of 100 wakes"));
    silent(&host(39), "managed-irq-target-mismatch");
}

#[test]
fn without_a_comparison_the_way_there_tells_how_much_it_matters() {
    let severity = |spent| fires(&quiet(spent), "managed-irq-target-mismatch").severity;
    assert_eq!(severity([60, 0, 0, 0, 60, 110]), Severity::Warning);
    assert_eq!(severity([60, 0, 0, 0, 60, 130]), Severity::Note);
    // Too short to matter, whatever it consists of.
    silent(&quiet([20, 0, 0, 0, 60, 10]), "managed-irq-target-mismatch");
}

#[test]
fn other_wakes_are_quoted_only_where_they_show_what_staying_saves() {
    let host = |irq, n, ns| {
        let mut s = quiet([3_000, 0, 0, 0, 15_000, 2_000]);
        s.edges.push(edge(by_irq(irq, "any"), 50, "other", (n, direct(ns)), (0, direct(0))));
        fires(&s, "managed-irq-target-mismatch").evidence
    };
    assert!(host(36, 100, 4_000).contains("for its wakes of other threads on the same CPU"));
    assert!(host(39, 100, 4_000).contains("for all same-CPU wakes by interrupts"));
    for evidence in [host(36, 59, 4_000), host(39, 59, 4_000), host(36, 100, 40_000), host(39, 100, 40_000)] {
        assert!(evidence.contains("no same-CPU wakes to compare with yet"), "{evidence}");
    }
}

#[test]
fn threads_that_cannot_be_moved_are_left_alone() {
    let mut s = quiet([3_000, 0, 0, 0, 15_000, 2_000]);
    s.edges.iter_mut().for_each(|edge| edge.comm = "kworker/u8:2".into());
    silent(&s, "managed-irq-target-mismatch");
}

#[test]
fn few_events_are_no_evidence() {
    for rule in ["cross-cpu-wake", "managed-irq-target-mismatch"] {
        let mut s = fine();
        s.irqs.push(Irq { managed: Managed::Yes, ..irq(36, "nvme0q2", 99, 1) });
        let slow = [0, 0, 0, 0, 30_000_000, 0];
        add(&mut s, edge(by_irq(36, "nvme0q2"), 900, "db", (0, direct(0)), (99, slow)), 2, "0-3");
        silent(&s, rule);
    }
}

#[test]
fn threadirq_not_following() {
    let host = |cpu| {
        let mut s = fine();
        s.irqs.push(irq(36, "nvme0q2", 10_000, 1));
        let cause = by_irq(36, "nvme0q2");
        add(&mut s, edge(cause, 77, "irq/36-nvme0q2", (0, direct(0)), (10_000, direct(20_000))), cpu, "0-3");
        s
    };
    let lint = fires(&host(2), "threadirq-not-following");
    assert!(lint.advice.contains("`taskset -pc 1 77`"));
    silent(&host(2), "cross-cpu-wake");
    silent(&host(1), "threadirq-not-following");
}

#[test]
fn napi_thread_elsewhere() {
    let host = |cross| {
        let mut s = fine();
        let edge =
            edge(by_irq(40, "eth0-0"), 78, "napi/eth0-8193", (10_000 - cross, direct(9_000)), (cross, direct(20_000)));
        add(&mut s, edge, 3, "0-3");
        s
    };
    assert!(fires(&host(5_000), "napi-thread-elsewhere").advice.contains("`taskset -pc 0 78`"));
    silent(&host(4_999), "napi-thread-elsewhere");
}

#[test]
fn run_queue_contention_names_the_occupant() {
    let host = |held_ns, occupant: Occupant| {
        let mut s = fine();
        let mut edge =
            edge(by_task(5, "dispatcher"), 900, "db", (10_000, [0, held_ns, 0, 0, 0, 20_000]), (0, direct(0)));
        edge.occupants = vec![occupant];
        add(&mut s, edge, 2, "0-3");
        s
    };
    let batch = || Occupant { tid: 950, comm: "batch".into(), held_ns: 1 };
    let lint = fires(&host(30_000, batch()), "run-queue-contention");
    assert!(lint.evidence.contains("behind batch (thread 950)"), "{}", lint.evidence);
    assert!(lint.advice.contains("950`"), "{}", lint.advice);
    silent(&host(19_000, batch()), "run-queue-contention");
    // The waker itself holds the CPU until it blocks: a hand-over.
    silent(&host(30_000, Occupant { tid: 5, ..batch() }), "run-queue-contention");
}

#[test]
fn kernel_threads_never_get_a_priority() {
    let host = |comm: &str, occupant: &str, idle_share| {
        let mut s = fine();
        s.cpus.iter_mut().for_each(|cpu| cpu.idle_share = idle_share);
        let mut edge = edge(by_task(5, "dispatcher"), 17, comm, (10_000, [0, 900_000, 0, 0, 0, 0]), (0, direct(0)));
        edge.occupants = vec![Occupant { tid: 950, comm: occupant.into(), held_ns: 1 }];
        add(&mut s, edge, 2, "0-3");
        s
    };
    assert!(fires(&host("db", "batch", 0.0), "run-queue-contention").advice.contains("`chrt -f -p 1 17`"));
    silent(&host("rcu_preempt", "batch", 0.0), "run-queue-contention");
    // What holds its CPU can go elsewhere, unless that is the kernel's too.
    let lint = fires(&host("rcu_preempt", "batch", 0.9), "run-queue-contention");
    assert!(lint.advice.contains("Give batch a CPU of its own"), "{}", lint.advice);
    silent(&host("rcu_preempt", "kworker/2:1", 0.9), "run-queue-contention");
    let lint = fires(&host("db", "kswapd0", 0.9), "run-queue-contention");
    assert!(lint.advice.contains("Give db a CPU of its own"), "{}", lint.advice);
}

#[test]
fn deep_cstate_before_wake() {
    let host = |state: usize| {
        let mut s = fine();
        let mut edge = edge(by_irq(40, "eth0-0"), 900, "db", (10_000, [0, 0, 0, 0, 90_000, 3_000]), (0, direct(0)));
        edge.idle_states = vec![0; 4];
        edge.idle_states[state] = 9_000;
        add(&mut s, edge, 2, "0-3");
        s
    };
    let lint = fires(&host(3), "deep-cstate-before-wake");
    assert!(lint.evidence.contains("state 3 C6"), "{}", lint.evidence);
    assert!(lint.advice.contains("`cpupower -c 2 idle-set -d 3`"), "{}", lint.advice);
    silent(&host(1), "deep-cstate-before-wake");
}

#[test]
fn softirq_deferred_to_ksoftirqd() {
    let host = |wakes| {
        let mut s = fine();
        add(&mut s, edge(by_irq(40, "eth0-0"), 15, "ksoftirqd/0", (wakes, direct(400_000)), (0, direct(0))), 0, "0");
        s
    };
    let lint = fires(&host(500), "softirq-deferred-to-ksoftirqd");
    assert!(lint.advice.contains("/proc/irq/40/"), "{}", lint.advice);
    silent(&host(499), "softirq-deferred-to-ksoftirqd");
    let mut realtime = host(500);
    realtime.host.realtime = true;
    silent(&realtime, "softirq-deferred-to-ksoftirqd");
}

#[test]
fn softirq_delay() {
    let host = |name: &str, median_ns| {
        let mut s = fine();
        let delay = dist(median_ns, 5_000);
        s.softirqs.push(Softirq {
            name: name.into(),
            count: 5_000,
            delay,
            per_cpu: vec![(3, 5_000)],
            ..Softirq::default()
        });
        s
    };
    assert!(fires(&host("NET_RX", 700_000), "softirq-delay").evidence.contains("CPU 3"));
    silent(&host("NET_RX", 400_000), "softirq-delay");
    silent(&host("RCU", 700_000), "softirq-delay");
}

#[test]
fn irq_on_pinned_thread_cpu() {
    let host = |hardirq_ns, allowed: &str| {
        let mut s = fine();
        let edge = edge(by_task(5, "feeder"), 900, "engine", (10_000, [0, 0, hardirq_ns, 0, 0, 8_000]), (0, direct(0)));
        add(&mut s, edge, 0, allowed);
        s
    };
    let lint = fires(&host(2_100, "0"), "irq-on-pinned-thread-cpu");
    assert_eq!((lint.irq, lint.tid), (Some(40), Some(900)));
    silent(&host(1_900, "0"), "irq-on-pinned-thread-cpu");
    silent(&host(2_100, "0-3"), "irq-on-pinned-thread-cpu");
}

#[test]
fn irq_on_isolated() {
    let host = |count| {
        let mut s = fine();
        s.host.isolated = "2-3".into();
        s.irqs.push(irq(36, "nvme0q2", count, 2));
        s
    };
    assert!(fires(&host(10), "irq-on-isolated").advice.contains("/proc/irq/36/"));
    silent(&host(9), "irq-on-isolated");
    // Pinned together on purpose.
    let mut s = host(10_000);
    s.irqs[1].consumers = vec![Consumer { tid: 900, ..Consumer::default() }];
    add(&mut s, edge(by_irq(36, "nvme0q2"), 900, "engine", (10_000, direct(3_000)), (0, direct(0))), 2, "2");
    silent(&s, "irq-on-isolated");
}

#[test]
fn irq_on_remote_node() {
    let host = |count, home, allowed: &str| {
        let mut s = fine();
        s.cpus[2].node = Some(1);
        s.cpus[3].node = Some(1);
        let queue = irq(36, "mlx5_comp0", count, 2);
        let consumer = Consumer { tid: 900, comm: "db".into(), wakes: count, cross_cpu_share: 0.0 };
        s.irqs.push(Irq { node: home, consumers: vec![consumer], ..queue });
        add(&mut s, edge(by_irq(36, "mlx5_comp0"), 900, "db", (10_000, direct(3_000)), (0, direct(0))), 2, allowed);
        s
    };
    let lint = fires(&host(10_000, Some(0), "0-3"), "irq-on-remote-node");
    insta::assert_snapshot!(format!("{}\n{}", lint.evidence, lint.advice), @r"
    IRQ 36 mlx5_comp0 fires 1,000/s on CPU 2 of node 1, its device mlx5_comp0 sits on node 0.
    Move it to its device's node, and its consumer db along: `echo 1 > /proc/irq/36/smp_affinity_list`, `taskset -pc 1 900`.
    ");
    silent(&host(9_999, Some(0), "0-3"), "irq-on-remote-node");
    silent(&host(10_000, Some(1), "0-3"), "irq-on-remote-node");
    silent(&host(10_000, None, "0-3"), "irq-on-remote-node");
    // Brought to a thread that may run there only, or not to be moved at all.
    silent(&host(10_000, Some(0), "2-3"), "irq-on-remote-node");
    let mut s = host(10_000, Some(0), "0-3");
    s.irqs[1].managed = Managed::Yes;
    silent(&s, "irq-on-remote-node");
}

#[test]
fn many_irqs_one_cpu() {
    let host = |vectors| {
        let mut s = fine();
        s.cpus[0].softirq_share = 0.2;
        s.irqs.extend((1..vectors).map(|i| irq(40 + i, &format!("eth0-{i}"), 5_000, 0)));
        s
    };
    let lint = fires(&host(3), "many-irqs-one-cpu");
    assert!(lint.advice.contains("/proc/irq/41/"), "{}", lint.advice);
    silent(&host(2), "many-irqs-one-cpu");
}

#[test]
fn pending_move() {
    let host = |affinity: &str| {
        let mut s = fine();
        s.irqs[0].affinity = affinity.into();
        s
    };
    assert!(fires(&host("2"), "pending-move").evidence.contains("set to CPU 2 but still fires on CPU 0"));
    // A mask of several CPUs is a choice, and the effective CPU is one of them.
    silent(&host("0-2"), "pending-move");
    silent(&host(""), "pending-move");
}

#[test]
fn hint_ignored() {
    let host = |hint: &str| {
        let mut s = fine();
        s.irqs[0].hint = hint.into();
        s
    };
    assert_eq!(fires(&host("1"), "hint-ignored").severity, Severity::Note);
    silent(&host("0-1"), "hint-ignored");
    // A hint for CPUs that are offline cannot be followed.
    silent(&host("64"), "hint-ignored");
}

#[test]
fn irqbalance_running() {
    let host = |affinity: &str, pid| {
        let mut s = fine();
        s.irqs[0].affinity = affinity.into();
        s.host.irqbalance_pid = pid;
        s
    };
    assert!(fires(&host("0", Some(612)), "irqbalance-running").evidence.contains("pid 612"));
    silent(&host("0-3", Some(612)), "irqbalance-running");
    silent(&host("0", None), "irqbalance-running");
}

#[test]
fn lost_events() {
    let host = |aliased| {
        let mut s = fine();
        s.runqueue.count = 99_900;
        s.losses = Losses { aliased, per_cpu: vec![(3, aliased)], ..Losses::default() };
        s
    };
    assert!(fires(&host(100), "lost-events").evidence.contains("aliased; CPU 3 lost 100"));
    silent(&host(99), "lost-events");
}

#[test]
fn one_problem_is_not_told_a_hundred_times() {
    let mut s = fine();
    s.host.isolated = "3".into();
    s.irqs.extend((0..20).map(|i| irq(60 + i, "mlx5_comp", 1_000, 3)));
    let lints: Vec<Lint> = check(&s).into_iter().filter(|lint| lint.name == "irq-on-isolated").collect();
    assert_eq!(lints.len(), MAX_PER_RULE);
    assert!(lints[MAX_PER_RULE - 1].evidence.ends_with("(17 more like this)."));
}

#[test]
fn warnings_come_first() {
    let mut s = disk(9_000);
    s.irqs[0].hint = "1".into();
    let severities: Vec<Severity> = check(&s).iter().map(|lint| lint.severity).collect();
    assert_eq!(severities, [Severity::Warning, Severity::Note]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_window_can_be_judged_and_always_alike(s in arbitrary()) {
        let lints = check(&s);
        prop_assert_eq!(&check(&s), &lints);
        prop_assert!(lints.iter().all(|lint| !lint.name.is_empty() && lint.evidence.ends_with('.') && lint.advice.ends_with('.')));
        prop_assert!(lints.is_sorted_by_key(|lint| std::cmp::Reverse((lint.severity, lint.lost_ns))));
    }
}
