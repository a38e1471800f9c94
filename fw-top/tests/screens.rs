//! Every pane in three sizes and every state that changes it, as text.

mod common;

use common::Driver;
use fw_agent::model::{Dist, Snapshot};
use fw_top::{app::Tab, sample};

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 15)];

fn check(name: &str, tab: Tab, drive: impl Fn(Driver) -> Driver) {
    for size in SIZES {
        let mut driver = drive(Driver::new(tab, size));
        insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), driver.screen());
    }
}

fn name(tab: Tab) -> String {
    tab.label().to_lowercase()
}

#[test]
fn normal() {
    for tab in Tab::ALL {
        check(&name(tab), tab, |d| d.window(common::busy()));
    }
}

#[test]
fn nothing_was_woken() {
    for tab in Tab::ALL {
        check(&format!("{}_empty", name(tab)), tab, |d| d.window(sample::idle()));
    }
}

#[test]
fn events_were_lost() {
    for tab in [Tab::Overview, Tab::Host] {
        check(&format!("{}_lost", name(tab)), tab, |d| d.window(sample::lossy()));
    }
}

#[test]
fn nothing_pays_too_much() {
    check("overview_well", Tab::Overview, |d| d.window(Snapshot { lints: Vec::new(), ..common::busy() }));
}

#[test]
fn a_filter_matches_nothing() {
    check("overview_no_match", Tab::Overview, |d| {
        d.window(Snapshot { filter: "--comm nosuch".into(), ..sample::idle() })
    });
}

#[test]
fn paused() {
    check("overview_paused", Tab::Overview, |d| d.window(common::busy()).keys(" ").window(sample::idle()));
}

#[test]
fn help() {
    check("help", Tab::Overview, |d| d.window(common::busy()).keys("?"));
}

#[test]
fn an_edge_opened() {
    check("edge", Tab::Edges, |d| (0..60).fold(d, |d, i| d.window(drifting(i))).window(common::busy()).keys("\n"));
    check("edge_scrolled", Tab::Edges, |d| d.window(common::busy()).keys("\n↓"));
    check("edge_gone", Tab::Edges, |d| d.window(common::busy()).keys("\n").window(sample::idle()));
}

/// The busy host, its worst edge slower every few windows.
fn drifting(window: u64) -> Snapshot {
    let mut s = common::busy();
    let slower = 1 << (window / 9 % 4);
    s.edges[0].latency = Dist::of((0..1_000).map(|i| 9_000 * slower + i * i * slower / 6));
    for cpu in &mut s.cpus {
        cpu.wakes.latency = Dist::of((0..100).map(|i| i * 900 * slower));
    }
    s
}

#[test]
fn searching() {
    check("edges_search", Tab::Edges, |d| d.window(common::busy()).keys("/redis"));
    check("edges_search_none", Tab::Edges, |d| d.window(common::busy()).keys("/nosuch\n"));
    check("threads_one_process", Tab::Threads, |d| d.window(common::busy()).keys("jf"));
}

#[test]
fn before_the_first_window() {
    check("collecting", Tab::Overview, |d| d);
}

#[test]
fn a_terminal_without_room_says_what_it_needs() {
    for size in [(39, 15), (80, 11), (9, 4), (1, 1)] {
        let mut driver = Driver::new(Tab::Overview, size).window(common::busy());
        insta::assert_snapshot!(format!("too_small_{}x{}", size.0, size.1), driver.screen());
    }
}

#[test]
fn many_cpus() {
    check("overview_huge", Tab::Overview, |d| d.window(sample::huge(1_024, 400, 200)));
    check("irqs_huge", Tab::Irqs, |d| d.window(sample::huge(1_024, 400, 200)));
}
