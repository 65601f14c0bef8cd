//! The checks of `--verify`, in numbers and in words.

mod chance;
mod findings;
mod periods;
mod rotations;

use crate::filters::{Filters, GENERATIONS, Maker};
use crate::keys::Keys;
use crate::pool::{Record, Tally};
use chance::{Tables, too_many};
use findings::Findings;
pub(crate) use findings::Price;
use std::collections::HashSet;
use std::hash::BuildHasher;

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
    last: &dyn Filters,
    maker: &Maker,
) -> Verdict {
    let young = last.filters()[0];
    let tables = |slots| Tables::of(maker.room(), slots, young.shape());
    let findings = if maker.makes_a_ring() {
        let tables = tables(young.slots() / GENERATIONS);
        rotations::compare(&records, tables, last.generation())
    } else {
        periods::compare(records, tables(young.slots()))
    };
    let probes = Probes::of(keys, &findings, last);
    let young = |key| {
        let filters = last.filters();
        let hash = last.hasher().hash_one(key);
        filters
            .first()
            .is_some_and(|young| young.contains_hash(hash))
    };
    let missing = findings.last.iter().filter(|key| !young(*key)).count() as u64;
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
    last: &dyn Filters,
) -> Vec<String> {
    let Findings {
        packets,
        astray,
        firsts,
        false_positives,
        expected,
        twice,
        forgotten,
        ..
    } = findings;
    let total = |count: fn(&Tally) -> u64| tallies.iter().map(count).sum::<u64>();
    let told = total(|tally| tally.firsts);
    let worked = total(|tally| tally.packets);
    let at_rotations = match findings.price {
        Price::Twice(count) => count,
        Price::Late(_) => 0,
    };
    let (least, most) = findings.held;
    let held = last.filters().first().map_or(0, |young| young.len()) as u64;
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
        format!("{twice} keys were told new, or put into a filter, more than once"),
    );
    check(
        *astray > 0,
        format!(
            "{astray} batches were judged before a rotation that was due, or after one too many"
        ),
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
        !(least..=most).contains(&held),
        format!("the last filter counts {held} keys instead of {least} to {most}"),
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
    fn of(keys: &Keys, findings: &Findings, last: &dyn Filters) -> Self {
        let exact: HashSet<_> = findings.last.iter().collect();
        let filters = last.filters();
        let knows = |hash| filters.iter().any(|filter| filter.contains_hash(hash));
        let (mut asked, mut seen) = (0, 0);
        for key in (0..PROBES).map(|number| keys.made_up(number)) {
            if !exact.contains(&key) {
                asked += 1;
                seen += u64::from(knows(last.hasher().hash_one(key)));
            }
        }
        let rate: f64 = filters
            .iter()
            .map(|filter| filter.false_positive_rate())
            .sum();
        Self {
            asked,
            seen,
            expected: asked as f64 * rate,
        }
    }
}
