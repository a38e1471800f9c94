//! One edge: why does it take that long?

mod distribution;

use super::{
    cells::{self, LEG_NAMES, PLACES, cell},
    table::{Column, Table, cut},
    text,
};
use crate::{
    app::{App, EdgeId, Layout},
    fmt,
    theme::LEG_GLYPHS,
};
use fw_agent::model::{Dist, Distance, Edge};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

pub fn draw(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    let width = usize::from(area.width);
    let Some(id) = &app.opened else { return };
    let lines = match app.opened_edge() {
        Some(e) => opened(app, e, id, width, area.height.into()),
        None => {
            let gone = format!("{} did not wake thread {} in this window. esc goes back.", id.cause(), id.tid);
            let mut lines = text::sentence('-', &gone, app.theme.warning(), width);
            lines.extend(distribution::over_time(app, id, width));
            lines
        }
    };
    text::scrolled(app, &lines, area, buf, layout);
}

fn opened(app: &App, e: &Edge, id: &EdgeId, width: usize, height: usize) -> Vec<Line<'static>> {
    let mut lines = text::sentence('>', &sentence(app, e), app.theme.strong(), width);
    for lint in app.snapshot().lints.iter().filter(|l| {
        l.tid == Some(e.tid) && (l.irq.is_none() || l.irq == e.cause.irq)
            || l.tid.is_none() && l.irq.is_some() && l.irq == e.cause.irq
    }) {
        lines.extend(text::sentence('!', &lint.advice, app.theme.warning(), width));
    }
    lines.extend(legs(app, e, width));
    if width >= 100 {
        let (left, right) = (width * 11 / 20, width - width * 11 / 20 - 2);
        let places = [places(app, e, right), occupants(app, e, right), idle_states(app, e, right)].concat();
        let others = [places, distribution::over_time(app, id, right)].concat();
        let room = height.saturating_sub(lines.len()).max(others.len());
        lines.extend(text::beside(distribution::buckets(app, &e.latency, left, room), others, left));
    } else {
        lines.extend(distribution::buckets(app, &e.latency, width, 10));
        lines.extend(places(app, e, width));
        lines.extend(occupants(app, e, width));
        lines.extend(idle_states(app, e, width));
        lines.extend(distribution::over_time(app, id, width));
    }
    lines
}

/// `36 virtio1-req.0 wakes fio 4711 8,704 times a second; p50 61us, p99 114us; most of it other thread 58 %.`
fn sentence(app: &App, e: &Edge) -> String {
    format!(
        "{} wakes {} {} times a second: p50 {}, p99 {}, max {}. {} of the wakes cross CPUs. Most of the time: {}.",
        cells::cause(&e.cause),
        cells::thread(&e.comm, e.tid),
        fmt::rate(e.wakes as f64 / app.snapshot().window_s),
        fmt::quantile(&e.latency, 0.5),
        fmt::quantile(&e.latency, 0.99),
        fmt::max(&e.latency),
        fmt::percent(e.cross_cpu_share),
        cells::largest_leg(&cells::leg_sums(&e.legs)),
    )
}

/// The legs of the wake to scale, then each with figures; the means add up to the whole.
fn legs(app: &App, e: &Edge, width: usize) -> Vec<Line<'static>> {
    const COLUMNS: [Column; 7] = [
        Column::bar("", 255),
        Column::name("leg", 255, 8),
        Column::number("share", 9),
        Column::number("ns a wake", 10),
        Column::number("p50", 7),
        Column::number("p99", 8),
        Column::number("of wakes", 4),
    ];
    let theme = app.theme;
    let sums = cells::leg_sums(&e.legs);
    let (whole, wakes) = (fmt::sum(&sums), e.wakes.max(1));
    let means = fmt::apportion(&sums, whole / wakes);
    let mut lines = vec![text::rule("Legs of the wake, waking to running", width, theme)];
    let bar = cells::leg_bar(&sums, width.saturating_sub(2), theme);
    lines.push(Line::from_iter([Span::raw(" ")].into_iter().chain(bar.spans)));

    let mut rows = Vec::new();
    for (i, (_, dist)) in e.legs.wake().into_iter().enumerate() {
        rows.push(vec![
            Line::styled(LEG_GLYPHS[i].to_string(), theme.leg(i)),
            cell(LEG_NAMES[i]),
            cell(fmt::percent(fmt::share(sums[i], whole))),
            cell(fmt::count(means[i])),
            cells::quantile(dist, 0.5),
            cells::quantile(dist, 0.99),
            cell(fmt::percent(fmt::share(dist.count(), wakes))),
        ]);
    }
    rows.push(vec![
        cell("="),
        Line::styled("whole wake", theme.strong()),
        cell("100 %"),
        cell(fmt::count(whole / wakes)),
        cells::quantile(&e.latency, 0.5),
        cells::quantile(&e.latency, 0.99),
        cell("100 %"),
    ]);
    for (name, dist) in e.legs.before().into_iter().filter(|(_, dist)| !dist.is_empty()) {
        rows.push(vec![
            cell("<"),
            Line::styled(format!("{name}, before"), theme.dim()),
            cell(""),
            cell(fmt::count(dist.sum_ns / wakes)),
            cells::quantile(dist, 0.5),
            cells::quantile(dist, 0.99),
            cell(fmt::percent(fmt::share(dist.count(), wakes))),
        ]);
    }
    lines.extend(Table::new(&COLUMNS, rows).lines(theme, width));
    lines
}

/// Latency where the wake stayed on the waking CPU against where it left it.
fn places(app: &App, e: &Edge, width: usize) -> Vec<Line<'static>> {
    let window = app.snapshot().window_s;
    let row = |name: &str, wakes: u64, dist: Option<&Dist>| cells::place(name, wakes, e.wakes, dist, window);
    let (same, cross) = (&e.latency_same_cpu, &e.latency_cross_cpu);
    let mut rows = vec![row("same CPU", same.count(), Some(same)), row("another CPU", cross.count(), Some(cross))];
    rows.push(row("  after moving", e.migrations, None));
    let further = Distance::ALL.into_iter().zip(e.by_distance).skip(1).filter(|(_, n)| *n > 0);
    rows.extend(further.map(|(d, n)| row(&format!("  {}", d.label()), n, None)));
    let mut lines = vec![text::rule("Same CPU against another", width, app.theme)];
    lines.extend(Table::new(&PLACES, rows).lines(app.theme, width));
    lines
}

/// A line of a small bar chart: name, bar, share.
fn bar_line(name: &str, share: f64, value: &str, width: usize, style: Style) -> Line<'static> {
    let name_width = (width / 3).clamp(8, 24);
    let name = fmt::shorten(name, name_width);
    let pad = name_width - Span::raw(name.as_str()).width();
    let bar = width.saturating_sub(name_width + 3 + 16).min(30);
    let line = Line::from(vec![
        Span::raw(format!(" {name}{} ", " ".repeat(pad))),
        Span::styled(fmt::bar(share, bar, '█'), style),
        Span::raw(format!("{value:>8}{:>8}", fmt::percent(share))),
    ]);
    cut(line, width)
}

/// Who had the CPU.
fn occupants(app: &App, e: &Edge, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![text::rule("Who held the CPU meanwhile, a second", width, app.theme)];
    if e.occupants.is_empty() {
        lines.push(Line::styled(" no other thread", app.theme.dim()));
    }
    for o in &e.occupants {
        let share = fmt::share(o.held_ns, e.latency.sum_ns);
        let value = cells::lost(o.held_ns, app.snapshot().window_s);
        lines.push(bar_line(&cells::thread(&o.comm, o.tid), share, &value, width, app.theme.leg(1)));
    }
    lines
}

/// What the target CPU was doing when it was told.
fn idle_states(app: &App, e: &Edge, width: usize) -> Vec<Line<'static>> {
    let s = app.snapshot();
    let idle = fmt::sum(&e.idle_states);
    let mut lines = vec![text::rule("The target CPU was, wakes a second", width, app.theme)];
    let states = e.idle_states.iter().enumerate().filter(|(_, n)| **n > 0);
    let named = states.map(|(i, n)| match s.host.idle_states.get(i) {
        Some(name) => (format!("idle in {name}"), *n),
        None => (format!("idle in state {i}"), *n),
    });
    for (name, n) in [("busy".to_owned(), e.wakes.saturating_sub(idle))].into_iter().chain(named) {
        let value = fmt::rate(n as f64 / s.window_s);
        lines.push(bar_line(&name, fmt::share(n, e.wakes), &value, width, app.theme.bar()));
    }
    lines
}
