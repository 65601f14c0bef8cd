//! Recovery: takes back what dead processes held.

use super::Run;
use crate::fixed::memory::{Answer, Owner};
use crate::fixed::mutants::Mutant;
use crate::fixed::program::Fixed;
use crate::machine::Machine;
use crate::notation::victim;
use crate::replay::{Again, Done, Step};

impl Run<'_> {
    /// Returns this thread as an owner.
    pub(super) fn as_owner(&self) -> Owner {
        self.id as Owner + 1
    }

    pub(super) fn recover(&mut self) -> Step<Answer> {
        // From here on the victim runs no instruction. The system answers for each owner what it
        // answers now, or that more are dead.
        self.other("the victim is dead", |run| {
            run.memory.dead |= 1 << victim(run.id);
            ((), true)
        })?;
        let descriptors = self.world.shape.descriptors as u8;
        self.repeat(0, |run, index: u8| {
            if index == descriptors {
                return Ok(Done(()));
            }
            run.recover_descriptor(index)?;
            Ok(Again(index + 1))
        })?;
        self.recover_scan()?;
        Ok(Answer::Bool(true))
    }

    fn recover_descriptor(&mut self, index: u8) -> Step<()> {
        let at = usize::from(index);
        self.routine(|run| {
            let owner = run.other("owner", |run| (run.memory.descriptors[at].owner, false))?;
            if !run.is_of_the_dead(owner)? {
                return Ok(());
            }
            let source = run.other("source", |run| {
                (run.memory.descriptors[at].transfer.source, false)
            })?;
            let destination = run.other("destination", |run| {
                (run.memory.descriptors[at].transfer.destination, false)
            })?;
            if !run.is(Mutant::RecoverySettlesNothing) {
                run.settle(source)?;
                if !run.is(Mutant::RecoverySettlesOneWord) {
                    run.settle(destination)?;
                }
            }
            run.other("take the descriptor from the dead", |run| {
                let late = run.is(Mutant::RecoveryTakesFromTheNextOwner);
                let now = &mut run.memory.descriptors[at].owner;
                let done = *now == owner || late;
                if done {
                    *now = 0;
                }
                ((), done)
            })
        })
    }

    /// Asks the system whether an owner is dead.
    fn is_of_the_dead(&mut self, owner: Owner) -> Step<bool> {
        let Some(thread) = owner.checked_sub(1) else {
            return Ok(false);
        };
        self.other("whether the owner is dead", |run| {
            let living = run.is(Mutant::RecoveryTakesFromTheLiving);
            (living || Fixed::is_dead(run.memory, thread.into()), false)
        })
    }

    /// Ends the scan of a dead process, as that would have.
    fn recover_scan(&mut self) -> Step<()> {
        self.routine(|run| {
            let scanner = run.other("scanner", |run| (run.memory.scanner, false))?;
            if !run.is_of_the_dead(scanner)? {
                return Ok(());
            }
            let inherits = run.other("inherit the right to scan", |run| {
                let inherits = run.memory.scanner == scanner;
                if inherits {
                    run.memory.scanner = run.as_owner();
                }
                (inherits, inherits)
            })?;
            if !inherits {
                return Ok(());
            }
            if !run.is(Mutant::ScanOfTheDeadGoesOn) {
                run.end_all_scans()?;
            }
            run.release_scan()
        })
    }
}
