//! Elsewhere: what an admission asks beside its own table.
//!
//! Tokens can be spread over several tables, as in a filter that rotates, or has doubled ten times. Then an admission has to know that
//! there is no equal token in the others either. It freezes its own word first. Then it asks the others, one by one
//! ([`witness`](super::witness)), in the order in which lookups read them.

/// What must be absent elsewhere, in the order in which it is asked: this table is asked between the earlier tables and
/// the later ones.
pub(crate) trait Elsewhere {
    /// Whether no table that lookups read earlier than this one holds a token of the class.
    fn earlier_hold_none(&self) -> bool;
    /// The same for those that they read later. Also checks that these are still all tables, and in this order.
    fn later_hold_none(&self) -> bool;
}

/// There are no other tables.
pub(super) struct Nowhere;

impl Elsewhere for Nowhere {
    fn earlier_hold_none(&self) -> bool {
        true
    }

    fn later_hold_none(&self) -> bool {
        true
    }
}
