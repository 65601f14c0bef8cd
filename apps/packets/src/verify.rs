//! The checks of `--verify`: compare the answers with exact sets.

mod chance;
mod model;
mod seen;

use crate::filter::{Filter, GENERATIONS, Kind, Plan};
use crate::keys::Keys;
use crate::pool::{Record, Tally};
use chance::{Tables, too_many};
pub(crate) use model::Findings;
use std::collections::HashSet;

/// The number of absent keys that are looked up.
const PROBES: u64 = 1 << 18;

/// The results of the checks.
pub(crate) struct Verdict {
    pub(crate) findings: Findings,
    pub(crate) probes: Probes,
    /// The keys that should be in the filter and are missing.
    pub(crate) missing: u64,
    /// The failed checks, as sentences.
    pub(crate) failures: Vec<String>,
}

/// The answers for absent keys.
pub(crate) struct Probes {
    /// The number of keys looked up.
    pub(crate) asked: u64,
    /// The number of keys answered "known".
    pub(crate) seen: u64,
    /// The expected number, by the rate of the filter at its present load.
    pub(crate) expected: f64,
}

/// Checks the records of the workers against `all` counts, and the filter after the work.
pub(crate) fn verify(
    keys: &Keys,
    all: &Tally,
    records: &[Record],
    filter: &Filter,
    plan: Plan,
) -> Verdict {
    let hashed = filter.hashed();
    let rotates = plan.kind == Kind::Rotating;
    let generations = if rotates { GENERATIONS } else { 1 };
    let tables = Tables::of(plan, hashed.slots() / generations, hashed.shape());
    let findings = model::compare(records, tables, rotates.then(|| filter.rotations()));
    let probes = Probes::of(keys, &findings, filter);
    let missing = findings.last.iter().filter(|key| !filter.contains(key));
    let missing = missing.count() as u64;
    Verdict {
        failures: failures(&findings, &probes, missing, all, hashed.len() as u64),
        findings,
        probes,
        missing,
    }
}

fn failures(
    findings: &Findings,
    probes: &Probes,
    missing: u64,
    all: &Tally,
    held: u64,
) -> Vec<String> {
    let Findings {
        packets,
        astray,
        firsts,
        false_positives,
        expected,
        twice,
        forgotten,
        held: (least, most),
        ..
    } = findings;
    let Probes {
        asked,
        seen,
        expected: chance,
    } = probes;
    let again = "keys were told new, or put into the filter, more than once";
    let wrong = "batches were judged before a rotation that was due, or after one too many";
    let mut failures = Vec::new();
    for (count, words) in [
        (missing, "keys are missing from the filter"),
        (*forgotten, "keys were forgotten too early"),
        (*twice, again),
        (*astray, wrong),
    ] {
        if count > 0 {
            failures.push(format!("{count} {words}"));
        }
    }
    for (count, words, recorded) in [
        (all.firsts, "keys were answered \"new\"", *firsts),
        (all.packets, "packets were counted", *packets),
    ] {
        if count != recorded {
            failures.push(format!("{count} {words}, but {recorded} were recorded"));
        }
    }
    if !(*least..=*most).contains(&held) {
        failures.push(format!(
            "the filter counts {held} keys instead of {least} to {most}"
        ));
    }
    if too_many(*false_positives, *expected) {
        let words = "keys are false positives, but only";
        failures.push(format!(
            "{false_positives} {words} {expected:.3} were expected"
        ));
    }
    if too_many(*seen, *chance) {
        let words = "keys that are not in the capture were answered \"known\",";
        failures.push(format!(
            "{seen} of {asked} {words} {chance:.1} were expected"
        ));
    }
    failures
}

impl Probes {
    /// Looks up made-up keys, none of which is in the exact set.
    fn of(keys: &Keys, findings: &Findings, filter: &Filter) -> Self {
        let exact: HashSet<_> = findings.last.iter().collect();
        let (mut asked, mut seen) = (0, 0);
        for key in (0..PROBES).map(|number| keys.made_up(number)) {
            if !exact.contains(&key) {
                asked += 1;
                seen += u64::from(filter.contains(key));
            }
        }
        Self {
            asked,
            seen,
            expected: asked as f64 * filter.hashed().false_positive_rate(),
        }
    }
}
