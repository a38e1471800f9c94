//! Is anything paying too much for its wake-ups, and who?

use super::{
    cells::{self, LEG_NAMES, cell},
    edges, heat,
    table::{Column, Table, cut},
    text,
};
use crate::{
    app::{App, HISTORY_LENGTH, Layout},
    fmt,
    theme::LEG_GLYPHS,
};
use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout as Split, Rect},
    text::{Line, Span},
};

pub fn draw(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    let height = usize::from(area.height);
    let verdict = verdict(app, area.width.into(), (height / 5).clamp(3, 7));
    // Two CPU rows and four edges come before everything else; the middle only where there is room for it.
    let middle = match height {
        30.. => 9,
        18.. => 6,
        _ => 0,
    };
    let cpu_rows = app.snapshot().cpus.len().min(height.saturating_sub(verdict.len() + middle + 4) / 3).clamp(2, 12);
    let heights = [verdict.len(), cpu_rows + 2, middle].map(|h| Constraint::Length(h as u16));
    let [top, cpus, middle, bottom] = Split::vertical(heights.into_iter().chain([Constraint::Fill(1)])).areas(area);
    text::put(&verdict, top, buf);
    draw_cpus(app, cpus, buf);
    if !middle.is_empty() {
        let split = Split::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).spacing(1);
        let [left, right] = split.areas(middle);
        heat::draw(app, left, buf);
        draw_legs(app, right, buf);
    }
    let rest = text::section(&edges_title(app), app.theme, bottom, buf);
    edges::draw_list(app, rest, buf, layout);
}

/// The sentences that answer the question.
fn verdict(app: &App, width: usize, most: usize) -> Vec<Line<'static>> {
    let s = app.snapshot();
    if s.lints.is_empty() {
        return text::sentence('-', &all_is_well(app), app.theme.good(), width);
    }
    let mut lines: Vec<Line> = Vec::new();
    for (i, lint) in s.lints.iter().enumerate() {
        let mut sentence = text::finding(lint, app.theme, width);
        let left = most - lines.len();
        let others = s.lints.len() - i - 1;
        if i == 0 && sentence.len() > left {
            sentence.truncate(left);
            if let Some(last) = sentence.pop() {
                sentence.push(cut(Line::from_iter(last.spans.into_iter().chain([Span::raw(" …")])), width));
            }
        } else if sentence.len() + usize::from(others > 0) > left {
            let more = format!("   and {} more: press 6", s.lints.len() - i);
            if left > 0 {
                lines.push(cut(Line::styled(more, app.theme.dim()), width));
            }
            break;
        }
        lines.extend(sentence);
    }
    lines
}

fn all_is_well(app: &App) -> String {
    let s = app.snapshot();
    if s.wakes.count == 0 {
        let filter = if s.filter.is_empty() { String::new() } else { format!(" that matches {}", s.filter) };
        return format!("No thread{filter} was woken in this window of {}.", fmt::seconds(s.window_s));
    }
    let legs = &app.view().digest.leg_ns;
    format!(
        "Nothing pays too much: 99 % of {} wakes/s ran within {}; most of the time went to: {}.",
        fmt::rate(s.wakes.count as f64 / s.window_s),
        fmt::quantile(&s.wakes.latency, 0.99),
        cells::largest_leg(legs),
    )
}

fn draw_cpus(app: &App, area: Rect, buf: &mut Buffer) {
    const COLUMNS: [Column; 10] = [
        Column::number("CPU", 255),
        Column::number("node", 1),
        Column::number("hard IRQ/s", 8),
        Column::number("in IRQ", 4),
        Column::number("softirq", 6),
        Column::number("idle", 5),
        Column::number("runq p99", 7),
        Column::number("wake p50", 9),
        Column::number("wake p99", 10),
        Column::bar("p99, last 60 windows", 3),
    ];
    let s = app.snapshot();
    let rows = usize::from(area.height.saturating_sub(2));
    let all = s.cpus.len();
    // With room for all in CPU order; else the worst.
    let mut shown: Vec<usize> = app.view().digest.worst_cpus.iter().copied().take(rows).collect();
    shown.sort_unstable();
    let title = if shown.len() < all {
        format!("CPUs: {} of {}, most wake-up time", shown.len(), fmt::count(all as u64))
    } else {
        "CPUs".to_owned()
    };
    let rest = text::section(&title, app.theme, area, buf);
    let spark = usize::from(area.width).saturating_sub(82).clamp(20, HISTORY_LENGTH);
    let row = |&i: &usize| {
        let c = s.cpus.get(i)?;
        let isolated = if c.isolated { " isolated" } else { "" };
        Some(vec![
            cell(format!("{}{isolated}", c.cpu)),
            cell(c.node.map_or("-".into(), |n| n.to_string())),
            cells::rate(c.hardirqs, s.window_s),
            cell(fmt::percent(c.hardirq_share)),
            cell(fmt::percent(c.softirq_share)),
            cell(fmt::percent(c.idle_share)),
            cells::quantile(&c.runqueue.latency, 0.99),
            cells::quantile(&c.wakes.latency, 0.5),
            cells::quantile(&c.wakes.latency, 0.99),
            cells::sparkline(app.view().history.cpu_p99_ns(c.cpu), spark, app.theme),
        ])
    };
    let table_rows: Vec<Vec<Line>> = shown.iter().filter_map(row).collect();
    Table::new(&COLUMNS, table_rows).draw(app.theme, rest, buf);
}

fn draw_legs(app: &App, area: Rect, buf: &mut Buffer) {
    let sums = &app.view().digest.leg_ns;
    let whole = fmt::sum(sums);
    if whole == 0 {
        let rest = text::section("Where wake-up time goes", app.theme, area, buf);
        text::put(&[Line::styled(" no wake was seen by cause", app.theme.dim())], rest, buf);
        return;
    }
    let per_second = cells::lost(whole, app.snapshot().window_s);
    let rest = text::section(&format!("Where wake-up time goes: {per_second}/s"), app.theme, area, buf);
    let room = usize::from(rest.height);
    let mut shown: Vec<usize> = (0..sums.len()).collect();
    // Where not all fit the largest stay, in the order of the wake.
    shown.sort_by_key(|&i| std::cmp::Reverse(sums[i]));
    shown.truncate(room);
    shown.sort_unstable();
    let bar = usize::from(rest.width).saturating_sub(1 + 13 + 8);
    let lines: Vec<Line> = shown
        .into_iter()
        .map(|i| {
            let share = fmt::share(sums[i], whole);
            Line::from(vec![
                Span::raw(format!(" {:<13}", LEG_NAMES[i])),
                Span::styled(fmt::bar(share, bar, LEG_GLYPHS[i]), app.theme.leg(i)),
                Span::raw(format!("{:>7}", fmt::percent(share))),
            ])
        })
        .collect();
    text::put(&lines, rest, buf);
}

fn edges_title(app: &App) -> String {
    match app.list().order(app.tab) {
        Some((order, false)) if order.title == "lost/s" => "Worst edges, by time lost".into(),
        Some((order, reversed)) => {
            format!("Edges, by {}{}", order.title, if reversed { ", backwards" } else { "" })
        }
        None => "Edges".into(),
    }
}
