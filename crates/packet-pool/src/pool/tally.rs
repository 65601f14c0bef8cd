//! What one worker did, or all of them.

use crate::batches::Batch;
use crate::filter::{Answer, Scratch};
use crate::keys::Keys;
use lockfree_cuckoo::InsertError;
use std::time::{Duration, Instant};

/// Counts of packets.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) packets: u64,
    /// Packets without a key.
    pub(crate) no_key: u64,
    pub(crate) firsts: u64,
    pub(crate) duplicates: u64,
    /// Packets whose key the filter refused to take.
    pub(crate) refused: u64,
    /// Duplicates whose key the young generation had no room to take over.
    pub(crate) unrefreshed: u64,
    /// What the filter said the last time that it refused.
    pub(crate) refusal: Option<InsertError>,
    /// The firsts that are TCP, UDP, ICMP and other flows.
    pub(crate) kinds: [u64; 4],
    /// When the first batch came, and when the last one was done. A worker that got none did not take part.
    pub(crate) started: Option<Instant>,
    pub(crate) ended: Option<Instant>,
}

impl Tally {
    /// Works out the keys of a batch. Those without one are counted only.
    pub(super) fn read(&mut self, keys: &Keys, batch: &Batch, scratch: &mut Scratch) {
        scratch.keys.clear();
        scratch.without_key.clear();
        for (place, (link, packet)) in batch.packets().enumerate() {
            match keys.of_frame(link, packet.frame) {
                Some(key) => scratch.keys.push(key),
                None => scratch.without_key.push(place),
            }
        }
        self.packets += batch.len() as u64;
        self.no_key += scratch.without_key.len() as u64;
    }

    /// Counts the answers to a batch.
    pub(super) fn count(&mut self, scratch: &mut Scratch) {
        for (key, answer) in scratch.keys.iter().zip(&scratch.answers) {
            match answer {
                Answer::New => {
                    self.firsts += 1;
                    self.kinds[key.kind()] += 1;
                }
                Answer::Known => self.duplicates += 1,
                Answer::Unrefreshed => {
                    self.duplicates += 1;
                    self.unrefreshed += 1;
                }
                Answer::Refused => self.refused += 1,
            }
        }
        self.refusal = scratch.refusal.take().or(self.refusal.take());
    }

    /// What all of them did, from the first one's start to the last one's end.
    pub(crate) fn of_all(tallies: &[Self]) -> Self {
        let mut all = Self::default();
        for tally in tallies {
            all.packets += tally.packets;
            all.no_key += tally.no_key;
            all.firsts += tally.firsts;
            all.duplicates += tally.duplicates;
            all.refused += tally.refused;
            all.unrefreshed += tally.unrefreshed;
            all.refusal = all.refusal.take().or_else(|| tally.refusal.clone());
            for (sum, kind) in all.kinds.iter_mut().zip(tally.kinds) {
                *sum += kind;
            }
            all.ended = all.ended.max(tally.ended);
        }
        all.started = tallies.iter().filter_map(|tally| tally.started).min();
        all
    }

    pub(crate) fn time(&self) -> Duration {
        let both = self.started.zip(self.ended);
        both.map_or(Duration::ZERO, |(started, ended)| ended - started)
    }

    /// Packets a second.
    pub(crate) fn rate(&self) -> f64 {
        self.packets as f64 / self.time().as_secs_f64().max(1e-9)
    }
}
