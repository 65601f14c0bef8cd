//! The checks: what the filter answered against an exact set.

use crate::batch::Batch;
use crate::chance::too_many;
use crate::flow::FlowKey;
use crate::pool::Tally;
use lockfree_cuckoo::CuckooFilter;
use std::collections::HashSet;

/// How many flows that are not in the capture are looked up.
const PROBES: u64 = 1_000_000;

/// The distinct flows of the packets.
pub(crate) fn exact_set(batches: &[Batch]) -> HashSet<FlowKey> {
    batches
        .iter()
        .flat_map(Batch::packets)
        .filter_map(|(link, frame)| link.flow_of(frame))
        .collect()
}

/// How the answers of the filter add up to the exact set.
pub(crate) struct Findings {
    /// Flows in the exact set.
    pub(crate) distinct: u64,
    /// Flows reported as seen first, summed over the workers.
    pub(crate) firsts: u64,
    /// Flows never seen first and yet answered "seen".
    pub(crate) false_positives: u64,
    /// How many of those to expect.
    pub(crate) expected: f64,
    /// Flows refused, and not in the filter at the end.
    pub(crate) refused: u64,
    /// Flows that were taken, and are not in the filter at the end.
    pub(crate) false_negatives: u64,
    /// Checks that failed, in words.
    pub(crate) failures: Vec<String>,
}

/// Compares what the workers were told with the exact set.
pub(crate) fn compare(
    exact: &HashSet<FlowKey>,
    tallies: &[Tally],
    filter: &CuckooFilter,
) -> Findings {
    let firsts: u64 = tallies.iter().map(|tally| tally.firsts.len() as u64).sum();
    let first: HashSet<&FlowKey> = tallies.iter().flat_map(|tally| &tally.firsts).collect();
    let refused: HashSet<&FlowKey> = tallies
        .iter()
        .flat_map(|tally| &tally.refused_flows)
        .collect();
    let distinct = exact.len() as u64;
    // While the filter fills, its rate grows from 0 to the present one: the
    // flows it took met half of it on average, all the others the whole.
    let exposed = distinct as f64 - firsts as f64 / 2.0;
    let mut findings = Findings {
        distinct,
        firsts,
        false_positives: 0,
        expected: exposed.max(0.0) * filter.false_positive_rate(),
        refused: 0,
        false_negatives: 0,
        failures: Vec::new(),
    };
    for flow in exact {
        match (filter.contains(flow), first.contains(flow)) {
            (true, true) => {}
            (true, false) => findings.false_positives += 1,
            (false, false) if refused.contains(flow) => findings.refused += 1,
            (false, _) => findings.false_negatives += 1,
        }
    }

    let Findings {
        false_positives,
        expected,
        ..
    } = findings;
    let sum = firsts + false_positives + findings.refused;
    let twice = firsts - first.len() as u64;
    let mut check = |failed: bool, words: String| {
        if failed {
            findings.failures.push(words);
        }
    };
    check(
        findings.false_negatives > 0,
        format!(
            "{} flows are missing from the filter",
            findings.false_negatives
        ),
    );
    check(
        twice > 0,
        format!("{twice} flows were reported as seen first more than once"),
    );
    check(
        !first.iter().all(|flow| exact.contains(flow)),
        "a flow was reported that is not in the capture".to_owned(),
    );
    check(
        sum != distinct,
        format!("the flows reported add up to {sum} instead of {distinct}"),
    );
    check(
        filter.len() as u64 != firsts,
        format!(
            "the filter counts {} entries instead of {firsts}",
            filter.len()
        ),
    );
    check(
        too_many(false_positives, expected),
        format!("{false_positives} flows are false positives, {expected:.3} were expected"),
    );
    findings
}

/// What the filter answered for flows that are not in it.
pub(crate) struct Probes {
    /// Flows looked up.
    pub(crate) asked: u64,
    /// Those answered "seen".
    pub(crate) seen: u64,
    /// Those expected, from the filter's rate at its present load.
    pub(crate) expected: f64,
}

impl Probes {
    /// The check on them, in words if it failed.
    pub(crate) fn failure(&self) -> Option<String> {
        let Self {
            asked,
            seen,
            expected,
        } = self;
        too_many(*seen, *expected).then(|| {
            format!(
                "{seen} of {asked} flows that are not in the capture were answered \"seen\", \
                 {expected:.1} were expected"
            )
        })
    }
}

/// Looks up made-up flows, none of which is in the exact set.
pub(crate) fn probe(exact: &HashSet<FlowKey>, filter: &CuckooFilter) -> Probes {
    let (mut asked, mut seen) = (0, 0);
    for flow in (0..PROBES).map(FlowKey::made_up) {
        if !exact.contains(&flow) {
            asked += 1;
            seen += u64::from(filter.contains(&flow));
        }
    }
    Probes {
        asked,
        seen,
        expected: asked as f64 * filter.false_positive_rate(),
    }
}
