//! What only tests call.

/// What inserts do on their own, at will; and what a filter keeps from its users.
pub trait Internals {
    /// Moves one copy from the bucket that the hash selects to its alternate, if it is there and
    /// the other has room: in the oldest generation that has such a copy, or in the newest table.
    fn relocate_hash(&self, hash: u64) -> bool;

    /// The number of taken slots, whatever holds them. Exact while no thread writes.
    fn taken(&self) -> usize;

    /// Begins to double the newest table. Returns false if it cannot.
    fn begin_to_double(&self) -> bool {
        false
    }

    /// Adds a table behind the newest, which then takes the inserts. Returns false if the newest
    /// can still double.
    fn add_table(&self) -> bool {
        false
    }

    /// The share of the newest table's buckets that were split, while it doubles.
    fn doubled(&self) -> Option<f64> {
        None
    }

    /// The descriptors in use, if processes share them.
    fn claimed(&self) -> usize {
        0
    }
}
