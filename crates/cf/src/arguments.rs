//! What arguments mean.

use crate::error::Error;

pub(crate) fn is(argument: &[u8], word: &str) -> bool {
    argument.eq_ignore_ascii_case(word.as_bytes())
}

pub(crate) fn integer(argument: &[u8]) -> Option<i64> {
    std::str::from_utf8(argument).ok()?.parse().ok()
}

/// A number within bounds.
pub(crate) fn number<T: TryFrom<i64>>(
    argument: &[u8],
    name: &'static str,
    bounds: std::ops::RangeInclusive<i64>,
) -> Result<T, Error> {
    integer(argument)
        .filter(|number| bounds.contains(number))
        .and_then(|number| T::try_from(number).ok())
        .ok_or(Error::OutOfBounds {
            name,
            least: *bounds.start(),
            most: *bounds.end(),
        })
}

/// A rate of false positives that a filter can be made for.
pub(crate) fn rate(argument: &[u8], name: &'static str) -> Result<f64, Error> {
    let rate = std::str::from_utf8(argument)
        .ok()
        .and_then(|text| text.parse().ok());
    rate.filter(|rate| (1e-9..1.0).contains(rate))
        .ok_or(Error::Rate(name))
}

pub(crate) fn check_length(argument: &[u8], most: usize) -> Result<(), Error> {
    let length = argument.len();
    if length <= most {
        Ok(())
    } else {
        Err(Error::TooLong { length, most })
    }
}
