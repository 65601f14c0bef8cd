//! The filters of a run, and what they answer to a batch.
//!
//! With a window there are two ways to forget. Nothing above this floor knows which one a run has, besides the exact
//! check: they guarantee different things.

mod answer;
mod decide;
mod generation;
mod list;
mod maker;
mod ring;
mod window;

pub(crate) use answer::{Answer, Scratch};
pub(crate) use decide::{Decide, Filters, in_batches, one_by_one};
pub(crate) use maker::{Maker, Room};
pub(crate) use ring::GENERATIONS;
pub(crate) use window::Window;
