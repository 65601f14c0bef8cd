//! Arguments: parses numbers and words, and makes the errors for wrong ones.

use crate::reply::Reply;

/// A value, or the reply to a wrong argument.
pub(crate) type Parsed<T> = Result<T, Reply>;

pub(crate) fn is(argument: &[u8], word: &str) -> bool {
    argument.eq_ignore_ascii_case(word.as_bytes())
}

pub(crate) fn integer(argument: &[u8]) -> Option<i64> {
    std::str::from_utf8(argument).ok()?.parse().ok()
}

pub(crate) fn syntax_error() -> Reply {
    Reply::error("ERR syntax error")
}
