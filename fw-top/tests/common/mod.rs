//! Drives the dashboard without a terminal.

#![allow(dead_code, reason = "each test binary uses its own part")]

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use fw_agent::model::Snapshot;
use fw_top::{
    app::{App, Effect, Event, Tab, Window, reduce},
    once, render, sample,
    theme::Theme,
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{sync::LazyLock, time::Duration};

/// The busy host, made up only once.
pub fn busy() -> Snapshot {
    static BUSY: LazyLock<Snapshot> = LazyLock::new(sample::busy);
    BUSY.clone()
}

/// A dashboard on a made-up host.
pub struct Driver {
    pub app: App,
    pub size: (u16, u16),
}

impl Driver {
    pub fn new(tab: Tab, size: (u16, u16)) -> Driver {
        Driver { app: App::new(Theme::Default, tab, Duration::from_secs(1)), size }
    }

    pub fn window(mut self, snapshot: Snapshot) -> Driver {
        reduce(&mut self.app, Event::Window(Window::of(snapshot)));
        self.draw();
        self
    }

    /// Keys as they are typed; `\n` is enter, `\u{1b}` escape.
    pub fn keys(mut self, keys: &str) -> Driver {
        for c in keys.chars() {
            self.press(c);
        }
        self
    }

    pub fn press(&mut self, c: char) -> Effect {
        let code = match c {
            '\n' => KeyCode::Enter,
            '\u{1b}' => KeyCode::Esc,
            '\t' => KeyCode::Tab,
            '\u{8}' => KeyCode::Backspace,
            '↓' => KeyCode::PageDown,
            '↑' => KeyCode::PageUp,
            c => KeyCode::Char(c),
        };
        let effect = reduce(&mut self.app, Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        self.draw();
        effect
    }

    pub fn draw(&mut self) -> Buffer {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buf = Buffer::empty(area);
        let layout = render::draw_into(&self.app, area, &mut buf);
        self.app.drawn(layout);
        buf
    }

    pub fn screen(&mut self) -> String {
        once::text(&self.draw())
    }
}
