//! What stands on screen when there is nothing else to show.

use super::{MIN_SIZE, text};
use crate::{app::App, fmt};
use ratatui::{buffer::Buffer, layout::Rect, text::Line};

/// The terminal has no room for a pane: says what is needed, in as few words as it takes.
pub fn too_small(area: Rect, buf: &mut Buffer) {
    let needed = format!("fw-top needs {}x{}, this is {}x{}", MIN_SIZE.0, MIN_SIZE.1, area.width, area.height);
    let lines: Vec<Line> = text::wrap(&needed, area.width.into()).into_iter().map(Line::raw).collect();
    text::put(&lines, area, buf);
}

/// Before the first window.
pub fn collecting(app: &App, area: Rect, buf: &mut Buffer) {
    let tick = fmt::seconds(app.tick.as_secs_f64());
    let said = format!("Probes are attached. The first window of {tick} is being collected.");
    text::put(&text::sentence('-', &said, app.theme.dim(), area.width.into()), area, buf);
}
