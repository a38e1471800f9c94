//! Interrupts by CPU: where each fires and how often.

use super::{cells, table::cut, text};
use crate::{app::App, fmt};
use fw_agent::model::Irq;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

/// Width of a cell with its rate beside the shade.
const WITH_RATE: usize = 9;

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
    let mut cpus = busiest_cpus(&irqs);
    let all = cpus.len();
    let digits = cpus.iter().max().map_or(1, |cpu| cpu.to_string().len());
    let with_rate = all * WITH_RATE <= room;
    let cell = if with_rate { WITH_RATE } else { (digits + 1).max(3) };
    cpus.truncate(room / cell);
    cpus.sort_unstable();
    let title = if cpus.len() < all {
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
            let rate = if with_rate && per_second > 0.0 { fmt::short(per_second) } else { String::new() };
            let shade = if with_rate { 3 } else { cell };
            spans.push(Span::raw(" ".repeat(shade - 2)));
            spans.push(cells::dense(level, 2, app.theme));
            spans.push(Span::raw(format!("{rate:>w$}", w = cell - shade)));
        }
        spans.push(Span::styled(format!("{:>total$}", fmt::short(irq.count as f64 / s.window_s)), app.theme.strong()));
        lines.push(cut(Line::from(spans), width));
    }
    text::put(&lines, rest, buf);
}

fn heading(name_width: usize, cpus: &[u32], cell: usize, total: usize) -> String {
    let numbers: String = cpus.iter().map(|cpu| format!("{cpu:>cell$}")).collect();
    format!(" {:<name_width$}{numbers}{:>total$}", "CPU", "all")
}

/// The CPUs that take these interrupts, most first.
fn busiest_cpus(irqs: &[&Irq]) -> Vec<u32> {
    let mut by_cpu: BTreeMap<u32, u64> = BTreeMap::new();
    for (cpu, n) in irqs.iter().flat_map(|irq| &irq.per_cpu) {
        let sum = by_cpu.entry(*cpu).or_default();
        *sum = sum.saturating_add(*n);
    }
    let mut cpus: Vec<(u64, u32)> = by_cpu.into_iter().map(|(cpu, n)| (n, cpu)).collect();
    cpus.sort_by_key(|(n, cpu)| (Reverse(*n), *cpu));
    cpus.into_iter().map(|(_, cpu)| cpu).collect()
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
