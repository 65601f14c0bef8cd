//! Growing filters: tables that double, state by state.
//!
//! The machine is steps of single accesses, as that of tables of one size. There is a model for each thing
//! that can go wrong:
//!
//! | model | what it is about |
//! |---|---|
//! | M1 | the split of a word, beside lookups, inserts, removes, hops, other splitters, and deaths |
//! | M2 | removal of the longest token |
//! | M3 | `insert_unique` while its witness is split, rivals whose classes nest |
//! | M4 | hops whose ends are at two levels |
//! | M5 | the root and the blocks, growers and sweepers |
//! | M6 | the giving back of blocks |
//! | M7 | snapshots across a split, and two tables one after the other |
//!
//! What a clean run says, of each program that is not cut short: each result is explained by one order of the calls, for
//! each item by itself, where the number of an item is that of the tokens that cover it; these tokens are inserts minus
//! removes in each state; under the contract that only what was inserted is removed, each item that is in can be matched
//! with a token of its own in each state, no remove is refused, and a copy can be matched with what was in throughout; each
//! schedule ends, and a newcomer gets on though all others die.
//!
//! What it does not say: anything about weak memory; about paths of more than one hop; about a lack of descriptors, of which
//! each thread has one here; about chunks; about a second table that is taken out of the list again. Tables have three levels,
//! items four index bits.

mod geometry;
mod machine;
mod mutants;
mod program;
mod protocol;

pub use program::Growing;
