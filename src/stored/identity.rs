//! Which hasher a filter was stored with. With another one it would miss everything that it holds.

use core::any::Any;
use core::hash::{BuildHasher, Hasher};

use crate::error::ReadError;
use crate::random_state::RandomState;

/// What is stored about a hasher: enough to rebuild the default hasher, and to recognize any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The seed of the default hasher; `None` for a custom one.
    pub(crate) seed: Option<u64>,
    /// The hash of [`PROBE`] by this hasher.
    pub(crate) check: u64,
}

/// Written at once, as bytes, so that it is the same input on every machine.
const PROBE: &[u8] = b"lockfree-cuckoo";

impl Identity {
    pub(crate) fn of<S: BuildHasher + 'static>(hasher: &S) -> Self {
        let default = (hasher as &dyn Any).downcast_ref::<RandomState>();
        let mut probed = hasher.build_hasher();
        probed.write(PROBE);
        Self {
            seed: default.map(RandomState::seed),
            check: probed.finish(),
        }
    }

    /// The hasher that was handed over, if it is this one.
    pub(crate) fn admit<S: BuildHasher + 'static>(&self, hasher: S) -> Result<S, ReadError> {
        if Self::of(&hasher) == *self {
            Ok(hasher)
        } else {
            Err(ReadError::OtherHasher)
        }
    }

    /// The default hasher, made again from its seed.
    pub(crate) fn rebuild(&self) -> Result<RandomState, ReadError> {
        let seed = self.seed.ok_or(ReadError::HasherNeeded)?;
        self.admit(RandomState::with_seed(seed))
    }

    /// The default hasher with its stored seed where `S` is that, else `S::default()` if it is this one.
    #[cfg(feature = "serde")]
    pub(crate) fn rebuild_or_default<S: BuildHasher + Default + 'static>(
        &self,
    ) -> Result<S, ReadError> {
        let mut rebuilt: Option<S> = None;
        if let Some(rebuilt) = (&mut rebuilt as &mut dyn Any).downcast_mut::<Option<RandomState>>()
        {
            *rebuilt = Some(self.rebuild()?);
        }
        match rebuilt {
            Some(hasher) => Ok(hasher),
            None => self.admit(S::default()),
        }
    }
}
