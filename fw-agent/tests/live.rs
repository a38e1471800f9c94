//! The probes on the kernel that the tests run on. They need root (or CAP_BPF and CAP_PERFMON); without, each test says
//! that it is skipped.

use std::{
    fs::{self, File},
    io::{Read, Write},
    os::{fd::AsFd, unix::fs::OpenOptionsExt},
    thread,
};

use fw_agent::{
    Error,
    model::{CauseKind, Edge, Snapshot},
    observe::{Filter, Observer, Options},
    probe::Family,
};
use rustix::{
    pipe::pipe,
    thread::{CpuSet, gettid, sched_getcpu, sched_setaffinity},
};

/// Observes while `load` runs; nothing if this host does not allow it.
fn observe<T>(options: &Options, load: impl FnOnce() -> T) -> Option<(Snapshot, T)> {
    let mut observer = match Observer::start(options) {
        Err(e @ (Error::Denied { .. } | Error::NoBtf { .. } | Error::KernelTooOld { .. })) => {
            println!("skipped: {e}");
            return None;
        }
        started => started.unwrap_or_else(|e| panic!("{e}")),
    };
    let done = load();
    Some((observer.snapshot().unwrap(), done))
}

fn only(filter: Filter) -> Options {
    Options { filter, ..Options::default() }
}

fn tid() -> u32 {
    gettid().as_raw_nonzero().get() as u32
}

fn pin(cpu: usize) {
    let mut set = CpuSet::new();
    set.set(cpu);
    // The calling thread, which is this test's own.
    sched_setaffinity(None, &set).unwrap();
}

/// Two threads on one CPU that wake each other `rounds` times; gives their ids.
fn ping_pong(rounds: usize) -> [u32; 2] {
    let cpu = sched_getcpu();
    let (to_pong, from_ping) = pipe().unwrap();
    let (to_ping, from_pong) = pipe().unwrap();
    let side = |read: std::os::fd::OwnedFd, write: std::os::fd::OwnedFd, first: bool| {
        thread::spawn(move || {
            pin(cpu);
            let (mut read, mut write) = (File::from(read), File::from(write));
            let mut ball = [0];
            if first {
                write.write_all(&ball).unwrap();
            }
            // The other side may be done already with the last round.
            for _ in 0..rounds {
                if read.read_exact(&mut ball).is_err() || write.write_all(&ball).is_err() {
                    break;
                }
            }
            tid()
        })
    };
    let (ping, pong) = (side(to_ping, from_ping, true), side(to_pong, from_pong, false));
    [ping.join().unwrap(), pong.join().unwrap()]
}

fn edge_between(snapshot: &Snapshot, waker: u32, woken: u32) -> &Edge {
    let found = snapshot.edges.iter().find(|e| e.cause.tid == Some(waker) && e.tid == woken);
    found.unwrap_or_else(|| panic!("no edge {waker} -> {woken} among {:#?}", snapshot.edges))
}

#[test]
fn threads_that_wake_each_other_are_an_edge_each_way() {
    const ROUNDS: usize = 2000;
    let own = only(Filter { pid: Some(std::process::id()), ..Filter::default() });
    let Some((snapshot, [ping, pong])) = observe(&own, || ping_pong(ROUNDS)) else { return };
    for (waker, woken) in [(ping, pong), (pong, ping)] {
        let edge = edge_between(&snapshot, waker, woken);
        // A ball that comes before its reader sleeps wakes nobody: at most every round is a wake.
        assert!(edge.wakes > ROUNDS as u64 / 4 && edge.wakes <= ROUNDS as u64 + 1, "{} wakes", edge.wakes);
        assert_eq!(edge.cross_cpu_share, 0.0, "both are pinned to one CPU");
        assert_eq!(edge.latency.count(), edge.wakes);
        let legs: u64 = edge.legs.wake().iter().map(|(_, leg)| leg.sum_ns).sum();
        assert_eq!(legs, edge.latency.sum_ns, "the legs of a wake add up to it: {:#?}", edge.legs);
        assert_eq!(edge.pid, std::process::id());
    }
    assert_eq!(snapshot.losses.total(), 0, "{:?}", snapshot.losses);
}

#[test]
fn a_timer_wakes_its_sleeper_and_no_interrupted_thread_is_blamed() {
    const NAPS: u64 = 50;
    let nap = || {
        for _ in 0..NAPS {
            thread::sleep(std::time::Duration::from_micros(500));
        }
        tid()
    };
    let Some((snapshot, sleeper)) = observe(&Options::default(), || thread::spawn(nap).join().unwrap()) else { return };
    let (by_interrupt, by_others): (Vec<&Edge>, Vec<&Edge>) =
        snapshot.edges.iter().filter(|e| e.tid == sleeper).partition(|e| e.cause.kind != CauseKind::Task);
    let wakes = |edges: &[&Edge]| edges.iter().map(|e| e.wakes).sum::<u64>();
    assert!(wakes(&by_interrupt) >= NAPS * 9 / 10, "{by_interrupt:#?}");
    // Its creation is a wake by this thread.
    assert!(wakes(&by_others) <= 2, "{by_others:#?}");
}

/// Reads a file of its own from the disk, past the page cache.
fn read_disk(file: &File, reads: u64) -> u32 {
    // Direct reads want aligned memory.
    #[repr(align(4096))]
    struct Page([u8; 4096]);
    let mut page = Page([0; 4096]);
    for i in 0..reads {
        rustix::io::pread(file.as_fd(), &mut page.0, i % 64 * 4096).unwrap();
    }
    tid()
}

#[test]
fn the_disks_interrupt_is_counted_as_the_kernel_counts_it_and_wakes_its_reader() {
    const READS: u64 = 2000;
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("disk");
    fs::write(&path, vec![7u8; 64 * 4096]).unwrap();
    File::open(&path).unwrap().sync_all().unwrap();
    let direct = fs::OpenOptions::new().read(true).custom_flags(0o40000).open(&path);
    let Ok(file) = direct else {
        println!("skipped: {} does not take direct reads", path.display());
        return;
    };
    let load = || thread::spawn(move || read_disk(&file, READS)).join().unwrap();
    let Some((snapshot, reader)) = observe(&Options::default(), load) else { return };
    let disk = snapshot.irqs.iter().find(|i| i.consumers.iter().any(|c| c.tid == reader && c.wakes > READS / 2));
    let Some(disk) = disk else {
        println!("skipped: no interrupt woke the reader (a disk without interrupts?)");
        return;
    };
    let (kernel, probes) = (disk.count, disk.handler.count());
    // The two are read one after the other: what fires in between is within 1 %, but for a few.
    let apart = kernel.abs_diff(probes);
    assert!(apart <= kernel / 100 + 3, "/proc/interrupts {kernel}, probes {probes}");
    assert!(kernel >= READS / 2, "{kernel} interrupts for {READS} reads");
    let before: u64 = snapshot
        .edges
        .iter()
        .filter(|e| e.tid == reader && e.cause.irq == disk.irq)
        .map(|e| e.legs.handler.count().max(e.legs.softirq_run.count()))
        .sum();
    assert!(before > READS / 2, "the chain before the waking is seen");
}

#[test]
fn a_filter_counts_its_threads_only() {
    let comm = Filter { comm: Some("no-such-thread".into()), ..Filter::default() };
    let Some((nobody, _)) = observe(&only(comm), || ping_pong(100)) else { return };
    assert!(nobody.threads.is_empty() && nobody.edges.is_empty(), "{:#?}", nobody.threads);
    assert_eq!((nobody.wakes.count, nobody.runqueue.count), (0, 0));

    let Some((own, [ping, _])) =
        observe(&only(Filter { pid: Some(std::process::id()), ..Filter::default() }), || ping_pong(100))
    else {
        return;
    };
    assert!(own.threads.iter().any(|t| t.tid == ping));
    assert!(own.threads.iter().all(|t| t.pid == std::process::id()), "{:#?}", own.threads);

    let irq = Filter { irq: Some("no-such-device".into()), ..Filter::default() };
    let Some((none, _)) = observe(&only(irq), || ping_pong(100)) else { return };
    assert!(none.edges.is_empty() && none.irqs.is_empty());
}

#[test]
fn a_cgroup_filter_takes_this_process_by_its_own_cgroup_and_not_by_another() {
    let mine = fs::read_to_string("/proc/self/cgroup").unwrap();
    let Some(path) = mine.lines().find_map(|l| l.strip_prefix("0::")) else {
        println!("skipped: no cgroup v2 hierarchy");
        return;
    };
    let filter = Filter { cgroup: Some(path.into()), ..Filter::default() };
    let Some((snapshot, [ping, _])) = observe(&only(filter), || ping_pong(100)) else { return };
    assert!(snapshot.threads.iter().any(|t| t.tid == ping), "{path}: {:#?}", snapshot.threads);

    let nowhere = Filter { cgroup: Some("/no/such/cgroup".into()), ..Filter::default() };
    let error = Observer::start(&only(nowhere)).err().expect("no such cgroup").to_string();
    assert!(error.contains("/no/such/cgroup"), "{error}");
}

#[test]
fn threads_that_come_and_go_leave_their_wakes_behind_and_no_records() {
    let spawn_many = || {
        for _ in 0..300 {
            thread::spawn(|| ()).join().unwrap();
        }
    };
    let own = only(Filter { pid: Some(std::process::id()), ..Filter::default() });
    let Some((snapshot, ())) = observe(&own, spawn_many) else { return };
    let exited = snapshot.threads.iter().filter(|t| t.exited).count();
    assert!(exited >= 290, "{exited} of 300 threads seen to exit");
    let wakes: u64 = snapshot.threads.iter().map(|t| t.wakes).sum();
    // The two are read one after the other, at both ends of the window.
    assert!(wakes.abs_diff(snapshot.wakes.count) <= 5, "threads {wakes}, CPUs {}", snapshot.wakes.count);
    assert_eq!(snapshot.losses.total(), 0, "{:?}", snapshot.losses);
}

#[test]
fn a_program_that_is_gone_is_called_by_its_own_name() {
    let run = || std::process::Command::new("sleep").arg("0.01").status().unwrap();
    let Some((snapshot, status)) = observe(&Options::default(), run) else { return };
    assert!(status.success());
    assert!(snapshot.threads.iter().any(|t| t.comm == "sleep" && t.exited), "{:#?}", snapshot.threads);
}

#[test]
fn a_family_alone_is_all_that_is_attached() {
    let options = Options { families: [Family::Irqs].into(), ..Options::default() };
    let Some((snapshot, _)) = observe(&options, || ping_pong(100)) else { return };
    assert_eq!(snapshot.wakes.count, 0);
    assert!(snapshot.softirqs.is_empty());
    assert!(snapshot.own.probes.iter().all(|p| !p.name.starts_with("sched_")), "{:?}", snapshot.own.probes);
}

#[test]
fn shares_of_a_cpu_are_shares() {
    let Some((snapshot, _)) = observe(&Options::default(), || ping_pong(500)) else { return };
    for cpu in &snapshot.cpus {
        let sum = cpu.hardirq_share + cpu.softirq_share + cpu.idle_share;
        assert!((0.0..=1.05).contains(&sum), "{cpu:?}");
    }
}
