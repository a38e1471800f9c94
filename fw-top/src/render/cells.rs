//! What several panes write the same way.

use super::table::Column;
use crate::{
    fmt,
    theme::{DENSITY, LEG_GLYPHS, SPARK, Theme},
};
use fw_agent::model::{Cause, CauseKind, Dist, Edge, Legs, Managed};
use ratatui::text::{Line, Span};

/// Short names of the six wake legs, in the order of `Legs::wake`.
pub const LEG_NAMES: [&str; 6] = ["IPI", "other thread", "hard IRQ", "softirq", "idle exit", "switch"];

/// A number or word.
pub fn cell(text: impl Into<String>) -> Line<'static> {
    Line::raw(text.into())
}

/// p50, p99... of a distribution.
pub fn quantile(dist: &Dist, q: f64) -> Line<'static> {
    cell(fmt::quantile(dist, q))
}

/// Events of the window by second.
pub fn rate(count: u64, window_s: f64) -> Line<'static> {
    cell(fmt::rate(count as f64 / window_s))
}

/// Time lost in a second of the window.
pub fn lost(ns: u64, window_s: f64) -> String {
    if ns == 0 { "-".into() } else { fmt::duration((ns as f64 / window_s) as u64) }
}

/// The columns of [`place`].
pub const PLACES: [Column; 5] = [
    Column::name("ran on", 255, 9),
    Column::number("wakes/s", 8),
    Column::number("share", 5),
    Column::number("p50", 9),
    Column::number("p99", 10),
];

/// How many of `all` wakes ended at a place and, where it is known, how long they took.
pub fn place(name: &str, wakes: u64, all: u64, latency: Option<&Dist>, window_s: f64) -> Vec<Line<'static>> {
    vec![
        cell(name),
        rate(wakes, window_s),
        cell(fmt::percent(fmt::share(wakes, all))),
        latency.map_or(cell(""), |dist| quantile(dist, 0.5)),
        latency.map_or(cell(""), |dist| quantile(dist, 0.99)),
    ]
}

/// What wakes, as a person calls it: `36 virtio1-req.0`, `softirq NET_RX (39)`, `task kworker/1:2`.
pub fn cause(cause: &Cause) -> String {
    match (cause.kind, cause.irq) {
        (CauseKind::Irq, Some(irq)) => format!("{irq} {}", cause.name),
        (CauseKind::Irq, None) => format!("irq {}", cause.name),
        (CauseKind::Softirq, Some(irq)) => format!("softirq {} ({irq})", cause.name),
        (CauseKind::Softirq, None) => format!("softirq {}", cause.name),
        (CauseKind::Task, _) => format!("task {}", cause.name),
    }
}

/// A thread's name and number: `fio 4711`.
pub fn thread(comm: &str, tid: u32) -> String {
    format!("{comm} {tid}")
}

/// Both ends of an edge.
pub fn edge(edge: &Edge) -> String {
    format!("{} -> {}", cause(&edge.cause), thread(&edge.comm, edge.tid))
}

/// Whether an interrupt can be moved, in one word.
pub fn managed(managed: Managed) -> &'static str {
    match managed {
        Managed::Yes => "managed",
        Managed::Likely => "managed?",
        Managed::No => "movable",
        Managed::Unknown => "-",
    }
}

/// Time in each wake leg, ns.
pub fn leg_sums(legs: &Legs) -> [u64; 6] {
    legs.wake().map(|(_, dist)| dist.sum_ns)
}

/// The six wake legs as one bar to scale.
pub fn leg_bar(sums: &[u64; 6], width: usize, theme: Theme) -> Line<'static> {
    let cells = fmt::apportion(sums, width as u64);
    let spans = cells.iter().enumerate().map(|(i, &n)| {
        let part: String = std::iter::repeat_n(LEG_GLYPHS[i], n as usize).collect();
        Span::styled(part, theme.leg(i))
    });
    Line::from_iter(spans)
}

/// The largest leg with its share: `thread 58 %`.
pub fn largest_leg(sums: &[u64; 6]) -> String {
    let whole = fmt::sum(sums);
    match sums.iter().zip(LEG_NAMES).max_by_key(|(n, _)| **n) {
        Some((&n, name)) if n > 0 => format!("{name} {}", fmt::percent(fmt::share(n, whole))),
        _ => "-".into(),
    }
}

/// How dense a rate is drawn, 0 to 5: none, below 10, 100, 1,000, 10,000 a second, more. Fixed, so that two frames can be
/// compared.
pub fn density_of_rate(per_second: f64) -> usize {
    match per_second {
        r if r <= 0.0 => 0,
        r if r < 10.0 => 1,
        r if r < 100.0 => 2,
        r if r < 1_000.0 => 3,
        r if r < 10_000.0 => 4,
        _ => 5,
    }
}

/// How dense a share of the whole is drawn, 0 to 5: each step is four times the one before, full from a quarter on.
pub fn density_of_share(share: f64) -> usize {
    match share {
        s if s <= 0.0 => 0,
        s if s < 1.0 / 256.0 => 1,
        s if s < 1.0 / 64.0 => 2,
        s if s < 1.0 / 16.0 => 3,
        s if s < 1.0 / 4.0 => 4,
        _ => 5,
    }
}

/// A cell of a heat map.
pub fn dense(level: usize, width: usize, theme: Theme) -> Span<'static> {
    let glyph = DENSITY[level.min(DENSITY.len() - 1)];
    Span::styled(String::from_iter(std::iter::repeat_n(glyph, width)), theme.density(level))
}

/// Durations over time, on one scale for all: each level is four times the one below, from 1 us (a gap is a blank).
pub fn sparkline(values: impl DoubleEndedIterator<Item = Option<u64>>, width: usize, theme: Theme) -> Line<'static> {
    let mut newest: Vec<char> = values
        .rev()
        .take(width)
        .map(|value| value.map_or(' ', |ns| SPARK[((ns / 1_000).max(1).ilog2() as usize / 2).min(SPARK.len() - 1)]))
        .collect();
    newest.resize(width, ' ');
    newest.reverse();
    Line::styled(String::from_iter(newest), theme.bar())
}
