//! Checks the protocol of `lockfree-cuckoo` in every interleaving of small programs.
//!
//! For the sceptic who wants to see "exact and lock-free" without the bounds of the models for loom:
//!
//! ```text
//! cargo run --release -p protocol-checker              # about two minutes; --long takes about an hour
//! cargo run --release -p protocol-checker -- --growing  # the models of a filter that doubles in place
//! cargo run --release -p protocol-checker -- --help    # one program, the death of one mutant, other seeds
//! ```
//!
//! * The protocol is a [`machine`] of single accesses to shared memory. [`conformance`] holds it to the crate that
//!   ships, call by call. In a build with `--cfg lockfree_cuckoo_steps`, as in `cargo verify`, `lockstep` does so access
//!   by access; only there races between the accesses of a call are compared.
//! * [`explore`] goes through the states of a program to the last. A [`monitor`] decides linearizability of what is
//!   watched ([`views`]), and an [`audit`] looks at what dead threads leave behind.
//! * The [`programs`] are written by hand, one for each known race, or made by chance ([`random`]).
//! * A [`growing`] filter has a machine, programs and mutants of its own, and nothing yet that holds it to the crate.
//! * [`mutants`] show what it is worth: the machine with one piece taken out must fail.
//!
//! # What a clean run says
//!
//! In every interleaving of each program that is not cut short, of up to four threads with up to six calls:
//!
//! * each result of `insert`, `insert_unique`, `remove` and `contains` is explained by one order of the calls, and
//!   in each state the words hold inserts minus removes;
//! * of tokens with values, so is each result of the calls on values, for the class with the values left aside, for each
//!   value by itself, and for both together where a class has one token at most ([`views`]);
//! * `count`, `values` and `snapshot` find no fewer tokens than there were at every moment of the call, and no more than those
//!   and the ones that came or whose remove was under way;
//! * each schedule ends, and a newcomer gets on though all others die, wherever they are; at most one descriptor is
//!   lost for each of the dead.
//!
//! # What it does not say
//!
//! * Anything about weak memory. All threads see one order of all accesses; that is for the models for loom.
//! * Anything about larger programs. The tables have two or four buckets, inserts two attempts where the crate makes
//!   64, and the stripes are two.
//! * That the counter of items is right, which is no part of the machine, or that a snapshot fits the table it is
//!   copied to, which is the work of one thread.

pub mod audit;
pub mod conformance;
pub mod explore;
pub mod growing;
pub mod hash;
pub mod jobs;
pub mod layout;
#[cfg(lockfree_cuckoo_steps)]
pub mod lockstep;
pub mod machine;
pub mod memory;
pub mod monitor;
pub mod mutants;
mod notation;
pub mod parts;
pub mod points;
pub mod program;
pub mod programs;
pub mod random;
pub mod report;
pub mod shortest;
pub mod state;
pub mod thread;
pub mod views;
pub mod visited;
