//! Fixed tables, state by state: `insert_unique`, relocations, snapshots, and tokens with values.
//!
//! * The protocol is a machine of single accesses to shared memory. [`conformance`] compares it
//!   with the shipping crate, call by call. In a build with `--cfg lockfree_cuckoo_steps`, as in
//!   `cargo verify`, `lockstep` compares them access by access; only there, races between the
//!   accesses of a call are compared.
//! * The programs are written by hand, one for each known race, or random.
//! * Mutants show the power of the check: the machine with one piece taken out must fail.

pub mod conformance;
#[cfg(lockfree_cuckoo_steps)]
pub mod lockstep;
mod machine;
mod memory;
mod mutants;
mod program;
mod protocol;
mod views;

pub use program::Fixed;

use crate::explore::Limits;
use crate::notation::Notation;
use crate::parts::{Outcome, explored, races};

/// Runs the races with buckets of the other layouts, if the initial tokens fit them.
pub fn by_hand_in_other_layouts(states: usize) -> Outcome {
    let races = races::<Fixed>()?.into_iter().map(|race| race.program);
    let usual = races.filter(|program| program.shape.layout == program::LAYOUTS[0]);
    let others = usual.flat_map(|program| {
        program::LAYOUTS[1..].iter().map(move |&layout| {
            let mut other = program.clone();
            other.shape.layout = layout;
            other
        })
    });
    let programs: Vec<_> = others
        .filter(|program| Fixed::memory(program).is_some())
        .collect();
    explored(
        "written races in other layouts",
        &programs,
        Limits::all(states),
    )
}
