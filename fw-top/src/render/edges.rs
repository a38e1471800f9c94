//! Which cause wakes which thread, and what it costs.

use super::{
    cells::{self, LEG_NAMES, cell},
    table::{self, Column, cut},
    text,
};
use crate::{
    app::{App, Layout},
    fmt,
    theme::LEG_GLYPHS,
};
use fw_agent::model::{Distance, Edge};
use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout as Split, Rect},
    text::{Line, Span},
};

pub fn draw(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    let detail = if area.height >= 18 { 3 } else { 0 };
    let [list, below] = Split::vertical([Constraint::Fill(1), Constraint::Length(detail)]).areas(area);
    draw_list(app, list, buf, layout);
    if detail > 0 {
        draw_legend(app, below, buf);
    }
}

/// The list of edges, on its own tab and on the overview.
pub fn draw_list(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    const COLUMNS: [Column; 11] = [
        Column::name("cause", 254, 12),
        Column::name("thread", 255, 10),
        Column::number("wakes/s", 7),
        Column::number("cross", 8),
        Column::number("p50", 6),
        Column::number("p99", 10),
        Column::number("max", 2),
        Column::number("lost/s", 9),
        Column::bar("where it went", 4),
        Column::name("mostly", 3, 17),
        Column::name("ran on", 1, 11),
    ];
    let s = app.snapshot();
    let bar = usize::from(area.width).saturating_sub(100).clamp(20, 60);
    let row = |i: usize| {
        let e = &s.edges[i];
        let sums = cells::leg_sums(&e.legs);
        vec![
            cell(cells::cause(&e.cause)),
            cell(cells::thread(&e.comm, e.tid)),
            cells::rate(e.wakes, s.window_s),
            cell(fmt::percent(e.cross_cpu_share)),
            cells::quantile(&e.latency, 0.5),
            cells::quantile(&e.latency, 0.99),
            cell(fmt::max(&e.latency)),
            cell(cells::lost(e.latency.sum_ns, s.window_s)),
            cells::leg_bar(&sums, bar, app.theme),
            cell(cells::largest_leg(&sums)),
            cell(commonest_distance(e)),
        ]
    };
    table::draw_list(app, &COLUMNS, row, area, buf, layout);
}

fn commonest_distance(e: &Edge) -> &'static str {
    let commonest = Distance::ALL.into_iter().zip(e.by_distance).max_by_key(|(_, n)| *n);
    commonest.filter(|(_, n)| *n > 0).map_or("-", |(distance, _)| distance.label())
}

/// What the glyphs mean and what the selected edge's legs are.
fn draw_legend(app: &App, area: Rect, buf: &mut Buffer) {
    let Some(e) = app.selected_edge() else { return };
    let width = usize::from(area.width);
    let rest = text::section(&format!("{}   (enter opens it)", cells::edge(e)), app.theme, area, buf);
    let sums = cells::leg_sums(&e.legs);
    let whole = fmt::sum(&sums);
    let mut spans = vec![Span::raw(" ")];
    for (i, &n) in sums.iter().enumerate().filter(|(_, n)| **n > 0) {
        spans.push(Span::styled(format!("{} ", LEG_GLYPHS[i]), app.theme.leg(i)));
        spans.push(Span::raw(format!("{} {}   ", LEG_NAMES[i], fmt::percent(fmt::share(n, whole)))));
    }
    let bar = cells::leg_bar(&sums, width.saturating_sub(2), app.theme);
    let bar = Line::from_iter([Span::raw(" ")].into_iter().chain(bar.spans));
    text::put(&[bar, cut(Line::from(spans), width)], rest, buf);
}
