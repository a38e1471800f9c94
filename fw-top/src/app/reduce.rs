//! How events change the state.

use super::{App, EdgeId, List, TICK_RANGE_S, Tab, Target, Window, list::Sieve};
use crate::keys::{self, Action};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use fw_agent::model::{Edge, Snapshot};
use std::{sync::Arc, time::Duration};

/// Something that happened.
#[derive(Debug)]
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// Something was clicked.
    Click(Target),
    /// The wheel was turned by so many rows, downwards if positive.
    Wheel(isize),
    /// A window was observed.
    Window(Window),
}

/// What the world should do about it.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Nothing.
    None,
    /// End the program.
    Quit,
    /// Make windows of this length from now on.
    Tick(Duration),
    /// Forget a window, but elsewhere: a large one takes longer to free than a frame to draw.
    Discard(Arc<Snapshot>),
}

/// Lengths of a window that `+` and `-` step through, ms.
const TICKS_MS: [u64; 6] = [250, 500, 1_000, 2_000, 5_000, 10_000];

/// Changes the state by an event.
pub fn reduce(app: &mut App, event: Event) -> Effect {
    match event {
        Event::Window(window) => Effect::Discard(take(app, window)),
        Event::Key(key) => {
            app.notice = None;
            if app.search.editing && !key.modifiers.contains(KeyModifiers::CONTROL) && typed(app, key.code) {
                return Effect::None;
            }
            keys::action(key).map_or(Effect::None, |action| act(app, action))
        }
        Event::Click(Target::Tab(tab)) => act(app, Action::Show(tab)),
        Event::Click(Target::Row(row)) => {
            if app.list().selected() == row {
                return act(app, Action::Open);
            }
            select(app, row);
            Effect::None
        }
        Event::Wheel(rows) => {
            step(app, rows);
            Effect::None
        }
    }
}

/// Takes over a window and gives back the one before. While paused it only becomes history.
fn take(app: &mut App, Window { snapshot, digest }: Window) -> Arc<Snapshot> {
    app.live.history.push(&snapshot, app.opened.as_ref());
    app.live.digest = digest;
    let before = std::mem::replace(&mut app.live.snapshot, snapshot);
    if !app.paused() {
        refresh(app);
    }
    before
}

/// A key while the search is being typed; false if it is not for the search.
fn typed(app: &mut App, code: KeyCode) -> bool {
    match code {
        KeyCode::Char(c) => app.search.text.extend(c.to_lowercase()),
        KeyCode::Backspace if app.search.text.pop().is_none() => app.search.editing = false,
        KeyCode::Backspace => (),
        KeyCode::Enter => app.search.editing = false,
        KeyCode::Esc => app.search = Default::default(),
        _ => return false,
    }
    refresh(app);
    true
}

fn act(app: &mut App, action: Action) -> Effect {
    let page = app.layout.page.max(1) as isize;
    match action {
        Action::Up => step(app, -1),
        Action::Down => step(app, 1),
        Action::PageUp => step(app, -page),
        Action::PageDown => step(app, page),
        Action::First => step(app, isize::MIN),
        Action::Last => step(app, isize::MAX),
        Action::Open => open(app),
        Action::Back => back(app),
        Action::NextTab => show(app, app.tab.stepped(1)),
        Action::PreviousTab => show(app, app.tab.stepped(-1)),
        Action::Show(tab) => show(app, tab),
        Action::Search if app.is_text() => notice(app, "there is nothing to search in here"),
        Action::Search => app.search.editing = true,
        Action::Filter => filter(app),
        Action::Sort | Action::Reverse if app.is_text() => notice(app, "there is nothing to sort in here"),
        Action::Sort => reorder(app, |list, tab| list.next_order(tab)),
        Action::Reverse => reorder(app, |list, _| list.reverse()),
        Action::Pause => {
            app.frozen = if app.paused() { None } else { Some(app.live.clone()) };
            refresh(app);
        }
        Action::Reset => {
            app.live.history.clear();
            if let Some(frozen) = &mut app.frozen {
                frozen.history.clear();
            }
            notice(app, "history forgotten");
        }
        Action::Longer => return tick(app, TICKS_MS.into_iter().find(|&ms| ms as u128 > app.tick.as_millis())),
        Action::Shorter => {
            return tick(app, TICKS_MS.into_iter().rev().find(|&ms| (ms as u128) < app.tick.as_millis()));
        }
        Action::Help => {
            app.help = !app.help;
            app.scroll = 0;
        }
        Action::Quit => return Effect::Quit,
    }
    Effect::None
}

fn notice(app: &mut App, text: impl Into<String>) {
    app.notice = Some(text.into());
}

fn tick(app: &mut App, ms: Option<u64>) -> Effect {
    let Some(ms) = ms else {
        notice(app, format!("windows are {} to {} s long", TICK_RANGE_S.start(), TICK_RANGE_S.end()));
        return Effect::None;
    };
    app.tick = Duration::from_millis(ms);
    Effect::Tick(app.tick)
}

/// Moves the selection, or scrolls a text.
fn step(app: &mut App, rows: isize) {
    if app.is_text() {
        let last = app.layout.text_rows.saturating_sub(app.layout.page);
        app.scroll = app.scroll.saturating_add_signed(rows).min(last);
    } else {
        select(app, app.list().selected().saturating_add_signed(rows));
    }
}

fn select(app: &mut App, place: usize) {
    let snapshot = Arc::clone(&app.view().snapshot);
    app.lists[app.tab as usize].select(place, app.tab, &snapshot);
}

fn show(app: &mut App, tab: Tab) {
    (app.tab, app.opened, app.help, app.scroll) = (tab, None, false, 0);
    refresh(app);
}

/// Opens the edge that is selected, or the worst one of the selected thread or interrupt.
fn open(app: &mut App) {
    if app.is_text() {
        return;
    }
    let worst = |of: &dyn Fn(&Edge) -> bool| {
        app.snapshot().edges.iter().filter(|e| of(e)).max_by_key(|e| e.latency.sum_ns).map(EdgeId::of)
    };
    let found = match app.tab {
        Tab::Overview | Tab::Edges => app.selected_edge().map(EdgeId::of),
        Tab::Threads => app.selected_thread().and_then(|t| worst(&|e| e.tid == t.tid)),
        Tab::Irqs => app.selected_irq().and_then(|i| worst(&|e| e.cause.irq.is_some() && e.cause.irq == i.irq)),
        Tab::Softirqs => {
            app.selected_softirq().and_then(|s| worst(&|e| e.cause.name.split(' ').next() == Some(s.name.as_str())))
        }
        Tab::Host => None,
    };
    match found {
        Some(id) => (app.opened, app.scroll) = (Some(id), 0),
        None => notice(app, "no edge to open: no wake was seen here in this window"),
    }
}

/// Leaves what was entered last.
fn back(app: &mut App) {
    if app.help {
        app.help = false;
    } else if app.opened.take().is_none() {
        app.search = Default::default();
        app.process = None;
        refresh(app);
    }
    app.scroll = 0;
}

fn filter(app: &mut App) {
    let process = match (&app.process, app.opened_edge().or(app.selected_edge()), app.selected_thread()) {
        (Some(_), ..) => None,
        (None, Some(e), _) => Some((e.pid, e.comm.clone())),
        (None, None, Some(t)) => Some((t.pid, t.comm.clone())),
        (None, None, None) => {
            notice(app, "select a thread or an edge first: f shows only its process");
            return;
        }
    };
    app.process = process;
    refresh(app);
}

fn reorder(app: &mut App, change: impl FnOnce(&mut List, Tab)) {
    let tab = app.tab;
    change(&mut app.lists[tab as usize], tab);
    refresh(app);
}

/// Makes the rows on screen anew. Those of other tabs wait until they are shown.
fn refresh(app: &mut App) {
    let snapshot = Arc::clone(&app.view().snapshot);
    let sieve = Sieve::new(&app.search.text, app.process.as_ref().map(|(pid, _)| *pid), &snapshot);
    app.lists[app.tab as usize].refresh(app.tab, &snapshot, &sieve);
}
