//! All parts of a run, each reduced to seconds.

use protocol_checker::Limits;
#[cfg(lockfree_cuckoo_steps)]
use protocol_checker::fixed::lockstep;
use protocol_checker::fixed::{self, Fixed, conformance};
use protocol_checker::parts::{self, Outcome, by_chance, by_hand};

#[track_caller]
fn holds(outcome: Outcome) -> String {
    outcome.unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn no_race_fails() {
    holds(by_hand::<Fixed>(Limits::all(50_000)));
    holds(fixed::by_hand_in_other_layouts(10_000));
    holds(by_chance::<Fixed>(0, 2, 200, Limits::all(10_000)));
    holds(by_chance::<Fixed>(1, 2, 50, Limits::all(10_000)));
}

#[test]
fn the_dead_leave_the_table_in_order() {
    holds(by_hand::<Fixed>(Limits::deaths(1_000)));
    holds(by_chance::<Fixed>(0, 2, 50, Limits::deaths(2_000)));
    holds(by_chance::<Fixed>(1, 2, 20, Limits::deaths(2_000)));
}

#[test]
fn the_machine_is_the_crate() {
    holds(conformance::part(false, 2, 500));
    holds(conformance::part(true, 2, 200));
}

/// The machine is the crate, access by access.
#[test]
#[cfg(lockfree_cuckoo_steps)]
fn lockstep() {
    holds(lockstep::part(false, 2, 500));
    holds(lockstep::part(true, 2, 200));
}

/// Each piece is necessary: the failure without it is a distinct one, and can be shown.
#[test]
fn every_death_can_be_shown() {
    let shown = holds(parts::deaths::<Fixed>());
    assert_eq!(shown.matches("FAILED: ").count(), 56);
}

#[test]
fn a_failure_is_shown_step_by_step() {
    let death = parts::death_of::<Fixed>("a remove that sees two tokens bumps nothing");
    let shown = holds(death.expect("there is such a mutant"));
    for part in [
        "pair: f01 | insert f01, remove f01 | contains f10",
        "    1  thread ",
        "word 0 from [6] to []: done; returns true",
        "FAILED: no order of the calls explains that contains returned false",
    ] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
}
