//! A [`Snapshot`](crate::model::Snapshot) on paper: text that pastes into a ticket, JSON for programs.

mod hist;
pub mod json;
mod sections;
mod table;
pub mod text;

/// Columns that text reports keep to.
pub const WIDTH: usize = 100;

/// Text from the host (thread names are anyone's to choose) without what would steer a terminal or break a line.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
