//! The one table of keys: dispatch, the help pane and the footer's reminders are all made from it.

use crate::app::Tab;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is explained by its help text in BINDINGS")]
pub enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Open,
    Back,
    NextTab,
    PreviousTab,
    Show(Tab),
    Search,
    Filter,
    Sort,
    Reverse,
    Pause,
    Reset,
    Longer,
    Shorter,
    Help,
    Quit,
}

/// A key as the terminal reports it; shift is in the character itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press {
    code: KeyCode,
    ctrl: bool,
}

const fn key(code: KeyCode) -> Press {
    Press { code, ctrl: false }
}

const fn char(c: char) -> Press {
    key(KeyCode::Char(c))
}

const fn ctrl(c: char) -> Press {
    Press { code: KeyCode::Char(c), ctrl: true }
}

impl Press {
    /// How the key is written in the help.
    pub fn label(self) -> String {
        let name = match self.code {
            KeyCode::Char(' ') => "space".into(),
            KeyCode::Char(c) => c.to_string(),
            KeyCode::Up => "↑".into(),
            KeyCode::Down => "↓".into(),
            KeyCode::Left => "←".into(),
            KeyCode::Right => "→".into(),
            KeyCode::PageUp => "PgUp".into(),
            KeyCode::PageDown => "PgDn".into(),
            KeyCode::BackTab => "shift-tab".into(),
            other => format!("{other:?}").to_lowercase(),
        };
        if self.ctrl { format!("ctrl-{name}") } else { name }
    }
}

/// Keys that ask for one action.
pub struct Binding {
    /// Any of these.
    pub keys: &'static [Press],
    /// What they ask for.
    pub action: Action,
    /// What that does, for the help pane.
    pub help: &'static str,
    /// One word for the footer; empty where the footer need not remind of it.
    pub hint: &'static str,
}

const fn bind(keys: &'static [Press], action: Action, help: &'static str, hint: &'static str) -> Binding {
    Binding { keys, action, help, hint }
}

/// All keys, in the order of the help pane.
pub const BINDINGS: &[Binding] = &[
    bind(&[key(KeyCode::Enter)], Action::Open, "open the edge; of an interrupt or thread, its worst one", "open"),
    bind(&[key(KeyCode::Esc)], Action::Back, "back; then drop the search and the filter", ""),
    bind(&[char(' ')], Action::Pause, "pause the screen; collecting goes on", "pause"),
    bind(&[char('/')], Action::Search, "search names and numbers", "search"),
    bind(&[char('s')], Action::Sort, "sort by the next column", "sort"),
    bind(&[char('S')], Action::Reverse, "reverse the order", ""),
    bind(&[char('f')], Action::Filter, "show only the selected thread's process; again: all", "filter"),
    bind(&[char('r')], Action::Reset, "forget the history", ""),
    bind(&[char('+'), char('=')], Action::Longer, "longer windows, up to 10s", ""),
    bind(&[char('-')], Action::Shorter, "shorter windows, down to 0.25s", ""),
    bind(&[key(KeyCode::Up), char('k')], Action::Up, "one row up", ""),
    bind(&[key(KeyCode::Down), char('j')], Action::Down, "one row down", ""),
    bind(&[key(KeyCode::PageUp), ctrl('u')], Action::PageUp, "one page up", ""),
    bind(&[key(KeyCode::PageDown), ctrl('d')], Action::PageDown, "one page down", ""),
    bind(&[char('g'), key(KeyCode::Home)], Action::First, "first row", ""),
    bind(&[char('G'), key(KeyCode::End)], Action::Last, "last row", ""),
    bind(&[key(KeyCode::Tab), key(KeyCode::Right)], Action::NextTab, "next tab", ""),
    bind(&[key(KeyCode::BackTab), key(KeyCode::Left)], Action::PreviousTab, "previous tab", ""),
    bind(&[char('1')], Action::Show(Tab::Overview), "Overview: is anything paying too much, and who?", ""),
    bind(&[char('2')], Action::Show(Tab::Irqs), "IRQs: where each fires and whom it wakes", ""),
    bind(&[char('3')], Action::Show(Tab::Threads), "Threads: who waits, how long, and for what", ""),
    bind(&[char('4')], Action::Show(Tab::Edges), "Edges: which cause wakes which thread", ""),
    bind(&[char('5')], Action::Show(Tab::Softirqs), "Softirqs: raised to run, and how long", ""),
    bind(&[char('6')], Action::Show(Tab::Host), "Host: facts, losses, cost of the probes", ""),
    bind(&[char('?'), char('h')], Action::Help, "this help", "help"),
    bind(&[char('q'), ctrl('c')], Action::Quit, "quit", "quit"),
];

/// What a key asks for, if anything.
pub fn action(event: KeyEvent) -> Option<Action> {
    let press = Press { code: event.code, ctrl: event.modifiers.contains(KeyModifiers::CONTROL) };
    // Some terminals report shift-tab as a shifted tab.
    let press = match (press.code, event.modifiers.contains(KeyModifiers::SHIFT)) {
        (KeyCode::Tab, true) => key(KeyCode::BackTab),
        _ => press,
    };
    BINDINGS.iter().find(|b| b.keys.contains(&press)).map(|b| b.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_asks_for_two_things() {
        let keys: Vec<Press> = BINDINGS.iter().flat_map(|b| b.keys).copied().collect();
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "{} is bound twice", key.label());
        }
    }

    #[test]
    fn every_action_has_one_entry_with_help() {
        for (i, b) in BINDINGS.iter().enumerate() {
            assert!(!b.help.is_empty() && !b.keys.is_empty(), "{:?} lacks help or a key", b.action);
            assert!(BINDINGS[..i].iter().all(|other| other.action != b.action), "{:?} stands twice", b.action);
        }
        for tab in Tab::ALL {
            assert!(BINDINGS.iter().any(|b| b.action == Action::Show(tab)), "{tab:?} has no key");
        }
    }

    #[test]
    fn shift_and_control_are_told_apart() {
        let press = |code, modifiers| action(KeyEvent::new(code, modifiers));
        assert_eq!(press(KeyCode::Char('S'), KeyModifiers::SHIFT), Some(Action::Reverse));
        assert_eq!(press(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Action::Quit));
        assert_eq!(press(KeyCode::Char('c'), KeyModifiers::NONE), None);
        assert_eq!(press(KeyCode::Tab, KeyModifiers::SHIFT), Some(Action::PreviousTab));
    }
}
