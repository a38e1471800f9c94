//! Draws the state: one file for each pane. Plain data in, cells out: no map, no clock, no `/proc` in here.

mod cells;
mod edge;
mod edges;
mod footer;
mod header;
mod heat;
mod help;
mod host;
mod irqs;
mod message;
mod overview;
mod softirqs;
mod table;
mod text;
mod threads;

use crate::app::{App, Layout, Tab};
use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Constraint, Layout as Split, Rect},
};

/// The smallest terminal that something useful fits in: columns, rows.
pub const MIN_SIZE: (u16, u16) = (40, 12);

/// Draws the whole screen and reports where it put what.
pub fn draw(app: &App, frame: &mut Frame) -> Layout {
    draw_into(app, frame.area(), frame.buffer_mut())
}

/// The same into a buffer, for one frame without a terminal.
pub fn draw_into(app: &App, area: Rect, buf: &mut Buffer) -> Layout {
    let mut layout = Layout::default();
    if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
        message::too_small(area, buf);
        return layout;
    }
    let split = Split::vertical([Constraint::Length(2), Constraint::Fill(1), Constraint::Length(1)]);
    let [head, body, foot] = split.areas(area);
    header::draw(app, head, buf, &mut layout);
    footer::draw(app, foot, buf);
    if app.help {
        help::draw(app, body, buf, &mut layout);
    } else if !app.started() {
        message::collecting(app, body, buf);
    } else if app.opened.is_some() {
        edge::draw(app, body, buf, &mut layout);
    } else {
        let pane = match app.tab {
            Tab::Overview => overview::draw,
            Tab::Irqs => irqs::draw,
            Tab::Threads => threads::draw,
            Tab::Edges => edges::draw,
            Tab::Softirqs => softirqs::draw,
            Tab::Host => host::draw,
        };
        pane(app, body, buf, &mut layout);
    }
    layout
}
