//! The accesses.

use super::{Run, Step};
use crate::growing::geometry::{Item, WORDS, level_of};
use crate::growing::memory::{Access, Descriptor, Hint, STRIPES, State, Stripe, Transfer};
use crate::growing::mutants::Mutant;
use crate::growing::word::Word;

/// The stripe of a head.
fn stripe_of(head: u8) -> usize {
    usize::from(head) % STRIPES
}

impl Run<'_> {
    pub(super) fn record(&mut self, access: Access) {
        debug_assert!(self.access.is_none(), "a step is one access");
        self.access = Some(access);
    }

    /// The place of a word, if it is in a block that is there.
    fn place(&mut self, number: u8) -> usize {
        if self.memory.blocks >> level_of(number) & 1 == 0 {
            self.fault = Some("an access to a block that is not there");
        }
        usize::from(number) % WORDS
    }

    pub(super) fn hint(&mut self, table: usize) -> Step<Hint> {
        let code = self.access(|run| {
            let hint = run.memory.hints[table];
            run.record(Access::Hint(table, hint));
            u64::from(hint.level) << 1 | u64::from(hint.growing)
        })?;
        Ok(Hint {
            level: (code >> 1) as u8,
            growing: code & 1 != 0,
        })
    }

    /// Changes the hint, if it is still this one, or whatever it is.
    pub(super) fn set_hint(&mut self, table: usize, old: Option<Hint>, new: Hint) -> Step<()> {
        self.access(|run| {
            let hint = &mut run.memory.hints[table];
            if old.is_none_or(|old| *hint == old) {
                *hint = new;
                run.wrote = true;
            }
            let hint = *hint;
            run.record(Access::Hint(table, hint));
            0
        })?;
        Ok(())
    }

    pub(super) fn load(&mut self, number: u8) -> Step<Word> {
        let code = self.access(|run| {
            let place = run.place(number);
            let word = run.memory.words[place];
            run.record(Access::Load(number, word));
            word.code()
        })?;
        Ok(Word::from_code(code))
    }

    pub(super) fn exchange(&mut self, number: u8, old: Word, new: Word) -> Step<bool> {
        self.exchange_and(number, old, new, |_| ())
    }

    /// An exchange that changes which items are in, if it is done.
    pub(super) fn exchange_and(
        &mut self,
        number: u8,
        old: Word,
        new: Word,
        then: impl FnOnce(&mut Self),
    ) -> Step<bool> {
        let done = self.access(|run| {
            let place = run.place(number);
            let word = &mut run.memory.words[place];
            let done = *word == old;
            if done {
                *word = new;
                run.wrote = true;
                then(run);
            }
            run.record(Access::Exchange(number, old, new, done));
            done.into()
        })?;
        Ok(done != 0)
    }

    /// One more item is in.
    pub(super) fn came(&mut self, item: u8) {
        if self.world.contract {
            self.memory.items[usize::from(item)] += 1;
        }
    }

    /// One item fewer is in.
    pub(super) fn went(&mut self, item: u8) {
        if self.world.contract {
            let items = &mut self.memory.items[usize::from(item)];
            match items.checked_sub(1) {
                Some(left) => *items = left,
                None => self.fault = Some("an item was removed that is not in"),
            }
        }
    }

    pub(super) fn version(&mut self, item: Item) -> Step<u64> {
        self.access(|run| {
            let stripe = stripe_of(item.head);
            let value = run.memory.stripes[stripe];
            run.record(Access::Stripe(stripe, value));
            u64::from(value.version) << 1 | u64::from(value.scanned)
        })
    }

    /// True: a scan is on.
    pub(super) fn bump(&mut self, head: u8) -> Step<bool> {
        let scanned = self.access(|run| {
            let index = stripe_of(head);
            let stripe = &mut run.memory.stripes[index];
            stripe.version += 1;
            let value = *stripe;
            run.wrote = true;
            run.record(Access::Stripe(index, value));
            value.scanned.into()
        })?;
        Ok(scanned != 0)
    }

    pub(super) fn announce_scan(&mut self, stripe: usize, scanned: bool) -> Step<()> {
        self.access(|run| {
            let value = Stripe {
                scanned,
                ..run.memory.stripes[stripe]
            };
            run.memory.stripes[stripe] = value;
            run.wrote = true;
            run.record(Access::Stripe(stripe, value));
            0
        })?;
        Ok(())
    }

    /// What a reference means; `None` if its use is over. The fields and the control in one step: whoever accepts the
    /// fields has seen a control that says that they were not changed since.
    pub(super) fn resolve(&mut self, word: Word) -> Step<Option<Transfer>> {
        let code = self.access(|run| {
            let (index, uses) = word.named();
            let descriptor = run.memory.descriptors[index];
            run.record(Access::Descriptor(index, descriptor));
            let current = descriptor.uses == uses || run.is(Mutant::NumberOfUseNotChecked);
            if current {
                descriptor.transfer.code() << 1 | 1
            } else {
                0
            }
        })?;
        Ok((code != 0).then(|| Transfer::from_code(code >> 1)))
    }

    /// Begins the next use of the thread's descriptor. Returns the reference to it.
    pub(super) fn publish(&mut self, transfer: Transfer) -> Step<Word> {
        let index = self.id;
        let uses = self.access(|run| {
            let descriptor = &mut run.memory.descriptors[index];
            *descriptor = Descriptor {
                uses: descriptor.uses + 1,
                transfer: Transfer {
                    state: State::Pending,
                    ..transfer
                },
            };
            let descriptor = *descriptor;
            run.wrote = true;
            run.record(Access::Descriptor(index, descriptor));
            descriptor.uses.into()
        })?;
        Ok(Word::reference(index, uses as u8))
    }

    /// Decides a use, if it is not decided yet, nor over.
    pub(super) fn decide_use(&mut self, reference: Word, state: State) -> Step<bool> {
        let done = self.access(|run| {
            let (index, uses) = reference.named();
            let descriptor = &mut run.memory.descriptors[index];
            let pending = descriptor.transfer.state == State::Pending;
            let done = descriptor.uses == uses && pending;
            if done {
                descriptor.transfer.state = state;
                run.wrote = true;
            }
            let descriptor = *descriptor;
            run.record(Access::Descriptor(index, descriptor));
            if done && state == State::Committed && descriptor.transfer.placed != 0 {
                run.came(descriptor.transfer.item);
            }
            done.into()
        })?;
        Ok(done != 0)
    }

    /// Any other access.
    pub(super) fn other(
        &mut self,
        what: &'static str,
        act: impl FnOnce(&mut Self) -> (u64, bool),
    ) -> Step<u64> {
        self.access(|run| {
            let (value, wrote) = act(run);
            run.wrote |= wrote;
            run.record(Access::Other(what, value));
            value
        })
    }
}
