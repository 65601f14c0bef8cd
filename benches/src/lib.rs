//! Benches: compare the filter with its rivals and with the limit, the memory accesses that its
//! layout cannot avoid.
//!
//! A time depends on the machine more than on the filter. So everything is measured beside the
//! [limit](Limit), with the same keys, sizes and threads, and the ratios are compared. Only the
//! time that threads had a processor counts ([`Slice`]).
//!
//! - `cargo run --release -p lockfree-cuckoo-benches --bin scaling -- --sizes 1M --processes 1`
//!   compares the filter and its [rivals] with the limit, on one thread and on many.
//! - `--bin rotating` compares filters whose items leave by age.
//! - `--features shared --bin processes` compares the filter in memory that processes share with
//!   the one on the heap, and with a Bloom filter in such memory.
//! - `--bin growing -- --sizes 1M --items 1M` measures the cost of growth, beside the fixed filter
//!   and rivals that grow.
//! - `--bin fit` checks the promised loads of each layout, and `--bin sizes` prints memory and
//!   false positives. Neither measures time.
//! - `cargo bench -p lockfree-cuckoo-benches` runs criterion benches of each kind of work, with the
//!   limit and rivals in the same group.
//!
//! `cargo run --release -p paper` repeats the evaluation of Fan et al. 2014 (`docs/paper.md`).
//!
//! With `--features huge-pages` only the filter asks the system for huge pages.
//!
//! A [`Contender`] has the operations. A [`Rig`] runs timed slices of [`Work`] on [`Keys`] with it,
//! on threads that start together. Two rigs take turns in a [`Duel`].

mod contender;
mod duel;
mod keys;
mod latency;
mod limit;
mod mixed;
mod options;
mod report;
mod rig;
pub mod rivals;
mod tables;
mod tally;
mod work;

pub use contender::{Calls, Contender, Visitor};
pub use duel::{Cell, Duel, Pair};
pub use harness::machine::cores;
pub use harness::race::{Slice, Watch, race, share};
pub use harness::sizes::{BEYOND_CACHE, IN_CACHE, IN_MEMORY, items_name, items_of};
pub use harness::{markdown, median};
pub use keys::Keys;
pub use latency::{Latencies, Quantiles, insert_timed};
pub use limit::Limit;
pub use mixed::OPS_PER_BLOCK;
pub use options::{Common, have_done};
pub use report::{About, Table, allocated, machine, or_dash, print_cores, rate_and_ratio};
pub use rig::Rig;
pub use tables::Tables;
pub use tally::{Faults, count};
pub use work::Work;
