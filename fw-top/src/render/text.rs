//! Sentences, rules and text that scrolls.

use super::table::cut;
use crate::{
    app::{App, Layout},
    theme::Theme,
};
use fw_agent::model::{Lint, Severity};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

/// A rule across `area`'s first row that carries the title of what follows; gives the rest of the area.
pub fn section(title: &str, theme: Theme, area: Rect, buf: &mut Buffer) -> Rect {
    if area.is_empty() {
        return area;
    }
    buf.set_line(area.x, area.y, &rule(title, area.width.into(), theme), area.width);
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

/// A rule with a title, `width` columns long.
pub fn rule(title: &str, width: usize, theme: Theme) -> Line<'static> {
    let title = crate::fmt::shorten(title, width.saturating_sub(4));
    let rest = width.saturating_sub(Span::raw(title.as_str()).width() + 4);
    Line::from(vec![
        Span::styled("─ ", theme.dim()),
        Span::styled(title, theme.title()),
        Span::styled(format!(" {}─", "─".repeat(rest)), theme.dim()),
    ])
}

/// Words broken into lines of at most `width` columns; a word that is longer is broken too.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("one line from the start");
        let space = usize::from(!line.is_empty());
        if Span::raw(line.as_str()).width() + space + Span::raw(word).width() <= width {
            line.push_str(if space > 0 { " " } else { "" });
            line.push_str(word);
        } else {
            if !line.is_empty() {
                lines.push(String::new());
            }
            for c in word.chars() {
                let line = lines.last_mut().expect("one line from the start");
                if Span::raw(format!("{line}{c}")).width() > width && !line.is_empty() {
                    lines.push(c.to_string());
                } else {
                    line.push(c);
                }
            }
        }
    }
    lines
}

/// A sentence with a mark in front, its further lines indented to the first.
pub fn sentence(mark: char, text: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    let lines = wrap(text, width.saturating_sub(3));
    let marked = lines.into_iter().enumerate().map(|(i, line)| {
        let mark = if i == 0 { mark } else { ' ' };
        Line::from(vec![Span::styled(format!(" {mark} "), style), Span::raw(line)])
    });
    marked.collect()
}

/// Two columns as lines, the left one `width` wide.
pub fn beside(left: Vec<Line<'static>>, right: Vec<Line<'static>>, width: usize) -> Vec<Line<'static>> {
    let rows = left.len().max(right.len());
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    (0..rows)
        .map(|_| {
            let l = cut(left.next().unwrap_or_default(), width);
            let pad = Span::raw(" ".repeat(width - l.width() + 2));
            Line::from_iter(l.spans.into_iter().chain([pad]).chain(right.next().unwrap_or_default().spans))
        })
        .collect()
}

/// A judgement: its evidence and its advice.
pub fn finding(lint: &Lint, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let (mark, style) = match lint.severity {
        Severity::Warning => ('!', theme.warning()),
        Severity::Note => ('-', theme.dim()),
    };
    sentence(mark, &format!("{} {}", lint.evidence, lint.advice), style, width)
}

/// Draws lines from the top, without scrolling.
pub fn put(lines: &[Line], area: Rect, buf: &mut Buffer) {
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        buf.set_line(area.x, y, line, area.width);
    }
}

/// Draws lines from the row the user has scrolled to. If not all fit, the last row says how many are above and below.
pub fn scrolled(app: &App, lines: &[Line], area: Rect, buf: &mut Buffer, layout: &mut Layout) {
    let overflows = lines.len() > usize::from(area.height);
    let shown = Rect { height: area.height.saturating_sub(overflows.into()), ..area };
    let page = usize::from(shown.height);
    let offset = app.scroll.min(lines.len().saturating_sub(page));
    put(&lines[offset..], shown, buf);
    if overflows {
        let below = lines.len().saturating_sub(offset + page);
        let more = format!(" ↑ {offset}  ↓ {below} more lines");
        buf.set_stringn(area.x, shown.bottom(), more, area.width.into(), app.theme.title());
    }
    (layout.page, layout.offset, layout.text_rows) = (page, offset, lines.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_long_ones_broken() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a abcdefgh b", 3), ["a", "abc", "def", "gh", "b"]);
        assert_eq!(wrap("", 3), [""]);
        assert_eq!(wrap("日本語", 1), ["日", "本", "語"]);
    }
}
