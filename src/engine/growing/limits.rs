//! What a chain may grow to, and how fast.

use super::chain::Chain;
use crate::error::{BuildError, Cause, Limit, OutOfMemory, Rate};
use crate::layout::Layout;
use crate::table::Geometry;
use crate::table::rate::any_of;
use crate::table::sizing::pair_slots;

/// The options that only an engine which grows has, and the limit on its rate of false positives, which a builder keeps
/// for all engines.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub(crate) factor: usize,
    pub(crate) false_positive_rate: f64,
}

/// A rate that no filter exceeds.
pub(in crate::engine) const NO_LIMIT: f64 = 1.0;

const DEFAULT_FACTOR: usize = 2;

/// With a larger factor a segment would grow so fast that starting small makes no sense.
pub(crate) const LARGEST_FACTOR: usize = 1 << 16;

impl Default for Limits {
    fn default() -> Self {
        Self {
            factor: DEFAULT_FACTOR,
            false_positive_rate: NO_LIMIT,
        }
    }
}

/// The false-positive rate of this many segments that are all full.
pub(crate) fn rate_of_full<L: Layout>(segments: usize) -> f64 {
    any_of::<L>(segments as f64 * pair_slots::<L>() as f64)
}

impl Limits {
    /// Whether the factor is possible.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        let factor = self.factor;
        let nearest = factor.clamp(2, LARGEST_FACTOR).next_power_of_two();
        if factor != nearest {
            return Err(BuildError(Cause::GrowthFactor { factor, nearest }));
        }
        Ok(())
    }

    /// The geometry of the next segment of a chain that takes `bytes` with it, of at most `most`, or why there is none.
    pub(super) fn next<L: Layout>(
        &self,
        chain: &Chain<L>,
        bytes: impl FnOnce(Geometry<L>) -> Result<usize, OutOfMemory>,
        most: usize,
    ) -> Result<Geometry<L>, Limit> {
        let segments = chain.links().count();
        let rate = rate_of_full::<L>(segments + 1);
        if rate > self.false_positive_rate {
            return Err(Limit::FalsePositiveRate {
                rate: Rate::new(rate),
                most: Rate::new(self.false_positive_rate),
            });
        }
        if segments >= Chain::<L>::MOST {
            return Err(Limit::Segments);
        }
        let target = chain.target().geometry();
        let geometry = target.refined(self.factor).ok_or(Limit::Buckets)?;
        let bytes = bytes(geometry)?;
        if bytes > most {
            return Err(Limit::Memory { bytes, most });
        }
        Ok(geometry)
    }
}
