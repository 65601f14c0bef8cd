//! Rotation: the spare becomes the young table, and the oldest one becomes the spare.
//!
//! It is one exchange of the state. Ahead of it the spare is emptied, if that is not done: by any thread that wants to
//! rotate, or by several at once, none of which waits for another.

use super::Rotating;
use super::state::State;
use crate::error::RotateError;
use crate::layout::Layout;
use crate::tokens::{ATTEMPTS, Emptied};

impl<L: Layout> Rotating<L> {
    /// Rotates if the number of rotations is still this one, or in any case. Returns whether this call did.
    ///
    /// Linearization point: the exchange of the state.
    pub(crate) fn rotate(&self, rotations: Option<u64>) -> Result<bool, RotateError> {
        loop {
            let state = self.state.load();
            if rotations.is_some_and(|rotations| rotations != state.rotations()) {
                return Ok(false);
            }
            if !state.is_clean() {
                self.clean(state)?;
            } else if self.state.replace(state, state.rotated(self.tables.len())) {
                // The next rotation is quick if the spare is clean by then. If this fails, it begins with it.
                let _ = self.clean(self.state.load());
                return Ok(true);
            }
        }
    }

    /// How many rotations there were.
    #[inline]
    pub(crate) fn rotations(&self) -> u64 {
        self.state.load().rotations()
    }

    /// Empties the spare, and notes that it is empty, unless there is a rotation meanwhile.
    fn clean(&self, state: State) -> Result<(), RotateError> {
        if state.is_clean() {
            return Ok(());
        }
        let spare = &self.tables[state.spare(self.tables.len())];
        let permitted = || self.state.load().rotations() == state.rotations();
        match spare.empty_while(&permitted) {
            // Fails if a late insert has put a token there, which may be behind: whoever wants to rotate empties it
            // again. Or if another thread was quicker.
            Emptied::All => {
                self.state.replace(state, state.cleaned());
                Ok(())
            }
            Emptied::Revoked => Ok(()),
            Emptied::Disturbed => Err(RotateError::Disturbed { attempts: ATTEMPTS }),
            Emptied::Starved => Err(RotateError::NoDescriptor { attempts: ATTEMPTS }),
        }
    }
}
