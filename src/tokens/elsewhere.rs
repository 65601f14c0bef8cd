//! Elsewhere: what an admission asks beside its own table.
//!
//! Tokens can be spread over several tables, as in a filter that grows. Then an admission has to know that there is
//! no equal token in the others either. It freezes its own word first. Then it asks the others, one by one
//! ([`witness`](super::witness)).

/// What must be absent elsewhere, in the order in which it is asked: this table is asked between the finer tables and
/// the coarser ones.
pub(crate) trait Elsewhere {
    /// Whether no finer table holds a token of the class.
    fn finer_hold_none(&self) -> bool;
    /// The same for the coarser segments. Also checks that the list of segments has not changed.
    fn coarser_hold_none(&self) -> bool;
}

/// There are no other segments.
pub(super) struct Nowhere;

impl Elsewhere for Nowhere {
    fn finer_hold_none(&self) -> bool {
        true
    }

    fn coarser_hold_none(&self) -> bool {
        true
    }
}
