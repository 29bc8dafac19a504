//! # wharf
