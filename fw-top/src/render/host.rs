//! What the host is, what was lost, and what each probe costs.

use super::{
    cells::{self, PLACES},
    table::Table,
    text,
};
use crate::{
    app::{App, Layout},
    fmt,
};
use fw_agent::model::{Dist, Distance};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

pub fn draw(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    let width = usize::from(area.width);
    let mut lines = findings(app, width);
    lines.extend(if width >= 96 {
        let left = width / 2;
        let facts = [facts(app, left), distances(app, left), losses(app, left)].concat();
        text::beside(facts, probes(app, width - left - 2), left)
    } else {
        [losses(app, width), facts(app, width), distances(app, width), probes(app, width)].concat()
    });
    text::scrolled(app, &lines, area, buf, layout);
}

/// All judgements in full: the overview may have had no room for them.
fn findings(app: &App, width: usize) -> Vec<Line<'static>> {
    let lints = &app.snapshot().lints;
    let mut lines = vec![text::rule(&format!("Findings: {}", lints.len()), width, app.theme)];
    lines.extend(lints.iter().flat_map(|lint| text::finding(lint, app.theme, width)));
    lines
}

fn fact(name: &str, value: impl AsRef<str>, width: usize) -> Line<'static> {
    let room = width.saturating_sub(19);
    let value = if value.as_ref().is_empty() { "none" } else { value.as_ref() };
    Line::from(vec![Span::raw(format!(" {name:<18}")), Span::raw(fmt::shorten(value, room))])
}

fn facts(app: &App, width: usize) -> Vec<Line<'static>> {
    let s = app.snapshot();
    let h = &s.host;
    let balanced = h.irqbalance_pid.map_or("does not run".into(), |pid| format!("runs (pid {pid}), moves interrupts"));
    let kernel = format!("{}{}", h.kernel, if h.realtime { " (PREEMPT_RT)" } else { "" });
    let mut lines = vec![text::rule("Host", width, app.theme)];
    lines.extend([
        fact("name", &h.name, width),
        fact("kernel", kernel, width),
        fact("up", fmt::uptime(h.uptime_s), width),
        fact("CPUs", format!("{} online of {} possible", h.cpus_online, h.cpus_possible), width),
        fact("NUMA nodes", h.nodes.to_string(), width),
        fact("isolated CPUs", &h.isolated, width),
        fact("nohz_full CPUs", &h.nohz_full, width),
        fact("irqbalance", balanced, width),
        fact("idle states", h.idle_states.join(", "), width),
        fact("window", format!("{:.2} s", s.window_s), width),
        fact("filter", &s.filter, width),
        fact("wakes", format!("{} with a switch", fmt::count(s.wakes.count)), width),
        fact("", format!("{} found it still running", fmt::count(s.wakes.still_running)), width),
    ]);
    lines
}

/// What it costs to wake a thread on a CPU further away.
fn distances(app: &App, width: usize) -> Vec<Line<'static>> {
    let s = app.snapshot();
    let all = s.wakes.by_distance.iter().map(Dist::count).fold(0, u64::saturating_add);
    let rows = Distance::ALL.into_iter().zip(&s.wakes.by_distance).filter(|(_, dist)| !dist.is_empty());
    let rows = rows.map(|(distance, dist)| cells::place(distance.label(), dist.count(), all, Some(dist), s.window_s));
    let mut lines = vec![text::rule("Wakes by distance from the waking CPU", width, app.theme)];
    lines.extend(Table::new(&PLACES, rows.collect()).lines(app.theme, width));
    lines
}

fn losses(app: &App, width: usize) -> Vec<Line<'static>> {
    let lost = &app.snapshot().losses;
    let mut lines = vec![text::rule(&format!("Lost in this window: {}", fmt::count(lost.total())), width, app.theme)];
    for (why, n) in lost.reasons() {
        let line = fact(why, fmt::count(n), width);
        lines.push(if n > 0 { line.style(app.theme.warning()) } else { line });
    }
    for (cpu, n) in &lost.per_cpu {
        lines.push(fact(&format!("on CPU {cpu}"), fmt::count(*n), width));
    }
    lines
}

fn probes(app: &App, width: usize) -> Vec<Line<'static>> {
    let s = app.snapshot();
    let own = &s.own;
    let mut lines = vec![text::rule("What observing costs", width, app.theme)];
    lines.extend([
        fact("fw-top", format!("{} of a CPU", fmt::percent(own.cpu_share)), width),
        fact("probes", format!("{} of a CPU, estimated", fmt::percent(own.probes_cpu_share)), width),
        fact("memory", fmt::bytes(own.resident_bytes), width),
        fact("kernel maps", fmt::bytes(own.maps_bytes), width),
        Line::raw(""),
    ]);
    let name = width.saturating_sub(1 + 10 + 9 + 9).min(24);
    let heading = format!(" {:<name$}{:>10}{:>9}{:>9}", "probe", "runs/s", "each", "CPU");
    lines.push(Line::styled(heading, app.theme.title()));
    for p in &own.probes {
        let short = fmt::shorten(&p.name, name);
        let each = p.run_time_ns.checked_div(p.run_count).map_or("-".into(), |ns| format!("{ns} ns"));
        lines.push(Line::raw(format!(
            " {short:<name$}{:>10}{each:>9}{:>9}",
            fmt::rate(p.run_count as f64 / s.window_s),
            fmt::percent(p.run_time_ns as f64 / (s.window_s * 1e9)),
        )));
    }
    lines
}
