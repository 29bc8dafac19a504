//! Text to tree. Every node knows its line and column.

mod jsonc;
mod tree;

pub(crate) use jsonc::parse;
pub(crate) use tree::{Field, Node, Position, Value};
