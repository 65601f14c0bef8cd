//! The window: how the keys of a run are forgotten.

use super::decide::Filters;
use super::list::Place;
use super::maker::Maker;
use super::ring::Ring;
use lockfree_cuckoo::BuildError;
use std::sync::Arc;

/// Goes from period to period, and gives the filters of each. A clone goes by itself, through the same filters.
#[derive(Clone)]
pub(crate) struct Window(Way);

#[derive(Clone)]
enum Way {
    /// One filter for all periods, in a room that does not change.
    Ring(Arc<Ring>),
    /// Filters for each period, which have as much room as it needs; or one filter for a run without a window.
    List(Place),
}

impl Window {
    /// At period 0.
    pub(crate) fn first(maker: &Maker) -> Result<Self, BuildError> {
        Ok(Self(if maker.makes_a_ring() {
            let ring = Ring::new(maker.room().keys(), maker.hasher(), maker.rate())?;
            Way::Ring(Arc::new(ring))
        } else {
            Way::List(Place::first(maker)?)
        }))
    }

    /// Goes to a period, which is none before the present one.
    pub(crate) fn advance(&mut self, period: u64) -> Result<Arc<dyn Filters>, BuildError> {
        Ok(match &mut self.0 {
            Way::Ring(ring) => Arc::clone(ring) as _,
            Way::List(place) => Arc::clone(place.advance(period)?) as _,
        })
    }
}
