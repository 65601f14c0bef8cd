//! What the tests of random schedules share: how schedules are drawn and counted, and threads that race.
//!
//! [shuttle](https://docs.rs/shuttle) runs the shipping code one thread at a time and chooses, before each
//! access to a shared word, which thread goes on. A checker that goes through all schedules stops at a few
//! dozen accesses; these programs make thousands, so paths of many hops, a pool that runs dry and six threads
//! at once are within reach. But schedules are sampled: a pass is evidence, no proof. And every access is
//! sequentially consistent here, whatever its ordering says: weak memory is for the models under loom.
//!
//! Everything here and in `tests/` is compiled only with `--cfg lockfree_cuckoo_shuttle`; `cargo suite shuttle`
//! sees to that.
#![cfg(lockfree_cuckoo_shuttle)]

mod bursts;
mod counted;
pub mod explore;
pub mod threads;
