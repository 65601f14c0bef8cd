//! How full tables of each layout get.

use super::arena::Arenas;

/// How full tables of a layout get. Fitted to seeded tables that were filled until the first refusal.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Highest load factor a filter is sized for.
    pub highest_load: f64,
    /// The load that a table would reach without the margins for its size.
    pub large_table_load: f64,
    /// What is kept free when there are several ranges, because their shares differ: so many parts of a range's slots by
    /// their root, or by that of the power of two below.
    pub share_margin: f64,
    /// The same for the unevenness within a single range.
    pub range_margin: f64,
}

/// A layout that tables have been filled with. Those are the layouts that there are.
pub trait Fitted {
    /// The room for path searches.
    type Arenas: Arenas;

    /// How full they get.
    const FIT: Fit;
}
