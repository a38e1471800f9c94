//! Numbers and names as narrow as a screen needs them; what reports write as well is that of [`fw_agent::model::units`].

use fw_agent::model::Dist;
pub use fw_agent::model::units::{bytes, count, ns_tight as duration, uptime};
use ratatui::text::Span;

/// A percentile of a distribution, or `-` if nothing was counted: "no events" is not "0 ns".
pub fn quantile(dist: &Dist, q: f64) -> String {
    if dist.is_empty() { "-".into() } else { duration(dist.quantile(q)) }
}

/// The largest value of a distribution, or `-` if nothing was counted.
pub fn max(dist: &Dist) -> String {
    if dist.is_empty() { "-".into() } else { duration(dist.max_ns) }
}

/// Events per second for a table: `0`, `0.3`, `41`, `17,310`, `173k`, `1.7M`.
pub fn rate(per_second: f64) -> String {
    match per_second {
        r if r <= 0.0 || r.is_nan() => "0".into(),
        r if r < 0.05 => "<0.1".into(),
        r if r < 9.95 => format!("{r:.1}"),
        r if r < 99_999.5 => count(r.round() as u64),
        r => short(r),
    }
}

/// A number where every column counts: `950`, `1.1k`, `17.3k`, `173k`, `1.7M`.
pub fn short(n: f64) -> String {
    let mut value = n.max(0.0);
    for unit in ["", "k", "M", "G"] {
        let limit = if unit == "G" { f64::INFINITY } else { 999.5 };
        if value < limit {
            return match value {
                0.0 => "0".into(),
                v if unit.is_empty() && v >= 9.95 => format!("{v:.0}"),
                v if v < 99.95 => format!("{v:.1}{unit}"),
                v => format!("{v:.0}{unit}"),
            };
        }
        value /= 1000.0;
    }
    unreachable!("the last unit has no limit")
}

/// A share, 0 to 1: `98 %`, `6.1 %`, `<0.1 %`, `0 %`.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p <= 0.0 || p.is_nan() => "0 %".into(),
        p if p < 0.05 => "<0.1 %".into(),
        p if p < 9.95 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

/// A length of time set by the user, seconds: `1s`, `0.25s`.
pub fn seconds(s: f64) -> String {
    format!("{}s", (s * 100.0).round() / 100.0)
}

/// `part / whole`, 0 if there is no whole.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// All together. Counters of a host may be anything, so it stops at the largest number rather than wrap.
pub fn sum<'a>(values: impl IntoIterator<Item = &'a u64>) -> u64 {
    values.into_iter().fold(0, |sum, n| sum.saturating_add(*n))
}

/// The text within `width` columns of the terminal, cut with `…` if it must be. For names only: a number that does not
/// fit is left out, never cut.
pub fn shorten(text: &str, width: usize) -> String {
    if Span::raw(text).width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        out.push(c);
        if Span::raw(&out).width() + 1 > width {
            out.pop();
            break;
        }
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// A bar of `width` cells drawn with `glyph`, blank behind. The full block is drawn to an eighth of a cell, other glyphs
/// to a whole one; something that is not nothing shows.
pub fn bar(share: f64, width: usize, glyph: char) -> String {
    const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let per_cell = if glyph == '█' { EIGHTHS.len() + 1 } else { 1 };
    let parts = (share.clamp(0.0, 1.0) * (width * per_cell) as f64).round() as usize;
    let parts = if share > 0.0 { parts.max(1).min(width * per_cell) } else { 0 };
    let mut out: String = std::iter::repeat_n(glyph, parts / per_cell).collect();
    out.extend((parts % per_cell).checked_sub(1).map(|eighth| EIGHTHS[eighth]));
    out.extend(std::iter::repeat_n(' ', width - parts.div_ceil(per_cell)));
    out
}

/// `total` cells split in proportion to `parts` so that they add up: largest remainders get the cells that rounding
/// leaves. Also splits nanoseconds, so that the parts a person adds up give the whole.
pub fn apportion(parts: &[u64], total: u64) -> Vec<u64> {
    let whole: u128 = parts.iter().map(|&p| u128::from(p)).sum();
    if whole == 0 {
        return vec![0; parts.len()];
    }
    let exact = |p: u64| u128::from(p) * u128::from(total);
    let mut out: Vec<u64> = parts.iter().map(|&p| (exact(p) / whole) as u64).collect();
    let mut by_remainder: Vec<usize> = (0..parts.len()).collect();
    by_remainder.sort_by_key(|&i| std::cmp::Reverse(exact(parts[i]) % whole));
    let left = total - out.iter().sum::<u64>();
    for &i in by_remainder.iter().take(left as usize) {
        out[i] += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rates_and_short_numbers() {
        let rates = [0.0, 0.01, 0.31, 41.2, 17_310.0, 99_999.6, 173_000.0, 1.7e6].map(rate);
        assert_eq!(rates, ["0", "<0.1", "0.3", "41", "17,310", "100k", "173k", "1.7M"]);
        let shorts = [0.0, 4.0, 950.0, 999.6, 17_250.0, 173_000.0, 1.7e6, 2e12].map(short);
        assert_eq!(shorts, ["0", "4.0", "950", "1.0k", "17.2k", "173k", "1.7M", "2000G"]);
    }

    #[test]
    fn shares_never_round_something_to_nothing() {
        let shares = [0.0, 0.0001, 0.061, 0.0996, 0.98, 1.0].map(percent);
        assert_eq!(shares, ["0 %", "<0.1 %", "6.1 %", "10 %", "98 %", "100 %"]);
        assert_eq!(bar(0.001, 4, '#'), "#   ");
        assert_eq!(bar(9.0, 4, '#'), "####");
        assert_eq!(bar(f64::NAN, 4, '#'), "    ");
        assert_eq!([bar(0.0, 2, '█'), bar(0.001, 2, '█'), bar(0.75, 2, '█')], ["  ", "▏ ", "█▌"]);
    }

    #[test]
    fn names_are_cut_between_characters() {
        assert_eq!(shorten("redis-server", 6), "redis…");
        assert_eq!(shorten("日本語", 4), "日…");
        assert_eq!(shorten("x", 0), "");
    }

    proptest! {
        #[test]
        fn apportioned_parts_add_up(parts in prop::collection::vec(0u64..1 << 50, 1..9), total in 0u64..1 << 40) {
            let out = apportion(&parts, total);
            let whole = if parts.iter().all(|&p| p == 0) { 0 } else { total };
            prop_assert_eq!(out.iter().sum::<u64>(), whole);
        }

        #[test]
        fn shortened_names_fit(text in ".*", width in 0usize..20) {
            prop_assert!(Span::raw(shorten(&text, width)).width() <= width);
        }
    }
}
