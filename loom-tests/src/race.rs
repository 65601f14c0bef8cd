//! Races: a few threads make a few calls each, and some order of all calls must explain the
//! results.
//!
//! The filter is a multiset; a rotating one has generations. The order must keep that of each
//! thread, begins with the calls before the race, and ends with the checks after it. So no stored
//! item is missed, no item is invented, admitted twice, removed twice or lost, and none is left
//! over.

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::testing::hooks::{dying_after, in_one_order};
use lockfree_cuckoo::{Filter, InsertError, filter::Engine};
use loom::thread;
use model::history::{Event, Outcome, linearizable};

use crate::check::{Bound, check};
use crate::tiny::Item;

/// The effect and result of a call on the multiset, by the classes of [`Item`].
#[derive(Clone, Copy, Debug)]
pub enum Told {
    /// The call does not act on the multiset, or was refused.
    Nothing,
    /// `insert`
    Added(u64),
    /// `insert_unique`; whether the item was absent.
    Admitted(u64, bool),
    /// `refresh`; whether the item was absent.
    Refreshed(u64, bool),
    /// `remove`; whether it found one.
    Removed(u64, bool),
    /// `contains`
    Seen(u64, bool),
    /// `count`, without other threads.
    Counted(u64, usize),
    /// `len`, without other threads.
    Length(usize),
    /// `rotate`
    Rotated,
    /// `rotate_if` with this number; whether it rotated.
    RotatedIf(u64, bool),
    /// `rotations`
    Rotations(u64),
}

/// The classes of the stored items: generations, the youngest last. A filter that does not rotate
/// has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Content {
    generations: Vec<Vec<u64>>,
    rotations: u64,
}

impl Content {
    fn copies(&self, class: u64) -> usize {
        let all = self.generations.iter().flatten();
        all.filter(|&&other| other == class).count()
    }

    fn young(&self) -> &[u64] {
        self.generations.last().map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, class: u64) {
        self.generations.last_mut().expect("one").push(class);
    }

    fn rotate(&mut self) {
        self.generations.remove(0);
        self.generations.push(Vec::new());
        self.rotations += 1;
    }

    /// Removes the oldest copy.
    fn remove(&mut self, class: u64) {
        for generation in &mut self.generations {
            if let Some(at) = generation.iter().position(|&other| other == class) {
                generation.remove(at);
                return;
            }
        }
    }
}

impl Outcome for Told {
    type State = Content;

    fn possible(self, content: &Content) -> bool {
        match self {
            Self::Admitted(class, new) | Self::Refreshed(class, new) => {
                new == (content.copies(class) == 0)
            }
            Self::Removed(class, found) | Self::Seen(class, found) => {
                found == (content.copies(class) > 0)
            }
            Self::Counted(class, copies) => copies == content.copies(class),
            Self::Length(length) => length == content.generations.iter().flatten().count(),
            Self::RotatedIf(rotations, rotated) => rotated == (rotations == content.rotations),
            Self::Rotations(rotations) => rotations == content.rotations,
            Self::Nothing | Self::Added(_) | Self::Rotated => true,
        }
    }

    fn after(self, mut content: Content) -> Content {
        match self {
            Self::Added(class) | Self::Admitted(class, true) => content.add(class),
            Self::Refreshed(class, _) if !content.young().contains(&class) => content.add(class),
            Self::Removed(class, true) => content.remove(class),
            Self::Rotated | Self::RotatedIf(_, true) => content.rotate(),
            _ => {}
        }
        content
    }
}

/// A call.
pub struct Act<F> {
    item: Option<Item>,
    call: Arc<dyn Fn(&F) -> Told + Send + Sync>,
    /// The possible effect if it does not return.
    effect: Told,
}

impl<F> Act<F> {
    fn on(
        item: Item,
        effect: Told,
        call: impl Fn(&F, u64) -> Told + Send + Sync + 'static,
    ) -> Self {
        Self {
            item: Some(item),
            call: Arc::new(move |filter| call(filter, item.hash)),
            effect,
        }
    }
}

/// Makes any other call, with its result, and its possible effect if it does not return.
pub fn act<F>(effect: Told, call: impl Fn(&F) -> Told + Send + Sync + 'static) -> Act<F> {
    Act {
        item: None,
        call: Arc::new(call),
        effect,
    }
}

/// Makes any other call that keeps the stored items.
pub fn quietly<F, R>(call: impl Fn(&F) -> R + Send + Sync + 'static) -> Act<F> {
    act(Told::Nothing, move |filter| {
        call(filter);
        Told::Nothing
    })
}

/// Inserts a copy; there is room.
pub fn insert<E: Engine>(item: Item) -> Act<Filter<E>> {
    let added = Told::Added(item.class);
    Act::on(item, added, move |filter: &Filter<E>, hash| {
        filter.insert_hash(hash).expect("room");
        added
    })
}

/// Inserts a copy if there is room.
pub fn try_insert<E: Engine>(item: Item) -> Act<Filter<E>> {
    let added = Told::Added(item.class);
    Act::on(item, added, move |filter: &Filter<E>, hash| {
        filter.insert_hash(hash).map_or(Told::Nothing, |()| added)
    })
}

/// Tries to insert, and is refused.
pub fn insert_in_vain<E: Engine>(item: Item) -> Act<Filter<E>> {
    Act::on(item, Told::Nothing, |filter: &Filter<E>, hash| {
        let refused = filter.insert_hash(hash);
        assert!(
            refused.is_err(),
            "the slot that an insert opened was taken from it"
        );
        Told::Nothing
    })
}

/// Admits the item if it is absent; there is room.
pub fn admit<E: Engine>(item: Item) -> Act<Filter<E>> {
    admission(item, |told| Some(told.expect("room")))
}

/// Does the same if there is room.
pub fn try_admit<E: Engine>(item: Item) -> Act<Filter<E>> {
    admission(item, Result::ok)
}

fn admission<E: Engine>(
    item: Item,
    told: fn(Result<bool, InsertError>) -> Option<bool>,
) -> Act<Filter<E>> {
    let effect = Told::Admitted(item.class, true);
    Act::on(item, effect, move |filter: &Filter<E>, hash| {
        let told = told(filter.insert_unique_hash(hash));
        told.map_or(Told::Nothing, |new| Told::Admitted(item.class, new))
    })
}

/// Removes a copy if there is one.
pub fn remove<E: Engine>(item: Item) -> Act<Filter<E>> {
    let effect = Told::Removed(item.class, true);
    Act::on(item, effect, move |filter: &Filter<E>, hash| {
        Told::Removed(item.class, filter.remove_hash(hash))
    })
}

/// Looks for the item.
pub fn see<E: Engine>(item: Item) -> Act<Filter<E>> {
    Act::on(item, Told::Nothing, move |filter: &Filter<E>, hash| {
        Told::Seen(item.class, filter.contains_hash(hash))
    })
}

/// Counts the item. During a race the result is only whether it is stored.
pub fn count<E: Engine>(item: Item) -> Act<Filter<E>> {
    Act::on(item, Told::Nothing, move |filter: &Filter<E>, hash| {
        Told::Seen(item.class, filter.count_hash(hash) > 0)
    })
}

/// Moves a copy to its other bucket, undisturbed.
pub fn hop<E: Engine>(item: Item) -> Act<Filter<E>> {
    Act::on(item, Told::Nothing, |filter: &Filter<E>, hash| {
        assert!(
            filter.relocate_hash(hash),
            "no thread was in the way of a hop"
        );
        Told::Nothing
    })
}

/// Moves a copy unless other calls are in the way.
pub fn try_hop<E: Engine>(item: Item) -> Act<Filter<E>> {
    Act::on(item, Told::Nothing, |filter: &Filter<E>, hash| {
        filter.relocate_hash(hash);
        Told::Nothing
    })
}

/// The access at which a thread dies, and whether it reached it.
type Death = (usize, Arc<AtomicBool>);

/// A model of threads that race.
#[must_use]
pub struct Race<F> {
    least: usize,
    bound: Bound,
    one_order: bool,
    generations: usize,
    counts: bool,
    filter: Arc<dyn Fn() -> F + Send + Sync>,
    before: Vec<Act<F>>,
    threads: Vec<Vec<Act<F>>>,
    after: Vec<Act<F>>,
}

/// Returns a race on such a filter, with at least this number of executions.
pub fn race<E: Engine>(
    least: usize,
    filter: impl Fn() -> Filter<E> + Send + Sync + 'static,
) -> Race<Filter<E>> {
    Race {
        least,
        bound: Bound::Usual,
        one_order: false,
        generations: 1,
        counts: true,
        filter: Arc::new(filter),
        before: Vec::new(),
        threads: Vec::new(),
        after: Vec::new(),
    }
}

impl<E: Engine> Race<Filter<E>> {
    /// Marks the race as too large for the usual bound.
    pub fn large(mut self) -> Self {
        self.bound = Bound::Large;
        self
    }

    /// Makes all threads see one order of the `SeqCst` accesses.
    pub fn in_one_order(mut self) -> Self {
        self.one_order = true;
        self
    }

    /// Sets the number of generations of the filter.
    pub fn generations(mut self, generations: usize) -> Self {
        self.generations = generations;
        self
    }

    /// Leaves out the final counts, because the items cover each other.
    pub fn uncounted(mut self) -> Self {
        self.counts = false;
        self
    }

    /// Sets the items that are stored before the threads begin.
    pub fn holding(self, items: impl IntoIterator<Item = Item>) -> Self {
        self.before(items.into_iter().map(insert))
    }

    /// Adds calls before the threads begin.
    pub fn before(mut self, acts: impl IntoIterator<Item = Act<Filter<E>>>) -> Self {
        self.before.extend(acts);
        self
    }

    /// Adds a thread with these calls. The last one is the thread that starts the others.
    pub fn thread(mut self, acts: impl IntoIterator<Item = Act<Filter<E>>>) -> Self {
        self.threads.push(acts.into_iter().collect());
        self
    }

    /// Adds calls after the threads have ended, before all items are counted.
    pub fn after(mut self, acts: impl IntoIterator<Item = Act<Filter<E>>>) -> Self {
        self.after.extend(acts);
        self
    }

    /// Checks the race.
    #[track_caller]
    pub fn check(self) {
        let race = Arc::new(self);
        check(race.bound, race.least, move || race.run(None));
    }

    /// Checks the race with the first thread dead at its first access, at its second one and so on,
    /// until it survives. It must make at least this number of accesses.
    #[track_caller]
    pub fn check_deaths(self, accesses: usize) {
        let race = Arc::new(self);
        for at in 0.. {
            let dead = Arc::new(AtomicBool::new(false));
            let (dying, death) = (Arc::clone(&race), (at, Arc::clone(&dead)));
            check(race.bound, 1, move || dying.run(Some(&death)));
            if !dead.load(Ordering::Relaxed) {
                assert!(at >= accesses, "only {at} accesses");
                return;
            }
        }
    }

    /// Runs one execution, in which the first thread may die at an access.
    fn run(self: &Arc<Self>, death: Option<&Death>) {
        if self.one_order {
            in_one_order(|| self.play(death));
        } else {
            self.play(death);
        }
    }

    fn play(self: &Arc<Self>, death: Option<&Death>) {
        let filter = loom::sync::Arc::new((self.filter)());
        let empty = Content {
            generations: vec![Vec::new(); self.generations],
            rotations: 0,
        };
        let before = self.before.iter();
        let content = before.fold(empty, |content, act| (act.call)(&filter).after(content));
        let last = self.threads.len() - 1;
        let others: Vec<_> = (0..last)
            .map(|number| {
                let (race, filter) = (Arc::clone(self), filter.clone());
                let death = death.filter(|_| number == 0).cloned();
                thread::spawn(move || race.work(number, &filter, death))
            })
            .collect();
        let mine = self.work(last, &filter, None);
        let others = others.into_iter();
        let mut all: Vec<_> = others.map(|other| other.join().expect("a racer")).collect();
        all.push(mine);
        all.push((self.end(&filter, death.is_some()), Told::Nothing));
        // The call of a dead thread may have taken effect, or not.
        let pending = all
            .iter()
            .find(|(_, pending)| !matches!(pending, Told::Nothing));
        let pending = pending.map(|&(_, call)| Event {
            call,
            began: 0,
            ended: u64::MAX,
        });
        // The histories of the threads overlap, and the final checks are later.
        let histories: Vec<Vec<Event<Told>>> = (0..)
            .zip(&all)
            .map(|(number, (told, _))| {
                let began = if number > last { 2 } else { 0 };
                let ended = began + 1;
                let event = |&call: &Told| Event { call, began, ended };
                told.iter().map(event).collect()
            })
            .collect();
        let mut histories: Vec<&[Event<Told>]> = histories.iter().map(Vec::as_slice).collect();
        let explained = linearizable(&histories, content.clone()) || {
            histories.extend(pending.as_slice().chunks(1));
            pending.is_some() && linearizable(&histories, content.clone())
        };
        assert!(
            explained,
            "no order explains what the threads were told: {all:?}, with {content:?}"
        );
    }

    /// Returns the results of a thread, and the effect of the call in which it died.
    fn work(&self, number: usize, filter: &Filter<E>, death: Option<Death>) -> (Vec<Told>, Told) {
        let (acts, told) = (&self.threads[number], RefCell::new(Vec::new()));
        let act = || {
            for act in acts {
                let answer = (act.call)(filter);
                told.borrow_mut().push(answer);
            }
        };
        let mut pending = Told::Nothing;
        match death {
            None => act(),
            Some((at, dead)) => {
                if dying_after(at, act).is_none() {
                    dead.store(true, Ordering::Relaxed);
                    pending = acts[told.borrow().len()].effect;
                }
            }
        }
        (told.into_inner(), pending)
    }

    /// Counts everything, without other threads.
    fn end(&self, filter: &Filter<E>, someone_died: bool) -> Vec<Told> {
        let mut told: Vec<Told> = self.after.iter().map(|act| (act.call)(filter)).collect();
        let acts = self.before.iter().chain(self.threads.iter().flatten());
        let mut items: Vec<Item> = acts.filter_map(|act| act.item).collect();
        items.sort_unstable_by_key(|item| item.class);
        items.dedup_by_key(|item| item.class);
        items.retain(|_| self.counts);
        let count = |item: Item| Told::Counted(item.class, filter.count_hash(item.hash));
        told.extend(items.into_iter().map(count));
        // The dead thread may have added a token without counting it.
        told.extend((!someone_died).then(|| Told::Length(filter.len())));
        told
    }
}
