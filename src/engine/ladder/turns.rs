//! Turns: a call asks the first generation, and if that is sealed, those after it.

use crossbeam_epoch::{Guard, pin};

use super::Ladder;
use super::generation::Generation;
use crate::tokens::doubling::Sealed;

impl Ladder {
    /// What `of` says of the generation in use. It must say of a generation that it is sealed if it was before the answer
    /// was certain.
    #[inline]
    pub(super) fn ask<R>(&self, mut of: impl FnMut(&Generation) -> Result<R, Sealed>) -> R {
        match of(&self.home) {
            Ok(answer) => answer,
            Err(Sealed) => self.ask_later(of),
        }
    }

    /// The same if the first generation is sealed.
    #[cold]
    #[inline(never)]
    pub(super) fn ask_later<R>(&self, mut of: impl FnMut(&Generation) -> Result<R, Sealed>) -> R {
        loop {
            let guard = pin();
            let current = self.current.load(&guard);
            if let Some(Ok(answer)) = current.map(&mut of) {
                return answer;
            }
            self.leave(current, &guard);
        }
    }

    /// What `of` says of the generation in use, at some moment.
    pub(crate) fn of_current<R>(&self, of: impl Fn(&Generation) -> R) -> R {
        self.ask(|generation| {
            let answer = of(generation);
            generation.check().map(|()| answer)
        })
    }

    /// What `of` says of the generation of this number, if it is still in use, or the first.
    pub(crate) fn of_number<R>(&self, number: u64, of: impl FnOnce(&Generation) -> R) -> Option<R> {
        if self.home.number() == number {
            return Some(of(&self.home));
        }
        let guard = pin();
        let current = self.current.load(&guard)?;
        (current.number() == number).then(|| of(current))
    }

    /// Goes on to the next generation: behind this one, which is sealed; behind the first, if it is none.
    pub(super) fn leave(&self, sealed: Option<&Generation>, guard: &Guard) {
        match sealed {
            None => self.current.leave_first(&self.home, guard),
            Some(sealed) => self.current.leave(sealed, guard),
        }
    }

    /// The generation in use, as the first, with nothing besides. No other thread is about, so none can be in the midst of
    /// a call that need not be pinned.
    pub(crate) fn alone(&mut self) -> &mut Generation {
        // Another thread may have stopped after it sealed one.
        self.of_current(|_| ());
        if let Some(current) = self.current.take() {
            self.home = *current;
        }
        self.home.drop_spare();
        &mut self.home
    }
}

impl Drop for Ladder {
    fn drop(&mut self) {
        // What was sealed and not left still has its successor.
        self.of_current(|_| ());
    }
}
