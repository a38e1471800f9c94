//! The keys, from their table, and how to read the screen.

use super::text;
use crate::{
    app::{App, Layout},
    keys::BINDINGS,
    render::cells::LEG_NAMES,
    theme::{LEG_GLYPHS, Theme},
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

const READING: &[&str] = &[
    "Wake-up latency: from waking a thread to its running. p50 3.1us: half of the wakes took no longer.",
    "Run queue: from runnable (woken or preempted) to running; what runqlat counts.",
    "Lost: wake-up time summed over all wakes, by second of the window. Threads wait side by side, so it may pass 1s.",
    "Cross: share of wakes that ran on another CPU than the one that woke the thread.",
    "Heat map: · below 10/s, ░ 100, ▒ 1,000, ▓ 10,000, █ more. Heat over time: █ from 1/4 of the wakes, each step down a quarter.",
    "Sparkline: wake-up p99 of the last 60 windows, ▁ up to 4us, each step 4 times more.",
    "What lies before the handler (wire to interrupt) cannot be observed and is in no number.",
];

pub fn draw(app: &App, area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    text::scrolled(app, &lines(app.theme, area.width.into()), area, buf, layout);
}

fn lines(theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![text::rule("Keys", width, theme)];
    let labels = BINDINGS.iter().map(|b| b.keys.iter().map(|k| k.label()).collect::<Vec<_>>().join(" "));
    let entries: Vec<(String, &str)> = labels.zip(BINDINGS.iter().map(|b| b.help)).collect();
    let column = entries.iter().map(|(keys, _)| Span::raw(keys.as_str()).width()).max().unwrap_or(0);
    for (keys, help) in entries {
        let pad = " ".repeat(column - Span::raw(keys.as_str()).width());
        let mut indent = Span::styled(format!(" {keys}{pad}  "), theme.strong());
        for part in text::wrap(help, width.saturating_sub(column + 3)) {
            lines.push(Line::from(vec![indent, Span::raw(part)]));
            indent = Span::raw(" ".repeat(column + 3));
        }
    }
    lines.push(text::rule("Reading the screen", width, theme));
    let mut legend = vec![Span::raw(" Legs: ")];
    for (i, name) in LEG_NAMES.into_iter().enumerate() {
        legend.push(Span::styled(format!("{} ", LEG_GLYPHS[i]), theme.leg(i)));
        legend.push(Span::raw(format!("{name}  ")));
    }
    if Line::from(legend.clone()).width() <= width {
        lines.push(Line::from(legend));
    }
    for sentence in READING {
        lines.extend(text::wrap(sentence, width.saturating_sub(1)).into_iter().map(|l| Line::raw(format!(" {l}"))));
    }
    lines
}
