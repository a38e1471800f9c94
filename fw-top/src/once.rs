//! One frame as plain text, for scripts and reports.

use crate::{
    app::{App, Event, Tab, Window, reduce},
    render,
    theme::Theme,
};
use fw_agent::model::Snapshot;
use ratatui::{buffer::Buffer, layout::Rect};
use std::time::Duration;

/// The first frame that a terminal of `size` (columns, rows) would show, without colours or escape codes; lines end
/// where their text ends.
pub fn frame(snapshot: Snapshot, tab: Tab, size: (u16, u16)) -> String {
    let window = Duration::try_from_secs_f64(snapshot.window_s).unwrap_or_default();
    let mut app = App::new(Theme::Mono, tab, window);
    reduce(&mut app, Event::Window(Window::of(snapshot)));
    let area = Rect::new(0, 0, size.0, size.1);
    let mut buf = Buffer::empty(area);
    render::draw_into(&app, area, &mut buf);
    text(&buf)
}

/// The characters of a buffer, a line for each row.
pub fn text(buf: &Buffer) -> String {
    let mut out = String::new();
    for row in buf.area.rows() {
        let mut line = String::new();
        let mut x = row.left();
        while x < row.right() {
            let symbol = buf[(x, row.y)].symbol();
            line.push_str(symbol);
            // A wide character hides the cells that it covers.
            x += (ratatui::text::Span::raw(symbol).width() as u16).max(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
