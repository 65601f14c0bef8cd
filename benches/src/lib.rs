//! Measures the filter against its rivals, and against the bare limit: the memory accesses that its layout
//! cannot do without.
//!
//! An absolute time says more about the machine than about the filter, and on a shared machine not even
//! that. So everything is measured beside the [limit](Limit), with the same keys, sizes and threads,
//! and the ratio is what counts. Times are those that threads had a processor for ([`Slice`]).
//!
//! - `cargo run --release -p lockfree-cuckoo-benches --bin scaling -- --sizes 1M --processes 1`: the ratios of the filter and
//!   of its [rivals] to the limit, on one thread and on many, from slices in turn, so that what disturbs the
//!   machine disturbs both.
//! - `cargo run --release -p lockfree-cuckoo-benches --bin growing -- --sizes 1M --items 1M`: what a filter that grows costs,
//!   beside the fixed one, and beside rivals that grow.
//! - `cargo run --release -p lockfree-cuckoo-benches --bin fit`: how full tables of each layout get, and whether that
//!   is enough for what is promised. It measures no time.
//! - `cargo bench -p lockfree-cuckoo-benches`: criterion benches of each kind of work, with the limit and rivals in the
//!   same group.
//!
//! With `--features huge-pages` the filter, and it alone, asks the system for huge pages.
//!
//! A [`Contender`] brings the operations, a [`Rig`] has it do timed slices of [`Work`] on [`Keys`], on threads that start
//! together. Two rigs take turns in a [`Duel`].

mod contender;
mod duel;
mod keys;
mod latency;
mod limit;
mod options;
mod race;
mod report;
mod rig;
pub mod rivals;
mod work;

pub use charts::machine::cores;
pub use contender::{Contender, Visitor};
pub use duel::{Cell, Duel, Pair, median};
pub use keys::Keys;
pub use latency::{Latencies, Quantiles, insert_timed};
pub use limit::Limit;
pub use options::{BEYOND_CACHE, Common, IN_CACHE, have_done, items_name, items_of};
pub use race::{Slice, Watch};
pub use report::{About, Table, allocated, machine, or_dash, print_cores, rate_and_ratio};
pub use rig::{Faults, Rig};
pub use work::{OPS_PER_BLOCK, Work, count};
