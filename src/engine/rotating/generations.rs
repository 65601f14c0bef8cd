//! How many generations there are.

use super::state::MOST_TABLES;
use crate::error::{BuildError, Cause};

/// The options that only an engine which rotates has.
#[derive(Clone, Copy, Debug)]
pub struct Generations {
    pub(crate) count: usize,
}

/// With one, an item could leave as soon as it is in.
const FEWEST: usize = 2;

/// One table is the spare.
const MOST: usize = MOST_TABLES - 1;

impl Default for Generations {
    fn default() -> Self {
        Self { count: FEWEST }
    }
}

impl Generations {
    /// The number of them, if it is possible.
    pub(crate) fn check(self) -> Result<usize, BuildError> {
        let generations = self.count;
        let nearest = generations.clamp(FEWEST, MOST);
        if generations != nearest {
            return Err(BuildError(Cause::Generations {
                generations,
                nearest,
            }));
        }
        Ok(generations)
    }
}
