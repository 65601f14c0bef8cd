//! Other tables: what the only token of a class depends on, if its filter has several tables.

/// Tables that must not hold the class either, in the order in which they are asked: this table is
/// asked between the earlier and the later ones.
pub(crate) trait AbsenceElsewhere {
    /// Whether no table that lookups read earlier than this one holds a token of the class.
    fn check_before(&self) -> bool;
    /// Whether no table that lookups read later holds one. Also checks that these are still all
    /// tables, in this order.
    fn check_after(&self) -> bool;
}

/// There are no other tables.
pub(crate) struct NothingElsewhere;

impl AbsenceElsewhere for NothingElsewhere {
    fn check_before(&self) -> bool {
        true
    }

    fn check_after(&self) -> bool {
        true
    }
}
