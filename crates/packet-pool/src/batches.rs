//! Packets in batches, each of one period of time.

mod batch;
mod count;
mod intake;
mod load;
mod made_up;
mod packer;
mod period;
mod watcher;

pub(crate) use batch::{Batch, PACKETS};
pub(crate) use count::most_in_a_period;
pub(crate) use intake::Intake;
pub(crate) use load::load;
pub(crate) use made_up::made_up;
pub(crate) use packer::Packer;
pub(crate) use period::Periods;
