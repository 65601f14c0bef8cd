//! How large a table is to be.

use crate::error::{BuildError, Cause};
use crate::layout::Layout;
use crate::table::{Geometry, sizing};

/// How large a table is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Items(usize),
    Buckets(usize),
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
                let geometry = Geometry::with_buckets(buckets).ok_or_else(|| {
                    let nearest = sizing::nearest_buckets::<L>(buckets);
                    let ranges = Geometry::<L>::MAX_RANGES;
                    BuildError(Cause::Buckets {
                        buckets,
                        nearest,
                        ranges,
                    })
                })?;
                Ok((geometry, sizing::items_for(geometry)))
            }
        }
    }
}
