//! Suite `probes`: the probes load on another kernel, and what they count there is true.
//!
//! The disk is read and the network's gateway pinged while `observe` is attached, and nothing else uses either, so the
//! difference of `/proc/interrupts` around the load is what `observe` must have counted in its longer window.

use super::{Check, Suite};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::fs;
use std::path::Path;

pub const SUITE: Suite = Suite {
    name: "probes",
    modules: &["virtio_net", "e1000e", "nvme"],
    programs: &["fw-agent"],
    script: SCRIPT,
    judge,
};

/// Largest relative difference between two counts of the same interrupts.
const TOLERANCE: f64 = 0.01;

const SCRIPT: &str = r#"
dev=$(ls -d /sys/bus/virtio/drivers/virtio_net/virtio*/net/* | head -1 | sed 's,.*/,,')
ip link set "$dev" up
ip addr add 10.0.2.15/24 dev "$dev"
# The first answer comes only when the link is up.
until ping -c 1 -W 1 10.0.2.2 >/dev/null 2>&1; do :; done
echo doctor
fw-agent doctor >/out/doctor 2>&1
echo $? >/out/doctor.rc
echo observe
mkfifo /tmp/stderr
fw-agent observe --duration 20s --json >/out/observe.json 2>/tmp/stderr &
agent=$!
# Reading on keeps the agent from being stopped by a full or closed pipe.
{ while read -r line; do echo "$line"; case "$line" in attached*) : >/tmp/attached;; esac; done; : >/tmp/ended; } </tmp/stderr >/out/stderr &
until [ -e /tmp/attached ] || [ -e /tmp/ended ]; do usleep 50000; done
echo load
cat /proc/interrupts >/out/before
timeout 6 dd if=/dev/nvme0n1 of=/dev/null bs=4k iflag=direct count=4000 2>/dev/null &
dd=$!
ping -A -w 6 10.0.2.2 >/dev/null
wait $dd
cat /proc/interrupts >/out/after
# A window that ended before the load did is no proof.
[ -e /tmp/ended ] || : >/out/bracketed
echo report
wait $agent
echo $? >/out/observe.rc
"#;

fn judge(out: &Path) -> Vec<Check> {
    let check = |name: &str, result: Result<String>| Check {
        name: name.to_owned(),
        result: result.map_err(|error| format!("{error:#}")),
    };
    let observed = read(out, "observe.json")
        .and_then(|text| serde_json::from_str::<Value>(&text).context("observe.json"))
        .with_context(|| read(out, "stderr").unwrap_or_default());
    let observed = match observed {
        Ok(observed) => observed,
        Err(error) => return vec![check("doctor", doctor(out)), check("observe", Err(error))],
    };
    vec![
        check("doctor finds all that observe needs", doctor(out)),
        check("the probes load and run", probes(&observed)),
        check("wakes are counted", wakes(&observed)),
        check("nvme interrupts are all counted", interrupts(out, &observed, "nvme0q")),
        check("virtio-net interrupts are all counted", interrupts(out, &observed, "input")),
        check("the nvme interrupt is seen to wake dd", edge(&observed, "nvme0q", "dd")),
    ]
}

fn read(out: &Path, name: &str) -> Result<String> {
    fs::read_to_string(out.join(name)).with_context(|| format!("the machine left no {name}"))
}

fn doctor(out: &Path) -> Result<String> {
    let code = read(out, "doctor.rc")?;
    ensure!(code.trim() == "0", "exit status {}:\n{}", code.trim(), read(out, "doctor")?);
    Ok("exit status 0".into())
}

fn probes(observed: &Value) -> Result<String> {
    let probes = observed["self"]["probes"].as_array().context("no self.probes")?;
    let running = probes.iter().filter(|probe| probe["run_count"].as_u64() > Some(0)).count();
    ensure!(running > 0, "none of {} probes ran", probes.len());
    Ok(format!("{running} of {} ran, losses {}", probes.len(), observed["losses"]))
}

fn wakes(observed: &Value) -> Result<String> {
    let count = observed["wakes"]["count"].as_u64().context("no wakes.count")?;
    ensure!(count > 0, "none");
    Ok(count.to_string())
}

/// The interrupts whose name contains `name`, three times counted: in the guest's `/proc/interrupts` around the load, in
/// that of the window, and by the probes.
fn interrupts(out: &Path, observed: &Value, name: &str) -> Result<String> {
    ensure!(out.join("bracketed").exists(), "the window ended before the load did");
    let bracket = total(&read(out, "after")?, name).saturating_sub(total(&read(out, "before")?, name));
    let (mut count, mut handled) = (0, 0);
    for irq in observed["irqs"].as_array().context("no irqs")? {
        if irq["name"].as_str().is_some_and(|its| its.contains(name)) {
            count += irq["count"].as_u64().context("an irq without count")?;
            handled += irq["handler"]["count"].as_u64().context("an irq without handler.count")?;
        }
    }
    let figures = format!("{bracket} around the load, {count} in the window, {handled} handled");
    let close = |a: u64, b: u64| a.abs_diff(b) as f64 <= TOLERANCE * a.max(b) as f64;
    ensure!(bracket > 0 && close(bracket, count) && close(count, handled), "{figures}");
    Ok(figures)
}

/// Sum over all CPUs of the rows of `/proc/interrupts` whose name contains `name`.
fn total(proc_interrupts: &str, name: &str) -> u64 {
    let cpus = proc_interrupts.lines().next().map_or(0, |header| header.split_whitespace().count());
    proc_interrupts
        .lines()
        .skip(1)
        .filter(|row| row.split_whitespace().skip(1 + cpus).any(|word| word.contains(name)))
        .flat_map(|row| row.split_whitespace().skip(1).take(cpus))
        .filter_map(|count| count.parse::<u64>().ok())
        .sum()
}

/// Wakes of a thread by an interrupt, directly or through a softirq or the interrupt's thread.
fn edge(observed: &Value, irq_name: &str, comm: &str) -> Result<String> {
    let irqs: Vec<&Value> = observed["irqs"]
        .as_array()
        .context("no irqs")?
        .iter()
        .filter(|irq| irq["name"].as_str().is_some_and(|name| name.contains(irq_name)))
        .map(|irq| &irq["irq"])
        .collect();
    let wakes: u64 = observed["edges"]
        .as_array()
        .context("no edges")?
        .iter()
        .filter(|edge| edge["comm"] == comm && irqs.contains(&&edge["cause"]["irq"]))
        .filter_map(|edge| edge["wakes"].as_u64())
        .sum();
    if wakes == 0 {
        let edges: Vec<String> = observed["edges"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|edge| edge["comm"] == comm)
            .map(|edge| format!("{} wakes by {}", edge["wakes"], edge["cause"]))
            .collect();
        bail!("no edge; those to {comm}: {edges:?}");
    }
    Ok(format!("{wakes} wakes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const INTERRUPTS: &str = "\
           CPU0       CPU1
  1:          9          0   IO-APIC   1-edge      i8042
 26:       1200          0  PCI-MSIX-0000:00:04.0   1-edge      nvme0q1
 27:          0        300  PCI-MSIX-0000:00:04.0   2-edge      nvme0q2
LOC:      12003      11290   Local timer interrupts
";

    fn observed() -> Value {
        json!({
            "wakes": {"count": 7},
            "irqs": [
                {"irq": 26, "name": "nvme0q1", "count": 1000, "handler": {"count": 998}},
                {"irq": 1, "name": "i8042", "count": 5, "handler": {"count": 5}},
            ],
            "edges": [{"cause": {"kind": "irq", "irq": 26, "name": "nvme0q1"}, "comm": "dd", "wakes": 990}],
        })
    }

    fn out(name: &str, bracketed: bool) -> std::path::PathBuf {
        let dir = std::env::temp_dir().join(format!("fastwake-xtask-probes-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("before"), INTERRUPTS.replace("1200", "195")).unwrap();
        fs::write(dir.join("after"), INTERRUPTS).unwrap();
        if bracketed {
            fs::write(dir.join("bracketed"), "").unwrap();
        }
        dir
    }

    #[test]
    fn rows_are_summed_by_name() {
        assert_eq!(total(INTERRUPTS, "nvme0q"), 1500);
        assert_eq!(total(INTERRUPTS, "nvme0q2"), 300);
        assert_eq!(total(INTERRUPTS, "nosuch"), 0);
        assert_eq!(total("", "nvme"), 0);
    }

    #[test]
    fn counts_within_a_percent_agree_and_others_do_not() {
        let dir = out("agree", true);
        assert!(interrupts(&dir, &observed(), "nvme0q").is_ok());
        let mut lossy = observed();
        lossy["irqs"][0]["handler"]["count"] = json!(980);
        assert!(interrupts(&dir, &lossy, "nvme0q").is_err());
        assert!(interrupts(&dir, &observed(), "i8042").is_err(), "no interrupt of that kind around the load");
        fs::remove_dir_all(dir).unwrap();
        let dir = out("open", false);
        assert!(interrupts(&dir, &observed(), "nvme0q").is_err());
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn edges_are_found_by_interrupt_and_thread() {
        assert_eq!(edge(&observed(), "nvme0q", "dd").unwrap(), "990 wakes");
        let error = edge(&observed(), "i8042", "dd").unwrap_err().to_string();
        assert!(error.contains("990 wakes by"), "{error}");
    }

    #[test]
    fn a_machine_that_left_nothing_fails_every_check() {
        let nowhere = Path::new("/nonexistent");
        assert!(judge(nowhere).iter().all(|check| check.result.is_err()));
    }
}
