//! Tests of the exact check: it notices wrong answers, and no others.

use super::*;
use crate::filter::{Kind, Plan};
use crate::keys::{Keys, Mode};
use Answer::{Known, New, Refused, Unrefreshed};
use lockfree_cuckoo::layout::{Lanes, Shape};
use std::ops::Range;

fn key(number: u64) -> Key {
    Keys::new(Mode::Flows).made_up(number)
}

/// Makes the record of a batch that was in work at this time, while these generations took keys, of
/// the period of the first.
fn record(time: Range<u64>, span: Span, answers: &[(u64, Answer)]) -> Record {
    let answers = answers.iter();
    let answers = answers.map(|&(number, answer)| (key(number), answer));
    Record {
        period: *span.start(),
        packets: answers.len(),
        time,
        generations: span,
        answers: answers.collect(),
    }
}

/// Makes the record of a batch of another period.
fn of_period(period: u64, time: Range<u64>, span: Span, answers: &[(u64, Answer)]) -> Record {
    Record {
        period,
        ..record(time, span, answers)
    }
}

fn tables(kind: Kind) -> Tables {
    let (keys, rate) = (1, None);
    let plan = Plan { kind, keys, rate };
    Tables::of(plan, 1 << 20, Shape::of::<Lanes<4, 16>>())
}

fn judge(records: &[Record]) -> Findings {
    let last = records.iter().map(|record| *record.generations.end());
    compare(records, tables(Kind::Rotating), last.max())
}

/// Returns the counts of answers told new twice, of forgotten keys, and of false positives.
fn wrong(records: &[Record]) -> [u64; 3] {
    let findings = judge(records);
    [findings.twice, findings.forgotten, findings.false_positives]
}

#[test]
fn accepts_right_answers() {
    let records = [
        record(0..1, 0..=0, &[(1, New), (2, New), (1, Known)]),
        record(2..3, 1..=1, &[(1, Known), (3, New), (1, Known)]),
        record(4..5, 2..=2, &[(1, Known), (2, New)]),
        record(6..7, 4..=4, &[(1, New)]),
    ];
    assert_eq!(wrong(&records), [0; 3]);
    let findings = judge(&records);
    assert_eq!((findings.distinct, findings.firsts), (5, 5));
    assert_eq!((findings.packets, findings.periods), (9, 4));
    assert_eq!((findings.astray, findings.late), (0, 0));
    assert_eq!(findings.last, [key(1)]);
    assert!(findings.expected > 0.0 && findings.expected < 0.01);
}

/// Makes the record of one key.
fn one(time: Range<u64>, span: Span, answer: Answer) -> Record {
    record(time, span, &[(1, answer)])
}

#[test]
fn notices_known_keys_that_are_told_new() {
    let first = || one(0..1, 0..=0, New);
    for (span, answer, forgotten) in [
        (0..=0, New, 1),
        (1..=1, New, 1),
        (2..=2, New, 0),
        // The second rotation may have come first.
        (1..=2, New, 0),
        // A key that is surely stored is not refused as unknown.
        (1..=1, Refused, 1),
    ] {
        let records = [first(), one(2..3, span, answer)];
        assert_eq!(wrong(&records), [0, forgotten, 0]);
    }
    // The packets of one batch have an order.
    let both = record(0..1, 0..=1, &[(1, New), (1, New)]);
    assert_eq!(wrong(&[both]), [0, 1, 0]);
    // A known key is refreshed, or the generation after it shows.
    let [known, last] = [one(2..3, 1..=1, Known), one(4..5, 2..=2, New)];
    assert_eq!(wrong(&[first(), known, last]), [0, 1, 0]);
}

/// Notices racing batches that are both answered "new".
#[test]
fn notices_two_racing_answers_of_new() {
    for (first, second, twice) in [
        (0..=0, 0..=0, 1),
        // On both sides of a rotation.
        (0..=0, 1..=1, 1),
        (0..=1, 0..=1, 1),
        // There may be two rotations between them.
        (0..=1, 1..=2, 0),
        (0..=0, 2..=2, 0),
    ] {
        let race = [one(0..2, first, New), one(1..3, second, New)];
        assert_eq!(wrong(&race), [twice, 0, 0]);
    }
    // But not between each two of three, unless there are enough rotations.
    for (last, twice) in [(2, 1), (4, 0)] {
        let three = [(0..10), (1..9), (2..8)].map(|time| one(time, 0..=last, New));
        assert_eq!(wrong(&three), [twice, 0, 0]);
    }
}

#[test]
fn counts_new_keys_that_are_told_known() {
    let late = |second, answer| [one(0..2, 0..=0, Known), one(second, 0..=0, answer)];
    let after = |span| [one(0..1, 0..=0, New), one(2..3, span, Known)];
    let both = |answers: [Answer; 2]| record(0..1, 0..=0, &answers.map(|answer| (1, answer)));
    for (records, expected) in [
        (&[one(0..1, 0..=0, Known)][..], [0, 0, 1]),
        // Two racing batches cannot explain each other, and one told new explains the other.
        (&late(1..3, Known), [0, 0, 1]),
        // A batch told new explains it only if it can have come first.
        (&late(1..3, New), [0, 0, 0]),
        (&late(3..4, New), [0, 1, 1]),
        // A copy explains it as long as its generation lives.
        (&after(1..=1), [0, 0, 0]),
        (&after(2..=2), [0, 0, 1]),
        // The packets of one batch have an order, and do not explain those before.
        (&[both([Known, Known])], [0, 0, 1]),
        (&[both([Known, New])], [0, 1, 1]),
    ] {
        assert_eq!(wrong(records), expected);
    }
    // The batch that refreshed it may have begun last.
    let records = [
        one(0..1, 0..=0, New),
        one(2..6, 2..=2, Known),
        one(3..5, 1..=2, Known),
    ];
    assert_eq!(wrong(&records), [0; 3]);
}

#[test]
fn does_not_expect_refused_keys_to_be_known() {
    let findings = judge(&[
        record(0..1, 0..=0, &[(1, Refused), (1, Refused), (2, New)]),
        record(2..3, 1..=1, &[(1, New), (2, Unrefreshed)]),
        record(4..5, 2..=2, &[(2, New)]),
    ]);
    let told = (findings.refused, findings.forgotten, findings.firsts);
    assert_eq!(told, (1, 0, 3));
    assert_eq!(findings.distinct, 4);
}

/// A refused key that finds room later begins one life.
#[test]
fn a_refused_key_begins_one_life() {
    // Other threads prevented the first insert, and then no more; or the other batch added the key
    // itself, before or after.
    for (one, two) in [(Refused, New), (New, Refused)] {
        for time in [1..3, 5..6] {
            let is_forgotten = one == New && time.start > 2;
            let findings = judge(&[
                record(0..2, 0..=0, &[(1, one)]),
                record(time, 0..=0, &[(1, two)]),
            ]);
            let told = (findings.distinct, findings.firsts, findings.refused);
            assert_eq!(told, (1, 1, 0));
            assert_eq!(findings.forgotten, u64::from(is_forgotten));
        }
    }
}

/// A filter without rotation holds every new key.
#[test]
fn without_rotation_every_new_key_stays() {
    let records = [
        record(0..1, 0..=0, &[(1, New), (2, New), (1, Known)]),
        record(2..3, 0..=0, &[(3, New), (4, Known), (5, Refused)]),
    ];
    let findings = compare(&records, tables(Kind::Growing), None);
    assert_eq!((findings.distinct, findings.held), (5, (3, 3)));
    assert_eq!((findings.false_positives, findings.refused), (1, 1));
}

/// Notices rotations that are too early or too late.
#[test]
fn notices_rotations_at_wrong_times() {
    let astray = |records: &[Record]| {
        let findings = judge(records);
        (findings.astray, findings.late)
    };
    // Not rotated for its period.
    let behind = of_period(1, 0..1, 0..=0, &[(1, New)]);
    assert_eq!(astray(&[behind]), (1, 0));
    // Rotated for no period.
    let ahead = of_period(0, 0..1, 0..=1, &[(1, New)]);
    assert_eq!(astray(&[ahead]), (1, 0));
    // Rotated for another batch, which began before this one ended.
    let other = || of_period(1, 1..2, 1..=1, &[(2, New)]);
    let late = of_period(0, 0..3, 0..=1, &[(1, New)]);
    assert_eq!(astray(&[other(), late]), (0, 0));
    let late = of_period(0, 0..3, 1..=1, &[(1, New)]);
    assert_eq!(astray(&[other(), late]), (0, 1));
    let early = of_period(0, 0..1, 1..=1, &[(1, New)]);
    assert_eq!(astray(&[of_period(1, 2..3, 1..=1, &[]), early]), (1, 1));
}

#[test]
fn counts_the_last_two_generations() {
    let many = |first: u64| -> Vec<_> { (first..first + 100).map(|key| (key, New)).collect() };
    let findings = judge(&[
        record(0..1, 0..=0, &many(0)),
        record(2..3, 1..=1, &many(1_000)),
        record(4..5, 2..=2, &many(2_000)),
        record(6..7, 1..=2, &many(3_000)),
    ]);
    let (least, most) = findings.held;
    // A key that came at a rotation is in one of them, or both.
    assert_eq!(most, 400);
    assert!((170..=200).contains(&least), "{least}");
    assert_eq!(findings.last.len(), 300);
}
