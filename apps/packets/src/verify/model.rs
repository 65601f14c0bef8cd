//! The exact model of the filter: handles the same packets, and knows the state of each key.
//!
//! It goes through the beginnings and ends of the batches in the order of the clock. Of a batch it
//! knows in which generation the first key was asked for, and the last. Of two batches that overlap
//! in time, it does not know which one asked first. So some keys are surely in a generation, and
//! others may be. It compares the answers with the guarantees in `filter.rs`. A filter that never
//! rotates has one generation:
//!
//! * "New" or "refused" is wrong if a batch that ended before this one began has put a copy into a
//!   generation that lived until this one ended.
//! * Several "new" of one key are wrong if there are no moments for them that are two rotations
//!   apart each.
//! * "Known" is a false positive if no batch that began before this one ended can have put a copy
//!   into a generation that lived when this one began.

use super::chance::{Tables, by_chance};
use super::seen::{LIFE, Seen, Span};
use crate::filter::Answer;
use crate::keys::Key;
use crate::pool::Record;
use std::collections::{HashMap, HashSet};

#[cfg(test)]
mod tests;

/// The differences between the answers and the exact sets.
#[derive(Default)]
pub(crate) struct Findings {
    /// The number of packets that the workers recorded.
    pub(crate) packets: u64,
    /// The number of periods with packets.
    pub(crate) periods: u64,
    /// The batches that were judged in a generation in which they could not be.
    pub(crate) astray: u64,
    /// The batches that were judged when the filter had rotated for a later period.
    pub(crate) late: u64,
    /// The lives that keys began: keys that no earlier packet can have made known.
    pub(crate) distinct: u64,
    /// The lives of TCP, UDP, ICMP and other flows.
    pub(crate) kinds: [u64; 4],
    /// The lives that were told new.
    pub(crate) firsts: u64,
    /// The lives that were answered "known" instead.
    pub(crate) false_positives: u64,
    /// The expected number of those.
    pub(crate) expected: f64,
    /// The lives that were refused.
    pub(crate) refused: u64,
    /// The answers that claim to have begun the same life as another one.
    pub(crate) twice: u64,
    /// The known keys that were told new, or refused as unknown.
    pub(crate) forgotten: u64,
    /// The keys that are surely in the filter.
    pub(crate) last: Vec<Key>,
    /// The least and the most keys that the filter can count at the end.
    pub(crate) held: (u64, u64),
}

impl Findings {
    /// Records that a key begins a life.
    fn begin(&mut self, key: &Key) {
        self.distinct += 1;
        self.kinds[key.kind()] += 1;
    }
}

/// The load of one generation.
#[derive(Clone, Copy, Default)]
struct Load {
    kept: u64,
    distinct: u64,
    firsts: u64,
}

struct Model<'a> {
    records: &'a [Record],
    keys: HashMap<Key, Seen>,
    /// The highest period of the batches that have begun.
    highest: u64,
    loads: Vec<Load>,
    findings: Findings,
}

/// Compares the records with the model. Each generation is one of these tables. The last one has
/// this number, if the filter rotates.
pub(super) fn compare(records: &[Record], tables: Tables, last: Option<u64>) -> Findings {
    let mut periods: Vec<_> = records.iter().map(|record| record.period).collect();
    periods.sort_unstable();
    periods.dedup();
    let mut model = Model {
        records,
        keys: HashMap::new(),
        highest: 0,
        loads: Vec::new(),
        findings: Findings {
            packets: records.iter().map(|record| record.packets as u64).sum(),
            periods: periods.len() as u64,
            ..Findings::default()
        },
    };
    let ticks = |(index, record): (usize, &Record)| {
        [
            (record.time.start, index, true),
            (record.time.end, index, false),
        ]
    };
    let mut ticks: Vec<_> = records.iter().enumerate().flat_map(ticks).collect();
    ticks.sort_unstable();
    for (_, index, begins) in ticks {
        if begins {
            model.begin(index);
        } else {
            model.end(index);
        }
    }
    model.finish(tables, last)
}

impl Model<'_> {
    fn begin(&mut self, index: usize) {
        let record = &self.records[index];
        let first = *record.generations.start();
        self.highest = self.highest.max(record.period);
        self.findings.astray += u64::from(first < record.period);
        self.findings.late += u64::from(first > record.period);
        for (key, answer) in &record.answers {
            self.hear(index, key, *answer);
        }
    }

    fn hear(&mut self, batch: usize, key: &Key, answer: Answer) {
        let span = &self.records[batch].generations;
        let seen = self.keys.entry(*key).or_default();
        let is_in = seen.is_in(batch, span);
        let kept = keeps(answer);
        let begins = match answer {
            Answer::New | Answer::Refused if is_in => {
                self.findings.forgotten += 1;
                false
            }
            Answer::New => {
                let alone = seen.is_new(span);
                self.findings.firsts += u64::from(alone);
                self.findings.twice += u64::from(!alone);
                let was_refused = alone && seen.was_refused(span);
                self.findings.refused -= u64::from(was_refused);
                alone && !was_refused
            }
            Answer::Refused => {
                let is_first = seen.is_refused(span);
                self.findings.refused += u64::from(is_first);
                is_first
            }
            Answer::Known | Answer::Unrefreshed => {
                seen.is_known(batch, span, kept);
                false
            }
        };
        let is_counted = kept && seen.is_kept(batch, span);
        let load = load(&mut self.loads, span);
        load.kept += u64::from(is_counted);
        load.firsts += u64::from(begins && answer == Answer::New);
        if begins {
            load.distinct += 1;
            self.findings.begin(key);
        }
    }

    fn end(&mut self, batch: usize) {
        let record = &self.records[batch];
        let span = &record.generations;
        self.findings.astray += u64::from(*span.end() > self.highest);
        for (key, answer) in &record.answers {
            let seen = self.keys.entry(*key).or_default();
            if seen.ended(batch, span, keeps(*answer)) {
                self.findings.false_positives += 1;
                self.findings.begin(key);
                load(&mut self.loads, span).distinct += 1;
            }
        }
    }

    fn finish(mut self, tables: Tables, last: Option<u64>) -> Findings {
        let mut before = 0.0;
        for load in &self.loads {
            let rate = tables.rate(load.kept);
            // While a generation fills, its rate grows from 0 to the final one: the keys it took
            // met half of that on average, all the others the whole.
            let exposed = load.distinct as f64 - load.firsts as f64 / 2.0;
            self.findings.expected += exposed * rate + load.distinct as f64 * before;
            before = rate;
        }
        let lives = self
            .keys
            .iter()
            .filter(|(_, seen)| seen.lives(last.unwrap_or(0)));
        self.findings.last = lives.map(|(key, _)| *key).collect();
        self.findings.held = match last {
            Some(last) => self.held(tables, last),
            // Each key that was told new is stored, and nothing else.
            None => (self.findings.firsts, self.findings.firsts),
        };
        self.findings
    }

    /// Returns the least and the most copies in the generations that live after the last rotation.
    ///
    /// A generation has one copy of each of its keys, or none if it took another key's copy for it.
    fn held(&self, tables: Tables, last: u64) -> (u64, u64) {
        let (mut least, mut most) = (0.0, 0);
        for generation in (last + 1).saturating_sub(LIFE)..=last {
            let (mut surely, mut perhaps) = (HashSet::new(), HashSet::new());
            for record in self.records {
                let span = &record.generations;
                if !span.contains(&generation) {
                    continue;
                }
                let kept = record.answers.iter().filter(|(_, answer)| keeps(*answer));
                let kept = kept.map(|(key, _)| *key);
                if span.start() == span.end() {
                    surely.extend(kept.clone());
                }
                perhaps.extend(kept);
            }
            let count = surely.len() as f64;
            least += (count - by_chance(count * tables.rate(count as u64) / 2.0)).max(0.0);
            most += perhaps.len() as u64;
        }
        (least as u64, most)
    }
}

/// Returns whether a copy is in the young generation after this answer.
fn keeps(answer: Answer) -> bool {
    matches!(answer, Answer::New | Answer::Known)
}

/// Returns the load of the generation that a batch began with.
fn load<'a>(loads: &'a mut Vec<Load>, span: &Span) -> &'a mut Load {
    let generation = *span.start() as usize;
    if loads.len() <= generation {
        loads.resize(generation + 1, Load::default());
    }
    &mut loads[generation]
}
