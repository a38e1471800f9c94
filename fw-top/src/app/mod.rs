//! What the dashboard knows and how events change it. Pure: no terminal, no clock, no host.

mod clean;
mod history;
mod list;
mod reduce;
mod sort;
mod window;

pub use history::{EdgeId, History, LENGTH as HISTORY_LENGTH};
pub use list::{List, RowId};
pub use reduce::{Effect, Event, reduce};
pub use sort::{Order, orders};
pub use window::{Digest, Window};

use crate::theme::Theme;
use clap::ValueEnum;
use fw_agent::model::{Edge, Irq, Snapshot, Softirq, Thread};
use ratatui::layout::{Position, Rect};
use std::{ops::RangeInclusive, sync::Arc, time::Duration};

/// Shortest and longest window, seconds.
pub const TICK_RANGE_S: RangeInclusive<f64> = 0.25..=10.0;

/// One screen of the dashboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the help text of its key says what each answers")]
pub enum Tab {
    #[default]
    Overview,
    Irqs,
    Threads,
    Edges,
    Softirqs,
    Host,
}

impl Tab {
    /// All, in the order of their keys.
    pub const ALL: [Tab; 6] = [Tab::Overview, Tab::Irqs, Tab::Threads, Tab::Edges, Tab::Softirqs, Tab::Host];

    /// Its name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Tab::Overview => "Overview",
            Tab::Irqs => "IRQs",
            Tab::Threads => "Threads",
            Tab::Edges => "Edges",
            Tab::Softirqs => "Softirqs",
            Tab::Host => "Host",
        }
    }

    /// The tab `step` places on, around the end.
    fn stepped(self, step: isize) -> Tab {
        let n = Tab::ALL.len() as isize;
        Tab::ALL[(self as isize + step).rem_euclid(n) as usize]
    }
}

/// Something that a click can hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A tab's name.
    Tab(Tab),
    /// A row of the list on screen, by its place in the whole list.
    Row(usize),
}

/// Where the last frame put things: what clicks hit and how far a page goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// What can be clicked.
    pub targets: Vec<(Rect, Target)>,
    /// Rows that the list (or text) on screen had room for.
    pub page: usize,
    /// First row shown.
    pub offset: usize,
    /// Rows of the text on screen; 0 if there was a list instead.
    pub text_rows: usize,
}

impl Layout {
    /// What is at a column and row of the terminal.
    pub fn target(&self, column: u16, row: u16) -> Option<Target> {
        self.targets.iter().find(|(area, _)| area.contains(Position { x: column, y: row })).map(|(_, target)| *target)
    }
}

/// The newest window with what is derived from it and from those before. Pausing keeps a copy.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The window; of length 0 until there is one.
    pub snapshot: Arc<Snapshot>,
    /// What the overview needs of it.
    pub digest: Digest,
    /// The windows before.
    pub history: History,
}

/// What is being typed after `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Lower case; empty shows everything.
    pub text: String,
    /// Whether keys go into the text.
    pub editing: bool,
}

/// The whole state of the dashboard.
#[derive(Clone, Debug, Default)]
pub struct App {
    /// Colours.
    pub theme: Theme,
    /// The tab on screen.
    pub tab: Tab,
    /// The edge that is opened on top of the tab.
    pub opened: Option<EdgeId>,
    /// Whether the help is on top of everything.
    pub help: bool,
    /// What names and numbers are searched for.
    pub search: Search,
    /// Show only this process: (pid, name of the thread it was chosen by).
    pub process: Option<(u32, String)>,
    /// Length of the windows to come.
    pub tick: Duration,
    /// A word to the user about the last key, until the next one.
    pub notice: Option<String>,
    /// How far a text without selection (host, help, opened edge) is scrolled.
    pub scroll: usize,
    /// Where the last frame put things.
    pub layout: Layout,
    lists: [List; 6],
    live: View,
    frozen: Option<View>,
}

impl App {
    /// A dashboard that has not seen a window yet.
    pub fn new(theme: Theme, tab: Tab, tick: Duration) -> App {
        App { theme, tab, tick, ..App::default() }
    }

    /// What is on screen: the newest window, or the one at which the screen was paused.
    pub fn view(&self) -> &View {
        self.frozen.as_ref().unwrap_or(&self.live)
    }

    /// The window on screen.
    pub fn snapshot(&self) -> &Snapshot {
        &self.view().snapshot
    }

    /// False until the first window is there.
    pub fn started(&self) -> bool {
        self.snapshot().window_s > 0.0
    }

    /// Whether the screen is paused.
    pub fn paused(&self) -> bool {
        self.frozen.is_some()
    }

    /// The list of the tab on screen. Empty for the host tab, which is text.
    pub fn list(&self) -> &List {
        &self.lists[self.tab as usize]
    }

    /// Whether the screen shows text that scrolls rather than a list with a selected row.
    pub fn is_text(&self) -> bool {
        self.help || self.opened.is_some() || self.tab == Tab::Host
    }

    /// The opened edge, if it is in the window on screen.
    pub fn opened_edge(&self) -> Option<&Edge> {
        let id = self.opened.as_ref()?;
        self.snapshot().edges.iter().find(|e| id.is(e))
    }

    /// Takes over what a frame reports back.
    pub fn drawn(&mut self, layout: Layout) {
        if self.is_text() {
            self.scroll = layout.offset;
        } else {
            self.lists[self.tab as usize].offset = layout.offset;
        }
        self.layout = layout;
    }

    /// The selected row's interrupt, on the IRQs tab.
    pub fn selected_irq(&self) -> Option<&Irq> {
        (self.tab == Tab::Irqs).then(|| self.list().row()).flatten().and_then(|i| self.snapshot().irqs.get(i))
    }

    /// The selected row's thread, on the Threads tab.
    pub fn selected_thread(&self) -> Option<&Thread> {
        (self.tab == Tab::Threads).then(|| self.list().row()).flatten().and_then(|i| self.snapshot().threads.get(i))
    }

    /// The selected row's softirq, on the Softirqs tab.
    pub fn selected_softirq(&self) -> Option<&Softirq> {
        (self.tab == Tab::Softirqs).then(|| self.list().row()).flatten().and_then(|i| self.snapshot().softirqs.get(i))
    }

    /// The selected row's edge, on the tabs that list edges.
    pub fn selected_edge(&self) -> Option<&Edge> {
        let lists_edges = matches!(self.tab, Tab::Overview | Tab::Edges);
        lists_edges.then(|| self.list().row()).flatten().and_then(|i| self.snapshot().edges.get(i))
    }
}
