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
//! * The protocol of each kind of filter is a `machine` of single accesses to shared memory: that of
//!   tables of one size ([`fixed`]), which is held to the crate that ships, and that of tables that double ([`growing`]),
//!   which nothing holds to the crate yet.
//! * `explore` goes through the states of a program to the last. A monitor decides linearizability of what is
//!   watched, and a newcomer looks at what dead threads leave behind.
//! * The programs are written by hand, one for each known race (`races.txt`), or made by chance.
//! * Mutants show what it is worth: a machine with one piece taken out must fail.
//!
//! # What a clean run says
//!
//! In every interleaving of each program that is not cut short, of up to four threads with up to six calls:
//!
//! * each result of `insert`, `insert_unique`, `remove` and `contains` is explained by one order of the calls, and
//!   in each state the words hold inserts minus removes;
//! * of tokens with values, so is each result of the calls on values, for the class with the values left aside, for each
//!   value by itself, and for both together where a class has one token at most (`fixed/views.rs`);
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

mod explore;
pub mod fixed;
pub mod growing;
mod machine;
mod monitor;
mod notation;
pub mod parts;
mod random;
mod replay;
mod shared;

pub use explore::Limits;
