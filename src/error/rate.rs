//! A rate in an error.

use core::fmt;

/// A rate, as its bits, because those can be compared for equality.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate(u64);

impl Rate {
    pub(crate) fn new(rate: f64) -> Self {
        Self(rate.to_bits())
    }

    pub(crate) fn get(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// The number itself, with no more digits than it takes.
    pub(crate) fn exact(self) -> Exact {
        Exact(self.get())
    }
}

/// See [`Rate::exact`].
pub(crate) struct Exact(f64);

impl fmt::Display for Exact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(rate) = self;
        if *rate == 0.0 || (1e-5..1e5).contains(&rate.abs()) {
            rate.fmt(out)
        } else {
            write!(out, "{rate:e}")
        }
    }
}

/// A few digits. Small rates with a power of ten.
impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.get();
        if rate < 1e-5 {
            write!(out, "{rate:.2e}")
        } else {
            write!(out, "{rate:.6}")
        }
    }
}

/// The number.
impl fmt::Debug for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(out)
    }
}
