//! Slices of work that take turns.

use std::hint::black_box;
use std::time::Instant;

use lockfree_cuckoo::Lanes;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::quartiles::Quartiles;

use crate::subject::{Subject, Table};
use lockfree_cuckoo_benches::bare::Bare;

/// Operations of a slice.
const SLICE: usize = 1 << 15;

/// What is said about one kind of work: medians.
pub(crate) struct Work {
    /// The speed by that of the limit.
    pub(crate) to_limit: f64,
    /// That by the same of 4 x 16.
    pub(crate) to_limit_of_default: f64,
    /// The speed by that of 4 x 16.
    pub(crate) to_default: f64,
}

pub(crate) struct Figures {
    /// Bits of the table for an item.
    pub(crate) bits: f64,
    /// Hits, misses, inserts, removes.
    pub(crate) works: [Work; 4],
}

/// A layout's filter, its limit, and the two of 4 x 16.
struct Field<F, B> {
    filter: F,
    limit: B,
    default: Subject<Lanes<4, 16>>,
    limit_of_default: Bare<4, 16>,
    /// Who begins; it alternates.
    turn: usize,
}

/// Nanoseconds of the four, for the same keys.
type Slice = [f64; 4];

/// One kind of work on some keys. Monomorphic for each table, so that the calls are inlined.
#[derive(Clone, Copy)]
enum Kind {
    Contains,
    Insert,
    Remove,
}

fn timed(table: &impl Table, keys: &[u64], kind: Kind) -> f64 {
    let start = Instant::now();
    let done = match kind {
        Kind::Contains => keys.iter().filter(|&&key| table.contains(key)).count(),
        Kind::Insert => keys.iter().filter(|&&key| table.insert(key)).count(),
        Kind::Remove => keys.iter().filter(|&&key| table.remove(key)).count(),
    };
    black_box(done);
    start.elapsed().as_nanos() as f64
}

impl<F: Table, B: Table> Field<F, B> {
    fn slice(&mut self, keys: &[u64], kind: Kind) -> Slice {
        let mut times = [0.0; 4];
        self.turn += 1;
        for step in 0..4 {
            let at = (self.turn + step) % 4;
            times[at] = match at {
                0 => timed(&self.filter, keys, kind),
                1 => timed(&self.limit, keys, kind),
                2 => timed(&self.default, keys, kind),
                _ => timed(&self.limit_of_default, keys, kind),
            };
        }
        times
    }

    /// Slices over all keys.
    fn slices(&mut self, keys: &[u64], kind: Kind) -> Vec<Slice> {
        keys.chunks(SLICE)
            .map(|keys| self.slice(keys, kind))
            .collect()
    }
}

/// What the times of slices say.
fn work(slices: &[Slice]) -> Work {
    let median = |of: &dyn Fn(&Slice) -> f64| Quartiles::of(slices.iter().map(of).collect()).median;
    Work {
        to_limit: median(&|[filter, limit, ..]| limit / filter),
        to_limit_of_default: median(&|[filter, limit, ..]| limit / filter)
            / median(&|[.., default, least]| least / default),
        to_default: median(&|[filter, _, default, _]| default / filter),
    }
}

/// The least time of each slice over the rounds, summed up over the filling.
fn filling(rounds: &[Vec<Slice>]) -> Slice {
    let slices = 0..rounds[0].len();
    let least = |slice: usize, at: usize| {
        let times = rounds.iter().map(|round| round[slice][at]);
        times.fold(f64::INFINITY, f64::min)
    };
    [0, 1, 2, 3].map(|at| slices.clone().map(|slice| least(slice, at)).sum())
}

/// Runs all kinds of work, the lookups in filters with all stored keys.
pub(crate) fn race<F: Table, B: Table>(keys: &Keys, words: usize, rounds: usize) -> Figures {
    let default = Subject::<Lanes<4, 16>>::words_for(keys.stored.len());
    let mut field: Field<F, B> = Field {
        filter: F::with_words(words),
        limit: B::with_words(words),
        default: Table::with_words(default),
        limit_of_default: Table::with_words(default),
        turn: 0,
    };
    let stored = &keys.stored;
    let (mut inserts, mut removes) = (Vec::new(), Vec::new());
    for _ in 0..rounds.div_ceil(6) {
        inserts.push(field.slices(stored, Kind::Insert));
        removes.push(field.slices(stored, Kind::Remove));
    }
    field.slices(stored, Kind::Insert);
    let (mut hits, mut misses) = (Vec::new(), Vec::new());
    for round in 0..rounds * 8 {
        let at = |keys: &[u64]| round * SLICE % (keys.len() - SLICE.min(keys.len() - 1));
        let part = |keys: &'_ [u64]| at(keys)..(at(keys) + SLICE).min(keys.len());
        hits.push(field.slice(&stored[part(stored)], Kind::Contains));
        misses.push(field.slice(&keys.absent[part(&keys.absent)], Kind::Contains));
    }
    Figures {
        bits: 64.0 * words as f64 / stored.len() as f64,
        works: [
            work(&hits),
            work(&misses),
            work(&[filling(&inserts)]),
            work(&[filling(&removes)]),
        ],
    }
}
