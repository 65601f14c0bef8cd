//! What one worker did.

use super::source::Work;
use crate::filters::{Answer, Filters, Scratch};
use crate::keys::Keys;
use lockfree_cuckoo::InsertError;
use std::sync::Arc;
use std::time::Instant;

/// Counts of packets. Those of flows that are seen first are in `kinds`.
pub(crate) struct Tally {
    pub(crate) packets: u64,
    /// Packets without a key.
    pub(crate) no_key: u64,
    pub(crate) firsts: u64,
    pub(crate) duplicates: u64,
    /// Packets whose key the filter refused to take.
    pub(crate) refused: u64,
    /// Duplicates whose key the young filter had no room to take over.
    pub(crate) unrefreshed: u64,
    /// What the filter said the last time that it refused.
    pub(crate) refusal: Option<InsertError>,
    /// The firsts that are TCP, UDP, ICMP and other flows.
    pub(crate) kinds: [u64; 4],
    /// The filters that the worker used last.
    pub(crate) last: Option<Arc<dyn Filters>>,
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
}

impl Tally {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self {
            packets: 0,
            no_key: 0,
            firsts: 0,
            duplicates: 0,
            refused: 0,
            unrefreshed: 0,
            refusal: None,
            kinds: [0; 4],
            last: None,
            started: now,
            ended: now,
        }
    }

    /// Works out the keys of a batch. Those without one are counted only.
    pub(crate) fn read(&mut self, keys: &Keys, work: &Work, scratch: &mut Scratch) {
        scratch.keys.clear();
        scratch.without_key.clear();
        for (place, (link, packet)) in work.batch.packets().enumerate() {
            match keys.of_frame(link, packet.frame) {
                Some(key) => scratch.keys.push(key),
                None => scratch.without_key.push(place),
            }
        }
        self.packets += work.batch.len() as u64;
        self.no_key += scratch.without_key.len() as u64;
    }

    /// Counts the answers to a batch.
    pub(crate) fn count(&mut self, work: Work, scratch: &mut Scratch) {
        for (key, answer) in scratch.keys.iter().zip(&scratch.answers) {
            match answer {
                Answer::New => {
                    self.firsts += 1;
                    self.kinds[key.kind()] += 1;
                }
                Answer::Known | Answer::Refreshed => self.duplicates += 1,
                Answer::Unrefreshed => {
                    self.duplicates += 1;
                    self.unrefreshed += 1;
                }
                Answer::Refused => self.refused += 1,
            }
        }
        if let Some(refusal) = scratch.refusal.take() {
            self.refusal = Some(refusal);
        }
        self.last = Some(work.filters);
    }
}
