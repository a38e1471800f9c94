//! When reports are due, as plain arithmetic.

use std::{iter, time::Duration};

/// How long to observe if nothing is said.
const DURATION: Duration = Duration::from_secs(10);

/// How long a window is if only their number is given.
const INTERVAL: Duration = Duration::from_secs(1);

/// When reports are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    /// Length of a window.
    interval: Duration,
    /// When the last report is due; none if only the number of reports ends it.
    duration: Option<Duration>,
    /// Number of reports, if limited.
    count: Option<u64>,
}

impl Schedule {
    /// One report after `duration` (ten seconds if not given), or one an `interval` until `duration` or `count` ends.
    /// A `count` alone is that many seconds.
    pub(super) fn new(
        duration: Option<Duration>,
        interval: Option<Duration>,
        count: Option<u64>,
    ) -> Result<Schedule, String> {
        if let (Some(duration), Some(interval)) = (duration, interval)
            && interval > duration
        {
            return Err(format!(
                "--interval {interval:?} is longer than --duration {duration:?}: no window would be complete"
            ));
        }
        let ends_by_count = count.is_some();
        let duration = duration.or((!ends_by_count).then_some(DURATION.max(interval.unwrap_or_default())));
        let interval = interval.unwrap_or(match duration {
            Some(duration) if !ends_by_count => duration,
            _ => INTERVAL.min(duration.unwrap_or(INTERVAL)),
        });
        Ok(Schedule { interval, duration, count })
    }

    /// When each report is due, since the start. A last window may be shorter than the others.
    pub(super) fn ends(&self) -> impl Iterator<Item = Duration> + use<> {
        let Schedule { interval, duration, count } = *self;
        let last = duration.unwrap_or(Duration::MAX);
        let next = move |end: &Duration| (*end < last).then(|| end.saturating_add(interval).min(last));
        let ends = iter::successors(Some(interval.min(last)), next);
        ends.take(count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX)))
    }
}

impl std::fmt::Display for Schedule {
    /// `for 10 s`, `10 times for 1 s`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.duration, self.count) {
            (Some(duration), None) => write!(f, "for {} s", duration.as_secs_f64()),
            (Some(duration), Some(count)) => write!(f, "for at most {} s and {count} reports", duration.as_secs_f64()),
            (None, count) => write!(f, "{} times {} s", count.unwrap_or(1), self.interval.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends in ms, for options in ms.
    fn ends(duration: Option<u64>, interval: Option<u64>, count: Option<u64>) -> Vec<u128> {
        let ms = |option: Option<u64>| option.map(Duration::from_millis);
        let schedule = Schedule::new(ms(duration), ms(interval), count).unwrap();
        schedule.ends().map(|end| end.as_millis()).collect()
    }

    #[test]
    fn one_report_unless_more_are_asked_for() {
        assert_eq!(ends(None, None, None), [10_000]);
        assert_eq!(ends(Some(500), None, None), [500]);
        assert_eq!(ends(None, None, Some(3)), [1_000, 2_000, 3_000]);
        assert_eq!(ends(None, Some(200), Some(3)), [200, 400, 600]);
        assert_eq!(ends(Some(2_500), Some(1_000), None), [1_000, 2_000, 2_500]);
        assert_eq!(ends(Some(2_500), Some(1_000), Some(2)), [1_000, 2_000]);
        assert_eq!(ends(None, Some(4_000), None), [4_000, 8_000, 10_000]);
        assert_eq!(ends(None, Some(60_000), None), [60_000]);
        assert_eq!(ends(Some(500), None, Some(2)), [500]);
    }

    #[test]
    fn an_interval_beyond_the_duration_is_refused() {
        let second = Duration::from_secs(1);
        assert!(Schedule::new(Some(second), Some(2 * second), None).is_err());
        assert!(Schedule::new(Some(second), Some(second), None).is_ok());
    }

    #[test]
    fn a_huge_count_is_only_a_huge_count() {
        let schedule = Schedule::new(None, None, Some(u64::MAX)).unwrap();
        assert_eq!(schedule.ends().nth(1_000), Some(Duration::from_secs(1_001)));
    }
}
