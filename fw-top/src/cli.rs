//! The command line.

use crate::{app::TICK_RANGE_S, theme::Theme};
use clap::Parser;
use fw_agent::model::SCHEMA;
use std::{path::PathBuf, time::Duration};

/// Where wake-up time goes on this host, live: which interrupt wakes which thread, on which CPU, and how long each leg
/// takes. Reads only; changes nothing on the host.
#[derive(Debug, Parser)]
#[command(name = "fw-top", version, after_help = after_help())]
pub struct Args {
    /// Only wakes of this thread, or of the threads of this process
    #[arg(long, value_name = "PID")]
    pub pid: Option<u32>,
    /// Only wakes of threads with this name; with a trailing *, of names that begin so
    #[arg(long, value_name = "NAME")]
    pub comm: Option<String>,
    /// Only wakes of threads in this cgroup or below
    #[arg(long, value_name = "PATH")]
    pub cgroup: Option<PathBuf>,
    /// Only wakes by interrupts whose number, handler name or device matches
    #[arg(long, value_name = "GLOB")]
    pub irq: Option<String>,
    /// Length of a window, 0.25s to 10s
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = tick)]
    pub tick: Duration,
    /// Colours [default: default, or mono where NO_COLOR is set]
    #[arg(long, value_enum)]
    pub theme: Option<Theme>,
    /// Print one frame as plain text and exit
    #[arg(long)]
    pub once: bool,
    /// Size of that frame
    #[arg(long, value_name = "COLSxROWS", default_value = "120x40", value_parser = size, requires = "once")]
    pub size: (u16, u16),
    /// How long to observe for that frame
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration, requires = "once")]
    pub duration: Duration,
    /// The tab to start with
    #[arg(long, value_enum, default_value = "overview")]
    pub tab: crate::app::Tab,
}

fn after_help() -> String {
    format!("Press ? for the keys. `fw-agent observe --json` prints the same numbers (schema {SCHEMA}).")
}

/// `500ms`, `1s`, `2.5s`, `1m`; a plain number is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let (number, scale) = if let Some(n) = text.strip_suffix("ms") {
        (n, 1e-3)
    } else if let Some(n) = text.strip_suffix('s') {
        (n, 1.0)
    } else if let Some(n) = text.strip_suffix('m') {
        (n, 60.0)
    } else {
        (text, 1.0)
    };
    let seconds = number.parse::<f64>().map_err(|_| "write it as 500ms, 1s or 1m".to_owned())? * scale;
    match Duration::try_from_secs_f64(seconds) {
        Ok(d) if d >= Duration::from_millis(1) && d <= Duration::from_secs(86_400) => Ok(d),
        _ => Err("from 1ms to a day".into()),
    }
}

fn tick(text: &str) -> Result<Duration, String> {
    let d = duration(text)?;
    if TICK_RANGE_S.contains(&d.as_secs_f64()) { Ok(d) } else { Err("from 0.25s to 10s".into()) }
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parsed = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((w, h)) if (1..=1000).contains(&w) && (1..=1000).contains(&h) => Ok((w, h)),
        _ => Err("write it as 120x40, at most 1000x1000".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn help() {
        insta::assert_snapshot!(Args::command().term_width(100).render_long_help());
    }

    #[test]
    fn times_and_sizes() {
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2.5"), Ok(Duration::from_millis(2_500)));
        assert_eq!(duration("1m"), Ok(Duration::from_secs(60)));
        for bad in ["", "0", "0s", "-1s", "NaN", "inf", "1e300", "s", "1h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
        assert!(tick("0.1s").is_err() && tick("0.25s").is_ok() && tick("11s").is_err());
        assert_eq!(size("120x40"), Ok((120, 40)));
        for bad in ["", "x", "120", "0x40", "120x99999", "-1x3"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
