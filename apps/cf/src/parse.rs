//! Parsing: makes the work to do from the arguments of a command.

use std::time::Duration;

use crate::command::{Call, Command, Operation, Rules};
use crate::error::Error;
use crate::settings::{
    self, Layout, MAX_GENERATIONS, MAX_WINDOW, MIN_GENERATIONS, MIN_WINDOW, Settings, Window,
};
use crate::spec::{Spec, Verb};
use crate::transfers;

impl Spec {
    /// Parses the arguments, those behind the name of the command.
    ///
    /// # Errors
    ///
    /// If there are too few or too many, or one of them is wrong.
    pub fn parse<'a>(&self, arguments: &'a [&'a [u8]], rules: &Rules) -> Result<Call<'a>, Error> {
        let wrong_number = || Error::WrongNumber(self.name);
        let (&key, rest) = arguments.split_first().ok_or_else(wrong_number)?;
        let check_key = || check_length(key, rules.longest);
        let command = match (self.verb, rest) {
            (Verb::Reserve, &[capacity, ref options @ ..]) => {
                let settings = settings(self.name, capacity, options, rules)?;
                check_key()?;
                Command::Reserve(settings)
            }
            (Verb::Add { is_unique }, &[item]) => {
                check_key()?;
                check_length(item, rules.longest)?;
                Command::Use(Operation::Add {
                    item,
                    is_unique,
                    create: rules.defaults,
                })
            }
            (Verb::Insert { is_unique }, options @ [_, _, ..]) => {
                let (create, items) = items(self.name, options, rules)?;
                // Check before the first is added: all of them or none are refused.
                check_key()?;
                items
                    .iter()
                    .try_for_each(|item| check_length(item, rules.longest))?;
                Command::Use(Operation::Insert {
                    items,
                    is_unique,
                    create,
                })
            }
            (Verb::Refresh, items @ [_, ..]) => {
                items
                    .iter()
                    .try_for_each(|item| check_length(item, rules.longest))?;
                Command::Use(Operation::Refresh(items))
            }
            (Verb::Exists, &[item]) => Command::Use(Operation::Exists(item)),
            (Verb::ManyExist, items @ [_, ..]) => Command::Use(Operation::ManyExist(items)),
            (Verb::Count, &[item]) => Command::Use(Operation::Count(item)),
            (Verb::Delete, &[item]) => Command::Use(Operation::Delete(item)),
            (Verb::Debug, []) => Command::Use(Operation::Debug),
            (Verb::Info, []) => Command::Use(Operation::Info),
            (Verb::Compact, []) => Command::Compact,
            (Verb::Rotate, []) => Command::Rotate(None),
            (Verb::Rotate, &[rotation]) => {
                let rotation = number(rotation, "rotation", 1..=i64::MAX)?;
                Command::Rotate(Some(rotation))
            }
            (Verb::ScanDump, &[iterator]) => {
                let iterator = integer(iterator).filter(|&iterator| iterator >= 0);
                Command::ScanDump(iterator.ok_or(Error::Position)?)
            }
            (Verb::LoadChunk, &[iterator, chunk]) => {
                let iterator = integer(iterator).ok_or(Error::Position)?;
                check_key()?;
                let end = transfers::end_of(iterator).filter(|&end| end >= chunk.len());
                Command::LoadChunk {
                    end: end.ok_or(Error::Position)?,
                    chunk,
                }
            }
            _ => return Err(wrong_number()),
        };
        Ok(Call { key, command })
    }
}

/// Parses the settings of a filter to reserve. If an option is given twice, the first counts, as in
/// RedisBloom; those of windows are refused, which RedisBloom does not have.
fn settings(
    name: &'static str,
    items: &[u8],
    options: &[&[u8]],
    rules: &Rules,
) -> Result<Settings, Error> {
    let (pairs, rest) = options.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::WrongNumber(name));
    }
    let (mut slots, mut error, mut iterations, mut expansion) = (None, None, None, None);
    let (mut length, mut generations) = (None, None);
    for &[option, value] in pairs {
        match option.to_ascii_uppercase().as_slice() {
            b"BUCKETSIZE" => first(&mut slots, || number(value, "BUCKETSIZE", 1..=255))?,
            b"ERROR" => first(&mut error, || rate(value, "ERROR"))?,
            b"MAXITERATIONS" => first(&mut iterations, || {
                number(value, "MAXITERATIONS", 1..=65_535)
            })?,
            b"EXPANSION" => first(&mut expansion, || number(value, "EXPANSION", 0..=32_768))?,
            b"WINDOW" => once(&mut length, "WINDOW", || seconds(value))?,
            b"GENERATIONS" => once(&mut generations, "GENERATIONS", || {
                let bounds = MIN_GENERATIONS as i64..=MAX_GENERATIONS as i64;
                number(value, "GENERATIONS", bounds)
            })?,
            _ => return Err(Error::UnknownArgument),
        }
    }
    let defaults = rules.defaults;
    let window = window(length, generations)?;
    Ok(Settings {
        capacity: capacity(items, slots).map_err(|error| match error {
            Error::CapacityTooSmall if window.is_some() => Error::CapacityOfWindow {
                least: least_capacity(slots),
            },
            error => error,
        })?,
        expansion: match (expansion, window) {
            (None | Some(0), Some(_)) => 0,
            (Some(_), Some(_)) => return Err(Error::WindowAndExpansion),
            (expansion, None) => expansion.map_or(defaults.expansion, settings::expansion),
        },
        max_iterations: iterations.unwrap_or(defaults.max_iterations),
        layout: match (slots, error) {
            (None, None) => defaults.layout,
            (Some(slots), None) => Layout::of_bucket_size(slots),
            (None, Some(rate)) => Layout::Rate(rate),
            (Some(_), Some(_)) => return Err(Error::BucketSizeAndError),
        },
        window,
    })
}

fn window(length: Option<Duration>, generations: Option<usize>) -> Result<Option<Window>, Error> {
    match (length, generations) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(Error::NoWindowToDivide),
        (Some(length), generations) => {
            let window = Window::new(length, generations.unwrap_or(MIN_GENERATIONS));
            window.map(Some).ok_or(Error::Window)
        }
    }
}

fn first<T>(option: &mut Option<T>, value: impl FnOnce() -> Result<T, Error>) -> Result<(), Error> {
    if option.is_none() {
        *option = Some(value()?);
    }
    Ok(())
}

fn once<T>(
    option: &mut Option<T>,
    name: &'static str,
    value: impl FnOnce() -> Result<T, Error>,
) -> Result<(), Error> {
    if option.is_some() {
        return Err(Error::Twice(name));
    }
    first(option, value)
}

/// Parses the items to insert, and the settings of the filter to make for them, if one may be made.
fn items<'a>(
    name: &'static str,
    mut options: &'a [&'a [u8]],
    rules: &Rules,
) -> Result<(Option<Settings>, &'a [&'a [u8]]), Error> {
    let (mut settings, mut creates) = (rules.defaults, true);
    loop {
        match *options {
            [option, ref items @ ..] if is(option, "ITEMS") => {
                if items.is_empty() {
                    return Err(Error::WrongNumber(name));
                }
                return Ok((creates.then_some(settings), items));
            }
            [option, ref behind @ ..] if is(option, "NOCREATE") => {
                creates = false;
                options = behind;
            }
            [option, value, ref behind @ ..] if is(option, "CAPACITY") => {
                settings.capacity = capacity(value, None)?;
                options = behind;
            }
            [] => return Err(Error::WrongNumber(name)),
            _ => return Err(Error::UnknownArgument),
        }
    }
}

fn is(argument: &[u8], word: &str) -> bool {
    argument.eq_ignore_ascii_case(word.as_bytes())
}

/// Parses an integer as Redis reads it: without a plus, blanks, or leading zeros.
fn integer(argument: &[u8]) -> Option<i64> {
    let number: i64 = std::str::from_utf8(argument).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == argument).then_some(number)
}

/// Parses the value of an option: a number within bounds.
fn number<T: TryFrom<i64>>(
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

/// The bucket size of RedisBloom, unless a client gives one.
const BUCKET_SIZE: usize = 2;

/// Returns the smallest capacity: two buckets, of a bucket size that a client may have given.
fn least_capacity(bucket_size: Option<usize>) -> usize {
    2 * bucket_size.unwrap_or(BUCKET_SIZE)
}

fn capacity(argument: &[u8], bucket_size: Option<usize>) -> Result<usize, Error> {
    let capacity = integer(argument).ok_or(Error::BadCapacity)?;
    usize::try_from(capacity)
        .ok()
        .filter(|&capacity| capacity >= least_capacity(bucket_size))
        .ok_or(Error::CapacityTooSmall)
}

/// Parses a rate of false positives that a filter can be made for.
fn rate(argument: &[u8], name: &'static str) -> Result<f64, Error> {
    let rate = std::str::from_utf8(argument)
        .ok()
        .and_then(|text| text.parse().ok());
    rate.filter(|rate| (1e-9..1.0).contains(rate))
        .ok_or(Error::Rate(name))
}

/// Parses the length of a window. The number may have a fraction.
fn seconds(argument: &[u8]) -> Result<Duration, Error> {
    let text = std::str::from_utf8(argument).ok();
    let seconds: Option<f64> = text.and_then(|text| text.parse().ok());
    let length = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    length
        .filter(|length| (MIN_WINDOW..=MAX_WINDOW).contains(length))
        .ok_or(Error::Window)
}

fn check_length(argument: &[u8], most: usize) -> Result<(), Error> {
    let length = argument.len();
    if length <= most {
        Ok(())
    } else {
        Err(Error::TooLong { length, most })
    }
}
