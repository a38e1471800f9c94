//! JSON: one window, one line.

use crate::model::Snapshot;
use std::io::{self, Write};

/// Writes the window as one line. The keys are those of [`Snapshot`].
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut impl Write, snapshot: &Snapshot) -> io::Result<()> {
    serde_json::to_writer(&mut *out, snapshot)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn written() -> String {
        let mut out = Vec::new();
        write(&mut out, &sample::fio()).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// `irqs[].effective_cpus` and the like; the keys of a distribution are the same everywhere and stand once.
    fn keys(value: &Value, path: &str, seen: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) if fields.contains_key("buckets") => {
                seen.insert(format!("{path} DISTRIBUTION"));
                seen.extend(fields.keys().map(|key| format!("DISTRIBUTION.{key}")));
            }
            Value::Object(fields) => {
                for (key, field) in fields {
                    keys(field, &format!("{path}{}{key}", if path.is_empty() { "" } else { "." }), seen);
                }
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                items.iter().for_each(|item| keys(item, &format!("{path}[]"), seen));
            }
            _ => {
                seen.insert(path.into());
            }
        }
    }

    #[test]
    fn a_window_is_one_line_and_reads_back() {
        let text = written();
        assert_eq!(text.matches('\n').count(), 1);
        assert_eq!(serde_json::from_str::<Snapshot>(&text).unwrap(), sample::fio());
    }

    /// Programs read these: a key that goes or changes its name breaks them.
    #[test]
    fn keys_are_kept() {
        let mut seen = BTreeSet::new();
        keys(&serde_json::from_str(&written()).unwrap(), "", &mut seen);
        insta::assert_snapshot!(seen.into_iter().collect::<Vec<_>>().join("\n"));
    }
}
