//! Sets of CPUs in the two forms in which the kernel writes them: lists (`0-3,8`) and hex masks (`ff,00000001`).

use std::fmt;

/// CPU numbers at and above this are taken for garbage. The largest kernels are built for 8,192 CPUs.
pub const MAX_CPUS: u32 = 1 << 15;

/// A set of CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuSet {
    /// Bit n of word w is CPU 64 w + n. The last word is never 0, so that equal sets compare equal.
    words: Vec<u64>,
}

/// Text that is neither a CPU list nor a mask.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a CPU {form}; expected e.g. {example}")]
pub struct BadCpuSet {
    text: String,
    form: &'static str,
    example: &'static str,
}

impl CpuSet {
    /// The empty set.
    pub fn new() -> CpuSet {
        CpuSet::default()
    }

    /// Reads a CPU list: `0-3,8`, with the kernel's strides (`0-15:2/4`: two out of every four). Nothing at all is the
    /// empty set, and so is `(null)`, which the kernel prints for a mask it never allocated (`nohz_full`).
    ///
    /// # Errors
    /// [`BadCpuSet`] for anything else, and for CPUs from [`MAX_CPUS`] on.
    pub fn parse_list(text: &str) -> Result<CpuSet, BadCpuSet> {
        let trimmed = text.trim();
        let mut set = CpuSet::new();
        if trimmed.is_empty() || trimmed == "(null)" {
            return Ok(set);
        }
        for part in trimmed.split(',') {
            let bad = || BadCpuSet { text: text.to_owned(), form: "list", example: "0-3,8" };
            let (first, last, used, group) = range(part.trim()).ok_or_else(bad)?;
            if used == group {
                set.insert_range(first, last);
            } else {
                (first..=last).filter(|cpu| (cpu - first) % group < used).for_each(|cpu| set.insert(cpu));
            }
        }
        Ok(set)
    }

    /// Reads a hex mask in groups of up to 32 bits, highest first: `ff,00000001`.
    ///
    /// # Errors
    /// [`BadCpuSet`] for anything else, and for CPUs from [`MAX_CPUS`] on.
    pub fn parse_mask(text: &str) -> Result<CpuSet, BadCpuSet> {
        let bad = || BadCpuSet { text: text.to_owned(), form: "mask", example: "ff,00000001" };
        let mut set = CpuSet::new();
        for (group, digits) in text.trim().trim_start_matches("0x").rsplit(',').enumerate() {
            if digits.is_empty() || digits.len() > 8 {
                return Err(bad());
            }
            let bits = u32::from_str_radix(digits, 16).map_err(|_| bad())?;
            for bit in (0..32).filter(|bit| bits >> bit & 1 == 1) {
                let cpu = group as u32 * 32 + bit;
                if cpu >= MAX_CPUS {
                    return Err(bad());
                }
                set.insert(cpu);
            }
        }
        Ok(set)
    }

    /// Adds a CPU. From [`MAX_CPUS`] on it is ignored.
    pub fn insert(&mut self, cpu: u32) {
        if cpu < MAX_CPUS {
            let word = cpu as usize / 64;
            self.words.resize(self.words.len().max(word + 1), 0);
            self.words[word] |= 1 << (cpu % 64);
        }
    }

    /// Adds the CPUs of a range below [`MAX_CPUS`], a word at a time: lists of busy hosts are read by the thousand.
    fn insert_range(&mut self, first: u32, last: u32) {
        let (first_word, last_word) = (first as usize / 64, last as usize / 64);
        self.words.resize(self.words.len().max(last_word + 1), 0);
        for (i, word) in self.words.iter_mut().enumerate().take(last_word + 1).skip(first_word) {
            let from = if i == first_word { first % 64 } else { 0 };
            let to = if i == last_word { last % 64 } else { 63 };
            *word |= (u64::MAX << from) & (u64::MAX >> (63 - to));
        }
    }

    /// Whether the CPU is in the set.
    pub fn contains(&self, cpu: u32) -> bool {
        self.words.get(cpu as usize / 64).is_some_and(|word| word >> (cpu % 64) & 1 == 1)
    }

    /// True if no CPU is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Number of CPUs.
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// The CPUs, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words
            .iter()
            .enumerate()
            .flat_map(|(i, word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i as u32 * 64 + bit))
    }

    /// The lowest CPU.
    pub fn first(&self) -> Option<u32> {
        self.iter().next()
    }

    /// The highest CPU.
    pub fn last(&self) -> Option<u32> {
        self.words.last().map(|word| self.words.len() as u32 * 64 - 1 - word.leading_zeros())
    }

    /// The CPU, if it is the only one.
    pub fn single(&self) -> Option<u32> {
        self.first().filter(|first| self.last() == Some(*first))
    }

    /// Whether a CPU is in both sets.
    pub fn overlaps(&self, other: &CpuSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// CPUs in either set.
    pub fn union(&self, other: &CpuSet) -> CpuSet {
        self.combine(other, |a, b| a | b)
    }

    /// CPUs in both sets.
    pub fn intersection(&self, other: &CpuSet) -> CpuSet {
        self.combine(other, |a, b| a & b)
    }

    /// CPUs of this set that are not in the other.
    pub fn difference(&self, other: &CpuSet) -> CpuSet {
        self.combine(other, |a, b| a & !b)
    }

    /// Whether every CPU of this set is in the other.
    pub fn is_subset(&self, other: &CpuSet) -> bool {
        self.difference(other).is_empty()
    }

    fn combine(&self, other: &CpuSet, operation: impl Fn(u64, u64) -> u64) -> CpuSet {
        let word = |set: &CpuSet, i: usize| set.words.get(i).copied().unwrap_or(0);
        let length = self.words.len().max(other.words.len());
        let mut words: Vec<u64> = (0..length).map(|i| operation(word(self, i), word(other, i))).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        CpuSet { words }
    }
}

/// `a`, `a-b` or `a-b:used/group` as (first, last, used, group).
fn range(part: &str) -> Option<(u32, u32, u32, u32)> {
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    let (range, stride) = part.split_once(':').map_or((part, None), |(range, stride)| (range, Some(stride)));
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (number(first)?, number(last)?);
    let (used, group) = match stride {
        None => (1, 1),
        Some(stride) => {
            let (used, group) = stride.split_once('/')?;
            (number(used)?, number(group)?)
        }
    };
    (first <= last && last < MAX_CPUS && used >= 1 && used <= group).then_some((first, last, used, group))
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> CpuSet {
        let mut set = CpuSet::new();
        cpus.into_iter().for_each(|cpu| set.insert(cpu));
        set
    }
}

/// The list form, as short as it can be: `0-3,8`.
impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = cpus.next() {
            let mut last = first;
            while let Some(next) = cpus.next_if_eq(&(last + 1)) {
                last = next;
            }
            match last - first {
                0 => write!(f, "{separator}{first}")?,
                _ => write!(f, "{separator}{first}-{last}")?,
            }
            separator = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(text: &str) -> CpuSet {
        CpuSet::parse_list(text).unwrap()
    }

    #[test]
    fn lists_are_read_and_written_short() {
        assert_eq!(list("0-3,8\n").iter().collect::<Vec<_>>(), [0, 1, 2, 3, 8]);
        assert_eq!(list("8,0,1,2,3").to_string(), "0-3,8");
        assert_eq!(list("0-7:2/4").to_string(), "0-1,4-5");
        assert_eq!(list("0,1").to_string(), "0-1");
        assert!(list("").is_empty() && list("\n").is_empty() && list("(null)").is_empty());
        assert_eq!([list("5").single(), list("0-1").single(), list("").single()], [Some(5), None, None]);
        for bad in ["a", "3-1", "1,,2", "-1", "1-", "+1", "0-4294967295", "0-3:0/2", "0-3:3/2", "4294967296"] {
            assert!(CpuSet::parse_list(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn masks_are_read_from_the_right() {
        let mask = |text| CpuSet::parse_mask(text).unwrap().to_string();
        assert_eq!(mask("ff,00000001\n"), "0,32-39");
        assert_eq!(mask("00,00000000,00800000,00000008"), "3,55");
        assert_eq!(mask("0"), "");
        for bad in ["", "g", "1,,2", "123456789"] {
            assert!(CpuSet::parse_mask(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_set_survives_its_list(cpus in prop::collection::btree_set(0u32..2_000, 0..60)) {
            let set: CpuSet = cpus.iter().copied().collect();
            prop_assert_eq!(&list(&set.to_string()), &set);
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), cpus.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!((set.first(), set.last()), (cpus.first().copied(), cpus.last().copied()));
            prop_assert_eq!(set.len() as usize, cpus.len());
        }

        #[test]
        fn set_operations_agree_with_those_of_std(
            a in prop::collection::btree_set(0u32..300, 0..40),
            b in prop::collection::btree_set(0u32..300, 0..40),
        ) {
            let (x, y): (CpuSet, CpuSet) = (a.iter().copied().collect(), b.iter().copied().collect());
            prop_assert_eq!(x.union(&y), a.union(&b).copied().collect());
            prop_assert_eq!(x.intersection(&y), a.intersection(&b).copied().collect());
            prop_assert_eq!(x.difference(&y), a.difference(&b).copied().collect());
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            prop_assert_eq!(x.overlaps(&y), !a.is_disjoint(&b));
        }

        #[test]
        fn a_range_has_every_cpu_from_its_first_to_its_last(first in 0u32..300, more in 0u32..300) {
            let last = first + more;
            prop_assert_eq!(list(&format!("{first}-{last}")), (first..=last).collect());
        }

        #[test]
        fn garbage_is_refused_without_panic(text in "[0-9a-fx,:/ -]{0,20}") {
            let _ = CpuSet::parse_list(&text);
            let _ = CpuSet::parse_mask(&text);
        }
    }
}
