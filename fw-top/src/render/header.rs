//! The first two rows: the host and its wakes in one line, and the tabs.

use super::table::cut;
use crate::{
    app::{App, Layout, Tab, Target},
    fmt,
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

/// A word of the first row; the least important go first when there is no room.
struct Piece {
    importance: u8,
    text: String,
    style: Style,
}

pub fn draw(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    buf.set_line(area.x, area.y, &status(app, area.width.into()), area.width);
    tabs(app, Rect { y: area.y + 1, height: 1, ..area }, buf, layout);
}

fn status(app: &App, width: usize) -> Line<'static> {
    let (s, theme) = (app.snapshot(), app.theme);
    let piece = |importance, text: String, style| Piece { importance, text, style };
    let plain = Style::new();
    let mut left = vec![piece(3, "fw-top".into(), theme.title())];
    let mut right = Vec::new();
    if app.started() {
        let cpus = if s.host.cpus_online == 1 { "CPU" } else { "CPUs" };
        left.push(piece(6, fmt::shorten(&s.host.name, 20), theme.strong()));
        left.push(piece(2, s.host.kernel.clone(), plain));
        left.push(piece(4, format!("{} {cpus}", fmt::count(s.host.cpus_online.into())), plain));
        left.push(piece(1, format!("up {}", fmt::uptime(s.host.uptime_s)), plain));
        let latency = &s.wakes.latency;
        right.push(piece(8, format!("wakes {}/s", fmt::rate(s.wakes.count as f64 / s.window_s)), theme.strong()));
        right.push(piece(5, format!("p50 {}", fmt::quantile(latency, 0.5)), plain));
        right.push(piece(7, format!("p99 {}", fmt::quantile(latency, 0.99)), theme.strong()));
        right.push(piece(5, format!("max {}", fmt::max(latency)), plain));
    }
    right.push(if app.paused() {
        piece(9, " PAUSED ".into(), theme.selected())
    } else {
        piece(9, format!("live {}", fmt::seconds(app.tick.as_secs_f64())), theme.good())
    });
    let needed = |pieces: &[Piece]| pieces.iter().map(|p| Span::raw(p.text.as_str()).width() + 2).sum::<usize>();
    while needed(&left) + needed(&right) > width {
        let least = |pieces: &[Piece]| (0..pieces.len()).min_by_key(|&i| pieces[i].importance);
        match (least(&left), least(&right)) {
            (Some(l), Some(r)) if left[l].importance < right[r].importance => drop(left.remove(l)),
            (_, Some(r)) if right.len() > 1 => drop(right.remove(r)),
            (Some(l), _) => drop(left.remove(l)),
            _ => break,
        }
    }
    let mut spans = Vec::new();
    let gap = width.saturating_sub(needed(&left) + needed(&right));
    for p in left {
        spans.extend([Span::raw(" "), Span::styled(p.text, p.style), Span::raw(" ")]);
    }
    spans.push(Span::raw(" ".repeat(gap)));
    for p in right {
        spans.extend([Span::raw(" "), Span::styled(p.text, p.style), Span::raw(" ")]);
    }
    cut(Line::from(spans), width)
}

fn tabs(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    buf.set_string(area.x, area.y, "─".repeat(area.width.into()), app.theme.dim());
    let all_named: usize = Tab::ALL.iter().map(|t| t.label().len() + 5).sum();
    let mut x = area.x + 1;
    for (i, tab) in Tab::ALL.into_iter().enumerate() {
        let here = tab == app.tab;
        // Where not all names fit, only the tab on screen has one.
        let text = if here || all_named <= area.width.into() {
            format!(" {} {} ", i + 1, tab.label())
        } else {
            format!(" {} ", i + 1)
        };
        let text = if here { format!("[{}]", text.trim()) } else { text };
        let width = text.len() as u16;
        // Names stand on the rule, whose style would show through.
        let style = if here { app.theme.title() } else { Style::reset() };
        buf.set_string(x, area.y, &text, style);
        let target = Rect { x, width, ..area }.intersection(area);
        layout.targets.push((target, Target::Tab(tab)));
        x += width + 1;
    }
}
