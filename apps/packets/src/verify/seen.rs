//! The state of one key: what is known of it at one moment.

use crate::filter::GENERATIONS;
use std::ops::RangeInclusive;

/// The number of rotations after it took a copy at which a generation is forgotten.
pub(super) const LIFE: u64 = GENERATIONS as u64;

/// The generations that took keys while a batch was in work.
pub(super) type Span = RangeInclusive<u64>;

#[derive(Default)]
pub(super) struct Seen {
    /// The youngest generation that surely took a copy, from a batch that has ended.
    surely: Option<u64>,
    /// The youngest generation that may have taken a copy, from a batch that has begun.
    perhaps: Option<u64>,
    /// The last batch that added the key: the packets of one batch have an order.
    holder: Option<usize>,
    /// The batches in work that were told "known", and that nothing explains yet.
    unexplained: Vec<Unexplained>,
    /// The beginnings of its lives, as far as they can touch the next one.
    lives: Vec<Span>,
    /// The last generation that has refused the key.
    refused: Option<u64>,
    /// The last generation that has counted the key.
    counted: Option<u64>,
}

struct Unexplained {
    batch: usize,
    span: Span,
    /// Whether the batch put a copy into the young generation.
    kept: bool,
}

impl Seen {
    /// Returns whether a copy is in a generation that lives as long as the batch is in work.
    pub(super) fn is_in(&self, batch: usize, span: &Span) -> bool {
        let own = (self.holder == Some(batch)).then_some(*span.start());
        let generation = self.surely.max(own);
        generation.is_some_and(|generation| *span.end() < generation + LIFE)
    }

    /// Records that a batch was told "new". Returns false if another one had begun the same life.
    pub(super) fn is_new(&mut self, span: &Span) -> bool {
        self.lives.retain(|life| *span.start() < *life.end() + LIFE);
        self.lives.push(span.clone());
        let alone = fit(&self.lives);
        if !alone {
            self.lives.pop();
        }
        self.may_reach(*span.end());
        alone
    }

    /// Records that a batch was told "known".
    pub(super) fn is_known(&mut self, batch: usize, span: &Span, kept: bool) {
        if self.explains(span) {
            if kept {
                self.may_reach(*span.end());
            }
            return;
        }
        match self.unexplained.iter_mut().find(|open| open.batch == batch) {
            Some(open) => open.kept |= kept,
            None => self.unexplained.push(Unexplained {
                batch,
                span: span.clone(),
                kept,
            }),
        }
    }

    /// Records that a batch was refused. Returns true for the first one of a generation without a
    /// copy.
    pub(super) fn is_refused(&mut self, span: &Span) -> bool {
        let generation = Some(*span.start());
        !self.explains(span) && self.refused.replace(*span.start()) != generation
    }

    /// Returns whether the life that a batch began was counted as that of a refused key: other
    /// threads prevented its insert, and then no more.
    pub(super) fn was_refused(&mut self, span: &Span) -> bool {
        self.refused
            .take_if(|generation| generation == span.start())
            .is_some()
    }

    /// Records that a batch has added the key. Returns true for the first one of a generation.
    pub(super) fn is_kept(&mut self, batch: usize, span: &Span) -> bool {
        self.holder = Some(batch);
        let generation = Some(*span.start());
        let is_first = self.counted < generation;
        self.counted = self.counted.max(generation);
        is_first
    }

    /// Records that a batch has ended. Returns true if it was told "known", and nothing explains
    /// that.
    pub(super) fn ended(&mut self, batch: usize, span: &Span, kept: bool) -> bool {
        if kept {
            self.surely = self.surely.max(Some(*span.start()));
        }
        let place = self.unexplained.iter().position(|open| open.batch == batch);
        if let Some(place) = place {
            self.unexplained.swap_remove(place);
            // The copy that was taken for the key also explains the answers to others.
            self.may_reach(*span.end());
        }
        place.is_some()
    }

    /// Returns whether a copy is in a generation that still lives after this many rotations.
    pub(super) fn lives(&self, rotations: u64) -> bool {
        let generation = self.surely;
        generation.is_some_and(|generation| rotations < generation + LIFE)
    }

    /// Returns whether a copy may be in a generation that lived at the beginning of a batch.
    fn explains(&self, span: &Span) -> bool {
        let generation = self.perhaps;
        generation.is_some_and(|generation| *span.start() < generation + LIFE)
    }

    /// Records that a copy may be in this generation, and the answers that this explains.
    fn may_reach(&mut self, generation: u64) {
        self.perhaps = self.perhaps.max(Some(generation));
        while let Some(place) = self
            .unexplained
            .iter()
            .position(|open| self.explains(&open.span))
        {
            let open = self.unexplained.swap_remove(place);
            if open.kept {
                self.perhaps = self.perhaps.max(Some(*open.span.end()));
            }
        }
    }
}

/// Returns whether lives can begin in these spans: one in each, and no two closer in rotations than
/// one lasts.
fn fit(spans: &[Span]) -> bool {
    let begun = |first: u64, last: u64| {
        let within = |span: &&Span| first <= *span.start() && *span.end() <= last;
        spans.iter().filter(within).count() as u64
    };
    spans.iter().all(|span| {
        let first = *span.start();
        spans.iter().all(|span| {
            let last = *span.end();
            last < first || begun(first, last) <= (last - first) / LIFE + 1
        })
    })
}
