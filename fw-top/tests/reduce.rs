//! What keys, clicks and windows do to the state.

mod common;

use common::Driver;
use fw_agent::model::{Edge, Snapshot};
use fw_top::{
    app::{Effect, Event, Tab, Target, orders, reduce},
    sample,
};
use proptest::prelude::*;
use std::time::Duration;

fn driver(tab: Tab) -> Driver {
    Driver::new(tab, (120, 40)).window(common::busy())
}

fn selected(d: &Driver) -> &Edge {
    d.app.selected_edge().expect("an edge is selected")
}

#[test]
fn tabs_by_key_and_by_click() {
    let mut d = driver(Tab::Overview).keys("\t\t");
    assert_eq!(d.app.tab, Tab::Threads);
    d.press('6');
    assert_eq!(d.app.tab, Tab::Host);
    d.press('\t');
    assert_eq!(d.app.tab, Tab::Overview);
    let (area, target) = d.app.layout.targets[3];
    assert_eq!(d.app.layout.target(area.x, area.y), Some(target));
    reduce(&mut d.app, Event::Click(target));
    assert_eq!(d.app.tab, Tab::Edges);
}

#[test]
fn a_click_selects_and_a_second_one_opens() {
    let mut d = driver(Tab::Edges);
    reduce(&mut d.app, Event::Click(Target::Row(2)));
    assert_eq!((selected(&d).comm.as_str(), d.app.opened.is_some()), ("redis-server", false));
    reduce(&mut d.app, Event::Click(Target::Row(2)));
    assert_eq!(d.app.opened_edge().map(|e| e.comm.as_str()), Some("redis-server"));
}

#[test]
fn the_wheel_moves_within_the_list() {
    let mut d = driver(Tab::Edges);
    reduce(&mut d.app, Event::Wheel(3));
    assert_eq!(d.app.list().selected(), 3);
    reduce(&mut d.app, Event::Wheel(-9));
    assert_eq!(d.app.list().selected(), 0);
    reduce(&mut d.app, Event::Wheel(99));
    assert_eq!(d.app.list().selected(), d.app.list().rows().len() - 1);
}

#[test]
fn the_selection_follows_its_row() {
    let d = driver(Tab::Edges).keys("jj");
    let tid = selected(&d).tid;
    let mut other = common::busy();
    other.edges.reverse();
    other.edges.pop();
    let d = d.window(other).keys("S");
    assert_eq!(selected(&d).tid, tid);
}

#[test]
fn the_first_row_is_the_worst_one_whichever_that_is() {
    let mut other = common::busy();
    other.edges.remove(0);
    let d = driver(Tab::Overview).window(other).window(common::busy());
    assert_eq!((d.app.list().selected(), selected(&d).comm.as_str()), (0, "fio"));
}

#[test]
fn a_row_that_vanishes_leaves_its_place_selected() {
    let d = driver(Tab::Threads).keys("G");
    let mut fewer = common::busy();
    fewer.threads.truncate(2);
    let d = d.window(fewer);
    assert_eq!(d.app.list().selected(), 1);
    let d = d.window(sample::idle());
    assert_eq!((d.app.list().selected(), d.app.selected_thread()), (0, None));
}

#[test]
fn enter_opens_the_worst_edge_and_escape_leaves() {
    for tab in [Tab::Overview, Tab::Irqs, Tab::Threads, Tab::Edges] {
        let d = driver(tab).keys("\n");
        assert_eq!(d.app.opened_edge().map(|e| (e.tid, e.cause.irq)), Some((4711, Some(36))), "{tab:?}");
        assert!(d.keys("\u{1b}").app.opened.is_none());
    }
    let d = driver(Tab::Irqs).keys("G\n");
    assert!(d.app.opened.is_none() && d.app.notice.is_some());
}

#[test]
fn an_opened_edge_may_come_and_go() {
    let d = driver(Tab::Edges).keys("\n").window(sample::idle());
    assert!(d.app.opened.is_some() && d.app.opened_edge().is_none());
    assert!(d.window(common::busy()).app.opened_edge().is_some());
}

#[test]
fn pausing_keeps_the_screen_and_collects_on() {
    let mut d = driver(Tab::Overview).keys(" ");
    let before = d.screen();
    let mut d = d.window(sample::idle()).window(sample::idle());
    assert_eq!(d.screen(), before);
    let d = d.keys(" ");
    assert_eq!((d.app.snapshot().wakes.count, d.app.view().history.len()), (0, 3));
}

#[test]
fn reset_forgets_the_history() {
    let d = driver(Tab::Overview).keys("r");
    assert!(d.app.view().history.is_empty());
}

#[test]
fn searching_narrows_while_typing() {
    let mut d = driver(Tab::Edges).keys("/REDi");
    assert_eq!(d.app.list().rows().len(), 1);
    // q is a letter here.
    assert_eq!(d.press('q'), Effect::None);
    assert!(d.app.list().rows().is_empty());
    let d = d.keys("\u{8}\u{8}\u{8}\u{8}\u{8}4711\n");
    assert_eq!(d.app.list().rows().len(), 2, "numbers are found too");
    assert!(!d.app.search.editing);
    let all = driver(Tab::Edges).app.list().rows().len();
    assert_eq!(d.keys("\u{1b}").app.list().rows().len(), all);
}

#[test]
fn the_filter_holds_on_every_tab() {
    let d = driver(Tab::Threads).keys("f");
    assert_eq!(d.app.process, Some((4711, "fio".into())));
    let d = d.keys("4");
    assert!(d.app.list().rows().iter().all(|&i| d.app.snapshot().edges[i].pid == 4711));
    let d = d.keys("2");
    assert_eq!(d.app.list().rows().len(), 1, "only the interrupt that wakes it");
    let d = d.keys("4f");
    assert!(d.app.process.is_none());
    assert!(driver(Tab::Softirqs).keys("f").app.notice.is_some());
}

#[test]
fn sorting_goes_round_the_columns() {
    for tab in [Tab::Irqs, Tab::Threads, Tab::Edges, Tab::Softirqs] {
        let mut d = driver(tab);
        for order in orders(tab) {
            assert_eq!(d.app.list().order(tab).map(|(o, _)| o.title), Some(order.title));
            assert!(d.screen().contains(&format!("{}▼", order.title)), "{tab:?}: no column {}", order.title);
            let forwards = d.app.list().rows().to_vec();
            d.press('S');
            assert!(d.screen().contains(&format!("{}▲", order.title)));
            d.press('S');
            assert_eq!(d.app.list().rows(), forwards);
            d.press('s');
        }
        assert_eq!(d.app.list().order(tab).map(|(o, _)| o.title), Some(orders(tab)[0].title));
    }
}

#[test]
fn ticks_stay_in_range() {
    let mut d = driver(Tab::Overview);
    assert_eq!(d.press('+'), Effect::Tick(Duration::from_secs(2)));
    for _ in 0..9 {
        d.press('+');
    }
    assert_eq!(d.app.tick, Duration::from_secs(10));
    assert_eq!(d.press('+'), Effect::None);
    for _ in 0..9 {
        d.press('-');
    }
    assert_eq!(d.app.tick, Duration::from_millis(250));
    assert!(d.app.notice.is_some());
}

#[test]
fn quitting() {
    let mut d = driver(Tab::Overview).keys("?");
    assert!(d.app.help);
    assert_eq!(d.press('q'), Effect::Quit);
}

/// A made-up window with some of everything missing.
fn windows() -> impl Strategy<Value = Snapshot> {
    let sizes = (0usize..8, 0usize..8, 0usize..8, 0usize..6, 0usize..4, 0.0f64..2.0, any::<u64>());
    sizes.prop_map(|(irqs, threads, edges, softirqs, cpus, window_s, seed)| {
        let mut s = common::busy();
        let by = (seed % 4) as usize;
        s.irqs.rotate_left(by);
        s.edges.rotate_left(by);
        s.threads.rotate_left(by);
        s.irqs.truncate(irqs);
        s.threads.truncate(threads);
        s.edges.truncate(edges);
        s.softirqs.truncate(softirqs);
        s.cpus.truncate(cpus);
        s.lints.truncate(irqs);
        s.window_s = window_s;
        // Counters that wrapped or came from a hostile place.
        if seed.is_multiple_of(3) {
            s.host.uptime_s = seed;
            s.losses.clock = seed >> 8;
            if let Some(e) = s.edges.first_mut() {
                (e.wakes, e.cross_cpu_share, e.idle_states) = (seed, f64::NAN, vec![seed; 9]);
                e.comm = "\u{1b}[2J日本語\n".repeat(9);
            }
            if let Some(i) = s.irqs.first_mut() {
                (i.count, i.per_cpu) = (seed, (0..600).map(|c| (c * 7_000_000, seed)).collect());
            }
        }
        s
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn nothing_a_user_or_a_host_does_panics(
        steps in prop::collection::vec((prop::option::weighted(0.2, windows()), "[ -~\n\t\u{1b}\u{8}↓↑]{0,6}"), 1..12),
        size in (1u16..150, 1u16..50),
        wheel in -5isize..5,
        row in 0usize..20,
    ) {
        let mut d = Driver::new(Tab::Overview, size).window(common::busy());
        for (window, keys) in steps {
            if let Some(window) = window {
                d = d.window(window);
            }
            d = d.keys(&keys);
            reduce(&mut d.app, Event::Wheel(wheel));
            reduce(&mut d.app, Event::Click(Target::Row(row)));
            d.draw();
            let list = d.app.list();
            prop_assert!(list.selected() < list.rows().len().max(1));
            let s = d.app.snapshot();
            let all = match d.app.tab {
                Tab::Overview | Tab::Edges => s.edges.len(),
                Tab::Irqs => s.irqs.len(),
                Tab::Threads => s.threads.len(),
                Tab::Softirqs => s.softirqs.len(),
                Tab::Host => 0,
            };
            prop_assert!(list.rows().iter().all(|&row| row < all));
        }
    }
}
