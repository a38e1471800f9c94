//! Globs over the names of interrupts.

/// True if `text` matches `pattern`, in which `*` stands for any characters and `?` for one.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where to go on if what follows the last star does not match: one character further.
    let mut retry = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, t + 1));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match retry {
                Some((after_star, next)) => {
                    (p, t) = (after_star, next);
                    retry = Some((after_star, next + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text, expected) in [
            ("36", "36", true),
            ("3", "36", false),
            ("virtio*", "virtio1-req.0", true),
            ("*req*", "virtio1-req.0", true),
            ("*.0", "virtio1-req.0", true),
            ("virtio?-req.?", "virtio1-req.0", true),
            ("virtio?", "virtio1-req.0", false),
            ("*", "", true),
            ("", "x", false),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXb", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
