//! All parts of a run, each cut down to seconds.

use protocol_checker::Limits;
#[cfg(lockfree_cuckoo_steps)]
use protocol_checker::fixed::lockstep;
use protocol_checker::fixed::{self, Fixed, conformance};
use protocol_checker::growing::Growing;
use protocol_checker::parts::{self, Outcome, by_chance, by_hand};

#[track_caller]
fn holds(outcome: Outcome) -> String {
    outcome.unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn no_race_fails() {
    holds(by_hand::<Fixed>(0, Limits::all(50_000)));
    holds(fixed::by_hand_in_other_layouts(10_000));
    holds(by_chance::<Fixed>(0, 2, 200, Limits::all(10_000)));
    holds(by_chance::<Fixed>(1, 2, 50, Limits::all(10_000)));
}

#[test]
fn the_dead_leave_the_table_in_order() {
    holds(by_hand::<Fixed>(0, Limits::deaths(1_000)));
    holds(by_chance::<Fixed>(0, 2, 50, Limits::deaths(2_000)));
    holds(by_chance::<Fixed>(1, 2, 20, Limits::deaths(2_000)));
}

#[test]
fn the_machine_is_the_crate() {
    holds(conformance::part(false, 2, 500));
    holds(conformance::part(true, 2, 200));
}

#[test]
#[cfg(lockfree_cuckoo_steps)]
fn the_machine_is_the_crate_access_by_access() {
    holds(lockstep::part(false, 2, 500));
    holds(lockstep::part(true, 2, 200));
}

/// Each piece is needed: what is found without it is a failure of its own, and can be shown.
#[test]
fn every_death_can_be_shown() {
    let shown = holds(parts::deaths::<Fixed>());
    assert_eq!(shown.matches("FAILED: ").count(), 49);
}

#[test]
fn no_race_of_a_growing_filter_fails() {
    for model in 1..=7 {
        holds(by_hand::<Growing>(model, Limits::all(30_000)));
        holds(by_hand::<Growing>(model, Limits::deaths(500)));
        holds(by_chance::<Growing>(model, 2, 40, Limits::all(5_000)));
        holds(by_chance::<Growing>(model, 3, 10, Limits::deaths(1_000)));
    }
}

#[test]
fn every_mutant_of_growing_filters_dies() {
    for model in 1..=7 {
        holds(parts::mutants::<Growing>(model, false));
    }
}

#[test]
fn a_failure_is_shown_step_by_step() {
    for (shown, parts) in [
        (
            parts::death_of::<Fixed>("a remove that sees two tokens bumps nothing"),
            [
                "pair: f01 | insert f01, remove f01 | contains f10",
                "    1  thread ",
                "word 0 from [6] to []: done; returns true",
                "FAILED: no order of the calls explains that contains returned false",
            ],
        ),
        (
            parts::death_of::<Growing>("a hop goes to a child whose parent is frozen"),
            [
                "table deepest=2 split=3 growing: f0001/1 | move f0001/1 | sweep",
                "Split Pending",
                "Relocation Committed",
                "FAILED: 0 tokens that cover f0001 are not inserts minus removes",
            ],
        ),
    ] {
        let shown = holds(shown.expect("there is such a mutant"));
        for part in parts {
            assert!(shown.contains(part), "{part:?} is not in\n{shown}");
        }
    }
}
