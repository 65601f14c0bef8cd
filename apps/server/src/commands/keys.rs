//! Commands on keys: deletes, lists and measures filters, with the patterns of Redis.

use super::Answer;
use crate::arguments::{integer, is, syntax_error};
use crate::catalogue::bytes_of;
use crate::reply::Reply;
use crate::session::Session;

pub(super) fn del(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let server = session.server.clone();
    let keys: Vec<Vec<u8>> = arguments.iter().map(|key| key.to_vec()).collect();
    Answer::later(move || Reply::number(server.catalogue.remove(&keys)))
}

pub(super) fn exists(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let filters = session.server.catalogue.filters();
    let there = arguments.iter().filter(|key| filters.contains_key(**key));
    Reply::number(there.count()).into()
}

pub(super) fn dbsize(session: &mut Session, _: &[&[u8]]) -> Answer {
    Reply::number(session.server.catalogue.filters().len()).into()
}

pub(super) fn flush(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    match *arguments {
        [] => {}
        [option] if is(option, "SYNC") || is(option, "ASYNC") => {}
        _ => return syntax_error().into(),
    }
    let server = session.server.clone();
    Answer::later(move || {
        server.catalogue.clear();
        Reply::OK
    })
}

/// The name of the type.
const TYPE: &str = match cf::TYPE.to_str() {
    Ok(name) => name,
    Err(_) => panic!("not a text"),
};

pub(super) fn kind(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let filters = session.server.catalogue.filters();
    let is_there = arguments
        .first()
        .is_some_and(|key| filters.contains_key(*key));
    Reply::Simple(if is_there { TYPE } else { "none" }).into()
}

pub(super) fn keys(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let pattern = arguments.first().copied().unwrap_or_default();
    matching(session, pattern, Reply::Array)
}

/// Replies with all keys at once: there are few, and one step misses no key that is there
/// throughout.
pub(super) fn scan(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let Some((cursor, options)) = arguments.split_first() else {
        return syntax_error().into();
    };
    if integer(cursor) != Some(0) {
        return Reply::error("ERR invalid cursor").into();
    }
    let (mut pattern, mut is_other): (&[u8], bool) = (b"*", false);
    let (pairs, rest) = options.as_chunks::<2>();
    for &[option, value] in pairs {
        if is(option, "MATCH") {
            pattern = value;
        } else if is(option, "TYPE") {
            // All keys are of one type; there are no keys of other types.
            is_other |= !is(value, TYPE);
        } else if is(option, "COUNT") {
            // The value has no meaning here, where all keys are listed at once.
            match integer(value) {
                Some(1..) => {}
                Some(_) => return syntax_error().into(),
                None => return Reply::error("ERR value is not an integer or out of range").into(),
            }
        } else {
            return syntax_error().into();
        }
    }
    if !rest.is_empty() {
        return syntax_error().into();
    }
    if is_other {
        return Reply::Array(vec![Reply::text("0"), Reply::Array(Vec::new())]).into();
    }
    matching(session, pattern, |keys| {
        Reply::Array(vec![Reply::text("0"), Reply::Array(keys)])
    })
}

/// The longest pattern. Longer ones would take long to compare with long keys.
const LONGEST_PATTERN: usize = 256;

fn matching(session: &Session, pattern: &[u8], reply: fn(Vec<Reply>) -> Reply) -> Answer {
    if pattern.len() > LONGEST_PATTERN {
        return Reply::error("ERR the pattern is too long: at most 256 bytes are allowed").into();
    }
    let (server, pattern) = (session.server.clone(), pattern.to_owned());
    Answer::later(move || {
        let filters = server.catalogue.filters();
        let matching = filters.keys().filter(|key| matches(&pattern, key));
        reply(
            matching
                .map(|key| Reply::Bulk(key.to_vec().into()))
                .collect(),
        )
    })
}

pub(super) fn memory(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    match *arguments {
        [part, key, ..] if is(part, "USAGE") => {
            let (server, key) = (session.server.clone(), key.to_vec());
            Answer::later(move || match server.catalogue.get(&key) {
                Some(filter) => Reply::number(bytes_of(&key, &filter)),
                None => Reply::Nil,
            })
        }
        _ => Reply::error("ERR unknown subcommand: only MEMORY USAGE key is supported").into(),
    }
}

/// Returns whether a pattern fits a text: `*` fits anything, `?` one byte, `[ab]`, `[a-c]` and
/// `[^a]` one of some bytes; `\` takes the next byte as it is.
pub(super) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut pattern_at, mut text_at) = (0, 0);
    // Where to go on if the rest after the last star does not fit.
    let mut star = None;
    while let Some(&byte) = text.get(text_at) {
        let rest = &pattern[pattern_at..];
        if rest.first() == Some(&b'*') {
            star = Some((pattern_at, text_at));
            pattern_at += 1;
        } else if let Some(length) = length_if_fits(rest, byte) {
            pattern_at += length;
            text_at += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            (pattern_at, text_at) = (at + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[pattern_at..].iter().all(|&byte| byte == b'*')
}

/// Returns the length of the first part of the pattern, if that fits this byte.
fn length_if_fits(pattern: &[u8], byte: u8) -> Option<usize> {
    let (fits, length) = match *pattern {
        [] => return None,
        [b'?', ..] => (true, 1),
        [b'\\', literal, ..] => (literal == byte, 2),
        [b'[', ref class @ ..] => {
            let (fits, length) = one_of(class, byte);
            (fits, 1 + length)
        }
        [literal, ..] => (literal == byte, 1),
    };
    fits.then_some(length)
}

/// Returns whether the byte is one of those in brackets, and the length with the closing one.
/// Without a closing bracket the class ends with the pattern.
fn one_of(class: &[u8], byte: u8) -> (bool, usize) {
    let is_negated = class.first() == Some(&b'^');
    let (mut at, mut found) = (usize::from(is_negated), false);
    loop {
        let (first, last, length) = match class[at..] {
            [] => break,
            [b']', ..] => {
                at += 1;
                break;
            }
            [b'\\', literal, ..] => (literal, literal, 2),
            [first, b'-', last, ..] => (first.min(last), first.max(last), 3),
            [literal, ..] => (literal, literal, 1),
        };
        found |= (first..=last).contains(&byte);
        at += length;
    }
    (found != is_negated, at)
}

#[cfg(test)]
mod tests {
    use super::matches;

    /// Patterns, each with a text and whether it fits.
    const CASES: &str = r"
        * abc yes | a*c abbc yes | a*c* acb yes | a?c abc yes | a?c ac no | a*d abc no | *a*b aab yes
        h[ae]llo hallo yes | h[ae]llo hillo no | h[^e]llo hallo yes | h[^e]llo hello no | h[a-b]llo hbllo yes
        h[b-a]llo hallo yes | h[a-b]llo hcllo no | *[0-9] flow7 yes | *[0-9]x* a1b2xc yes | [a-] ^ yes | [a-] - no
        [\]] ] yes | [] ] no | []a ]a no | [^] a yes | [ab b yes | [ [ no
        a\*b a*b yes | a\*b aab no | \? ? yes | \? a no | \[a] [a] yes | \ \ yes";

    #[test]
    fn patterns_fit_as_in_redis() {
        assert!(matches(b"*", b"") && !matches(b"", b"a") && !matches(b"[a]", b""));
        for case in CASES.split(['|', '\n']).map(str::trim).skip(1) {
            let [pattern, text, fits] = *case.split(' ').collect::<Vec<_>>() else {
                panic!("{case}");
            };
            let found = matches(pattern.as_bytes(), text.as_bytes());
            assert_eq!(found, fits == "yes", "{case}");
        }
    }
}
