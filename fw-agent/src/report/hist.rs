//! A distribution as ASCII bars, one octave a line, as `runqlat` and its kin print them.

use super::table::{Column, Table};
use crate::model::{Dist, units};

/// Characters of the longest bar.
const BAR: u64 = 50;

/// Lines of text; empty if nothing was counted.
pub(super) fn text(dist: &Dist) -> String {
    let octaves = dist.octaves();
    let Some(first) = octaves.iter().position(|n| *n > 0) else {
        return String::new();
    };
    let most = octaves.iter().copied().max().unwrap_or(1).max(1);
    let marks = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];
    let marks = marks.map(|(q, name)| (dist.quantile(q).max(1).ilog2() as usize, name));
    let mut table = Table::new(&[
        ("from", Column::Number),
        ("to", Column::Number),
        ("wakes", Column::Number),
        ("", Column::Words(BAR as usize)),
        ("", Column::Words(16)),
    ]);
    for (octave, n) in octaves.iter().enumerate().skip(first) {
        // What was counted shows, however little against the rest.
        let length = (u128::from(*n) * u128::from(BAR)).div_ceil(most.into()) as usize;
        let marked: Vec<&str> = marks.iter().filter(|(at, _)| *at == octave).map(|(_, name)| *name).collect();
        // The lowest octave holds 0 as well.
        let from = if octave == 0 { 0 } else { 1 << octave };
        table.row([
            units::ns(from),
            units::ns(1 << (octave + 1)),
            units::count(*n),
            "#".repeat(length),
            marked.join(" "),
        ]);
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_counted_nothing_shown() {
        assert_eq!(text(&Dist::default()), "");
    }

    #[test]
    fn bars_are_to_scale_and_the_least_event_shows() {
        let dist = Dist::of([vec![3_000; 1_000], vec![9_000; 500], vec![70_000]].concat());
        insta::assert_snapshot!(text(&dist));
    }

    #[test]
    fn zero_and_the_highest_value_have_a_place() {
        assert_eq!(text(&Dist::of([0, u64::MAX >> 1])).lines().count(), 1 + 38);
    }
}
