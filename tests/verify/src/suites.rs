//! The suites: which tests there are, how they are built, and what they must notice.

mod loom;
mod ordinary;
mod shuttle;
mod steps;

use crate::mutation::Suite;

/// The models for loom.
pub const LOOM: Suite = loom::SUITE;
/// The tests of random schedules.
pub const SHUTTLE: Suite = shuttle::SUITE;
/// The races of stopped threads.
pub const STEPS: Suite = steps::SUITE;
/// Ordinary tests.
pub const ORDINARY: Suite = ordinary::SUITE;

/// All of them.
pub const ALL: [Suite; 4] = [LOOM, SHUTTLE, STEPS, ORDINARY];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;
    use crate::mutation::CHECKING_A_MUTANT;
    use crate::pieces::PARTS;
    use crate::project::root;

    #[test]
    fn no_two_pieces_are_the_same() {
        let (mut names, mut changes) = (BTreeSet::new(), BTreeSet::new());
        for piece in PARTS.concat() {
            assert!(names.insert(piece.name), "two are called {}", piece.name);
            assert!(
                changes.insert(piece.changes),
                "{} is there twice",
                piece.name
            );
        }
    }

    #[test]
    fn every_piece_is_taken_out_by_a_suite() {
        let used: BTreeSet<_> = ALL
            .iter()
            .flat_map(|suite| suite.mutants)
            .map(|mutant| mutant.piece.name)
            .collect();
        for piece in PARTS.concat() {
            assert!(
                used.contains(piece.name),
                "no suite takes out: {}",
                piece.name
            );
        }
    }

    #[test]
    fn no_suite_takes_a_piece_out_twice() {
        for suite in ALL {
            let mut names = BTreeSet::new();
            for mutant in suite.mutants {
                assert!(
                    names.insert(mutant.piece.name),
                    "twice: {}",
                    mutant.piece.name
                );
            }
        }
    }

    #[test]
    fn suites_that_count_something_look_whether_they_check_a_mutant() {
        let literal = format!("\"{CHECKING_A_MUTANT}\"");
        // The scenes of the stopped threads are as many as the calls have accesses: none are demanded.
        let counts = |suite: &&Suite| !suite.unit.is_empty() && suite.name != STEPS.name;
        for suite in ALL.iter().filter(counts) {
            let sources = root().join(suite.directory).join("src");
            let mut files = fs::read_dir(sources).expect("a package");
            let looks = files.any(|file| {
                let text = fs::read_to_string(file.expect("a file").path());
                text.is_ok_and(|text| text.contains(&literal))
            });
            assert!(looks, "{} does not look", suite.name);
        }
    }
}
