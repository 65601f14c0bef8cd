//! All parts of a run, each cut down to seconds.

use protocol_checker::explore::Limits;
use protocol_checker::fixed::{mutants::MUTANTS, parts as fixed, program::Fixed};
use protocol_checker::growing::{parts as growing, program::Growing};
use protocol_checker::parts::{self, Outcome};

#[track_caller]
fn holds(outcome: Outcome) {
    match outcome {
        Ok(line) => println!("{line}"),
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn no_race_written_by_hand_fails() {
    holds(fixed::by_hand(Limits::all(50_000)));
    holds(fixed::by_hand_in_other_layouts(Limits::all(10_000)));
}

#[test]
fn no_race_made_by_chance_fails() {
    holds(fixed::by_chance(false, 2, 200, Limits::all(10_000)));
    holds(fixed::by_chance(true, 2, 50, Limits::all(10_000)));
}

#[test]
fn the_dead_leave_the_table_in_order() {
    holds(fixed::by_hand(Limits::deaths(1_000)));
    holds(fixed::by_chance(false, 2, 50, Limits::deaths(2_000)));
    holds(fixed::by_chance(true, 2, 20, Limits::deaths(2_000)));
}

#[test]
fn the_machine_is_the_crate() {
    holds(fixed::conformance(false, 2, 500));
    holds(fixed::conformance(true, 2, 200));
}

#[test]
#[cfg(lockfree_cuckoo_steps)]
fn the_machine_is_the_crate_access_by_access() {
    holds(fixed::lockstep(false, 2, 500));
    holds(fixed::lockstep(true, 2, 200));
}

#[test]
fn every_mutant_dies() {
    holds(fixed::mutants(false));
}

#[test]
fn a_failure_is_shown_step_by_step() {
    let shown =
        parts::death_of::<Fixed>("a remove that sees two tokens bumps nothing").expect("it dies");
    for part in [
        "pair: f01 | insert f01, remove f01 | contains f10",
        "    1  thread ",
        "Removal(Exchange): word 0 from [6] to []: done; returns true",
        "FAILED: no order of the calls explains that contains returned false",
    ] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
}

/// Each piece is needed: what is found without it is a failure of its own, and can be shown.
#[test]
fn every_death_can_be_shown() {
    for mutant in MUTANTS {
        let shown = parts::death_of::<Fixed>(mutant.name).unwrap_or_else(|why| panic!("{why}"));
        assert!(shown.contains("FAILED: "), "{shown}");
    }
}

#[test]
fn no_race_of_a_growing_filter_fails() {
    for model in 1..=7 {
        holds(growing::by_hand(model, Limits::all(30_000)));
        holds(growing::by_hand(model, Limits::deaths(500)));
        holds(growing::by_chance(model, 2, 40, Limits::all(5_000)));
        holds(growing::by_chance(model, 3, 10, Limits::deaths(1_000)));
    }
}

#[test]
fn every_mutant_of_growing_filters_dies() {
    for model in 1..=7 {
        holds(growing::mutants(model, false));
    }
}

#[test]
fn a_failure_of_a_growing_filter_is_shown_step_by_step() {
    let shown = parts::death_of::<Growing>("a hop goes to a child whose parent is frozen");
    let shown = shown.expect("it dies");
    for part in [
        "table deepest=2 split=3 growing: f0001/1 | move f0001/1 | sweep",
        "Split Pending",
        "Relocation Committed",
        "FAILED: 0 tokens that cover f0001 are not inserts minus removes",
    ] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
}
