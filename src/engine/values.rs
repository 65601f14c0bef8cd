//! The values of one item.

use core::array;
use core::fmt;
use core::iter::{FusedIterator, Take};

/// The maximum number of copies of an item with a value: the slots of two buckets of four.
pub(crate) const MAX_COPIES: usize = 8;

/// The values of an item, one for each copy, as returned by
/// [`values`](crate::Filter#method.values).
#[derive(Clone)]
pub struct Values(Take<array::IntoIter<u16, MAX_COPIES>>);

impl Values {
    /// The first `count` of these.
    pub(crate) fn first(values: [u16; MAX_COPIES], count: usize) -> Self {
        Self(values.into_iter().take(count))
    }
}

impl Iterator for Values {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Values {}
impl FusedIterator for Values {}

/// Prints the remaining values.
impl fmt::Debug for Values {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.clone()).finish()
    }
}
