//! Which filter it is, for those who keep none.

use std::sync::{Arc, Weak};

/// Tells one filter from all others for as long as it is there, and keeps neither it nor its memory:
/// [`Filter::identity`](crate::Filter::identity) returns it.
#[derive(Clone, Debug)]
pub struct Identity(Weak<()>);

/// What a filter has of its own.
#[derive(Debug, Default)]
pub(crate) struct Own(Arc<()>);

impl Own {
    /// Two counts and nothing else.
    pub(crate) const HEAP_BYTES: usize = 2 * size_of::<usize>();

    pub(crate) fn identity(&self) -> Identity {
        Identity(Arc::downgrade(&self.0))
    }
}

impl Identity {
    /// Whether the filter is gone.
    pub fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}
