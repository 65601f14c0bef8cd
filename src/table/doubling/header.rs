//! The header of a block: how lookups at its level judge words, and how far its growth is.

use super::sweep::Sweep;
use crate::layout::prefix::{Depth, Marks};

/// In front of the words of a level.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Header {
    /// All that ever changes.
    pub(super) sweep: Sweep,
    pub(super) marks: Marks,
}

impl Header {
    pub(super) fn new(depth: Depth) -> Self {
        Self {
            sweep: Sweep::new(),
            marks: Marks::of(depth),
        }
    }
}
