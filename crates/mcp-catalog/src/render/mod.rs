//! Definitions as text that a model or a person reads. Whatever a server wrote, rendering ends and the text is bounded.

mod params;
mod shape;
mod text;

pub use params::params;
pub use shape::shape;
pub use text::{cut_words, one_line};

/// Gives the shape of a schema where it has one, else the list of its parameters.
pub fn shape_or_params(schema: &str) -> String {
    shape(schema).unwrap_or_else(|| params(schema))
}

#[cfg(test)]
#[path = "../render_tests.rs"]
mod tests;
