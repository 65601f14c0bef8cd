//! What arguments mean.

use crate::catalogue::CreateError;
use crate::reply::Reply;

/// What replaces the reply when an argument is wrong.
pub(crate) type Parsed<T> = Result<T, Reply>;

pub(crate) fn is(argument: &[u8], word: &str) -> bool {
    argument.eq_ignore_ascii_case(word.as_bytes())
}

pub(crate) fn integer(argument: &[u8]) -> Option<i64> {
    std::str::from_utf8(argument).ok()?.parse().ok()
}

/// A number within bounds, or the error that says what it is not.
pub(crate) fn number<T: TryFrom<i64>>(
    argument: &[u8],
    name: &str,
    bounds: std::ops::RangeInclusive<i64>,
) -> Parsed<T> {
    integer(argument)
        .filter(|number| bounds.contains(number))
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| {
            let (least, most) = (bounds.start(), bounds.end());
            Reply::error(format!(
                "ERR {name}: value must be an integer between {least} and {most}, inclusive"
            ))
        })
}

pub(crate) fn wrong_number(command: &str) -> Reply {
    let command = command.to_ascii_lowercase();
    Reply::error(format!(
        "ERR wrong number of arguments for '{command}' command"
    ))
}

pub(crate) fn syntax_error() -> Reply {
    Reply::error("ERR syntax error")
}

/// Refuses an item or a key that is longer than the operator allows.
pub(crate) fn check_length(argument: &[u8], most: usize) -> Parsed<()> {
    let length = argument.len();
    if length <= most {
        return Ok(());
    }
    Err(Reply::error(format!(
        "ERR {length} bytes; {most} are the most that an item or a key can have"
    )))
}

pub(crate) fn not_created(error: &CreateError) -> Reply {
    Reply::error(format!("ERR {error}"))
}
