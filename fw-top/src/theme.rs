//! Colours. Everything they say is also said by a shape or a word, so that `mono` loses nothing.
//!
//! Only the 16 colours every terminal has are used, by name: the user's own palette decides what they look like.

use clap::ValueEnum;
use ratatui::style::{Color, Modifier, Style};

/// A choice of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// 16 colours.
    #[default]
    Default,
    /// No colour: bold, dim and reverse only. The choice of `NO_COLOR`.
    Mono,
    /// Blue, yellow, cyan and white, which red-green blindness leaves apart.
    ColourBlind,
}

/// Glyphs of the six wake legs, in the order of `Legs::wake`: told apart without colour, and the bars of "where wake-up
/// time goes" are their legend.
pub const LEG_GLYPHS: [char; 6] = ['»', '█', '▓', '▒', '░', '·'];

/// Glyph of each density step: none, then five.
pub const DENSITY: [char; 6] = [' ', '·', '░', '▒', '▓', '█'];

/// Levels of a sparkline, lowest first.
pub const SPARK: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl Theme {
    /// The user's choice, unless `NO_COLOR` is set to anything but nothing.
    pub fn chosen(choice: Option<Theme>, no_color: bool) -> Theme {
        choice.unwrap_or(if no_color { Theme::Mono } else { Theme::Default })
    }

    fn fg(self, default: Color, colour_blind: Color) -> Style {
        match self {
            Theme::Default => Style::new().fg(default),
            Theme::Mono => Style::new(),
            Theme::ColourBlind => Style::new().fg(colour_blind),
        }
    }

    /// Titles of sections and columns.
    pub fn title(self) -> Style {
        self.fg(Color::Cyan, Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// What frames the content: rules, units, explanations.
    pub fn dim(self) -> Style {
        match self {
            Theme::Mono => Style::new().add_modifier(Modifier::DIM),
            _ => Style::new().fg(Color::DarkGray),
        }
    }

    /// A name or number that the eye should find.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Something that costs latency now.
    pub fn warning(self) -> Style {
        self.fg(Color::Yellow, Color::LightYellow).add_modifier(Modifier::BOLD)
    }

    /// Something that makes the numbers untrue, such as lost events.
    pub fn alarm(self) -> Style {
        self.fg(Color::Red, Color::LightYellow).add_modifier(Modifier::BOLD | Modifier::REVERSED)
    }

    /// All is well.
    pub fn good(self) -> Style {
        self.fg(Color::Green, Color::LightBlue)
    }

    /// The row or tab that keys act on.
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// A bar that measures one thing.
    pub fn bar(self) -> Style {
        self.fg(Color::LightBlue, Color::LightBlue)
    }

    /// One of the six wake legs, in the order of `Legs::wake`.
    pub fn leg(self, index: usize) -> Style {
        const DEFAULT: [Color; 6] =
            [Color::Magenta, Color::Red, Color::Yellow, Color::Green, Color::LightBlue, Color::Gray];
        const COLOUR_BLIND: [Color; 6] =
            [Color::Cyan, Color::LightYellow, Color::White, Color::LightCyan, Color::LightBlue, Color::Gray];
        self.fg(DEFAULT[index % 6], COLOUR_BLIND[index % 6])
    }

    /// A density of 1 to 5.
    pub fn density(self, level: usize) -> Style {
        match level {
            0..=2 => self.dim(),
            3 => self.bar(),
            _ => self.fg(Color::Yellow, Color::LightYellow),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_wins_over_the_default_but_not_over_the_user() {
        assert_eq!(Theme::chosen(None, true), Theme::Mono);
        assert_eq!(Theme::chosen(None, false), Theme::Default);
        assert_eq!(Theme::chosen(Some(Theme::ColourBlind), true), Theme::ColourBlind);
    }

    #[test]
    fn mono_has_no_colour() {
        let t = Theme::Mono;
        let all = [t.title(), t.dim(), t.strong(), t.warning(), t.alarm(), t.good(), t.selected(), t.bar(), t.leg(1)];
        assert!(all.iter().all(|s| s.fg.is_none() && s.bg.is_none()));
    }
}
