//! What holds for the lists of all suites together.

use std::collections::BTreeSet;

use crate::Mutant;
use crate::pieces::PARTS;

#[path = "growing.rs"]
mod growing;
#[path = "../../../loom-tests/src/mutants.rs"]
mod loom;
#[path = "bin/ordinary/mutants.rs"]
mod ordinary;
#[path = "../../shuttle/src/mutants.rs"]
mod shuttle;
#[path = "../../steps/src/mutants.rs"]
mod steps;

const SUITES: [&[Mutant]; 5] = [
    loom::MUTANTS,
    shuttle::MUTANTS,
    steps::MUTANTS,
    growing::MUTANTS,
    ordinary::MUTANTS,
];

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
    let used: BTreeSet<_> = SUITES
        .concat()
        .iter()
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
    for suite in SUITES {
        let mut names = BTreeSet::new();
        for mutant in suite {
            assert!(
                names.insert(mutant.piece.name),
                "twice: {}",
                mutant.piece.name
            );
        }
    }
}
