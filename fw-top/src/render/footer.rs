//! The last row: what observing costs and what was lost, then the keys; or the search while it is typed.

use super::table::cut;
use crate::{
    app::App,
    fmt,
    keys::{Action, BINDINGS},
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width);
    let line = if app.search.editing {
        let found = app.list().rows().len();
        Line::from(vec![
            Span::styled(format!(" / {}▏", app.search.text), app.theme.strong()),
            Span::styled(format!("  {} found   enter keep  esc drop", fmt::count(found as u64)), app.theme.dim()),
        ])
    } else if let Some(notice) = &app.notice {
        Line::styled(format!(" {notice}"), app.theme.warning())
    } else {
        status(app, width)
    };
    buf.set_line(area.x, area.y, &cut(line, width), area.width);
}

/// What the lists are limited to, with a blank in front: ` "redis" process 812 (redis-server)`.
pub fn filters(app: &App) -> String {
    let mut out = String::new();
    if !app.search.text.is_empty() {
        out += &format!(" \"{}\"", app.search.text);
    }
    if let Some((pid, comm)) = &app.process {
        out += &format!(" process {pid} ({comm})");
    }
    out
}

fn status(app: &App, width: usize) -> Line<'static> {
    let mut spans = Vec::new();
    let mut used = 0;
    let mut add = |text: String, style, room: usize| {
        let span = Span::styled(text, style);
        if used + span.width() < room {
            used += span.width() + 1;
            spans.extend([Span::raw(" "), span]);
        }
        used
    };
    let theme = app.theme;
    if app.started() {
        let lost = &app.snapshot().losses;
        if lost.total() > 0 {
            let reasons: Vec<String> = lost
                .reasons()
                .into_iter()
                .filter(|(_, n)| *n > 0)
                .map(|(why, n)| format!("{why} {}", fmt::count(n)))
                .collect();
            let short = format!(" LOST {} ", fmt::count(lost.total()));
            let long = format!(" LOST {}: {} ", fmt::count(lost.total()), reasons.join(", "));
            add(if long.chars().count() * 2 <= width { long } else { short }, theme.alarm(), width);
        }
        let observed = &app.snapshot().filter;
        if !observed.is_empty() {
            add(format!("only {observed} "), theme.strong(), width);
        }
        let shown = filters(app);
        if !shown.is_empty() {
            add(format!("only{shown} "), theme.strong(), width);
        }
        for text in cost(app) {
            add(text, theme.dim(), width);
        }
        if lost.total() == 0 {
            add("lost 0".into(), theme.dim(), width);
        }
    }
    let mut hints: Vec<Span> = Vec::new();
    let mut left = width.saturating_sub(spans.iter().map(Span::width).sum::<usize>() + 1);
    // The last of the table are the ones nobody can do without.
    for b in BINDINGS.iter().rev().filter(|b| !b.hint.is_empty()) {
        if app.is_text() && matches!(b.action, Action::Sort | Action::Search | Action::Open) {
            continue;
        }
        let text = format!(" {} {}", b.keys[0].label(), b.hint);
        if text.chars().count() + 1 > left {
            break;
        }
        left -= text.chars().count() + 1;
        hints.push(Span::styled(format!("{text} "), theme.dim()));
    }
    hints.reverse();
    spans.push(Span::raw(" ".repeat(left)));
    spans.extend(hints);
    Line::from(spans)
}

/// `self 0.7 % CPU`, then `probes 38 ns x 97k/s = 0.4 %`.
fn cost(app: &App) -> [String; 2] {
    let s = app.snapshot();
    let runs: u64 = fmt::sum(s.own.probes.iter().map(|p| &p.run_count));
    let time: u64 = fmt::sum(s.own.probes.iter().map(|p| &p.run_time_ns));
    let each = time.checked_div(runs).unwrap_or(0);
    let per_second = fmt::short(runs as f64 / s.window_s);
    [
        format!("self {} CPU ", fmt::percent(s.own.cpu_share)),
        format!("probes {each} ns x {per_second}/s = {} ", fmt::percent(s.own.probes_cpu_share)),
    ]
}
