//! Distributions of latencies, as read from the kernel's H2 histograms.

use fw_ebpf::hist::{self, BUCKETS};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct};

/// A distribution of durations: sparse H2 buckets, with the exact sum and largest value beside them.
///
/// Percentiles are exact to the bucket (6.25 %); `sum_ns` and `max_ns` are exact. A window is the difference of two
/// cumulative reads, so merging distributions of disjoint windows or threads is adding them up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dist {
    /// (bucket index of [`fw_ebpf::hist`], events), ascending, no zeroes.
    buckets: Vec<(u16, u64)>,
    /// Sum of all values, ns.
    pub sum_ns: u64,
    /// Largest value, ns.
    pub max_ns: u64,
}

impl Dist {
    /// A distribution from one count for each H2 bucket (missing ones are 0). `max_ns` is brought within the highest
    /// bucket that counted something, because the kernel's maximum and buckets are not read at the same instant.
    pub fn from_counts(counts: impl IntoIterator<Item = u64>, sum_ns: u64, max_ns: u64) -> Dist {
        let buckets: Vec<(u16, u64)> =
            counts.into_iter().take(BUCKETS).enumerate().filter(|(_, n)| *n > 0).map(|(i, n)| (i as u16, n)).collect();
        let max_ns = match buckets.last() {
            None => 0,
            Some((top, _)) if usize::from(*top) == BUCKETS - 1 => max_ns.max(hist::lower_ns(BUCKETS - 1)),
            Some((top, _)) => max_ns.clamp(hist::lower_ns((*top).into()), hist::upper_ns((*top).into())),
        };
        Dist { buckets, sum_ns, max_ns }
    }

    /// A distribution of the given values, ns. For tests and event scripts.
    pub fn of(values: impl IntoIterator<Item = u64>) -> Dist {
        let mut counts = vec![0; BUCKETS];
        let (mut sum, mut max) = (0u64, 0);
        for v in values {
            counts[hist::bucket(v)] += 1;
            sum = sum.saturating_add(v);
            max = max.max(v);
        }
        Dist::from_counts(counts, sum, max)
    }

    /// Number of events. Windows from elsewhere may hold any numbers, so this and all other sums stop at the largest.
    pub fn count(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }

    /// True if nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Mean, ns; 0 if nothing was counted.
    pub fn mean_ns(&self) -> u64 {
        self.sum_ns.checked_div(self.count()).unwrap_or(0)
    }

    /// The value, ns, that a share `q` (0 to 1) of the events does not exceed: the middle of the bucket that holds the
    /// event of that rank, at most `max_ns`. 0 if nothing was counted.
    pub fn quantile(&self, q: f64) -> u64 {
        let rank = ((q * self.count() as f64).ceil() as u64).max(1);
        let mut seen = 0u64;
        for (i, n) in &self.buckets {
            seen = seen.saturating_add(*n);
            if seen >= rank {
                let i = usize::from(*i);
                return ((hist::lower_ns(i) + hist::upper_ns(i)) / 2).min(self.max_ns);
            }
        }
        0
    }

    /// Adds another distribution to this one.
    pub fn merge(&mut self, other: &Dist) {
        if !other.is_empty() {
            *self = [&*self, other].into_iter().collect();
        }
    }

    /// The buckets that counted something, ascending: (lower bound ns, upper bound ns, events).
    pub fn buckets(&self) -> impl DoubleEndedIterator<Item = (u64, u64, u64)> + '_ {
        self.buckets.iter().map(|&(i, n)| (hist::lower_ns(i.into()), hist::upper_ns(i.into()), n))
    }

    /// Events by power of two, `[2^i, 2^(i+1))` ns at index i, up to the highest that counted something: what tools
    /// with one bucket an octave show, and what a terminal has lines for.
    pub fn octaves(&self) -> Vec<u64> {
        let mut octaves: Vec<u64> = Vec::new();
        for (lower, _, n) in self.buckets() {
            let octave = lower.max(1).ilog2() as usize;
            octaves.resize(octaves.len().max(octave + 1), 0);
            octaves[octave] = octaves[octave].saturating_add(n);
        }
        octaves
    }
}

impl FromIterator<Dist> for Dist {
    fn from_iter<I: IntoIterator<Item = Dist>>(parts: I) -> Dist {
        parts.into_iter().fold(Dist::default(), |mut whole, part| {
            whole.merge(&part);
            whole
        })
    }
}

impl<'a> FromIterator<&'a Dist> for Dist {
    /// The sum of thousands takes one table of counts.
    fn from_iter<I: IntoIterator<Item = &'a Dist>>(parts: I) -> Dist {
        let mut counts = vec![0u64; BUCKETS];
        let (mut sum_ns, mut max_ns) = (0u64, 0);
        for part in parts {
            for (i, n) in &part.buckets {
                let at = &mut counts[usize::from(*i)];
                *at = at.saturating_add(*n);
            }
            sum_ns = sum_ns.saturating_add(part.sum_ns);
            max_ns = max_ns.max(part.max_ns);
        }
        Dist::from_counts(counts, sum_ns, max_ns)
    }
}

impl Serialize for Dist {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut s = serializer.serialize_struct("Dist", 9)?;
        s.serialize_field("count", &self.count())?;
        s.serialize_field("sum_ns", &self.sum_ns)?;
        s.serialize_field("mean_ns", &self.mean_ns())?;
        s.serialize_field("p50_ns", &self.quantile(0.5))?;
        s.serialize_field("p90_ns", &self.quantile(0.9))?;
        s.serialize_field("p99_ns", &self.quantile(0.99))?;
        s.serialize_field("p999_ns", &self.quantile(0.999))?;
        s.serialize_field("max_ns", &self.max_ns)?;
        // [lower bound ns, events]: enough to compute any other percentile.
        let buckets: Vec<[u64; 2]> = self.buckets().map(|(lower, _, n)| [lower, n]).collect();
        s.serialize_field("buckets", &buckets)?;
        s.end()
    }
}

impl<'de> Deserialize<'de> for Dist {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dist, D::Error> {
        #[derive(Deserialize)]
        struct Wire {
            sum_ns: u64,
            max_ns: u64,
            buckets: Vec<[u64; 2]>,
        }
        let wire = Wire::deserialize(deserializer)?;
        let mut counts = vec![0u64; BUCKETS];
        for [lower, n] in wire.buckets {
            let at = &mut counts[hist::bucket(lower)];
            *at = at.saturating_add(n);
        }
        Ok(Dist::from_counts(counts, wire.sum_ns, wire.max_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn empty_has_no_percentiles() {
        let d = Dist::default();
        assert_eq!((d.count(), d.quantile(0.5), d.max_ns, d.mean_ns()), (0, 0, 0, 0));
        assert!(d.octaves().is_empty());
    }

    #[test]
    fn a_stale_maximum_is_brought_within_the_buckets() {
        let counts = |bucket: usize| (0..BUCKETS).map(move |i| u64::from(i == bucket));
        assert_eq!(Dist::from_counts(counts(16), 16, 0).max_ns, 16);
        assert_eq!(Dist::from_counts(counts(16), 16, 9_999).max_ns, 17);
    }

    #[test]
    fn sums_of_hostile_numbers_stop_at_the_largest() {
        let hostile = r#"{"sum_ns": 18446744073709551615, "max_ns": 18446744073709551615,
            "buckets": [[0, 18446744073709551615], [8, 18446744073709551615], [9, 1], [18446744073709551615, 7]]}"#;
        let one: Dist = serde_json::from_str(hostile).unwrap();
        let mut two = one.clone();
        two.merge(&one);
        for dist in [one, two, Dist::of([u64::MAX, u64::MAX])] {
            assert_eq!((dist.sum_ns, dist.max_ns), (u64::MAX, u64::MAX));
            assert!(dist.quantile(0.5) <= dist.quantile(1.0) && dist.mean_ns() > 0);
            assert!(dist.octaves().iter().all(|n| *n <= dist.count()));
            serde_json::to_string(&dist).unwrap();
        }
    }

    proptest! {
        #[test]
        fn quantiles_are_within_a_bucket(mut values in prop::collection::vec(0u64..1 << 37, 1..200), q in 0.0f64..=1.0) {
            let d = Dist::of(values.iter().copied());
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).max(1);
            let exact = values[rank - 1];
            let error = d.quantile(q).abs_diff(exact);
            prop_assert!(error as f64 <= 0.0625 * exact as f64 + 1.0, "{} against {exact}", d.quantile(q));
        }

        #[test]
        fn merging_is_associative_and_loses_nothing(parts in prop::collection::vec(prop::collection::vec(0u64..1 << 37, 0..20), 3)) {
            let d: Vec<Dist> = parts.iter().map(|p| Dist::of(p.iter().copied())).collect();
            let left: Dist = [[d[0].clone(), d[1].clone()].into_iter().collect(), d[2].clone()].into_iter().collect();
            let right: Dist = [d[0].clone(), [d[1].clone(), d[2].clone()].into_iter().collect()].into_iter().collect();
            prop_assert_eq!(&left, &right);
            prop_assert_eq!(left, Dist::of(parts.concat()));
        }

        #[test]
        fn json_keeps_every_bucket(values in prop::collection::vec(0u64..1 << 37, 0..50)) {
            let d = Dist::of(values);
            let back: Dist = serde_json::from_str(&serde_json::to_string(&d).unwrap()).unwrap();
            prop_assert_eq!(back, d);
        }
    }
}
