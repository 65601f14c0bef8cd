//! lockfree-cuckoo

mod admission;
mod allocate;
mod bucket;
mod builder;
mod counter;
mod descriptor;
mod error;
mod filter;
mod fingerprint;
mod geometry;
mod insertion;
mod lookup;
mod measures;
mod path;
mod random_state;
mod relocation;
mod removal;
mod sizing;
mod stripes;
mod sync;
mod table;
mod tokens;
mod traits;
mod transfer;
mod word;

pub use builder::CuckooFilterBuilder;
pub use error::{BuildError, InsertError};
pub use filter::CuckooFilter;
pub use random_state::{RandomState, SeededHasher};
