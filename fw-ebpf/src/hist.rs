//! H2 histograms: log-linear, 8 sub-buckets an octave, filled in the kernel and read whole.
//!
//! Values below 16 ns have a bucket each; above, an octave `[2^n, 2^(n+1))` is cut into 8 equal buckets, so that a
//! bucket is at most 1/8 of its lower bound wide and its middle is at most 6.25 % away from any value in it.

/// log2 of the sub-buckets an octave.
pub const SUB_BITS: u32 = 3;
/// Sub-buckets an octave.
pub const SUB: usize = 1 << SUB_BITS;
/// Buckets of one histogram. The last one takes everything from 15 * 2^34 ns (about 4.3 minutes) up.
pub const BUCKETS: usize = 2 * SUB + (38 - 4) * SUB;

/// Position of the highest set bit of `v`, which must not be 0. A tree of six comparisons, because eBPF has no
/// instruction for it and the compiler's own expansion is several times longer.
#[inline(always)]
const fn log2(mut v: u64) -> u32 {
    let mut n = 0;
    if v >= 1 << 32 {
        v >>= 32;
        n += 32;
    }
    if v >= 1 << 16 {
        v >>= 16;
        n += 16;
    }
    if v >= 1 << 8 {
        v >>= 8;
        n += 8;
    }
    if v >= 1 << 4 {
        v >>= 4;
        n += 4;
    }
    if v >= 1 << 2 {
        v >>= 2;
        n += 2;
    }
    if v >= 1 << 1 {
        n += 1;
    }
    n
}

/// The bucket that counts `ns`; always below [`BUCKETS`].
#[inline(always)]
pub const fn bucket(ns: u64) -> usize {
    if ns < 2 * SUB as u64 {
        return ns as usize;
    }
    let shift = log2(ns) - SUB_BITS;
    let index = ((shift as usize) << SUB_BITS) + (ns >> shift) as usize;
    if index < BUCKETS { index } else { BUCKETS - 1 }
}

/// Smallest value, in ns, that [`bucket`] counts in `index`.
pub const fn lower_ns(index: usize) -> u64 {
    if index < 2 * SUB {
        return index as u64;
    }
    let shift = index / SUB - 1;
    ((SUB + index % SUB) as u64) << shift
}

/// Largest value, in ns, that [`bucket`] counts in `index` (the last bucket also takes all that is larger).
pub const fn upper_ns(index: usize) -> u64 {
    lower_ns(index + 1) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_tile_the_whole_range() {
        for i in 0..BUCKETS {
            assert_eq!(bucket(lower_ns(i)), i, "lower bound of bucket {i}");
            assert_eq!(bucket(upper_ns(i)), i, "upper bound of bucket {i}");
        }
        assert_eq!(lower_ns(BUCKETS), 1 << 38);
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    proptest! {
        #[test]
        fn index_is_monotone(a in 0..1u64 << 40, b in 0..1u64 << 40) {
            prop_assert!((a <= b) <= (bucket(a) <= bucket(b)));
        }

        #[test]
        fn middle_is_within_a_sixteenth(ns in 16..1u64 << 38) {
            let i = bucket(ns);
            let middle = (lower_ns(i) + upper_ns(i)) as f64 / 2.0;
            prop_assert!((middle - ns as f64).abs() / ns as f64 <= 0.0625);
        }
    }
}
