//! How large a table is to be.

use crate::error::{BuildError, Cause};
use crate::layout::Layout;
use crate::table::{Geometry, sizing};

/// How large a table is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Items(usize),
    Buckets(usize),
    /// A table of so many buckets, for fewer items than it could be for.
    Roomy {
        items: usize,
        buckets: usize,
    },
}

/// The items that a filter is sized for unless set.
const DEFAULT_ITEMS: usize = 1024;

impl Default for Size {
    fn default() -> Self {
        Self::Items(DEFAULT_ITEMS)
    }
}

impl Size {
    /// The geometry of this size, and the items that it is for.
    pub(super) fn geometry<L: Layout>(self) -> Result<(Geometry<L>, usize), BuildError> {
        match self {
            Self::Items(items) => {
                let most = sizing::max_items::<L>();
                if items > most {
                    return Err(BuildError(Cause::Capacity { items, most }));
                }
                Ok((sizing::geometry_for(items), items))
            }
            Self::Buckets(buckets) => {
                let geometry = with_buckets(buckets)?;
                Ok((geometry, sizing::items_for(geometry)))
            }
            Self::Roomy { items, buckets } => Ok((with_buckets(buckets)?, items)),
        }
    }
}

fn with_buckets<L: Layout>(buckets: usize) -> Result<Geometry<L>, BuildError> {
    Geometry::with_buckets(buckets).ok_or_else(|| {
        BuildError(Cause::Buckets {
            buckets,
            nearest: sizing::nearest_buckets::<L>(buckets),
            ranges: Geometry::<L>::MAX_RANGES,
        })
    })
}
