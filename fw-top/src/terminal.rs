//! Takes the terminal and gives it back: at the end, on a panic in any thread, and (through [`crate::run`]) on signals.

use crossterm::{
    cursor::Show,
    event::{DisableMouseCapture, EnableMouseCapture},
    execute,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use ratatui::{Terminal, backend::CrosstermBackend};
use std::{
    io::{self, IsTerminal, Stdout, stdout},
    panic,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

/// Why there is no screen to draw on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Output or input is a file or a pipe.
    #[error("{0} is not a terminal; use `fw-top --once` for one plain-text frame")]
    NotATerminal(&'static str),
    /// The terminal has no room for a pane.
    #[error("the terminal is {}x{}, fw-top needs {}x{}; enlarge it, or use `fw-top --once --size 120x40`", have.0, have.1, need.0, need.1)]
    TooSmall {
        /// Columns and rows.
        have: (u16, u16),
        /// Columns and rows.
        need: (u16, u16),
    },
    /// The terminal refused.
    #[error("the terminal cannot be used: {0}")]
    Io(#[from] io::Error),
}

/// Says whether a screen could be opened, without opening it.
///
/// # Errors
/// If standard input or output is no terminal, or it is smaller than `need` (columns, rows).
pub fn check(need: (u16, u16)) -> Result<(), Error> {
    if !stdout().is_terminal() {
        return Err(Error::NotATerminal("standard output"));
    }
    if !io::stdin().is_terminal() {
        return Err(Error::NotATerminal("standard input"));
    }
    let have = crossterm::terminal::size()?;
    // Some terminals do not tell their size before something is drawn.
    if have != (0, 0) && (have.0 < need.0 || have.1 < need.1) {
        return Err(Error::TooSmall { have, need });
    }
    Ok(())
}

/// The terminal while it is ours. Given back when dropped.
pub struct Screen {
    /// Where frames are drawn.
    pub terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal: raw mode, its own screen, mouse.
    ///
    /// # Errors
    /// If the terminal refuses; it is given back then.
    pub fn enter() -> Result<Screen, Error> {
        restore_on_panic();
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        let entered = execute!(stdout(), EnterAlternateScreen, EnableMouseCapture)
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match entered {
            Ok(terminal) => Ok(Screen { terminal }),
            Err(error) => {
                restore();
                Err(error.into())
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Whether the terminal is ours. Leaving its screen twice would move the cursor over what was printed in between.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back, once. Failures are ignored: there is nowhere left to say so.
fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// The message of a panic must not vanish with the screen.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            print(info);
        }));
    });
}
