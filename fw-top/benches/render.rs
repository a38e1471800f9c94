//! A frame of a very large host: 1,024 CPUs, 4,000 interrupts, 10,000 edges. The bar is 10 ms.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use divan::Bencher;
use fw_agent::model::Snapshot;
use fw_top::{
    app::{App, Event, Tab, Window, reduce},
    render, sample,
    theme::Theme,
};
use ratatui::{buffer::Buffer, layout::Rect};
use std::{sync::LazyLock, time::Duration};

static HUGE: LazyLock<Snapshot> = LazyLock::new(|| sample::huge(1_024, 4_000, 10_000));

fn main() {
    divan::main();
}

fn dashboard(tab: Tab) -> App {
    let mut app = App::new(Theme::Default, tab, Duration::from_secs(1));
    reduce(&mut app, Event::Window(Window::of(HUGE.clone())));
    app
}

fn bench(bencher: Bencher, app: &App) {
    let area = Rect::new(0, 0, 200, 60);
    bencher.bench_local(|| {
        let mut buf = Buffer::empty(area);
        divan::black_box(render::draw_into(app, area, &mut buf));
    });
}

#[divan::bench(args = Tab::ALL)]
fn frame(bencher: Bencher, tab: Tab) {
    bench(bencher, &dashboard(tab));
}

#[divan::bench]
fn frame_of_an_opened_edge(bencher: Bencher) {
    let mut app = dashboard(Tab::Edges);
    reduce(&mut app, Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
    bench(bencher, &app);
}

/// What each window costs the loop besides drawing: history, sorting.
#[divan::bench(args = [Tab::Overview, Tab::Irqs, Tab::Threads])]
fn take_window(bencher: Bencher, tab: Tab) {
    let mut app = dashboard(tab);
    let window = || Event::Window(Window::of(HUGE.clone()));
    bencher.with_inputs(window).bench_local_values(|window| reduce(&mut app, window));
}
