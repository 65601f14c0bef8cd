//! Measures the filter against its rivals, and against the bare limit: the memory accesses that its layout
//! cannot do without.
//!
//! An absolute time says more about the machine than about the filter, and on a shared machine not even
//! that. So everything is measured beside the [limit](limit::Limit), with the same keys, sizes and threads,
//! and the ratio is what counts. Times are those that threads had a processor for ([`lap`]).
//!
//! - `cargo bench -p lockfree-cuckoo-benches`: criterion benches, one for each question, each with the limit
//!   in the same group.
//! - `cargo run --release -p lockfree-cuckoo-benches --bin scaling -- --quick`: the ratios of the filter and
//!   of its [rivals] to the limit, on one thread and on many, from slices in turn, so that what disturbs the
//!   machine disturbs both.
//! - `cargo run --release -p lockfree-cuckoo-benches --bin growing -- --quick`: what a filter that grows costs,
//!   beside the fixed one, and beside rivals that grow.
//! - `cargo run --release -p lockfree-cuckoo-benches --bin layouts`: how fast each layout is, beside the bare limit of its
//!   own lanes and beside 4 x 16.
//! - `cargo run --release -p lockfree-cuckoo-benches --bin fit`: how full tables of each layout get, and whether that
//!   is enough for what is promised. It measures no time.
//!
//! With `--features huge-pages` the filter, and it alone, asks the system for huge pages.
//!
//! A [contender](contender::Contender) brings the operations, a [rig](rig::Rig) has it do timed slices of
//! [work] on [keys](keys::Keys), on [threads that start together](race::race).

pub mod bare;
pub mod contender;
pub mod cores;
pub mod faults;
pub mod growing;
pub mod keys;
pub mod lap;
pub mod latency;
pub mod layout;
pub mod limit;
pub mod machine;
mod prefetch;
pub mod quartiles;
pub mod race;
pub mod rig;
pub mod rivals;
pub mod size;
pub mod stalls;
pub mod work;
