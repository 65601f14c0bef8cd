//! The filters of a period, and what they answer to a batch.

mod decide;
mod generation;
mod maker;
mod window;

pub(crate) use decide::{Answer, Decide, Scratch, in_batches, one_by_one};
pub(crate) use generation::Generation;
pub(crate) use maker::{Maker, Room};
pub(crate) use window::Window;
