//! The exact model of filters in a list: the same packets, and sets instead of filters.
//!
//! It goes through what the workers wrote down, period by period, and knows
//! which answers `filters/generation.rs` guarantees.

use super::chance::Tables;
use super::findings::{Findings, Price};
use crate::filters::Answer;
use crate::keys::Key;
use crate::pool::Record;
use std::collections::HashMap;

#[cfg(test)]
mod tests;

/// What one period knows of a key.
#[derive(Default)]
struct Seen {
    firsts: u64,
    refreshes: u64,
    refused: bool,
    /// When the batch began that was told new.
    told: u64,
    /// When the first batch ended that left the key in the filter.
    kept: Option<u64>,
}

type Period = HashMap<Key, Seen>;

/// Compares the records with the model. The filters were made of these tables.
pub(crate) fn compare(mut records: Vec<Record>, tables: Tables) -> Findings {
    records.sort_unstable_by_key(|record| (record.period, record.number));
    let mut findings = Findings::default();
    let mut before = (0, Period::new());
    for records in records.chunk_by(|one, other| one.period == other.period) {
        let number = records[0].period;
        let mut period = Period::new();
        for record in records {
            findings.packets += record.packets as u64;
            witness(&mut period, record);
        }
        // After a pause the period before is one without packets.
        if before.0 + 1 != number {
            before.1.clear();
        }
        findings.judge(&period, &before.1, tables);
        before = (number, period);
    }
    let last = before.1;
    let inserted = last.values().map(|seen| seen.firsts + seen.refreshes).sum();
    findings.held = (inserted, inserted);
    let kept = last.into_iter().filter(|(_, seen)| seen.kept.is_some());
    findings.last = kept.map(|(key, _)| key).collect();
    findings
}

fn witness(period: &mut Period, record: &Record) {
    for &(key, answer) in &record.answers {
        let seen = period.entry(key).or_default();
        match answer {
            Answer::New => {
                seen.firsts += 1;
                seen.told = record.time.start;
            }
            Answer::Refreshed => seen.refreshes += 1,
            Answer::Known => {}
            Answer::Refused | Answer::Unrefreshed => {
                seen.refused = true;
                continue;
            }
        }
        let ended = record.time.end;
        seen.kept = Some(seen.kept.map_or(ended, |earlier| earlier.min(ended)));
    }
}

impl Findings {
    fn judge(&mut self, period: &Period, before: &Period, tables: Tables) {
        let kept = |period: &Period| {
            let kept = period.values().filter(|seen| seen.kept.is_some());
            kept.count() as u64
        };
        let (mut distinct, mut firsts, mut at_rotations) = (0_u64, 0_u64, 0);
        for (key, seen) in period {
            self.twice += (seen.firsts + seen.refreshes).saturating_sub(1);
            match before.get(key).and_then(|before| before.kept) {
                None => {
                    distinct += 1;
                    self.begin(key);
                    if seen.firsts > 0 {
                        firsts += 1;
                    } else if seen.refused && seen.kept.is_none() {
                        self.refused += 1;
                    } else {
                        self.false_positives += 1;
                    }
                }
                Some(kept) if seen.firsts > 0 => {
                    // It was in the old filter before the batch was taken up,
                    // or else the two batches overlap.
                    if kept < seen.told {
                        self.forgotten += 1;
                    } else {
                        at_rotations += 1;
                    }
                }
                Some(_) => {}
            }
        }
        if let Price::Twice(count) = &mut self.price {
            *count += at_rotations;
        }
        self.periods += 1;
        self.firsts += firsts;
        // While the young filter fills, its rate grows from 0 to the last one:
        // the keys it took met half of it on average, all the others the whole.
        let exposed = distinct as f64 - firsts as f64 / 2.0;
        self.expected += exposed * tables.rate(kept(period));
        self.expected += distinct as f64 * tables.rate(kept(before));
    }
}
