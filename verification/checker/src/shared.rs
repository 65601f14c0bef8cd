//! The shared memory and the accesses to it. Each access is one step of one thread, and all threads
//! see one order of them: sequential consistency.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::replay::{Run, Step};
use crate::types::{Entry, Types, World};

/// The number of version counters: two, so that tokens may share one or not. A bump of the wrong
/// one would be noticed.
pub(crate) const STRIPES: usize = 2;
/// The most entries of the log of hints.
pub(crate) const NOTES: usize = 2;

/// A version counter, and whether a scan is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stripe {
    pub version: u16,
    pub scanned: bool,
}

/// The state of a use of a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Status {
    Pending,
    /// Its words hold the new contents.
    Committed,
    /// Its words hold the old contents.
    #[default]
    Aborted,
}

impl Status {
    /// Returns the decided state.
    pub const fn of(commits: bool) -> Self {
        if commits {
            Self::Committed
        } else {
            Self::Aborted
        }
    }
}

/// Returns the stripe of a token, from a key that does not change when it moves.
pub(crate) fn stripe_of(key: impl Into<u32>) -> usize {
    key.into() as usize % STRIPES
}

/// The words and stripes in the memory of a machine.
pub trait Shared: Types {
    /// Returns the word of this number for an access.
    fn word<'a>(run: &'a mut Run<'_, Self>, number: u8) -> &'a mut Self::Word;

    fn show_word(world: &World<Self>, word: Self::Word) -> String;

    fn stripes(memory: &mut Self::Memory) -> &mut [Stripe; STRIPES];
}

impl<M: Shared> Run<'_, M> {
    pub(crate) fn load(&mut self, number: u8) -> Step<M::Word> {
        self.access(|run| {
            let (word, world) = (*M::word(run, number), run.world);
            run.show(|| format!("word {number} is {}", M::show_word(world, word)));
            word
        })
    }

    pub(crate) fn exchange(&mut self, number: u8, old: M::Word, new: M::Word) -> Step<bool> {
        self.exchange_and(number, old, new, |_| ())
    }

    /// Exchanges a word, and does something else too if it succeeds.
    pub(crate) fn exchange_and(
        &mut self,
        number: u8,
        old: M::Word,
        new: M::Word,
        then: impl FnOnce(&mut Self),
    ) -> Step<bool> {
        self.access(|run| {
            let world = run.world;
            let word = M::word(run, number);
            let done = *word == old;
            if done {
                *word = new;
                run.made.wrote = true;
                then(run);
            }
            run.show(|| {
                let [old, new] = [old, new].map(|word| M::show_word(world, word));
                let done = if done { "done" } else { "failed" };
                format!("word {number} from {old} to {new}: {done}")
            });
            done
        })
    }

    /// Reads a stripe, or changes it. The thread remembers the result of `told`.
    fn stripe<T: Entry>(
        &mut self,
        index: usize,
        change: impl FnOnce(&mut Stripe),
        told: impl FnOnce(Stripe) -> T,
    ) -> Step<T> {
        self.access(|run| {
            let stripe = &mut M::stripes(run.memory)[index];
            let before = *stripe;
            change(stripe);
            let now = *stripe;
            run.made.wrote = now != before;
            run.show(|| {
                let scan = if now.scanned { ", scan on" } else { "" };
                format!("stripe {index} at {}{scan}", now.version)
            });
            told(now)
        })
    }

    pub(crate) fn version(&mut self, key: impl Into<u32>) -> Step<Stripe> {
        self.stripe(stripe_of(key), |_| (), |stripe| stripe)
    }

    /// Bumps a stripe. Returns whether a scan is on.
    pub(crate) fn bump(&mut self, key: impl Into<u32>) -> Step<bool> {
        let bump = |stripe: &mut Stripe| stripe.version += 1;
        self.stripe(stripe_of(key), bump, |stripe| stripe.scanned)
    }

    pub(crate) fn set_scan(&mut self, stripe: usize, on: bool) -> Step<()> {
        self.stripe(stripe, |stripe| stripe.scanned = on, drop)
    }

    /// Makes any other access: returns its value, and whether it changed the memory.
    pub(crate) fn other<T: Entry + Debug>(
        &mut self,
        what: &'static str,
        act: impl FnOnce(&mut Self) -> (T, bool),
    ) -> Step<T> {
        self.access(|run| {
            let (value, wrote) = act(run);
            run.made.wrote |= wrote;
            run.show(|| format!("{what}: {value:?}"));
            value
        })
    }
}
