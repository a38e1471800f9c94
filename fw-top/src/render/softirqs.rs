//! Deferred interrupt work: how long from raised to run, how long it runs, and where.

use super::{
    cells::{self, cell},
    irqs,
    table::{self, Column, Table},
    text,
};
use crate::{
    app::{App, Layout},
    fmt,
};
use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout as Split, Rect},
    text::Line,
};

pub fn draw(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    const COLUMNS: [Column; 9] = [
        Column::name("softirq", 255, 7),
        Column::number("runs/s", 10),
        Column::number("delay p50", 6),
        Column::number("delay p99", 9),
        Column::number("delay max", 2),
        Column::number("run p50", 5),
        Column::number("run p99", 8),
        Column::number("run max", 1),
        Column::number("time", 4),
    ];
    let s = app.snapshot();
    let row = |i: usize| {
        let softirq = &s.softirqs[i];
        vec![
            cell(&*softirq.name),
            cells::rate(softirq.count, s.window_s),
            cells::quantile(&softirq.delay, 0.5),
            cells::quantile(&softirq.delay, 0.99),
            cell(fmt::max(&softirq.delay)),
            cells::quantile(&softirq.run, 0.5),
            cells::quantile(&softirq.run, 0.99),
            cell(fmt::max(&softirq.run)),
            cell(fmt::percent(softirq.run.sum_ns as f64 / (s.window_s * 1e9))),
        ]
    };
    // The list comes first, then the selected one by CPU beside the NAPI instances.
    let wanted = app.list().rows().len().max(1) as u16 + 1;
    let list_height = wanted.min(if area.height >= 18 { area.height / 2 } else { area.height });
    let [list, below] = Split::vertical([Constraint::Length(list_height), Constraint::Fill(1)]).areas(area);
    table::draw_list(app, &COLUMNS, row, list, buf, layout);
    let Some(softirq) = app.selected_softirq() else {
        draw_napi(app, below, buf);
        return;
    };
    if below.height < 4 {
        return;
    }
    let [left, right] = if below.width >= 76 {
        Split::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).spacing(2).areas(below)
    } else {
        Split::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(below)
    };
    let rest = text::section(&softirq.name, app.theme, left, buf);
    irqs::per_cpu(app, &softirq.per_cpu, softirq.count, rest, buf);
    draw_napi(app, right, buf);
}

fn draw_napi(app: &App, area: Rect, buf: &mut Buffer) {
    const COLUMNS: [Column; 6] = [
        Column::name("device", 255, 4),
        Column::number("id", 4),
        Column::number("polls/s", 9),
        Column::number("packets/s", 10),
        Column::number("budget used up", 7),
        Column::number("CPU", 5),
    ];
    let s = app.snapshot();
    let rest = text::section("NAPI", app.theme, area, buf);
    if s.napi.is_empty() {
        text::put(&[Line::styled(" no poll in this window", app.theme.dim())], rest, buf);
        return;
    }
    let mut busiest: Vec<_> = s.napi.iter().collect();
    busiest.sort_by_key(|n| std::cmp::Reverse(n.polls));
    let rows = busiest.into_iter().take(rest.height.into()).map(|n| {
        vec![
            cell(&*n.device),
            cell(n.id.to_string()),
            cells::rate(n.polls, s.window_s),
            cells::rate(n.work, s.window_s),
            cell(fmt::percent(fmt::share(n.exhausted, n.polls))),
            cell(n.cpu.to_string()),
        ]
    });
    Table::new(&COLUMNS, rows.collect()).draw(app.theme, rest, buf);
}
