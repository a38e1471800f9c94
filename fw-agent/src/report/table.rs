//! Aligned columns: words to the left, numbers to the right, two blanks between.

use super::{WIDTH, printable};
use std::fmt;

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// Words, cut to this many characters.
    Words(usize),
    /// A number with its unit, never cut.
    Number,
}

/// Rows of text under a heading. Columns in which no row has anything are as wide as their title.
pub(super) struct Table {
    columns: Vec<(&'static str, Column)>,
    rows: Vec<Vec<String>>,
}

/// Ends a word that was cut.
const CUT: char = '~';

impl Table {
    /// A table without rows.
    pub(super) fn new(columns: &[(&'static str, Column)]) -> Table {
        Table { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row: one cell a column.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().zip(&self.columns).map(|(cell, (_, column))| match column {
            Column::Words(most) => cut(&printable(&cell), *most),
            Column::Number => cell,
        });
        self.rows.push(cells.collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles: Vec<String> = self.columns.iter().map(|(title, _)| (*title).into()).collect();
        let lines = || std::iter::once(&titles).chain(&self.rows);
        let width =
            |i: usize| lines().filter_map(|line| line.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        for line in lines() {
            let mut text = String::new();
            for ((cell, width), (_, column)) in line.iter().zip(&widths).zip(&self.columns) {
                match column {
                    Column::Words(_) => text.push_str(&format!("  {cell:<width$}")),
                    Column::Number => text.push_str(&format!("  {cell:>width$}")),
                }
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// `text` in at most `most` characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most.saturating_sub(1)).chain([CUT]).collect()
}

/// A sentence over as many lines as it takes, the first begun with `first`, the others indented as far. A word longer
/// than a line stands on one of its own, whole: a command that is cut cannot be pasted.
pub(super) fn wrap(first: &str, sentence: &str) -> String {
    let indent = " ".repeat(first.chars().count());
    let (mut text, mut line) = (String::new(), String::from(first));
    let mut begun = false;
    for word in printable(sentence).split(' ') {
        if begun && line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line.clone_from(&indent);
            begun = false;
        }
        if begun {
            line.push(' ');
        }
        line.push_str(word);
        begun = true;
    }
    text.push_str(&line);
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_left_numbers_right() {
        let mut table = Table::new(&[("thread", Column::Words(6)), ("wakes", Column::Number), ("cpu", Column::Number)]);
        table.row(["fio".into(), "8,704/s".into(), "0".into()]);
        table.row(["redis-server".into(), "3/s".into(), "12".into()]);
        table.row(["a\nb\u{1b}".into(), "".into(), "1".into()]);
        assert_eq!(
            table.to_string(),
            "  thread    wakes  cpu\n  fio     8,704/s    0\n  redis~      3/s   12\n  a?b?               1\n"
        );
    }

    #[test]
    fn sentences_wrap_and_commands_stay_whole() {
        let command = "x".repeat(120);
        let text = wrap("! ", &format!("{} {command} end", "word ".repeat(30).trim_end()));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("! word") && lines[1].starts_with("  word"));
        assert_eq!(lines[2], format!("  {command}"));
        assert_eq!(lines[3], "  end");
        assert!(lines.iter().all(|line| line.len() <= WIDTH || line.contains(&command)));
    }
}
