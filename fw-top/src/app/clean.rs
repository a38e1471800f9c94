//! Names come from the host, where any user may put control characters into them: they must not reach the terminal.

use fw_agent::model::Snapshot;

/// Replaces control and text-direction characters in every name by `?`.
pub(super) fn clean(snapshot: &mut Snapshot) {
    let Snapshot { host, irqs, softirqs, napi, threads, edges, lints, own, filter, .. } = snapshot;
    for s in [&mut host.name, &mut host.kernel, &mut host.isolated, &mut host.nohz_full, filter] {
        text(s);
    }
    host.idle_states.iter_mut().for_each(text);
    for i in irqs {
        for s in [&mut i.label, &mut i.name, &mut i.chip, &mut i.device, &mut i.affinity, &mut i.effective_cpus] {
            text(s);
        }
        text(&mut i.hint);
        i.consumers.iter_mut().for_each(|c| text(&mut c.comm));
    }
    softirqs.iter_mut().for_each(|s| text(&mut s.name));
    napi.iter_mut().for_each(|n| text(&mut n.device));
    for t in threads {
        for s in [&mut t.comm, &mut t.cgroup, &mut t.allowed_cpus] {
            text(s);
        }
    }
    for e in edges {
        text(&mut e.cause.name);
        text(&mut e.comm);
        e.occupants.iter_mut().for_each(|o| text(&mut o.comm));
    }
    for l in lints {
        for s in [&mut l.name, &mut l.evidence, &mut l.advice] {
            text(s);
        }
    }
    own.probes.iter_mut().for_each(|p| text(&mut p.name));
}

fn text(s: &mut String) {
    // Nearly all names are plain, and a large window has 100,000 of them.
    if s.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return;
    }
    // Zero-width and bidirectional characters can make a name look like another one.
    let unsafe_on_screen = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if s.contains(unsafe_on_screen) {
        *s = s.replace(unsafe_on_screen, "?");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fw_agent::model::{Edge, Thread};

    #[test]
    fn escape_codes_become_question_marks() {
        let thread = Thread { comm: "\x1b[2Jevil\u{202e}".into(), ..Thread::default() };
        let edge = Edge { comm: "a\u{9b}31mb".into(), ..Edge::default() };
        let mut snapshot = Snapshot { threads: vec![thread], edges: vec![edge], ..Snapshot::default() };
        clean(&mut snapshot);
        assert_eq!(snapshot.threads[0].comm, "?[2Jevil?");
        assert_eq!(snapshot.edges[0].comm, "a?31mb");
    }
}
