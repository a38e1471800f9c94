//! Interrupts by CPU: where each fires and how often.

use super::{cells, table::cut, text};
use crate::{app::App, fmt};
use fw_agent::model::Irq;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};
use std::collections::HashMap;

/// Width of a cell with its rate beside the shade, and without.
const WITH_RATE: usize = 8;
const SHADE: usize = 3;

/// The busiest interrupts against the CPUs that take them, by number of CPU.
pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let (s, digest, width) = (app.snapshot(), &app.view().digest, usize::from(area.width));
    let irqs: Vec<&Irq> =
        digest.busiest_irqs.iter().filter_map(|&i| s.irqs.get(i)).take(area.height.saturating_sub(2).into()).collect();
    if irqs.is_empty() {
        let rest = text::section("Interrupts x CPU", app.theme, area, buf);
        text::put(&[Line::styled(" no interrupt in this window", app.theme.dim())], rest, buf);
        return;
    }
    let names: Vec<String> = irqs.iter().map(|irq| name(irq)).collect();
    let name_width = names.iter().map(|n| Span::raw(n.as_str()).width()).max().unwrap_or(0).min(width / 2).min(24);
    let total = 7;
    let room = width.saturating_sub(name_width + total + 2);
    let cell = if digest.busiest_cpus.len() * WITH_RATE <= room { WITH_RATE } else { SHADE };
    let mut cpus: Vec<u32> = digest.busiest_cpus.iter().copied().take(room / cell).collect();
    cpus.sort_unstable();
    let title = if cpus.len() < digest.busiest_cpus.len() {
        format!("Interrupts x CPU: busiest {} of {}", cpus.len(), fmt::count(s.cpus.len() as u64))
    } else {
        "Interrupts x CPU (rate/s)".to_owned()
    };
    let rest = text::section(&title, app.theme, area, buf);
    let mut lines = vec![Line::styled(heading(name_width, &cpus, cell, total), app.theme.dim())];
    for (irq, name) in irqs.iter().zip(names) {
        let counts: HashMap<u32, u64> = irq.per_cpu.iter().copied().collect();
        let name = fmt::shorten(&name, name_width);
        let pad = name_width - Span::raw(name.as_str()).width();
        let mut spans = vec![Span::raw(format!(" {name}{}", " ".repeat(pad)))];
        for cpu in &cpus {
            let per_second = counts.get(cpu).copied().unwrap_or(0) as f64 / s.window_s;
            let level = cells::density_of_rate(per_second);
            spans.push(Span::raw(" "));
            spans.push(cells::dense(level, 2, app.theme));
            if cell == WITH_RATE {
                let rate = if per_second > 0.0 { fmt::short(per_second) } else { String::new() };
                spans.push(Span::raw(format!("{rate:>5}")));
            }
        }
        spans.push(Span::styled(format!("{:>total$}", fmt::short(irq.count as f64 / s.window_s)), app.theme.strong()));
        lines.push(cut(Line::from(spans), width));
    }
    text::put(&lines, rest, buf);
}

fn heading(name_width: usize, cpus: &[u32], cell: usize, total: usize) -> String {
    let mut out = format!(" {:<name_width$}", "CPU");
    for cpu in cpus {
        // Without room for the number its last two digits stay, which tell neighbours apart.
        let number = if cell == SHADE { cpu % 100 } else { *cpu };
        out += &format!("{number:>cell$}");
    }
    out + &format!("{:>total$}", "all")
}

/// `36 virtio1-req.0`, `LOC timer`.
fn name(irq: &Irq) -> String {
    let name = match irq.label.as_str() {
        "LOC" => "timer",
        "CAL" => "function call",
        "RES" => "reschedule",
        "TLB" => "TLB flush",
        "IWI" => "IRQ work",
        _ => &irq.name,
    };
    format!("{} {name}", irq.label)
}
