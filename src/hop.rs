//! A hop: what a relocation is asked to do.

use crate::fingerprint::Fingerprint;

/// One relocation of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) moved: Fingerprint,
    pub(crate) source: usize,
    pub(crate) destination: usize,
    /// Whether the source is a candidate of the item, so that the path is done with this hop.
    pub(crate) last: bool,
}
