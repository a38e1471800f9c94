//! The form that `/proc/interrupts` and `/proc/softirqs` share: a header that names CPUs, then rows of a label, one
//! counter for each of those CPUs, and text.

use crate::model::MAX_CPUS;
use std::ops::Range;

/// A parsed table. Parsing into the same value again reuses its memory: at 1,024 CPUs and 4,000 interrupts the file has
/// 45 MB. Only counters that are not 0 are stored, because most interrupts ever fire on a few CPUs.
#[derive(Debug, Default)]
pub struct CpuTable {
    cpus: Vec<u32>,
    rows: Vec<RowSpan>,
    counts: Vec<(u32, u64)>,
    /// Labels and texts of the rows, one after the other.
    text: Vec<u8>,
    unknown: Vec<String>,
}

#[derive(Debug)]
struct RowSpan {
    label: Range<usize>,
    text: Range<usize>,
    counts: Range<usize>,
    columns: usize,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// What stands before the first colon: an interrupt's number, or LOC, NMI, Err...
    pub label: &'a [u8],
    /// What follows the counters, without blanks around it.
    pub text: &'a [u8],
    /// (CPU, counter), ascending by column, zeroes left out. If [`Row::per_cpu`] is false, the first is just the
    /// position within the row.
    pub counts: &'a [(u32, u64)],
    /// Number of counters in the row.
    pub columns: usize,
    /// Whether there is one counter for each CPU of the header. ERR and MIS have one for all CPUs, FIQ has none.
    pub per_cpu: bool,
}

impl Row<'_> {
    /// Sum over all CPUs. Counters have 32 bits; their sum does not fit in as many.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|(_, n)| n).fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// The interrupt's number, if the row is that of a numbered one.
    pub fn number(&self) -> Option<u32> {
        let digits = self.label.iter().all(u8::is_ascii_digit);
        digits.then(|| std::str::from_utf8(self.label).ok()?.parse().ok()).flatten()
    }

    /// Whether a CPU came or went while the kernel printed the table, so that the columns of this row are not those of
    /// the header. Only the rows of numbered interrupts tell: the kernel gives each of them all columns, and no
    /// interrupt controller's name is a number.
    pub fn is_torn(&self) -> bool {
        let text_is_counter = || self.text.split(u8::is_ascii_whitespace).next().is_some_and(is_number);
        self.number().is_some() && (!self.per_cpu || text_is_counter())
    }
}

fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

impl CpuTable {
    /// The CPUs of the columns, as the header numbers them.
    pub fn cpus(&self) -> &[u32] {
        &self.cpus
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|row| Row {
            label: &self.text[row.label.clone()],
            text: &self.text[row.text.clone()],
            counts: &self.counts[row.counts.clone()],
            columns: row.columns,
            per_cpu: row.columns == self.cpus.len(),
        })
    }

    /// Lines that are neither header, row nor blank, verbatim.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Reads a whole file. Never fails: what makes no sense goes to [`CpuTable::unknown`]; without a header all lines
    /// do, and [`CpuTable::cpus`] is empty.
    pub fn parse(&mut self, file: &[u8]) {
        self.cpus.clear();
        self.rows.clear();
        self.counts.clear();
        self.text.clear();
        self.unknown.clear();
        let mut rest = file;
        while !rest.is_empty() {
            let row = if self.cpus.is_empty() { None } else { self.row(rest) };
            let used = row.unwrap_or_else(|| self.other(rest));
            rest = rest.get(used + 1..).unwrap_or_default();
        }
    }

    /// Takes the line that the bytes begin with as a row; gives its length, or nothing if it is none. Does not look for
    /// the line's end first: the counters are most of the file, and one pass over them is enough.
    fn row(&mut self, bytes: &[u8]) -> Option<usize> {
        let colon = bytes.iter().position(|b| matches!(b, b':' | b'\n')).filter(|at| bytes[*at] == b':')?;
        let label = bytes[..colon].trim_ascii();
        if label.is_empty() || label.iter().any(u8::is_ascii_whitespace) {
            return None;
        }
        let first = self.counts.len();
        let (columns, counted) = counters(&bytes[colon + 1..], &self.cpus, &mut self.counts);
        let rest = &bytes[colon + 1 + counted..];
        let tail = line(rest);
        let row = RowSpan {
            label: push(&mut self.text, label),
            text: push(&mut self.text, tail.trim_ascii()),
            counts: first..self.counts.len(),
            columns,
        };
        if columns != self.cpus.len() {
            for (cpu, _) in &mut self.counts[first..] {
                *cpu = self.cpus.binary_search(cpu).unwrap_or_default() as u32;
            }
        }
        self.rows.push(row);
        Some(colon + 1 + counted + tail.len())
    }

    /// Takes the line that the bytes begin with as the header, a blank line or an unknown one; gives its length.
    fn other(&mut self, bytes: &[u8]) -> usize {
        let line = line(bytes);
        if self.cpus.is_empty()
            && let Some(cpus) = header(line)
        {
            self.cpus = cpus;
        } else if !line.trim_ascii().is_empty() {
            self.unknown.push(String::from_utf8_lossy(line).into_owned());
        }
        line.len()
    }
}

fn line(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len())]
}

fn push(text: &mut Vec<u8>, part: &[u8]) -> Range<usize> {
    let start = text.len();
    text.extend_from_slice(part);
    start..text.len()
}

/// `CPU0 CPU2 ...`: distinct CPUs, nothing else.
fn header(line: &[u8]) -> Option<Vec<u32>> {
    let cpus: Option<Vec<u32>> = std::str::from_utf8(line)
        .ok()?
        .split_ascii_whitespace()
        .map(|word| word.strip_prefix("CPU")?.parse().ok().filter(|cpu| *cpu < MAX_CPUS))
        .collect();
    cpus.filter(|cpus| cpus.is_sorted_by(|a, b| a < b))
}

/// What the kernel prints for eight CPUs on which an interrupt never fired, and the blank after.
const EIGHT_ZEROES: &[u8; 89] =
    b"          0          0          0          0          0          0          0          0 ";

/// Reads at most one counter for each CPU; appends those that are not 0. Gives the number of counters and of bytes read.
fn counters(bytes: &[u8], cpus: &[u32], counts: &mut Vec<(u32, u64)>) -> (usize, usize) {
    let (mut column, mut at) = (0, 0);
    while column < cpus.len() {
        let Some((value, length)) = field(&bytes[at..]).or_else(|| number(&bytes[at..])) else {
            break;
        };
        if value != 0 {
            counts.push((cpus[column], value));
        }
        column += 1;
        at += length;
        // Zeroes come in runs.
        while value == 0 && cpus.len() - column >= 8 && bytes[at..].starts_with(EIGHT_ZEROES) {
            column += 8;
            at += EIGHT_ZEROES.len() - 1;
        }
    }
    (column, at)
}

/// A counter as the kernel prints it, a blank and `%10u`: its value and the bytes read. All digits at once, since a loop
/// with a branch for each takes three times the time for the whole file. None if it is printed in another way.
fn field(bytes: &[u8]) -> Option<(u64, usize)> {
    const WIDTH: usize = 11;
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    let [b' ', high, low, rest @ .., b' ' | b'\n'] = bytes.first_chunk::<{ WIDTH + 1 }>()? else {
        return None;
    };
    let word = u64::from_le_bytes(*rest);
    let blanks = (word ^ (EACH * u64::from(b' '))).trailing_zeros() / 8;
    let hundred_millions = match (high, low) {
        (b' ', b' ') if blanks < 8 => 0,
        (b' ', b'0'..=b'9') if blanks == 0 => u64::from(low - b'0'),
        (b'0'..=b'9', b'0'..=b'9') if blanks == 0 => u64::from((high - b'0') * 10 + (low - b'0')),
        _ => return None,
    };
    // Blanks become zeroes; any other byte that is no digit sets its top bit in the sum. No sum is over 0xf5, so that
    // no carry reaches the next byte.
    let digits = (word ^ (EACH * 0x30)) >> (8 * blanks) << (8 * blanks);
    if (((digits & (EACH * 0x7f)) + EACH * 0x76) | digits) & (EACH * 0x80) != 0 {
        return None;
    }
    // Digits are joined to pairs, pairs to fours, fours to all eight.
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let eight = (fours * 10_000 + (fours >> 32)) & 0xffff_ffff;
    Some((hundred_millions * 100_000_000 + eight, WIDTH))
}

/// A number of any width after any blanks: its value and the bytes read. None if something else is joined to it, or if
/// it does not fit.
fn number(bytes: &[u8]) -> Option<(u64, usize)> {
    let is_blank = |b: &u8| matches!(b, b' ' | b'\t');
    let start = bytes.iter().take_while(|b| is_blank(b)).count();
    let digits = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    let end = start + digits;
    let is_whole = digits > 0 && bytes.get(end).is_none_or(|b| is_blank(b) || matches!(b, b'\r' | b'\n'));
    let value = std::str::from_utf8(&bytes[start..end]).ok()?.parse().ok()?;
    is_whole.then_some((value, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> CpuTable {
        let mut table = CpuTable::default();
        table.parse(text.as_bytes());
        table
    }

    /// Label, counters and text.
    type Parts<'t> = (&'t str, &'t [(u32, u64)], &'t str);

    fn rows(table: &CpuTable) -> Vec<Parts<'_>> {
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        table.rows().map(|row| (text(row.label), row.counts, text(row.text))).collect()
    }

    #[test]
    fn columns_are_named_by_the_header() {
        let table = parse("      CPU1       CPU30\n 24:          7 4294967295  chip 5-edge  a: b\n");
        assert_eq!(rows(&table), [("24", &[(1, 7), (30, 4_294_967_295)][..], "chip 5-edge  a: b")]);
    }

    #[test]
    fn rows_with_fewer_counters_are_rows() {
        let table = parse("CPU3 CPU4\nFIQ:              usb_fiq\nErr:          9\nIPI0:2768808080 1       text\n");
        let expected =
            [("FIQ", &[][..], "usb_fiq"), ("Err", &[(0, 9)], ""), ("IPI0", &[(3, 2_768_808_080), (4, 1)], "text")];
        assert_eq!(rows(&table), expected);
        assert!(table.rows().map(|row| row.per_cpu).eq([false, false, true]));
    }

    #[test]
    fn a_number_is_a_counter_only_as_a_whole_and_if_it_fits() {
        let table = parse("CPU0 CPU1 CPU2\n 1: 5 6x\n 2: 99999999999 18446744073709551616 1\n");
        assert_eq!(rows(&table)[0], ("1", &[(0, 5)][..], "6x"));
        assert_eq!(rows(&table)[1], ("2", &[(0, 99_999_999_999)][..], "18446744073709551616 1"));
    }

    #[test]
    fn what_makes_no_sense_is_kept() {
        let table = parse("garbage\nCPU0\n: 5\n\n   \nno colon\ntwo words: 5\n A: 1");
        assert_eq!(table.unknown(), ["garbage", ": 5", "no colon", "two words: 5"]);
        assert_eq!(rows(&table), [("A", &[(0, 1)][..], "")]);
        assert_eq!(parse("CPU1 CPU0\nA: 1\n").unknown().len(), 2, "no header, no rows");
    }

    #[test]
    fn a_table_is_used_again() {
        let mut table = parse("CPU0 CPU1\nA: 1 2\nx\n");
        table.parse(b"CPU5\nB: 3\n");
        assert_eq!((table.cpus(), rows(&table), table.unknown().len()), (&[5][..], vec![("B", &[(5, 3)][..], "")], 0));
    }

    #[test]
    fn torn_rows_are_told() {
        let torn = |line: &str| parse(&format!("CPU0 CPU1\n{line}\n")).rows().next().unwrap().is_torn();
        assert!(torn("7: 1 chip 1-edge x") && torn("7: 1 2 3 chip 1-edge x"));
        assert!(!torn("7: 1 2 chip 1-edge x") && !torn("7: 1 2 1-0020 3 Edge x") && !torn("ERR: 1"));
    }

    proptest! {
        #[test]
        fn every_counter_is_read(
            counters in prop::collection::vec(prop_oneof![4 => Just(0), 1 => 0u64..1000, 1 => any::<u32>().prop_map(u64::from), 1 => any::<u64>()], 1..60),
            first in 0u32..2_000,
            wide in any::<bool>(),
        ) {
            let cpus: Vec<u32> = (first..).step_by(3).take(counters.len()).collect();
            let header: String = cpus.iter().map(|cpu| format!("CPU{cpu:<8}")).collect();
            let values: String = counters.iter().map(|n| if wide { format!(" {n:>10}") } else { format!(" {n}") }).collect();
            let table = parse(&format!("{header}\n 12:{values}   chip 1-edge      name\n"));
            let expected: Vec<(u32, u64)> = cpus.iter().copied().zip(counters.iter().copied()).filter(|(_, n)| *n > 0).collect();
            prop_assert_eq!(rows(&table), [("12", &expected[..], "chip 1-edge      name")]);
        }

        /// Nothing is lost: each line that is not blank is the header, a row or kept as it is.
        #[test]
        fn every_line_is_kept(lines in prop::collection::vec("[ \ta-zA-Z0-9:.é-]{0,40}", 0..20)) {
            let mut table = parse(&format!("CPU0 CPU1\n{}", lines.join("\n")));
            let kept = table.rows().len() + table.unknown().len();
            prop_assert_eq!(kept, lines.iter().filter(|line| !line.as_bytes().trim_ascii().is_empty()).count());
            for row in table.rows() {
                let is_source = |line: &&String| {
                    let line = line.as_bytes().trim_ascii();
                    line.starts_with(row.label) && line.ends_with(row.text)
                };
                prop_assert!(lines.iter().any(|line| is_source(&line)));
            }
            table.parse(lines.join("\n").as_bytes());
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300), header in any::<bool>()) {
            let mut table = CpuTable::default();
            let file = if header { [b"CPU0 CPU1 CPU7\n", &bytes[..]].concat() } else { bytes };
            table.parse(&file);
        }
    }
}
