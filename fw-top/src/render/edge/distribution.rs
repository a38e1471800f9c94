//! The distribution of an edge's latency: of this window as bars, of the last windows as a heat map.

use crate::{
    app::{App, EdgeId, HISTORY_LENGTH},
    fmt,
    render::{cells, table::cut, text},
};
use fw_agent::model::Dist;
use ratatui::text::{Line, Span};

/// Percentiles that are marked.
const MARKS: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];

/// The histogram in `room` lines: as many steps an octave (8, 4, 2 or 1) as fit.
pub fn buckets(app: &App, dist: &Dist, width: usize, room: usize) -> Vec<Line<'static>> {
    let mut lines = vec![text::rule("Distribution of wake-up latency", width, app.theme)];
    if dist.is_empty() {
        lines.push(Line::styled(" no wake in this window", app.theme.dim()));
        return lines;
    }
    let finest = [8, 4, 2].into_iter().map(|n| steps(dist, n)).find(|steps| steps.len() < room);
    let steps = finest.unwrap_or_else(|| steps(dist, 1));
    let marks = MARKS.map(|(name, q)| (name, dist.quantile(q)));
    let largest = steps.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let bar = width.saturating_sub(8 + 8 + 8 + 22).max(4);
    for (i, &(lower, events)) in steps.iter().enumerate() {
        let upper = steps.get(i + 1).map_or(u64::MAX, |(lower, _)| *lower);
        let here = marks.iter().filter(|(_, ns)| (lower..upper).contains(ns)).map(|(name, _)| *name);
        let here: Vec<&str> = here.collect();
        let line = Line::from(vec![
            Span::raw(format!(" {:>6} ", fmt::duration(lower))),
            Span::styled(fmt::bar(fmt::share(events, largest), bar, '█'), app.theme.bar()),
            Span::raw(format!("{:>8}", if events > 0 { fmt::count(events) } else { "-".into() })),
            Span::styled(format!("{:>8}", fmt::percent(fmt::share(events, dist.count()))), app.theme.dim()),
            Span::styled(
                if here.is_empty() { String::new() } else { format!(" ← {}", here.join(" ")) },
                app.theme.strong(),
            ),
        ]);
        lines.push(cut(line, width));
    }
    lines
}

/// (lower bound ns, events) of each step, `per_octave` of them to a factor of two; none is left out in between.
fn steps(dist: &Dist, per_octave: u64) -> Vec<(u64, u64)> {
    let place = |ns: u64| {
        let octave = ns.max(1).ilog2();
        let within = ((ns.max(1) - (1 << octave)) * per_octave) >> octave;
        u64::from(octave) * per_octave + within
    };
    let mut steps: Vec<(u64, u64)> = Vec::new();
    let mut first = None;
    for (lower, _, events) in dist.buckets() {
        let first = *first.get_or_insert(place(lower));
        let last = (place(lower) - first) as usize;
        while steps.len() <= last {
            let (octave, within) =
                ((first + steps.len() as u64) / per_octave, (first + steps.len() as u64) % per_octave);
            steps.push(((1 << octave) + ((within << octave) / per_octave), 0));
        }
        steps[last].1 += events;
    }
    steps
}

/// Latency, upwards, against the last windows, to the right: shade by share of the window's wakes.
pub fn over_time(app: &App, id: &EdgeId, width: usize) -> Vec<Line<'static>> {
    let history = app.view().history.edge(id);
    let shown = width.saturating_sub(8).min(HISTORY_LENGTH);
    let windows = &history[history.len().saturating_sub(shown)..];
    let title = format!("Latency over the last {} windows, newest right", windows.len());
    let mut lines = vec![text::rule(&title, width, app.theme)];
    let lowest = windows.iter().filter_map(|w| w.iter().position(|n| *n > 0)).min();
    let highest = windows.iter().map(|w| w.len()).max().unwrap_or(0);
    let Some(lowest) = lowest else {
        lines.push(Line::styled(" none is kept of this edge yet", app.theme.dim()));
        return lines;
    };
    for octave in (lowest..highest).rev() {
        let mut spans = vec![Span::raw(format!(" {:>6} ", fmt::duration(1 << octave)))];
        spans.extend(windows.iter().map(|w| {
            let share = fmt::share(w.get(octave).copied().unwrap_or(0), fmt::sum(*w));
            cells::dense(cells::density_of_share(share), 1, app.theme)
        }));
        lines.push(Line::from(spans));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_are_even_on_a_log_scale() {
        let dist = Dist::of([1_024, 1_536, 1_600, 4_096]);
        assert_eq!(steps(&dist, 1), [(1_024, 3), (2_048, 0), (4_096, 1)]);
        assert_eq!(steps(&dist, 2), [(1_024, 1), (1_536, 2), (2_048, 0), (3_072, 0), (4_096, 1)]);
    }

    proptest! {
        #[test]
        fn steps_count_every_event(values in prop::collection::vec(0u64..1 << 40, 1..50), n in 0usize..4) {
            let steps = steps(&Dist::of(values.iter().copied()), 1 << n);
            prop_assert_eq!(steps.iter().map(|(_, n)| n).sum::<u64>(), values.len() as u64);
            prop_assert!(steps.is_sorted_by(|a, b| a.0 <= b.0));
        }
    }
}
