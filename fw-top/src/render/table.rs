//! Tables that give up whole columns, least important first, before they cut a number.

use super::text;
use crate::{
    app::{App, Layout, List, Target},
    fmt,
    theme::{LEG_GLYPHS, Theme},
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};
use std::ops::Range;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    title: &'static str,
    /// The lowest goes first when there is no room.
    importance: u8,
    /// Width that names may be shortened to; none for numbers and bars, which are shown whole or not at all.
    shortest: Option<usize>,
    right: bool,
}

/// Columns less important than this go before names are shortened below [`COMFORTABLE`] columns.
const EXTRA: u8 = 5;
const COMFORTABLE: usize = 24;

impl Column {
    /// A right-aligned number.
    pub const fn number(title: &'static str, importance: u8) -> Column {
        Column { title, importance, shortest: None, right: true }
    }

    /// A name, which may be shortened to so many columns.
    pub const fn name(title: &'static str, importance: u8, shortest: usize) -> Column {
        Column { title, importance, shortest: Some(shortest), right: false }
    }

    /// A bar, all of the same width.
    pub const fn bar(title: &'static str, importance: u8) -> Column {
        Column { title, importance, shortest: None, right: false }
    }
}

/// Rows of cells under their columns.
pub struct Table<'a> {
    columns: &'a [Column],
    rows: Vec<Vec<Line<'a>>>,
    /// Title of the column that it is sorted by, and whether backwards.
    order: Option<(&'static str, bool)>,
    /// Which of `rows` is selected.
    selected: Option<usize>,
}

impl<'a> Table<'a> {
    /// A table of rows that all have a cell for each column.
    pub fn new(columns: &'a [Column], rows: Vec<Vec<Line<'a>>>) -> Table<'a> {
        Table { columns, rows, order: None, selected: None }
    }

    /// Draws heading and rows at the top of `area`.
    pub fn draw(&self, theme: Theme, area: Rect, buf: &mut Buffer) {
        text::put(&self.lines(theme, area.width.into()), area, buf);
    }

    /// Heading and rows as lines, for text that scrolls.
    pub fn lines(&self, theme: Theme, width: usize) -> Vec<Line<'a>> {
        let gap = if width >= 60 { 2 } else { 1 };
        // One column on the left for the mark of the selected row.
        let shown = self.fit(width.saturating_sub(1), gap);
        let heading = self.line(&shown, gap, |i| Line::styled(self.title(i), theme.title()));
        let rows = self.rows.iter().enumerate().map(|(r, row)| {
            let line = self.line(&shown, gap, |i| row[i].clone());
            if self.selected == Some(r) { self.select(line, theme, width) } else { line }
        });
        [heading].into_iter().chain(rows).collect()
    }

    /// Marks a row, up to the full width, except its bars: reversed they would say the opposite.
    fn select<'b>(&self, line: Line<'b>, theme: Theme, width: usize) -> Line<'b> {
        let pad = Span::raw(" ".repeat(width.saturating_sub(line.width())));
        let mut spans: Vec<Span> = line.spans.into_iter().chain([pad]).collect();
        spans[0] = Span::styled(">", theme.strong());
        for span in spans.iter_mut().filter(|s| !s.content.contains(LEG_GLYPHS)) {
            span.style = span.style.patch(theme.selected());
        }
        Line::from(spans)
    }

    fn title(&self, column: usize) -> String {
        let title = self.columns[column].title;
        match self.order {
            Some((by, reversed)) if by == title => format!("{title}{}", if reversed { '▲' } else { '▼' }),
            _ => title.to_owned(),
        }
    }

    /// The column that the table is sorted by explains the order of the rows, so it stays.
    fn importance(&self, column: usize) -> u8 {
        let Column { title, importance, .. } = self.columns[column];
        if self.order.is_some_and(|(by, _)| by == title) { importance.max(253) } else { importance }
    }

    fn natural(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
        cells.max(Span::raw(self.title(column)).width())
    }

    /// The columns that fit with their widths.
    fn fit(&self, width: usize, gap: usize) -> Vec<(usize, usize)> {
        let natural: Vec<usize> = (0..self.columns.len()).map(|i| self.natural(i)).collect();
        // A name's heading stays whole as well.
        let shortened = |i: usize, to: usize| natural[i].min(to.max(Span::raw(self.title(i)).width()));
        let least = |i: usize| self.columns[i].shortest.map_or(natural[i], |shortest| shortened(i, shortest));
        let good = |i: usize| self.columns[i].shortest.map_or(natural[i], |_| shortened(i, COMFORTABLE));
        let needed = |kept: &[usize], of: &dyn Fn(usize) -> usize| {
            kept.iter().map(|&i| of(i) + gap).sum::<usize>().saturating_sub(gap)
        };
        let mut kept: Vec<usize> = (0..self.columns.len()).collect();
        while kept.len() > 1 {
            let Some(drop) = (0..kept.len()).min_by_key(|&k| self.importance(kept[k])) else {
                break;
            };
            let extra = self.importance(kept[drop]) < EXTRA;
            if needed(&kept, &least) <= width && !(extra && needed(&kept, &good) > width) {
                break;
            }
            kept.remove(drop);
        }
        let mut spare = width.saturating_sub(needed(&kept, &least));
        let mut shown: Vec<(usize, usize)> = kept.iter().map(|&i| (i, least(i).min(width))).collect();
        // First every name to a comfortable width, then to its whole one.
        for wanted in [&good as &dyn Fn(usize) -> usize, &|i| natural[i]] {
            for (i, w) in &mut shown {
                let more = wanted(*i).saturating_sub(*w).min(spare);
                *w += more;
                spare -= more;
            }
        }
        shown
    }

    fn line<'b>(&self, shown: &[(usize, usize)], gap: usize, cell: impl Fn(usize) -> Line<'b>) -> Line<'b> {
        let mut spans = vec![Span::raw(" ")];
        for (k, &(i, width)) in shown.iter().enumerate() {
            if k > 0 {
                spans.push(Span::raw(" ".repeat(gap)));
            }
            let cell = cut(cell(i), width);
            let pad = Span::raw(" ".repeat(width.saturating_sub(cell.width())));
            // A style of the line itself would end with the line that it is put into.
            let style = cell.style;
            let styled = cell.spans.into_iter().map(|s| Span::styled(s.content, style.patch(s.style)));
            if self.columns[i].right {
                spans.push(pad);
                spans.extend(styled);
            } else {
                spans.extend(styled);
                spans.push(pad);
            }
        }
        Line::from(spans)
    }
}

/// The line within a width, its last name shortened.
pub fn cut(line: Line, width: usize) -> Line {
    if line.width() <= width {
        return line;
    }
    let mut left = width;
    let mut spans = Vec::new();
    for span in line.spans {
        let w = span.width();
        if w <= left {
            left -= w;
            spans.push(span);
        } else {
            spans.push(Span::styled(fmt::shorten(&span.content, left), span.style));
            break;
        }
    }
    Line { spans, ..line }
}

/// The rows of a list that are shown in a height: as in the last frame, moved no further than the selection asks for.
fn shown(list: &List, height: usize) -> Range<usize> {
    let len = list.rows().len();
    let first = list.offset.min(list.selected()).max((list.selected() + 1).saturating_sub(height));
    let first = first.min(len.saturating_sub(height));
    first..len.min(first + height)
}

/// Draws the list of the tab on screen, and makes its rows clickable.
pub fn draw_list<'a>(
    app: &'a App,
    columns: &'a [Column],
    row: impl Fn(usize) -> Vec<Line<'a>>,
    area: Rect,
    buf: &mut Buffer,
    layout: &mut Layout,
) {
    let list = app.list();
    if list.rows().is_empty() {
        let why = if app.search.text.is_empty() && app.process.is_none() {
            "nothing in this window".to_owned()
        } else {
            format!("nothing matches{}; esc shows all", super::footer::filters(app))
        };
        Table::new(columns, Vec::new()).draw(app.theme, area, buf);
        if area.height > 1 {
            let line = cut(Line::styled(format!(" {why}"), app.theme.dim()), area.width.into());
            buf.set_line(area.x, area.y + 1, &line, area.width);
        }
        return;
    }
    let height = usize::from(area.height.saturating_sub(1));
    let range = shown(list, height);
    let table = Table {
        columns,
        rows: list.rows()[range.clone()].iter().map(|&r| row(r)).collect(),
        order: list.order(app.tab).map(|(order, reversed)| (order.title, reversed)),
        selected: list.selected().checked_sub(range.start),
    };
    table.draw(app.theme, area, buf);
    layout.page = height;
    layout.offset = range.start;
    for (y, place) in (area.y + 1..).zip(range) {
        layout.targets.push((Rect { y, height: 1, ..area }, Target::Row(place)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] = [Column::name("thread", 9, 4), Column::number("wakes/s", 5), Column::number("p99", 7)];

    fn drawn(width: u16) -> String {
        let row = vec![Line::raw("redis-server"), Line::raw("17,310"), Line::raw("61us")];
        let area = Rect::new(0, 0, width, 2);
        let mut buf = Buffer::empty(area);
        Table::new(&COLUMNS, vec![row]).draw(Theme::Mono, area, &mut buf);
        (0..width).map(|x| buf[(x, 1)].symbol().to_owned()).collect::<String>().trim_end().to_owned()
    }

    #[test]
    fn names_shrink_then_columns_go_and_numbers_stay_whole() {
        assert_eq!(drawn(60), " redis-server   17,310  61us");
        assert_eq!(drawn(22), " redis-s…  17,310 61us");
        assert_eq!(drawn(14), " redis-s… 61us");
        assert_eq!(drawn(6), " redi…");
    }
}
