//! Where each interrupt fires, what it costs there, and whom it wakes.

use super::{
    cells::{self, cell},
    table::{self, Column, cut},
    text,
};
use crate::{
    app::{App, Layout},
    fmt,
};
use fw_agent::model::{CpuSet, Irq};
use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout as Split, Rect},
    text::{Line, Span},
};

pub fn draw(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    const COLUMNS: [Column; 12] = [
        Column::number("IRQ", 254),
        Column::name("name", 255, 12),
        Column::name("device", 3, 8),
        Column::name("moves", 7, 8),
        Column::number("rate/s", 10),
        Column::name("fires on", 9, 6),
        Column::name("asked", 2, 5),
        Column::name("effective", 4, 5),
        Column::number("handler p50", 5),
        Column::number("handler p99", 8),
        Column::number("time", 1),
        Column::name("wakes", 6, 14),
    ];
    let s = app.snapshot();
    let row = |i: usize| {
        let irq = &s.irqs[i];
        vec![
            cell(&*irq.label),
            cell(&*irq.name),
            cell(or_dash(&irq.device)),
            cell(cells::managed(irq.managed)),
            cells::rate(irq.count, s.window_s),
            cell(or_dash(&irq.per_cpu.iter().map(|(cpu, _)| *cpu).collect::<CpuSet>().to_string())),
            cell(or_dash(&irq.affinity)),
            cell(or_dash(&irq.effective_cpus)),
            cells::quantile(&irq.handler, 0.5),
            cells::quantile(&irq.handler, 0.99),
            cell(if irq.handler.is_empty() {
                "-".into()
            } else {
                fmt::percent(irq.handler.sum_ns as f64 / (s.window_s * 1e9))
            }),
            cell(consumers(irq)),
        ]
    };
    let detail = match area.height {
        28.. => 10,
        18.. => 7,
        _ => 0,
    };
    let [list, below] = Split::vertical([Constraint::Fill(1), Constraint::Length(detail)]).areas(area);
    table::draw_list(app, &COLUMNS, row, list, buf, layout);
    if let Some(irq) = app.selected_irq().filter(|_| detail > 0) {
        draw_detail(app, irq, below, buf);
    }
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".into() } else { text.into() }
}

/// The thread it wakes most, and how many others.
fn consumers(irq: &Irq) -> String {
    match irq.consumers.as_slice() {
        [] => "-".into(),
        [one] => cells::thread(&one.comm, one.tid),
        [first, others @ ..] => format!("{} +{}", cells::thread(&first.comm, first.tid), others.len()),
    }
}

fn draw_detail(app: &App, irq: &Irq, area: Rect, buf: &mut Buffer) {
    let (theme, window) = (app.theme, app.snapshot().window_s);
    let rest = text::section(&format!("{} {}", irq.label, irq.name), theme, area, buf);
    let node = irq.node.map_or("-".into(), |n| n.to_string());
    let facts = format!(
        " {}   chip {}   hint {}   node {node}   handler max {}",
        or_dash(&irq.device),
        or_dash(&irq.chip),
        or_dash(&irq.hint),
        fmt::max(&irq.handler),
    );
    text::put(&[cut(Line::raw(facts), area.width.into())], rest, buf);
    let below = Rect { y: rest.y + 1, height: rest.height - 1, ..rest };
    let [left, right] = Split::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).spacing(2).areas(below);
    per_cpu(app, &irq.per_cpu, irq.count, left, buf);

    const COLUMNS: [Column; 3] =
        [Column::name("wakes", 255, 8), Column::number("wakes/s", 9), Column::number("cross", 8)];
    let rows = irq.consumers.iter().take(right.height.into()).map(|c| {
        let thread = cell(cells::thread(&c.comm, c.tid));
        vec![thread, cells::rate(c.wakes, window), cell(fmt::percent(c.cross_cpu_share))]
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        text::put(&[Line::styled(" no thread was woken by it in this window", theme.dim())], right, buf);
    } else {
        table::Table::new(&COLUMNS, rows).draw(theme, right, buf);
    }
}

/// Counts by CPU as bars, most first.
pub fn per_cpu(app: &App, counts: &[(u32, u64)], total: u64, area: Rect, buf: &mut Buffer) {
    let (theme, window) = (app.theme, app.snapshot().window_s);
    let mut sorted = counts.to_vec();
    sorted.sort_by_key(|(cpu, n)| (std::cmp::Reverse(*n), *cpu));
    let all_fit = sorted.len() < usize::from(area.height);
    sorted.truncate(usize::from(area.height).saturating_sub(1));
    if all_fit {
        sorted.sort_unstable();
    }
    let title = if all_fit { "by CPU".into() } else { format!("by CPU: first {} of {}", sorted.len(), counts.len()) };
    let bar = usize::from(area.width).saturating_sub(9 + 8 + 8).min(40);
    let mut lines = vec![Line::styled(format!(" {title}"), theme.title())];
    for (cpu, n) in sorted {
        let share = fmt::share(n, total);
        lines.push(Line::from(vec![
            Span::raw(format!(" CPU {cpu:<4}")),
            Span::styled(fmt::bar(share, bar, '█'), theme.bar()),
            Span::raw(format!("{:>8}", fmt::rate(n as f64 / window))),
            Span::styled(format!("{:>8}", fmt::percent(share)), theme.dim()),
        ]));
    }
    text::put(&lines, area, buf);
}
