//! Values of options, with a sentence for each that makes no sense.

use std::time::Duration;

/// Longest time that anyone waits for a report, and far from overflowing any clock.
const MAX_S: f64 = 365.0 * 86_400.0;

/// Bytes of a thread's name that the kernel keeps (`TASK_COMM_LEN` without its end).
const MAX_COMM: usize = 15;

/// `10s`, `500ms`, `2m`, `1h` or plain seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit_s = match &text[number.len()..] {
        "us" => 1e-6,
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        unit => {
            return Err(format!("{unit:?} is no unit of time: use ms, s, m or h, as in 10s or 500ms"));
        }
    };
    let Ok(number) = number.parse::<f64>() else {
        return Err("this is no duration: use a number and a unit, as in 10s or 500ms".into());
    };
    match number * unit_s {
        ..=0.0 => Err("it must be longer than 0".into()),
        seconds if seconds <= MAX_S => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a year is the longest".into()),
    }
}

/// A process's number.
pub(super) fn pid(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(0) => Err("0 is the idle thread of every CPU, which nothing wakes".into()),
        Ok(pid) => Ok(pid),
        Err(_) => Err("this is no process number".into()),
    }
}

/// A thread's name, or with a trailing `*` how it begins.
pub(super) fn comm(text: &str) -> Result<String, String> {
    match text.strip_suffix('*').unwrap_or(text).len() {
        0 if text == "*" => Ok(text.into()),
        0 => Err("every thread has a name: an empty one matches nothing".into()),
        1..=MAX_COMM => Ok(text.into()),
        length => {
            let kept = String::from_utf8_lossy(&text.as_bytes()[..MAX_COMM]).into_owned();
            Err(format!("the kernel keeps {MAX_COMM} bytes of a name, this has {length}: try {kept:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, ms) in [("10s", 10_000), ("500ms", 500), ("2m", 120_000), ("1.5", 1_500), ("1h", 3_600_000)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "0", "0s", "-1", "s", "10x", "10 s s", "1e400", "nan", "inf", "9999999h", "ü", "1ü"] {
            assert!(duration(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn threads() {
        assert_eq!(pid("4711"), Ok(4711));
        for text in ["0", "-1", "fio", "99999999999"] {
            assert!(pid(text).is_err(), "{text}");
        }
        assert_eq!(comm("kworker/u8:1-ev"), Ok("kworker/u8:1-ev".into()));
        assert_eq!(comm("kworker/u8:1-ev*"), Ok("kworker/u8:1-ev*".into()));
        assert!(comm("").is_err());
        assert!(comm("a-name-of-16-byte").unwrap_err().contains("\"a-name-of-16-by\""));
        assert!(comm(&"ü".repeat(8)).is_err());
    }
}
