//! What arguments mean.

use crate::error::Error;

pub(crate) fn is(argument: &[u8], word: &str) -> bool {
    argument.eq_ignore_ascii_case(word.as_bytes())
}

/// An integer as Redis reads it: without a plus, blanks, or zeros ahead of it.
pub(crate) fn integer(argument: &[u8]) -> Option<i64> {
    let number: i64 = std::str::from_utf8(argument).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == argument).then_some(number)
}

/// The value of an option: a number within bounds.
pub(crate) fn number<T: TryFrom<i64>>(
    argument: &[u8],
    name: &'static str,
    bounds: std::ops::RangeInclusive<i64>,
) -> Result<T, Error> {
    let number = integer(argument).ok_or(Error::NoNumber(name))?;
    let number = Some(number).filter(|number| bounds.contains(number));
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or(Error::OutOfBounds {
            name,
            least: *bounds.start(),
            most: *bounds.end(),
        })
}

/// The bucket size of RedisBloom unless a client says.
const BUCKET_SIZE: i64 = 2;

/// A capacity of two buckets or more, of a bucket size that a client may have given.
pub(crate) fn capacity(argument: &[u8], bucket_size: Option<usize>) -> Result<usize, Error> {
    let capacity = integer(argument).ok_or(Error::BadCapacity)?;
    let bucket_size = bucket_size.map_or(BUCKET_SIZE, |size| size as i64);
    usize::try_from(capacity)
        .ok()
        .filter(|_| capacity >= 2 * bucket_size)
        .ok_or(Error::CapacityTooSmall)
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
