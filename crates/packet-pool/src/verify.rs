//! The checks of `--verify`, in numbers and in words.

mod chance;
mod model;

use crate::filters::{Generation, Room};
use crate::keys::Keys;
use crate::pool::{Record, Tally};
use chance::{Tables, too_many};
use model::Findings;
use std::collections::HashSet;

/// How many keys that are not in the capture are looked up.
const PROBES: u64 = 1 << 18;

/// What came of the checks.
pub(crate) struct Verdict {
    pub(crate) findings: Findings,
    pub(crate) probes: Probes,
    /// Keys of the last period that are not in its filter.
    pub(crate) missing: u64,
    /// Checks that failed, in words.
    pub(crate) failures: Vec<String>,
}

/// What the filters answered for keys that are not in them.
pub(crate) struct Probes {
    /// Keys looked up.
    pub(crate) asked: u64,
    /// Those answered "known".
    pub(crate) seen: u64,
    /// Those expected, from the rate of the filters at their present load.
    pub(crate) expected: f64,
}

/// Checks the records of the workers, and the last filters.
pub(crate) fn verify(
    keys: &Keys,
    tallies: &[Tally],
    records: Vec<Record>,
    last: &Generation,
    room: Room,
) -> Verdict {
    let slots = last.filters().next().map_or(1, |young| young.slots());
    let findings = model::compare(records, Tables::of(room, slots));
    let probes = Probes::of(keys, &findings, last);
    let lost = findings.last.iter().filter(|key| !last.keeps(key));
    let missing = lost.count() as u64;
    let failures = failures(&findings, &probes, missing, tallies, last);
    Verdict {
        findings,
        probes,
        missing,
        failures,
    }
}

fn failures(
    findings: &Findings,
    probes: &Probes,
    missing: u64,
    tallies: &[Tally],
    last: &Generation,
) -> Vec<String> {
    let Findings {
        packets,
        distinct,
        firsts,
        false_positives,
        expected,
        at_rotations,
        twice,
        forgotten,
        last_inserted,
        ..
    } = findings;
    let total = |count: fn(&Tally) -> u64| tallies.iter().map(count).sum::<u64>();
    let told = total(|tally| tally.firsts);
    let worked = total(|tally| tally.packets);
    let held = last.kept() as u64;
    let sum = firsts + false_positives + findings.refused;
    let mut failures = Vec::new();
    let mut check = |failed: bool, words: String| {
        if failed {
            failures.push(words);
        }
    };
    check(
        missing > 0,
        format!("{missing} keys are missing from the filter"),
    );
    check(
        *forgotten > 0,
        format!("{forgotten} keys were forgotten too early"),
    );
    check(
        *twice > 0,
        format!("{twice} keys were put into one filter more than once"),
    );
    check(
        sum != *distinct,
        format!("the keys add up to {sum} instead of {distinct}"),
    );
    check(
        told != firsts + at_rotations,
        format!(
            "{told} keys were answered \"new\", but {} were recorded",
            firsts + at_rotations
        ),
    );
    check(
        packets != &worked,
        format!("{worked} packets were counted, but {packets} were recorded"),
    );
    check(
        held != *last_inserted,
        format!("the last filter counts {held} keys instead of {last_inserted}"),
    );
    check(
        too_many(*false_positives, *expected),
        format!("{false_positives} keys are false positives, but only {expected:.3} were expected"),
    );
    check(
        too_many(probes.seen, probes.expected),
        format!(
            "{} of {} keys that are not in the capture were answered \"known\", {:.1} were expected",
            probes.seen, probes.asked, probes.expected
        ),
    );
    failures
}

impl Probes {
    /// Looks up made-up keys, none of which is in the exact set.
    fn of(keys: &Keys, findings: &Findings, last: &Generation) -> Self {
        let exact: HashSet<_> = findings.last.iter().collect();
        let (mut asked, mut seen) = (0, 0);
        for key in (0..PROBES).map(|number| keys.made_up(number)) {
            if !exact.contains(&key) {
                asked += 1;
                seen += u64::from(last.knows(&key));
            }
        }
        Self {
            asked,
            seen,
            expected: asked as f64 * last.false_positive_rate(),
        }
    }
}
