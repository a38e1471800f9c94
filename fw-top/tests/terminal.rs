//! The terminal is given back however the program ends: the demo on a pseudo-terminal.

use rustix::{
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};
use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    path::Path,
    process::{Child, Command},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

/// What takes the screen and what gives it back.
const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";

/// The demo on a terminal of its own.
struct Session {
    child: Child,
    keyboard: File,
    terminal: File,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Session {
    fn start(env: &[(&str, &str)]) -> Session {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&controller).expect("grantpt");
        unlockpt(&controller).expect("unlockpt");
        let name = ptsname(&controller, Vec::new()).expect("ptsname").into_string().expect("UTF-8");
        let terminal = OpenOptions::new().read(true).write(true).open(name).expect("the terminal");
        let size = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("its size can be set");
        // Cargo builds examples for tests, beside the binaries.
        let bin = Path::new(env!("CARGO_BIN_EXE_fw-top"));
        let demo = bin.with_file_name("examples").join("demo");
        let handle = || terminal.try_clone().expect("a copy of the terminal");
        let mut command = Command::new(demo);
        command.args(["--tick", "0.25s"]).envs(env.iter().copied()).env("RUST_BACKTRACE", "0");
        let child = command
            .stdin(handle())
            .stdout(handle())
            .stderr(handle())
            .spawn()
            .expect("the demo, which cargo test builds unless told to build one test only");
        let keyboard = File::from(controller);
        let mut reader = keyboard.try_clone().expect("a copy of the controller");
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut buf = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buf) {
                if sender.send(buf[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Session { child, keyboard, terminal, output, seen: String::new() }
    }

    /// Waits until the program has written a text.
    fn until(&mut self, text: &str) {
        while !self.seen.contains(text) {
            let more = self.output.recv_timeout(Duration::from_secs(60));
            let more = more.unwrap_or_else(|_| panic!("no {text:?} came after {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
    }

    fn raw(&self) -> bool {
        !tcgetattr(&self.terminal).expect("the terminal's modes").local_modes.contains(LocalModes::ICANON)
    }

    /// Waits for the end: the exit status, once the terminal is as it was.
    fn end(mut self) -> Option<i32> {
        self.until(LEAVE);
        let status = self.child.wait().expect("the demo ends");
        assert!(!self.raw(), "the terminal is still raw");
        status.code()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Only a failed test leaves it running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn running() -> Session {
    let mut session = Session::start(&[]);
    session.until(ENTER);
    session.until("where it went");
    assert!(session.raw());
    session
}

#[test]
fn after_quitting() {
    let mut session = running();
    session.keyboard.write_all(b"q").expect("a key");
    assert_eq!(session.end(), Some(0));
}

#[test]
fn after_a_signal() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let session = running();
        kill_process(Pid::from_child(&session.child), signal).expect("the demo runs");
        assert_eq!(session.end(), Some(status), "{signal:?}");
    }
}

#[test]
fn after_a_panic_and_before_its_message() {
    let mut session = Session::start(&[("DEMO_PANIC", "1")]);
    session.until("this is a bug in fw-top");
    let place = |text: &str| session.seen.find(text).unwrap_or_else(|| panic!("no {text:?} in {:?}", session.seen));
    assert!(place(ENTER) < place(LEAVE) && place(LEAVE) < place("a panic was asked for"));
    assert_eq!(session.end(), Some(1));
}
