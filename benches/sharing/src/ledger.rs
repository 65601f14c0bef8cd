//! The accesses to the parts of a structure, and how often their lines changed hands.

use std::ops::Range;

use crate::caches::Caches;

/// The parts of a structure, by their places in memory.
pub type Parts = Vec<(&'static str, Range<usize>)>;

/// What is somewhere else.
const ELSEWHERE: &str = "elsewhere";

/// Counts, part by part.
#[derive(Debug)]
pub struct Ledger {
    caches: Caches,
    parts: Parts,
    /// One for each part, and one for what is elsewhere.
    changed_hands: Vec<u64>,
}

impl Ledger {
    /// Of so many processors, at most 128.
    #[must_use]
    pub fn new(processors: usize, parts: Parts) -> Self {
        Self {
            caches: Caches::new(processors),
            changed_hands: vec![0; parts.len() + 1],
            parts,
        }
    }

    /// Counts an access.
    pub fn access(&mut self, processor: usize, address: usize, writes: bool) {
        let mut parts = self.parts.iter();
        let part = parts.position(|(_, range)| range.contains(&address));
        if self.caches.access(processor, address, writes) {
            self.changed_hands[part.unwrap_or(self.parts.len())] += 1;
        }
    }

    /// Forgets the counts, but not what the caches hold.
    pub fn forget(&mut self) {
        self.changed_hands.fill(0);
    }

    /// The counts for each operation, by the names of the parts.
    #[must_use]
    pub fn rates(&self, operations: usize) -> Vec<(&'static str, f64)> {
        let names = self.parts.iter().map(|(name, _)| *name);
        let names = names.chain([ELSEWHERE]);
        let rates = self
            .changed_hands
            .iter()
            .map(|&count| count as f64 / operations as f64);
        let mut sums: Vec<(&'static str, f64)> = Vec::new();
        for (name, rate) in names.zip(rates) {
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += rate,
                None => sums.push((name, rate)),
            }
        }
        sums
    }
}
