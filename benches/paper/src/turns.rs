//! Turns: slices of a subject's work and of the limit's, so that a disturbance of the machine meets
//! both.

use std::hint::black_box;

use lockfree_cuckoo_benches::{Limit, Slice, count, median};

use crate::subject::Subject;

/// The work of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Inserts until one is refused.
    Insert,
    LookUp,
    Remove,
}

/// A subject and the limit.
pub(crate) struct Turns<S> {
    pub(crate) subject: S,
    limit: Limit,
    /// Whether the limit began last; it alternates.
    limit_first: bool,
}

/// One slice of each, and the number of the subject's calls that returned true.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    subject: Slice,
    limit: Slice,
    yes: usize,
}

/// Operations per second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    pub(crate) subject: f64,
    pub(crate) limit: f64,
    /// The subject's rate divided by the limit's. The ratio of two medians is not the median of the
    /// ratios.
    pub(crate) ratio: f64,
}

/// Lookups outside the clock that bring a table back into the caches that the other has used.
const WARM_UP: usize = 1 << 13;

impl<S: Subject> Turns<S> {
    pub(crate) fn new(mut subject: S, mut limit: Limit) -> Self {
        subject.clear();
        Subject::clear(&mut limit);
        Self {
            subject,
            limit,
            limit_first: false,
        }
    }

    /// Looks keys up in both. A table that was not used for a second is out of the caches, and
    /// would slow several turns.
    pub(crate) fn warm_up(&mut self, keys: &[u64]) {
        black_box(run(&mut self.subject, Work::LookUp, keys));
        black_box(run(&mut self.limit, Work::LookUp, keys));
    }

    /// Runs the same work on both. `others` are keys to warm up with.
    pub(crate) fn take(&mut self, work: Work, keys: &[u64], others: &[u64]) -> Turn {
        self.limit_first = !self.limit_first;
        let (limit, (subject, yes));
        if self.limit_first {
            (limit, _) = slice(&mut self.limit, work, keys, others);
            (subject, yes) = slice(&mut self.subject, work, keys, others);
        } else {
            (subject, yes) = slice(&mut self.subject, work, keys, others);
            (limit, _) = slice(&mut self.limit, work, keys, others);
        }
        Turn {
            subject,
            limit,
            yes,
        }
    }
}

impl Turn {
    /// Returns the number of calls of the subject that returned true.
    pub(crate) fn yes(&self) -> usize {
        self.yes
    }

    /// Returns the number of calls of the subject that returned false. A slice of inserts ends with
    /// the first.
    pub(crate) fn no(&self) -> usize {
        self.subject.ops - self.yes
    }
}

impl Pace {
    /// Returns the medians.
    pub(crate) fn median(turns: &[Turn]) -> Self {
        let median_of =
            |of: fn(&Turn) -> f64| median(turns.iter().map(of)).expect("at least one turn");
        Self {
            subject: median_of(|turn| turn.subject.rate(1)),
            limit: median_of(|turn| turn.limit.rate(1)),
            ratio: median_of(|turn| turn.subject.rate(1) / turn.limit.rate(1)),
        }
    }

    /// Divides all the work by all the time.
    pub(crate) fn total(turns: &[Turn]) -> Self {
        let total = |of: fn(&Turn) -> Slice| {
            let mut sum = Slice::default();
            turns.iter().map(of).for_each(|slice| sum += slice);
            sum.rate(1)
        };
        let (subject, limit) = (total(|turn| turn.subject), total(|turn| turn.limit));
        Self {
            subject,
            limit,
            ratio: subject / limit,
        }
    }
}

fn slice<S: Subject>(subject: &mut S, work: Work, keys: &[u64], others: &[u64]) -> (Slice, usize) {
    let some = &others[..others.len().min(WARM_UP)];
    black_box(run(subject, Work::LookUp, some));
    let (mut slice, yes) = Slice::of(keys.len(), || black_box(run(subject, work, keys)));
    if let Work::Insert = work {
        // The refused one is an operation too.
        slice.ops = keys.len().min(yes + 1);
    }
    (slice, yes)
}

/// Returns the number of calls that returned true.
fn run<S: Subject>(subject: &mut S, work: Work, keys: &[u64]) -> usize {
    match work {
        Work::Insert => insert_each(subject, keys),
        Work::LookUp => count(keys, |&key| subject.contains(key)),
        Work::Remove => remove_each(subject, keys),
    }
}

// Keep each loop in a function of its own: compiled together with the others, the lookups are
// slower by a tenth.

#[inline(never)]
fn insert_each<S: Subject>(subject: &mut S, keys: &[u64]) -> usize {
    let keys = keys.iter();
    keys.take_while(|&&key| subject.insert(key)).count()
}

#[inline(never)]
fn remove_each<S: Subject>(subject: &mut S, keys: &[u64]) -> usize {
    let keys = keys.iter();
    keys.map(|&key| usize::from(subject.remove(key))).sum()
}
