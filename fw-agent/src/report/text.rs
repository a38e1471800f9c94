//! Text: the answer first, then the evidence. Fits [`WIDTH`](super::WIDTH) columns, every number with its unit.

use super::{printable, sections, table::wrap};
use crate::model::{Severity, Snapshot, units};
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Writes the window; tables have at most `top` rows and say how many they left out.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut impl Write, snapshot: &Snapshot, top: usize) -> io::Result<()> {
    out.write_all(render(snapshot, top).as_bytes())
}

/// The window as text, see [`write`].
pub fn render(snapshot: &Snapshot, top: usize) -> String {
    let mut text = head(snapshot);
    text.push_str(&judgements(snapshot));
    for section in sections::all(snapshot, top) {
        text.push('\n');
        text.push_str(&section);
    }
    text
}

/// Which host, which window, and its wakes in one line.
fn head(s: &Snapshot) -> String {
    let host = &s.host;
    let mut text = wrap(
        "",
        &format!(
            "{}  {}  {}  up {}  window {:.1} s",
            host.name,
            host.kernel,
            units::plural(host.cpus_online.into(), "CPU"),
            units::uptime(host.uptime_s),
            s.window_s
        ),
    );
    if !s.filter.is_empty() {
        text.push_str(&wrap("", &format!("only {}", s.filter)));
    }
    for (what, count, latency) in
        [("wakes", s.wakes.count, &s.wakes.latency), ("run queue", s.runqueue.count, &s.runqueue.latency)]
    {
        let quantiles = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];
        let quantiles = quantiles.map(|(name, q)| format!("  {name} {}", units::ns(latency.quantile(q)))).concat();
        let figures =
            if count == 0 { String::new() } else { format!("{quantiles}  max {}", units::ns(latency.max_ns)) };
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{what:<10}{:>11}{figures}", units::rate(count, s.window_s));
    }
    text
}

/// The lints' sentences, or that there are none.
fn judgements(s: &Snapshot) -> String {
    let mut text = String::from("\n");
    for lint in &s.lints {
        let mark = if lint.severity == Severity::Warning { "! " } else { "- " };
        text.push_str(&wrap(mark, &format!("{}: {}", lint.name, lint.evidence)));
        text.push_str(&wrap("  -> ", &lint.advice));
    }
    if s.wakes.count == 0 {
        let whom = if s.filter.is_empty() { String::new() } else { format!(" that matches: {}", printable(&s.filter)) };
        text.push_str(&wrap("", &format!("No thread was woken{whom}.")));
    } else if s.lints.is_empty() {
        text.push_str("Nothing stands out: no interrupt and thread that a change would bring closer together.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Losses, Thread, sample},
        report::WIDTH,
    };
    use proptest::prelude::*;

    #[test]
    fn a_disk_away_from_its_thread() {
        insta::assert_snapshot!(render(&sample::fio(), 10));
    }

    #[test]
    fn a_thread_that_was_only_preempted_has_no_latency() {
        let mut s = sample::fine();
        s.threads = vec![Thread { tid: 7, comm: "batch".into(), preempted: 400, ..Thread::default() }];
        let text = render(&s, 10);
        let row = text.lines().find(|line| line.contains("batch 7")).unwrap_or_else(|| panic!("{text}"));
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells[2..], ["0", "0/s", "-", "-", "-", "-", "-", "40/s"]);
    }

    #[test]
    fn nothing_happened() {
        let mut s = Snapshot { window_s: 10.0, filter: "comm nosuch".into(), ..Snapshot::default() };
        s.host = sample::fine().host;
        insta::assert_snapshot!(render(&s, 10));
    }

    #[test]
    fn losses_are_said_first_and_last() {
        let mut s = sample::fine();
        s.losses = Losses { aliased: 1_200, recursion: 31, per_cpu: vec![(0, 200), (3, 1_000)], ..Losses::default() };
        s.lints = crate::model::lint::check(&s);
        insta::assert_snapshot!(render(&s, 10));
    }

    #[test]
    fn what_is_left_out_is_said() {
        let text = render(&sample::fio(), 1);
        assert!(text.contains("1 of 3 shown"), "{text}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_window_fits_and_cannot_steer_the_terminal(s in sample::arbitrary(), top in 0usize..20) {
            let text = render(&s, top);
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        }
    }

    #[test]
    fn fits() {
        let wide: Vec<String> =
            render(&sample::fio(), 10).lines().filter(|l| l.chars().count() > WIDTH).map(String::from).collect();
        assert_eq!(wide, Vec::<String>::new());
    }
}
