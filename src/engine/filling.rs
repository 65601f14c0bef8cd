//! What is in a filter when its rate of false positives is judged.

use crate::error::Content;
use crate::layout::Layout;
use crate::table::Geometry;
use crate::table::sizing::{any_of, compared};

/// What is in a filter when its rate of false positives is judged.
#[derive(Clone, Copy, Debug)]
pub enum Filling {
    /// Tables with as many items as each is sized for.
    Sized { tables: usize },
    /// One table without a vacant slot.
    Full,
}

impl Filling {
    /// The rate of tables of this geometry, each sized for so many items.
    pub(super) fn rate<L: Layout>(self, geometry: Geometry<L>, items: usize) -> f64 {
        let (tables, len) = match self {
            Self::Sized { tables } => (tables, items),
            Self::Full => (1, geometry.slots()),
        };
        any_of::<L>(tables as f64 * compared(len, geometry))
    }

    /// The same in an error.
    pub(super) fn content(self, items: usize) -> Content {
        match self {
            Self::Sized { tables } => Content::Items { items, tables },
            Self::Full => Content::Full,
        }
    }
}
