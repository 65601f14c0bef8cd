//! Tables of one size, state by state: `insert_unique`, relocations, snapshots, and tokens that carry values.
//!
//! * The protocol is a [`machine`] of single accesses to shared memory. [`conformance`] holds it to the crate that
//!   ships, call by call. In a build with `--cfg lockfree_cuckoo_steps`, as in `cargo verify`, `lockstep` does so access
//!   by access; only there races between the accesses of a call are compared.
//! * [`views`] say what is watched of it.
//! * The programs are written by hand, one for each known race, or made by chance ([`random`]).
//! * [`mutants`] show what it is worth: the machine with one piece taken out must fail.

pub mod conformance;
#[cfg(lockfree_cuckoo_steps)]
pub mod lockstep;
pub mod machine;
pub mod memory;
pub mod mutants;
mod notation;
pub mod parts;
pub mod program;
mod protocol;
pub mod random;
pub mod views;
