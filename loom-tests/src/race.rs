//! Races: a few threads make a few calls each, and some order of all calls must explain what they were told.
//!
//! The filter is a multiset, in generations if it rotates. The order has the calls of each thread in the order in which
//! it made them, begins with what was there before, and ends with what is asked when all threads are done. So no item that
//! is in is missed, none is invented, admitted twice or removed twice, and none is lost or left over.

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lockfree_cuckoo::testing::Relocate;
use lockfree_cuckoo::testing::hooks::{dying_after, in_one_order};
use lockfree_cuckoo::{Engine, Filter, InsertError};
use loom::thread;
use model::history::{Event, Outcome, linearizable};

use crate::check::{Bound, check};
use crate::tiny::Item;

/// What a call says of the multiset; classes are those of [`Item`].
#[derive(Clone, Copy, Debug)]
pub enum Told {
    /// It is no call of a multiset, or was refused.
    Nothing,
    /// `insert`
    Added(u64),
    /// `insert_unique`; whether the item was absent.
    Admitted(u64, bool),
    /// `refresh`, likewise.
    Refreshed(u64, bool),
    /// `remove`; whether it found one.
    Removed(u64, bool),
    /// `contains`
    Seen(u64, bool),
    /// `count`, with nobody else at work.
    Counted(u64, usize),
    /// `len`, likewise.
    Length(usize),
    /// `rotate`
    Rotated,
    /// `rotate_if` of this number; whether it rotated.
    RotatedIf(u64, bool),
    /// `rotations`
    Rotations(u64),
}

/// The classes of what is in: generations, the youngest last. A filter that does not rotate has one.
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

    /// The oldest copy goes.
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
    /// What it can have done if it does not return.
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

/// Any other call, with what it says, and what it does if it does not return.
pub fn act<F>(effect: Told, call: impl Fn(&F) -> Told + Send + Sync + 'static) -> Act<F> {
    Act {
        item: None,
        call: Arc::new(call),
        effect,
    }
}

/// Any other call that leaves what is in.
pub fn quietly<F, R>(call: impl Fn(&F) -> R + Send + Sync + 'static) -> Act<F> {
    act(Told::Nothing, move |filter| {
        call(filter);
        Told::Nothing
    })
}

/// Adds a copy; there is room.
pub fn insert<E: Engine>(item: Item) -> Act<Filter<E>> {
    let added = Told::Added(item.class);
    Act::on(item, added, move |filter: &Filter<E>, hash| {
        filter.insert_hash(hash).expect("room");
        added
    })
}

/// Adds a copy if there is room.
pub fn try_insert<E: Engine>(item: Item) -> Act<Filter<E>> {
    let added = Told::Added(item.class);
    Act::on(item, added, move |filter: &Filter<E>, hash| {
        filter.insert_hash(hash).map_or(Told::Nothing, |()| added)
    })
}

/// Is refused.
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

/// Adds the item unless it is in; there is room.
pub fn admit<E: Engine>(item: Item) -> Act<Filter<E>> {
    admission(item, |told| Some(told.expect("room")))
}

/// The same if there is room.
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

/// Counts the item, which in the midst of a race says only whether there is one.
pub fn count<E: Engine>(item: Item) -> Act<Filter<E>> {
    Act::on(item, Told::Nothing, move |filter: &Filter<E>, hash| {
        Told::Seen(item.class, filter.count_hash(hash) > 0)
    })
}

/// Moves a copy to its other bucket; nobody is in the way.
pub fn hop<E: Engine>(item: Item) -> Act<Filter<E>> {
    Act::on(item, Told::Nothing, |filter: &Filter<E>, hash| {
        assert!(filter.relocate_hash(hash), "nobody was in the way of a hop");
        Told::Nothing
    })
}

/// The same if nobody is.
pub fn try_hop<E: Engine>(item: Item) -> Act<Filter<E>> {
    Act::on(item, Told::Nothing, |filter: &Filter<E>, hash| {
        filter.relocate_hash(hash);
        Told::Nothing
    })
}

/// The access at which a thread dies, and whether it came to that.
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

/// Threads that race on such a filter, in so many executions at least.
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
    /// Too large for the usual bound.
    pub fn large(mut self) -> Self {
        self.bound = Bound::Large;
        self
    }

    /// Accesses that are `SeqCst` have one order for all threads.
    pub fn in_one_order(mut self) -> Self {
        self.one_order = true;
        self
    }

    /// The filter has so many generations.
    pub fn generations(mut self, generations: usize) -> Self {
        self.generations = generations;
        self
    }

    /// The items cover each other, so that their tokens are not counted one by one in the end.
    pub fn uncounted(mut self) -> Self {
        self.counts = false;
        self
    }

    /// What is in before the threads begin.
    pub fn holding(self, items: impl IntoIterator<Item = Item>) -> Self {
        self.before(items.into_iter().map(insert))
    }

    /// What is done before the threads begin.
    pub fn before(mut self, acts: impl IntoIterator<Item = Act<Filter<E>>>) -> Self {
        self.before.extend(acts);
        self
    }

    /// What one of the threads does. The last one is the thread that has begun the others.
    pub fn thread(mut self, acts: impl IntoIterator<Item = Act<Filter<E>>>) -> Self {
        self.threads.push(acts.into_iter().collect());
        self
    }

    /// What is done when the threads are done, before all items are counted.
    pub fn after(mut self, acts: impl IntoIterator<Item = Act<Filter<E>>>) -> Self {
        self.after.extend(acts);
        self
    }

    /// Checks it.
    #[track_caller]
    pub fn check(self) {
        let race = Arc::new(self);
        check(race.bound, race.least, move || race.run(None));
    }

    /// Checks it with the first thread dead at its first access, at its second one and so on, until it survives: it makes
    /// so many accesses at least.
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

    /// One execution, in which the first thread may die at an access.
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
        // What a dead thread was at may have taken effect, or not.
        let pending = all
            .iter()
            .find(|(_, pending)| !matches!(pending, Told::Nothing));
        let pending = pending.map(|&(_, call)| Event {
            call,
            began: 0,
            ended: u64::MAX,
        });
        // Those of the threads overlap, and those at the end are later.
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

    /// What a thread was told, and the effect of the call in which it died.
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

    /// Asks for everything, with nobody else at work.
    fn end(&self, filter: &Filter<E>, someone_died: bool) -> Vec<Told> {
        let mut told: Vec<Told> = self.after.iter().map(|act| (act.call)(filter)).collect();
        let acts = self.before.iter().chain(self.threads.iter().flatten());
        let mut items: Vec<Item> = acts.filter_map(|act| act.item).collect();
        items.sort_unstable_by_key(|item| item.class);
        items.dedup_by_key(|item| item.class);
        items.retain(|_| self.counts);
        let count = |item: Item| Told::Counted(item.class, filter.count_hash(item.hash));
        told.extend(items.into_iter().map(count));
        // The dead may have added something and not counted it.
        told.extend((!someone_died).then(|| Told::Length(filter.len())));
        told
    }
}
