//! Engines: what a filter does with a hash.
//!
//! There are three: [`Fixed`](crate::filter::Fixed), one table; [`Growing`](crate::growing), a
//! table that doubles; and [`Rotating`](crate::filter::Rotating), a ring of tables. The public
//! filter is written once, over the trait [`RawFilter`](operations::RawFilter).
//! [`Dyn`](crate::filter::Dyn) boxes any of them, for a choice at run time.

pub(crate) mod buildable;
pub(crate) mod chunks;
pub(crate) mod clock;
#[cfg(any(test, feature = "_testing"))]
pub(crate) mod internals;
pub(crate) mod kind;
pub(crate) mod measures;
pub(crate) mod operations;
pub(crate) mod plan;
pub(crate) mod values;
