//! What a row of `/proc/interrupts` says beside its counters.

use super::table::Row;

/// The text of a numbered row, taken apart.
///
/// The kernel prints the chip, then `hwirq-flow` (x86: `2-edge`), or `hwirq Level|Edge` (Arm) with `-flow` perhaps, then
/// the handlers (`show_interrupts` in `kernel/irq/proc.c`). Kernels before 4 joined chip and flow and left hwirq out.
/// Chips may have blanks in their names and handlers may be absent, so the words are not told apart by their positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Description<'a> {
    /// Interrupt controller.
    pub chip: &'a str,
    /// Number within the controller; the MSI-X index with per-device domains.
    pub hwirq: Option<u64>,
    /// `edge`, `level`, `fasteoi`..., as printed; empty if it is not.
    pub trigger: &'a str,
    /// Handlers, separated by `, `; empty if there is none.
    pub names: &'a str,
}

impl<'a> Description<'a> {
    /// Takes the text of a numbered row apart.
    pub fn parse(text: &'a str) -> Description<'a> {
        let words: Vec<(usize, &str)> = words(text).take(LEADING_WORDS).collect();
        let after = |n: usize| words.get(n).map_or("", |(at, word)| text[at + word.len()..].trim());
        let chip = |n: usize| words.get(n).map_or("", |(at, _)| text[..*at].trim_end());
        for (n, (_, word)) in words.iter().enumerate().skip(1) {
            let next = words.get(n + 1).map_or("", |(_, word)| word);
            if let Some((digits, trigger)) = word.split_once('-')
                && is_number(digits)
                && !trigger.is_empty()
            {
                return Description { chip: chip(n), hwirq: digits.parse().ok(), trigger, names: after(n) };
            }
            if is_number(word) && matches!(next, "Level" | "Edge") {
                let has_flow = words.get(n + 2).is_some_and(|(_, word)| word.len() > 1 && word.starts_with('-'));
                let names = after(n + 1 + usize::from(has_flow));
                return Description { chip: chip(n), hwirq: word.parse().ok(), trigger: next, names };
            }
        }
        match (words.first(), words.get(1)) {
            (Some((_, chip)), Some((_, hwirq))) if is_number(hwirq) => {
                Description { chip, hwirq: hwirq.parse().ok(), trigger: "", names: after(1) }
            }
            (Some((_, chip)), Some((_, flow))) if flow.len() > 1 && flow.starts_with('-') => {
                Description { chip, hwirq: None, trigger: &flow[1..], names: after(1) }
            }
            (Some((_, joined)), _) => {
                let split = joined.rsplit_once('-').filter(|(_, flow)| FLOWS.contains(flow));
                let (chip, trigger) = split.unwrap_or((joined, ""));
                Description { chip, hwirq: None, trigger, names: after(0) }
            }
            (None, _) => Description::default(),
        }
    }
}

/// The chip's name has no more than a few words, so what tells its end stands among the first.
const LEADING_WORDS: usize = 8;

/// Flow handlers that old kernels joined to the chip's name.
const FLOWS: [&str; 4] = ["edge", "level", "fasteoi", "percpu"];

/// What a row counts: chip, hwirq and trigger of a numbered row, without the handlers, because a handler that is added
/// to a shared interrupt does not make it another; the whole text of the others. Beside the label, of course.
pub fn identity(row: Row<'_>) -> &[u8] {
    match std::str::from_utf8(row.text) {
        Ok(text) if row.number().is_some() => {
            let names = Description::parse(text).names;
            text[..text.len() - names.len()].trim_end().as_bytes()
        }
        _ => row.text,
    }
}

/// The first PCI address within a text: `mlx5_comp0@pci:0000:19:00.0`, `PCI-MSIX-0000:01:00.0`, `ahci[0000:00:1f.2]`.
pub fn pci_address(text: &str) -> Option<&str> {
    const SHAPE: &[u8; 12] = b"hhhh:hh:hh.h";
    let fits = |window: &[u8]| {
        window.iter().zip(SHAPE).all(
            |(byte, shape)| {
                if *shape == b'h' { byte.is_ascii_hexdigit() } else { byte == shape }
            },
        )
    };
    let at = text.as_bytes().windows(SHAPE.len()).position(fits)?;
    text.get(at..at + SHAPE.len())
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_ascii_whitespace().map(|word| (word.as_ptr().addr() - text.as_ptr().addr(), word))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (&str, Option<u64>, &str, &str) {
        let d = Description::parse(text);
        (d.chip, d.hwirq, d.trigger, d.names)
    }

    #[test]
    fn every_printed_form_is_taken_apart() {
        for (text, expected) in [
            (
                "IR-PCI-MSI 512000-edge      ahci[0000:00:1f.2]",
                ("IR-PCI-MSI", Some(512_000), "edge", "ahci[0000:00:1f.2]"),
            ),
            (
                "PCI-MSIX-0000:01:00.0   1-edge      virtio1-input.0",
                ("PCI-MSIX-0000:01:00.0", Some(1), "edge", "virtio1-input.0"),
            ),
            (
                "IR-IO-APIC  16-fasteoi   ehci_hcd:usb1, mmc0",
                ("IR-IO-APIC", Some(16), "fasteoi", "ehci_hcd:usb1, mmc0"),
            ),
            ("IR-PCI-MSI 524288-edge", ("IR-PCI-MSI", Some(524_288), "edge", "")),
            ("GICv3  27 Level     arch_timer", ("GICv3", Some(27), "Level", "arch_timer")),
            ("ARMH0061:00   3 Edge      ACPI:Event", ("ARMH0061:00", Some(3), "Edge", "ACPI:Event")),
            ("GPIO bank 2  9 Edge     -fasteoi   3 keys", ("GPIO bank 2", Some(9), "Edge", "3 keys")),
            ("ARMCTRL-level   1 Edge      3f00b880.mailbox", ("ARMCTRL-level", Some(1), "Edge", "3f00b880.mailbox")),
            ("IR-IO-APIC-edge      timer", ("IR-IO-APIC", None, "edge", "timer")),
            ("DMAR_MSI-edge      dmar0", ("DMAR_MSI", None, "edge", "dmar0")),
            ("XT-PIC         -edge     timer", ("XT-PIC", None, "edge", "timer")),
            ("XT-PIC  timer, 2 more", ("XT-PIC", None, "", "timer, 2 more")),
            ("PCI-MSI 7  some driver", ("PCI-MSI", Some(7), "", "some driver")),
            ("None", ("None", None, "", "")),
            ("", ("", None, "", "")),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn addresses_are_found_anywhere() {
        assert_eq!(pci_address("mlx5_comp0@pci:0000:19:00.1"), Some("0000:19:00.1"));
        assert_eq!(pci_address("PCI-MSIX-0000:0a:00.0"), Some("0000:0a:00.0"));
        assert_eq!(pci_address("eth0-TxRx-0"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken_apart_without_panic(text in "[a-zA-Z0-9:.é -]{0,60}") {
            let d = Description::parse(&text);
            proptest::prop_assert!(text.contains(d.chip) && text.contains(d.names));
            pci_address(&text);
        }
    }
}
