//! The three counters of the house. They never mix: each is a type of its own.

use std::fmt;

macro_rules! counter_type {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $type(u64);

        impl $type {
            /// The value before the first step.
            pub const ZERO: Self = Self(0);

            /// Makes the counter from its number.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// Gives the number.
            pub const fn get(self) -> u64 {
                self.0
            }

            /// Gives the following value.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

counter_type!(
    /// Counts the configurations applied to one runtime.
    Generation
);
counter_type!(
    /// Counts the connections of one server. A reply, a lease and an event belong to exactly one epoch.
    Epoch
);
counter_type!(
    /// Counts what was published: each snapshot and each roster has its own.
    Version
);
