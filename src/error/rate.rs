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
