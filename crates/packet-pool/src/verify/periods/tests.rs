//! The exact check notices wrong answers.

use super::*;
use crate::filters::Room;
use crate::keys::{Keys, Mode};
use Answer::{Known, New, Refreshed, Refused, Unrefreshed};
use lockfree_cuckoo::{Lanes, Shape};
use std::ops::Range;

fn key(number: u64) -> Key {
    Keys::new(Mode::Flows).made_up(number)
}

/// The answers to a batch of a period that was in work at this time.
fn record(period: u64, time: Range<u64>, answers: &[(u64, Answer)]) -> Record {
    Record {
        number: time.start,
        period,
        packets: answers.len(),
        time,
        generations: period..=period,
        answers: answers
            .iter()
            .map(|&(number, answer)| (key(number), answer))
            .collect(),
    }
}

fn judge(records: Vec<Record>) -> Findings {
    compare(
        records,
        Tables::of(Room::Fixed(1), 1 << 20, Shape::of::<Lanes<4, 16>>()),
    )
}

/// The keys that were new in two periods because both were in work.
fn twice(findings: &Findings) -> u64 {
    match findings.price {
        Price::Twice(count) => count,
        Price::Late(_) => unreachable!("that is of a filter that rotates"),
    }
}

#[test]
fn right_answers_are_right() {
    let findings = judge(vec![
        record(0, 0..1, &[(1, New), (2, New), (1, Known)]),
        record(1, 2..3, &[(1, Refreshed), (3, New), (1, Known)]),
        record(2, 4..5, &[(1, Refreshed), (2, New)]),
        record(4, 6..7, &[(1, New)]),
    ]);
    assert_eq!((findings.distinct, findings.firsts), (5, 5));
    assert_eq!((findings.packets, findings.periods), (9, 4));
    let wrong = [findings.false_positives, findings.refused, twice(&findings)];
    assert_eq!(wrong, [0; 3]);
    assert_eq!([findings.twice, findings.forgotten], [0; 2]);
    assert_eq!((findings.last, findings.held), (vec![key(1)], (1, 1)));
}

#[test]
fn two_firsts_in_a_period_are_noticed() {
    let batches = [&[(1, New)], &[(1, New)]];
    let one = judge(vec![
        record(0, 0..2, batches[0]),
        record(0, 1..3, batches[1]),
    ]);
    assert_eq!(one.twice, 1);
    let one = judge(vec![
        record(0, 0..1, &[(1, New)]),
        record(1, 2..5, &[(1, Refreshed)]),
        record(1, 3..4, &[(1, Refreshed)]),
    ]);
    assert_eq!(one.twice, 1);
}

#[test]
fn known_keys_that_are_told_new_are_noticed() {
    let one = judge(vec![
        record(0, 0..1, &[(1, New)]),
        record(1, 2..3, &[(1, New)]),
    ]);
    assert_eq!((one.forgotten, twice(&one)), (1, 0));
    // The same, but nobody could have known.
    let one = judge(vec![
        record(0, 0..3, &[(1, New)]),
        record(1, 2..4, &[(1, New)]),
    ]);
    assert_eq!((one.forgotten, twice(&one)), (0, 1));
    // A key that is known must be refreshed, or the period after it shows.
    let one = judge(vec![
        record(0, 0..1, &[(1, New)]),
        record(1, 2..3, &[(1, Known)]),
        record(2, 4..5, &[(1, New)]),
    ]);
    assert_eq!(one.forgotten, 1);
}

#[test]
fn new_keys_that_are_told_known_are_counted() {
    let one = judge(vec![
        record(0, 0..1, &[(1, Known), (2, New)]),
        record(2, 2..3, &[(2, Known)]),
    ]);
    assert_eq!((one.false_positives, one.firsts, one.distinct), (2, 1, 3));
    assert!(one.expected < 0.001);
}

#[test]
fn what_was_refused_is_not_expected_to_be_known() {
    let one = judge(vec![
        record(0, 0..1, &[(1, Refused), (2, New)]),
        record(1, 2..3, &[(1, New), (2, Unrefreshed)]),
        record(2, 4..5, &[(2, New)]),
    ]);
    assert_eq!((one.refused, one.forgotten, one.firsts), (1, 0, 3));
}
