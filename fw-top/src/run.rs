//! The loop: waits for whatever comes first (a key, a window, a signal), lets the state change, draws.

use crate::{
    app::{App, Effect, Event, Window, reduce},
    cli::Args,
    once, render,
    sampler::{self, Control, Source},
    terminal::{self, Screen},
    theme::Theme,
};
use crossterm::event::{self, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use fw_agent::model::Snapshot;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};
use std::{
    io::{self, Write},
    process::ExitCode,
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

/// Rows that one notch of the wheel moves.
const WHEEL: isize = 3;

/// What the loop waits for.
enum Message {
    Input(io::Result<event::Event>),
    Window(anyhow::Result<Window>),
    Signal(i32),
}

/// Runs the program that the command line asks for, on windows from the source that `open` makes.
///
/// # Errors
/// In one sentence, with the terminal given back: no terminal, a host that cannot be observed, or a lost terminal.
pub fn run<S: Source>(
    args: Args,
    open: impl FnOnce(&Args) -> anyhow::Result<S> + Send + 'static,
) -> anyhow::Result<ExitCode> {
    if args.once {
        let mut source = open(&args)?;
        thread::sleep(args.duration);
        io::stdout().write_all(once::frame(source.snapshot()?, args.tab, args.size).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal::check(render::MIN_SIZE)?;
    // Set but empty counts as not set: https://no-color.org.
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let theme = Theme::chosen(args.theme, no_color);
    // crossterm reads NO_COLOR by itself, but a theme that was asked for wins.
    crossterm::style::force_color_output(theme != Theme::Mono);
    let mut app = App::new(theme, args.tab, args.tick);
    let (sender, messages) = mpsc::channel();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let (windows, signalled) = (sender.clone(), sender.clone());
    let deliver = move |window: anyhow::Result<Snapshot>| windows.send(Message::Window(window.map(Window::of))).is_ok();
    let tick = args.tick;
    let control = sampler::start(move || open(&args), tick, deliver)?;
    thread::spawn(move || signals.forever().all(|signal| signalled.send(Message::Signal(signal)).is_ok()));
    let mut screen = Screen::enter()?;
    thread::spawn(move || read_input(&sender));
    serve(&mut app, &mut screen, &messages, &control)
    // The screen is given back here, before main prints anything.
}

/// The exit status of a run. A failure is told on standard error, in one line.
pub fn exit(result: anyhow::Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("fw-top: {error:#}");
        ExitCode::FAILURE
    })
}

/// Reads keys until nobody listens or the terminal is gone.
fn read_input(sender: &Sender<Message>) {
    loop {
        let input = event::read();
        let gone = input.is_err();
        if sender.send(Message::Input(input)).is_err() || gone {
            return;
        }
    }
}

fn serve(
    app: &mut App,
    screen: &mut Screen,
    messages: &Receiver<Message>,
    control: &Control,
) -> anyhow::Result<ExitCode> {
    let mut changed = true;
    loop {
        if changed {
            screen.terminal.draw(|frame| {
                let layout = render::draw(app, frame);
                app.drawn(layout);
            })?;
        }
        changed = false;
        // One frame for all that came meanwhile.
        let first = messages.recv()?;
        for message in [first].into_iter().chain(messages.try_iter()) {
            let event = match message {
                // As a shell reports a program that a signal ended.
                Message::Signal(signal) => return Ok(ExitCode::from(128u8.saturating_add(signal as u8))),
                Message::Window(window) => Some(Event::Window(window?)),
                Message::Input(input) => {
                    let input = input?;
                    changed |= matches!(input, event::Event::Resize(..));
                    translate(app, &input)
                }
            };
            // The mouse reports every cell that it passes: those are no reason to draw.
            let Some(event) = event else { continue };
            changed = true;
            match reduce(app, event) {
                Effect::None => (),
                Effect::Quit => return Ok(ExitCode::SUCCESS),
                Effect::Tick(tick) => control.tick(tick),
                Effect::Discard(window) => control.discard(window),
            }
        }
    }
}

/// What an input of the terminal means to the state, if anything.
fn translate(app: &App, input: &event::Event) -> Option<Event> {
    match *input {
        event::Event::Key(key) if key.kind != KeyEventKind::Release => Some(Event::Key(key)),
        event::Event::Mouse(MouseEvent { kind, column, row, .. }) => match kind {
            MouseEventKind::Down(MouseButton::Left) => app.layout.target(column, row).map(Event::Click),
            MouseEventKind::ScrollDown => Some(Event::Wheel(WHEEL)),
            MouseEventKind::ScrollUp => Some(Event::Wheel(-WHEEL)),
            _ => None,
        },
        _ => None,
    }
}
