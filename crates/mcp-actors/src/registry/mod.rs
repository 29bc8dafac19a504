//! All servers of a house: which stand, which go, which begin anew, and what is published of them.

pub(crate) mod actor;
pub(crate) mod directory;
pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod machine;
pub(crate) mod message;
mod publish;
