//! Numbers as people read them: every one with its unit, in as many digits as matter.

/// A duration given in ns: `410 ns`, `3.1 us`, `61 us`, `1.9 ms`, `2.4 s`.
pub fn ns(ns: u64) -> String {
    scaled(ns as f64, &DURATIONS, " ")
}

/// The same without the blank, `3.1us`: for tables on a screen, where every column counts.
pub fn ns_tight(ns: u64) -> String {
    scaled(ns as f64, &DURATIONS, "")
}

/// A size given in bytes: `812 B`, `3.1 kB`, `24 MB` (powers of 1,000).
pub fn bytes(bytes: u64) -> String {
    scaled(bytes as f64, &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)], " ")
}

/// A share given as 0 to 1: `0.4 %`, `98 %`. One decimal below 10 %, because there it matters.
pub fn share(share: f64) -> String {
    let percent = share * 100.0;
    if !percent.is_finite() {
        "n/a".into()
    } else if rounds_below_ten(percent) {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    }
}

/// A count with thousands separated: `52,340`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Events of a window of `window_s` seconds, for each second: `8,704/s`, `0.3/s`; `n/a` for a window without length.
pub fn rate(events: u64, window_s: f64) -> String {
    let rate = events as f64 / window_s;
    if !rate.is_finite() {
        "n/a".into()
    } else if events > 0 && rounds_below_ten(rate) {
        format!("{rate:.1}/s")
    } else {
        format!("{}/s", count(rate.round() as u64))
    }
}

/// Time, ns, summed over a window of `window_s` seconds, for each second of it: `531 ms/s`.
pub fn ns_rate(sum_ns: u64, window_s: f64) -> String {
    let rate = sum_ns as f64 / window_s;
    if rate.is_finite() { format!("{}/s", ns(rate.round() as u64)) } else { "n/a".into() }
}

/// A time since boot, given in seconds: `3d 04:12`, `04:12`.
pub fn uptime(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    if days > 0 { format!("{days}d {hours:02}:{minutes:02}") } else { format!("{hours:02}:{minutes:02}") }
}

/// `3 wakes`, `1 wake`: a count with its noun, which takes an `s` in the plural.
pub fn plural(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

const DURATIONS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];

/// `value` in the largest of the units (ascending, each with its size) that leaves at least 1 before the point, with
/// `gap` before the unit.
fn scaled(value: f64, units: &[(&str, f64)], gap: &str) -> String {
    // 999.6 us are "1.0 ms", not "1000 us": so a unit begins where rounding in the one below would reach 1,000.
    let (unit, size) =
        units.iter().rev().find(|(_, size)| (value / size * 1000.0).round() >= 1000.0).unwrap_or(&units[0]);
    let scaled = value / size;
    let digits = usize::from(*size > 1.0 && rounds_below_ten(scaled));
    format!("{scaled:.digits$}{gap}{unit}")
}

/// True if one decimal does not round the value up to 10.
fn rounds_below_ten(value: f64) -> bool {
    value.abs() < 9.95
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_keep_two_digits_or_three() {
        let seen: Vec<String> =
            [0, 7, 410, 999, 1_000, 3_140, 9_940, 9_960, 61_000, 999_400, 999_600, 1_900_000, 2_400_000_000]
                .map(ns)
                .into();
        let wanted = [
            "0 ns", "7 ns", "410 ns", "999 ns", "1.0 us", "3.1 us", "9.9 us", "10 us", "61 us", "999 us", "1.0 ms",
            "1.9 ms", "2.4 s",
        ];
        assert_eq!(seen, wanted);
        assert_eq!([7, 3_140, 999_600].map(ns_tight), ["7ns", "3.1us", "1.0ms"]);
    }

    #[test]
    fn shares_counts_rates_and_sizes() {
        assert_eq!([0.0, 0.004, 0.0999, 0.98, 1.0].map(share), ["0.0 %", "0.4 %", "10 %", "98 %", "100 %"]);
        assert_eq!([0, 999, 1_000, 52_340, 1_234_567].map(count), ["0", "999", "1,000", "52,340", "1,234,567"]);
        assert_eq!([0, 3, 87_040].map(|n| rate(n, 10.0)), ["0/s", "0.3/s", "8,704/s"]);
        assert_eq!(ns_rate(5_310_000_000, 10.0), "531 ms/s");
        assert_eq!([812, 24_400_000].map(bytes), ["812 B", "24 MB"]);
        assert_eq!([59, 15_120, 274_320].map(uptime), ["00:00", "04:12", "3d 04:12"]);
        assert_eq!([plural(1, "wake"), plural(2_000, "wake")], ["1 wake", "2,000 wakes"]);
    }

    #[test]
    fn a_window_without_length_has_no_rates() {
        assert_eq!([rate(3, 0.0), ns_rate(3, 0.0), rate(0, f64::NAN), share(f64::NAN)], ["n/a"; 4]);
    }

    proptest! {
        #[test]
        fn durations_fit_their_column(n in 0u64..1_000_000_000_000) {
            prop_assert!(ns(n).len() <= 6, "{}", ns(n));
        }
    }
}
