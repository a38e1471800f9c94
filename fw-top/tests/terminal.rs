//! The terminal is given back however the program ends: the demo on a pseudo-terminal. This binary is the demo as well, so
//! that the tests cannot run one from an earlier build; that is why it has a `main` of its own.

#[path = "../examples/demo.rs"]
mod demo;

use rustix::{
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};
use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    process::{Child, Command, ExitCode},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

/// What takes the screen and what gives it back.
const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";

/// Set for the process that is to be the demo.
const DEMO: &str = "FW_TOP_TEST_DEMO";

fn main() -> ExitCode {
    if std::env::var_os(DEMO).is_some() {
        return demo::main();
    }
    let tests: [(&str, fn()); 3] = [
        ("after_quitting", after_quitting),
        ("after_a_signal", after_a_signal),
        ("after_a_panic_and_before_its_message", after_a_panic_and_before_its_message),
    ];
    // As every test binary: only tests whose name contains the argument. Options are for the usual harness.
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    let wanted: Vec<_> = tests.into_iter().filter(|(name, _)| name.contains(&filter)).collect();
    for (name, test) in &wanted {
        test();
        println!("test {name} ... ok");
    }
    println!("\ntest result: ok. {} passed; 0 failed; 0 ignored", wanted.len());
    ExitCode::SUCCESS
}

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
        let demo = std::env::current_exe().expect("the path of this binary");
        let handle = || terminal.try_clone().expect("a copy of the terminal");
        let mut command = Command::new(demo);
        command.args(["--tick", "0.25s"]).envs(env.iter().copied()).env(DEMO, "1").env("RUST_BACKTRACE", "0");
        let child = command.stdin(handle()).stdout(handle()).stderr(handle()).spawn().expect("the demo starts");
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

fn after_quitting() {
    let mut session = running();
    session.keyboard.write_all(b"q").expect("a key");
    assert_eq!(session.end(), Some(0));
}

fn after_a_signal() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let session = running();
        kill_process(Pid::from_child(&session.child), signal).expect("the demo runs");
        assert_eq!(session.end(), Some(status), "{signal:?}");
    }
}

fn after_a_panic_and_before_its_message() {
    let mut session = Session::start(&[("DEMO_PANIC", "1")]);
    session.until("this is a bug in fw-top");
    let place = |text: &str| session.seen.find(text).unwrap_or_else(|| panic!("no {text:?} in {:?}", session.seen));
    assert!(place(ENTER) < place(LEAVE) && place(LEAVE) < place("a panic was asked for"));
    assert_eq!(session.end(), Some(1));
}
