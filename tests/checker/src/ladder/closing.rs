//! M8: an emptied generation is sealed, and the filter goes on with the next one.
//!
//! A machine of its own, because what tokens do within a table does not matter here: words are sets of items, and the next
//! generation is one word. What is left is the gate, two words of the first table, the one word of a second table that may
//! be added, and the giving back of their memory.
//!
//! What a clean run says, of each program: a generation that is sealed has no token in any state; each thread finds, and
//! removes, what it has inserted; in each state every thread comes to the end of its call though all others stand still.

mod explore;
mod memory;
mod programs;
mod steps;

use std::time::Instant;

use crate::parts::Outcome;
use crate::report::grouped;
use explore::explore;
use programs::PROGRAMS;
use steps::Mutant;

/// The programs, and the mutants, each of which must die of one of them.
///
/// # Errors
///
/// What is wrong, and in which program; or the mutant that survives.
pub fn run() -> Outcome {
    let start = Instant::now();
    let mut states = 0;
    for (name, program) in PROGRAMS {
        states += explore(program, None).map_err(|why| format!("M8, {name}: {why}"))?;
    }
    for mutant in Mutant::ALL {
        let survives = |program| explore(program, Some(mutant)).is_ok();
        if PROGRAMS.iter().all(|(_, program)| survives(program)) {
            return Err(format!("M8: {mutant:?} survives"));
        }
    }
    Ok(format!(
        "M8 written races: {} programs, {} states, {} mutants killed ({:.1} s)",
        PROGRAMS.len(),
        grouped(states),
        Mutant::ALL.len(),
        start.elapsed().as_secs_f64()
    ))
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_emptied_generation_is_sealed_and_each_mutant_dies() {
        println!("{}", super::run().expect("sound"));
    }
}
