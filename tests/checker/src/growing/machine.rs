//! The step machine of a table: its protocol, one access to shared memory a step.

mod admission;
mod growth;
mod lookup;
mod scan;
mod write;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::geometry::{Class, Item, Levels, WORDS, level_of};
use super::memory::Word;
use super::memory::{Descriptor, Hint, STRIPES, State, Stripe, Transfer};
use super::mutants::Mutant;
use super::program::{Growing, Program, Shape};
use crate::notation::{self, Call, Kind};
use crate::replay::{self, Entry, Step};

/// What does not change in an exploration.
#[derive(Clone, Debug)]
pub struct World {
    pub shape: Shape,
    pub items: Vec<Item>,
    /// Whether items are counted, and matched with tokens.
    pub contract: bool,
    pub mutant: Option<Mutant>,
}

/// What a call returns.
pub(super) type Answer = notation::Answer<Classes>;

/// A multiset of classes: six at most, nine bits each, the greatest first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Classes(pub u64);

/// One step under way.
pub(super) type Run<'a> = replay::Run<'a, Growing>;

impl World {
    pub fn new(program: &Program, mutant: Option<Mutant>) -> Self {
        Self {
            shape: program.shape,
            items: program.items(),
            contract: program.shape.contract,
            mutant,
        }
    }

    pub fn levels(&self, table: usize) -> Levels {
        self.shape.levels(table)
    }

    /// The table that a level belongs to.
    pub fn table_of(&self, level: u8) -> usize {
        usize::from(usize::from(level) > self.shape.deepest)
    }

    /// The levels of the table that a word belongs to.
    pub fn levels_at(&self, number: u8) -> Levels {
        self.levels(self.table_of(super::geometry::level_of(number)))
    }

    /// The table that tokens of a class lie in: the classes of the second are longer than any of the first.
    pub fn table_of_class(&self, class: Class) -> usize {
        let levels = self.shape.levels(0);
        usize::from(self.shape.several() && class.len > levels.full_length(levels.deepest))
    }

    pub fn id_of(&self, item: Item) -> u8 {
        let at = self.items.iter().position(|&other| other == item);
        at.unwrap_or(self.items.len()) as u8
    }
}

/// The stripe of a head.
fn stripe_of(head: u8) -> usize {
    usize::from(head) % STRIPES
}

impl Run<'_> {
    pub fn make(&mut self) -> Step<Answer> {
        let Call {
            kind, item, side, ..
        } = *self.call;
        Ok(match kind {
            Kind::Insert => self.insert(item)?,
            Kind::Unique => self.unique(item)?,
            Kind::Remove => Answer::Bool(self.remove(item)?),
            Kind::Contains => Answer::Bool(self.contains(item)?),
            Kind::Count => Answer::Number(self.count(item)?.into()),
            Kind::Move => Answer::Bool(self.hop(item, side)?),
            Kind::Split => Answer::Bool(self.split_live(item, side)?),
            Kind::Sweep => Answer::Bool(self.sweep()?),
            Kind::Double => Answer::Bool(self.double()?),
            Kind::Grow => Answer::Bool(self.grow_once()?),
            Kind::Release => Answer::Bool(self.release()?),
            Kind::Append => Answer::Bool(self.append()?),
            Kind::Snapshot => self.snapshot()?,
            _ => unreachable!("a call of tokens with values"),
        })
    }

    /// The place of a word, if it is in a block that is there.
    fn place(&mut self, number: u8) -> usize {
        if self.memory.blocks >> level_of(number) & 1 == 0 {
            self.made.fault = Some("an access to a block that is not there");
        }
        usize::from(number) % WORDS
    }

    fn show_hint(&mut self, Hint { level, growing }: Hint) {
        let growing = if growing { ", growing" } else { "" };
        self.show(|| format!("hint at level {level}{growing}"));
    }

    fn hint(&mut self, table: usize) -> Step<Hint> {
        self.access(|run| {
            let hint = run.memory.hints[table];
            run.show_hint(hint);
            hint
        })
    }

    /// Changes the hint, if it is still this one, or whatever it is.
    fn set_hint(&mut self, table: usize, old: Option<Hint>, new: Hint) -> Step<()> {
        self.access(|run| {
            let hint = &mut run.memory.hints[table];
            if old.is_none_or(|old| *hint == old) {
                *hint = new;
                run.made.wrote = true;
            }
            let hint = *hint;
            run.show_hint(hint);
        })
    }

    fn load(&mut self, number: u8) -> Step<Word> {
        self.access(|run| {
            let place = run.place(number);
            let word = run.memory.words[place];
            run.show(|| format!("word {number} is {word}"));
            word
        })
    }

    fn exchange(&mut self, number: u8, old: Word, new: Word) -> Step<bool> {
        self.exchange_and(number, old, new, |_| ())
    }

    /// An exchange that changes which items are in, if it is done.
    fn exchange_and(
        &mut self,
        number: u8,
        old: Word,
        new: Word,
        then: impl FnOnce(&mut Self),
    ) -> Step<bool> {
        self.access(|run| {
            let place = run.place(number);
            let word = &mut run.memory.words[place];
            let done = *word == old;
            if done {
                *word = new;
                run.made.wrote = true;
                then(run);
            }
            run.show(|| {
                let done = if done { "done" } else { "failed" };
                format!("word {number} from {old} to {new}: {done}")
            });
            done
        })
    }

    /// One more item is in.
    fn came(&mut self, item: u8) {
        if self.world.contract {
            self.memory.items[usize::from(item)] += 1;
        }
    }

    /// One item fewer is in.
    fn went(&mut self, item: u8) {
        if self.world.contract {
            let items = &mut self.memory.items[usize::from(item)];
            match items.checked_sub(1) {
                Some(left) => *items = left,
                None => self.made.fault = Some("an item was removed that is not in"),
            }
        }
    }

    /// Reads a stripe, or changes it. The thread remembers what is `told`.
    fn stripe<T: Entry>(
        &mut self,
        index: usize,
        change: impl FnOnce(&mut Stripe),
        told: impl FnOnce(Stripe) -> T,
    ) -> Step<T> {
        self.access(|run| {
            let stripe = &mut run.memory.stripes[index];
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

    fn version(&mut self, item: Item) -> Step<Stripe> {
        self.stripe(stripe_of(item.head), |_| (), |stripe| stripe)
    }

    /// True: a scan is on.
    fn bump(&mut self, head: u8) -> Step<bool> {
        let bump = |stripe: &mut Stripe| stripe.version += 1;
        self.stripe(stripe_of(head), bump, |stripe| stripe.scanned)
    }

    fn show_descriptor(&mut self, index: usize) {
        let descriptor = self.memory.descriptors[index];
        self.show(|| format!("descriptor {index}: {descriptor}"));
    }

    /// What a reference means; `None` if its use is over. The fields and the control in one step: whoever accepts the
    /// fields has seen a control that says that they were not changed since.
    fn resolve(&mut self, word: Word) -> Step<Option<Transfer>> {
        self.access(|run| {
            let (index, uses) = word.named();
            run.show_descriptor(index);
            let descriptor = run.memory.descriptors[index];
            let current = descriptor.uses == uses || run.is(Mutant::NumberOfUseNotChecked);
            current.then_some(descriptor.transfer)
        })
    }

    /// Begins the next use of the thread's descriptor. Returns the reference to it.
    fn publish(&mut self, transfer: Transfer) -> Step<Word> {
        let index = self.id;
        let uses = self.access(|run| {
            let descriptor = &mut run.memory.descriptors[index];
            let uses = descriptor.uses + 1;
            *descriptor = Descriptor {
                uses,
                transfer: Transfer {
                    state: State::Pending,
                    ..transfer
                },
            };
            run.made.wrote = true;
            run.show_descriptor(index);
            uses
        })?;
        Ok(Word::reference(index, uses))
    }

    /// Decides a use, if it is not decided yet, nor over.
    fn decide_use(&mut self, reference: Word, state: State) -> Step<bool> {
        self.access(|run| {
            let (index, uses) = reference.named();
            let descriptor = &mut run.memory.descriptors[index];
            let pending = descriptor.transfer.state == State::Pending;
            let done = descriptor.uses == uses && pending;
            if done {
                descriptor.transfer.state = state;
                run.made.wrote = true;
            }
            let Transfer { placed, item, .. } = descriptor.transfer;
            run.show_descriptor(index);
            if done && state == State::Committed && placed != 0 {
                run.came(item);
            }
            done
        })
    }

    /// Any other access: returns its value, and whether it changed the memory.
    fn other(
        &mut self,
        what: &'static str,
        act: impl FnOnce(&mut Self) -> (u64, bool),
    ) -> Step<u64> {
        self.access(|run| {
            let (value, wrote) = act(run);
            run.made.wrote |= wrote;
            run.show(|| format!("{what}: {value:#x}"));
            value
        })
    }
}

impl Classes {
    const BITS: u32 = 9;

    pub fn iter(self) -> impl Iterator<Item = Class> + Clone {
        let codes = (0..6).map(move |at| self.0 >> (Self::BITS * at) & 0x1ff);
        codes.filter(|&code| code != 0).map(Class::decode)
    }

    /// These classes; `None` if there are too many.
    pub fn of(classes: impl IntoIterator<Item = Class>) -> Option<Self> {
        let mut codes = [0; 6];
        for (at, class) in classes.into_iter().enumerate() {
            *codes.get_mut(at)? = class.encode();
        }
        codes.sort_unstable_by(|a, b| b.cmp(a));
        let shifted = codes
            .iter()
            .zip(0..)
            .map(|(code, at)| code << (Self::BITS * at));
        Some(Self(shifted.sum()))
    }
}

impl Class {
    fn encode(self) -> u64 {
        u64::from(self.head) << 7 | u64::from(self.len) << 4 | u64::from(self.bits)
    }

    fn decode(code: u64) -> Self {
        Self {
            head: (code >> 7) as u8,
            len: (code >> 4 & 7) as u8,
            bits: (code & 0xf) as u8,
        }
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes: Vec<String> = self.iter().map(|class| class.to_string()).collect();
        write!(out, "of [{}]", classes.join(" "))
    }
}
