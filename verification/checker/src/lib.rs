//! Checks the protocol of `lockfree-cuckoo` in every interleaving of small programs.
//!
//! It checks "exact and lock-free" without the bounds of the models for loom:
//!
//! ```text
//! cargo run --release -p protocol-checker              # about two minutes; --long takes about an hour
//! cargo run --release -p protocol-checker -- --help    # one program, the death of one mutant, other seeds
//! ```
//!
//! * The protocol of fixed tables is a `machine` of single accesses to shared memory ([`fixed`]),
//!   which is compared with the shipping crate.
//! * `explore` visits all states of a program. A monitor decides linearizability of the watched
//!   tokens, and a new thread checks the memory that dead threads leave.
//! * The programs are written by hand, one for each known race (`races.txt`), or random.
//! * Mutants show the power of the check: a machine with one piece taken out must fail.
//!
//! # What a clean run says
//!
//! These properties hold in every interleaving of each program that is not cut short, with up to
//! four threads of up to six calls:
//!
//! * one order of the calls explains each result of `insert`, `insert_unique`, `remove` and
//!   `contains`, and in each state the words hold inserts minus removes;
//! * for tokens with values, an order explains each result of the calls on values: for the class
//!   without its values, for each value by itself, and for both together if a class has at most one
//!   token (`fixed/views.rs`);
//! * `count`, `values` and `snapshot` find no fewer tokens than there were at every time during the
//!   call, and no more than those, those inserted meanwhile, and those whose remove was under way;
//! * each schedule ends, and a new thread makes progress after all others have died, at any steps;
//!   each dead thread costs at most one descriptor.
//!
//! # What it does not say
//!
//! * Weak memory. All threads see one order of all accesses; the models for loom cover weak memory.
//! * Larger programs. The tables have two or four buckets, inserts have two attempts instead of the
//!   crate's 64, and there are two stripes.
//! * Growing and rotating filters.
//! * The counter of items, which is not in the machine, and the copy of a snapshot into a table,
//!   which is the work of one thread.

mod explore;
pub mod fixed;
mod machine;
mod monitor;
mod notation;
pub mod parts;
mod random;
mod replay;
mod shared;
mod types;

pub use explore::Limits;
