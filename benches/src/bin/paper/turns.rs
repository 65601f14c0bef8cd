//! Slices of a subject's work and of the limit's, in turn, so that a disturbance of the machine meets both.

use std::hint::black_box;

use lockfree_cuckoo_benches::lap::Lap;
use lockfree_cuckoo_benches::limit::Limit;
use lockfree_cuckoo_benches::quartiles::Quartiles;
use lockfree_cuckoo_benches::race::race;
use parking_lot::Mutex;

use crate::subject::Subject;

/// What is done with a slice of keys.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Until one is refused.
    Insert,
    LookUp,
    Remove,
}

/// A subject and the limit.
pub(crate) struct Turns<S> {
    pub(crate) subject: S,
    limit: Limit,
    /// Who began last; it alternates.
    limit_first: bool,
}

/// One slice of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    subject: Slice,
    limit: Slice,
}

/// What one of them did in its turn.
#[derive(Clone, Copy, Debug)]
struct Slice {
    keys: usize,
    /// How many calls said yes.
    yes: usize,
    lap: Lap,
}

/// Operations per second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    pub(crate) subject: f64,
    pub(crate) limit: f64,
    /// The subject's divided by the limit's. That of two medians is not the median of the ratios.
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

    /// Looks keys up in both. Out of sight for a second, a table is out of the caches, and several turns
    /// would be the poorer for it.
    pub(crate) fn warm_up(&mut self, keys: &[u64]) {
        black_box(run(&mut self.subject, Work::LookUp, keys));
        black_box(run(&mut self.limit, Work::LookUp, keys));
    }

    /// The same work for both. `others` are keys to warm up with.
    pub(crate) fn take(&mut self, work: Work, keys: &[u64], others: &[u64]) -> Turn {
        self.limit_first = !self.limit_first;
        if self.limit_first {
            let limit = slice(&mut self.limit, work, keys, others);
            let subject = slice(&mut self.subject, work, keys, others);
            Turn { subject, limit }
        } else {
            let subject = slice(&mut self.subject, work, keys, others);
            let limit = slice(&mut self.limit, work, keys, others);
            Turn { subject, limit }
        }
    }
}

impl Turn {
    /// How often the subject said yes.
    pub(crate) fn yes(&self) -> usize {
        self.subject.yes
    }

    /// How often it said no. A slice of inserts ends with the first.
    pub(crate) fn no(&self) -> usize {
        self.subject.keys - self.subject.yes
    }
}

impl Slice {
    fn rate(self) -> f64 {
        self.keys as f64 / self.lap.busy.as_secs_f64()
    }
}

impl Pace {
    /// The medians.
    pub(crate) fn median(turns: &[Turn]) -> Self {
        let median = |of: fn(&Turn) -> f64| Quartiles::of(turns.iter().map(of).collect()).median;
        Self {
            subject: median(|turn| turn.subject.rate()),
            limit: median(|turn| turn.limit.rate()),
            ratio: median(|turn| turn.subject.rate() / turn.limit.rate()),
        }
    }

    /// All the work in all the time.
    pub(crate) fn total(turns: &[Turn]) -> Self {
        let total = |of: fn(&Turn) -> Slice| {
            let keys: usize = turns.iter().map(of).map(|slice| slice.keys).sum();
            let lap: Lap = turns.iter().map(of).map(|slice| slice.lap).sum();
            keys as f64 / lap.busy.as_secs_f64()
        };
        let (subject, limit) = (total(|turn| turn.subject), total(|turn| turn.limit));
        Self {
            subject,
            limit,
            ratio: subject / limit,
        }
    }
}

fn slice<S: Subject>(subject: &mut S, work: Work, keys: &[u64], others: &[u64]) -> Slice {
    // A race is for what threads can share. Taking a lock once a slice does not show.
    let subject = Mutex::new(subject);
    let warm_up = || {
        let some = &others[..others.len().min(WARM_UP)];
        black_box(run(&mut **subject.lock(), Work::LookUp, some));
    };
    let (lap, yes) = race(1, warm_up, |_| run(&mut **subject.lock(), work, keys));
    let keys = match work {
        // The refused one is an operation too.
        Work::Insert => keys.len().min(yes + 1),
        Work::LookUp | Work::Remove => keys.len(),
    };
    Slice { keys, yes, lap }
}

/// How many calls said yes.
fn run<S: Subject>(subject: &mut S, work: Work, keys: &[u64]) -> usize {
    match work {
        Work::Insert => insert_each(subject, keys),
        Work::LookUp => look_up_each(subject, keys),
        Work::Remove => remove_each(subject, keys),
    }
}

// Each loop stays a function: compiled together with the others, the lookups are slower by a tenth.

#[inline(never)]
fn insert_each<S: Subject>(subject: &mut S, keys: &[u64]) -> usize {
    let keys = keys.iter();
    keys.take_while(|&&key| subject.insert(key)).count()
}

#[inline(never)]
fn look_up_each<S: Subject>(subject: &S, keys: &[u64]) -> usize {
    let keys = keys.iter();
    keys.map(|&key| usize::from(subject.contains(key))).sum()
}

#[inline(never)]
fn remove_each<S: Subject>(subject: &mut S, keys: &[u64]) -> usize {
    let keys = keys.iter();
    keys.map(|&key| usize::from(subject.remove(key))).sum()
}
