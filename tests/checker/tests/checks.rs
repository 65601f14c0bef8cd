//! All parts of a run, each cut down to seconds.

use protocol_checker::explore::Limits;
use protocol_checker::growing;
use protocol_checker::mutants::MUTANTS;
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
    holds(parts::by_hand(50_000));
    holds(parts::by_hand_in_other_layouts(10_000));
}

#[test]
fn no_race_made_by_chance_fails() {
    holds(parts::by_chance(2, 200, 10_000));
    holds(parts::values_by_chance(2, 50, 10_000));
}

#[test]
fn the_dead_leave_the_table_in_order() {
    holds(parts::deaths_by_hand(1_000));
    holds(parts::deaths_by_chance(2, 50, 2_000));
    holds(parts::deaths_with_values(2, 20, 2_000));
}

#[test]
fn the_machine_is_the_crate() {
    holds(parts::conformance(2, 500));
    holds(parts::conformance_of_values(2, 200));
}

#[test]
#[cfg(lockfree_cuckoo_steps)]
fn the_machine_is_the_crate_access_by_access() {
    holds(parts::lockstep(2, 500));
    holds(parts::lockstep_of_values(2, 200));
}

#[test]
fn every_mutant_dies() {
    holds(parts::mutants(false));
}

#[test]
fn a_failure_is_shown_step_by_step() {
    let shown = parts::death_of("a remove that sees two tokens bumps nothing").expect("it dies");
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
        let shown = parts::death_of(mutant.name).unwrap_or_else(|why| panic!("{why}"));
        assert!(shown.contains("FAILED: "), "{shown}");
    }
}

#[test]
fn no_race_of_a_growing_filter_fails() {
    let limits = |states, audit| Limits { states, audit };
    for model in 1..=7 {
        holds(growing::parts::by_hand(model, limits(30_000, false)));
        holds(growing::parts::by_hand(model, limits(500, true)));
        holds(growing::parts::by_chance(
            model,
            2,
            40,
            limits(5_000, false),
        ));
        holds(growing::parts::by_chance(model, 3, 10, limits(1_000, true)));
    }
}

#[test]
fn every_mutant_of_growing_filters_dies() {
    for model in 1..=7 {
        holds(growing::parts::mutants(model, false));
    }
}

#[test]
fn a_failure_of_a_growing_filter_is_shown_step_by_step() {
    let shown = growing::parts::death_of("a hop goes to a child whose parent is frozen");
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
