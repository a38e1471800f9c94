//! Who waits to run, how long, and for what.

use super::{
    cells::{self, cell},
    table::{self, Column, cut},
    text,
};
use crate::{
    app::{App, Layout},
    fmt,
};
use fw_agent::model::{Distance, Thread, WaitedFor};
use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout as Split, Rect},
    text::{Line, Span},
};

pub fn draw(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    const COLUMNS: [Column; 13] = [
        Column::name("thread", 255, 10),
        Column::number("pid", 2),
        Column::number("wakes/s", 10),
        Column::number("p50", 6),
        Column::number("p99", 11),
        Column::number("p99.9", 3),
        Column::number("max", 5),
        Column::number("runq p99", 7),
        Column::number("lost/s", 9),
        Column::number("cross", 8),
        Column::name("waited for", 4, 17),
        Column::name("distance", 1, 13),
        Column::number("CPU", 0),
    ];
    let s = app.snapshot();
    let row = |i: usize| {
        let t = &s.threads[i];
        let exited = if t.exited { " (gone)" } else { "" };
        vec![
            cell(format!("{}{exited}", cells::thread(&t.comm, t.tid))),
            cell(t.pid.to_string()),
            cells::rate(t.wakes, s.window_s),
            cells::quantile(&t.latency, 0.5),
            cells::quantile(&t.latency, 0.99),
            cells::quantile(&t.latency, 0.999),
            cell(fmt::max(&t.latency)),
            cells::quantile(&t.runqueue, 0.99),
            cell(cells::lost(t.latency.sum_ns, s.window_s)),
            cell(fmt::percent(t.cross_cpu_share)),
            cell(cells::largest_leg(&waits(&t.waited_for))),
            cell(distance(&t.by_distance)),
            cell(t.cpu.to_string()),
        ]
    };
    let detail = if area.height >= 18 { 7 } else { 0 };
    let [list, below] = Split::vertical([Constraint::Fill(1), Constraint::Length(detail)]).areas(area);
    table::draw_list(app, &COLUMNS, row, list, buf, layout);
    if let Some(t) = app.selected_thread().filter(|_| detail > 0) {
        draw_detail(app, t, below, buf);
    }
}

/// In the order of `Legs::wake`.
fn waits(w: &WaitedFor) -> [u64; 6] {
    [w.queue_ns, w.thread_ns, w.hardirq_ns, w.softirq_ns, w.idle_ns, w.switch_ns]
}

/// The commonest distance with its share, shares counted by distance.
fn distance(by_distance: &[u64; 5]) -> String {
    let whole = fmt::sum(by_distance);
    match Distance::ALL.into_iter().zip(by_distance).max_by_key(|(_, n)| **n) {
        Some((d, &n)) if n > 0 => format!("{} {}", d.label(), fmt::percent(fmt::share(n, whole))),
        _ => "-".into(),
    }
}

fn draw_detail(app: &App, t: &Thread, area: Rect, buf: &mut Buffer) {
    let (s, theme, width) = (app.snapshot(), app.theme, usize::from(area.width));
    let rest = text::section(&format!("{} of process {}", cells::thread(&t.comm, t.tid), t.pid), theme, area, buf);
    let or_dash = |text: &str| {
        if text.is_empty() { "-".to_owned() } else { text.to_owned() }
    };
    let sums = waits(&t.waited_for);
    let whole = fmt::sum(&sums);
    let title = format!(" waited {}/s for ", cells::lost(whole, s.window_s));
    let bar = cells::leg_bar(&sums, width.saturating_sub(title.len() + 1).min(60), theme);
    let parts = sums.iter().zip(cells::LEG_NAMES).filter(|(n, _)| **n > 0);
    let parts: Vec<String> = parts.map(|(&n, name)| format!("{name} {}", fmt::percent(fmt::share(n, whole)))).collect();
    let ran = Distance::ALL.into_iter().zip(t.by_distance).filter(|(_, n)| *n > 0);
    let ran: Vec<String> =
        ran.map(|(d, n)| format!("{} {}", d.label(), fmt::percent(fmt::share(n, fmt::sum(&t.by_distance))))).collect();
    let mut woken_by: Vec<_> = s.edges.iter().filter(|e| e.tid == t.tid).collect();
    woken_by.sort_by_key(|e| std::cmp::Reverse(e.wakes));
    let woken_by: Vec<String> = woken_by
        .iter()
        .take(3)
        .map(|e| format!("{} {}/s", cells::cause(&e.cause), fmt::rate(e.wakes as f64 / s.window_s)))
        .collect();
    let lines = [
        Line::from_iter([Span::raw(title)].into_iter().chain(bar.spans)),
        Line::raw(format!("   {}", or_dash(&parts.join(", ")))),
        Line::raw(format!(" distance to the waking CPU   {}", or_dash(&ran.join(", ")))),
        Line::raw(format!(" woken by   {}", or_dash(&woken_by.join(", ")))),
        Line::raw(format!(
            " last on CPU {}   may run on {}   preempted {}/s   migrated {}/s",
            t.cpu,
            or_dash(&t.allowed_cpus),
            fmt::rate(t.preempted as f64 / s.window_s),
            fmt::rate(t.migrations as f64 / s.window_s),
        )),
        Line::raw(format!(" cgroup {}", or_dash(&t.cgroup))),
    ];
    let lines: Vec<Line> = lines.into_iter().map(|l| cut(l, width)).collect();
    text::put(&lines, rest, buf);
}
