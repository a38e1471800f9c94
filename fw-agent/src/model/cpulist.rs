//! CPU lists as the kernel writes them (`0-3,8`), kept as ranges: `0-4095` is one entry, not 4,096.

use std::ops::RangeInclusive;

/// A set of CPUs. // host:: one parser of CPU lists is enough
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CpuList(Vec<RangeInclusive<u32>>);

impl CpuList {
    /// Reads a list; what is no number or range is left out, so garbage gives an empty list.
    pub(crate) fn parse(list: &str) -> CpuList {
        let range = |part: &str| {
            let (first, last) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
            let range = first.parse().ok()?..=last.parse().ok()?;
            (!range.is_empty()).then_some(range)
        };
        CpuList(list.split(',').filter_map(range).collect())
    }

    /// True without CPUs.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the CPU is in it.
    pub(crate) fn contains(&self, cpu: u32) -> bool {
        self.0.iter().any(|range| range.contains(&cpu))
    }

    /// True if a CPU is in both.
    pub(crate) fn overlaps(&self, other: &CpuList) -> bool {
        self.0.iter().any(|a| other.0.iter().any(|b| a.start() <= b.end() && b.start() <= a.end()))
    }

    /// The CPU, if it is a single one.
    pub(crate) fn single(&self) -> Option<u32> {
        match self.0.as_slice() {
            [range] if range.start() == range.end() => Some(*range.start()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_kernel_writes_and_survives_the_rest() {
        let list = CpuList::parse("0-3,8\n");
        assert_eq!([0, 3, 4, 8, 9].map(|cpu| list.contains(cpu)), [true, true, false, true, false]);
        assert_eq!(CpuList::parse("5").single(), Some(5));
        assert_eq!(list.single(), None);
        for garbage in ["", "\n", "(null)", "3-1", "-", "99999999999"] {
            assert!(CpuList::parse(garbage).is_empty(), "{garbage:?}");
        }
        assert!(CpuList::parse("0-4294967295").overlaps(&list));
        assert!(!CpuList::parse("4-7").overlaps(&list));
    }
}
