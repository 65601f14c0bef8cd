//! What the numbers were measured on.

pub use charts::machine::{Cache, caches, cores};

/// The machine, and what this build does differently on it, in one line.
#[must_use]
pub fn machine() -> String {
    let pages = if cfg!(feature = "huge-pages") {
        ", the filter in huge pages"
    } else {
        ""
    };
    format!("{}{pages}", charts::machine::machine())
}
