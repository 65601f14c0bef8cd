//! A value that has too many bits.

use core::fmt;

/// A value is larger than the layout has room for. Says which are possible.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{Filter, Fixed, InsertError, Lanes, ValueError};
///
/// type Ports = Filter<Fixed<Lanes<4, 12, 4>>>;
///
/// let error = Ports::with_capacity(100).insert_value("flow", 16).unwrap_err();
/// let too_large = ValueError { value: 16, most: 15 };
/// assert_eq!(error, InsertError::Value { error: too_large });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// The value that was refused.
    pub value: u16,
    /// The largest value that is possible.
    pub most: u16,
}

impl fmt::Display for ValueError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, most } = self;
        write!(
            out,
            "a value of {value} is too large: at most {most} is possible"
        )
    }
}

impl core::error::Error for ValueError {}
