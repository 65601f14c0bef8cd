//! Own options: those of this module beside the options of the commands crate.
//!
//! `SEED` of `CF.RESERVE` makes a filter, with its settings, reproducible. `AT` of `CF.RESERVE`,
//! `CF.ROTATE` and `CF.LOADCHUNK` is for the append-only log: the time of the command, in
//! milliseconds since 1970, so that a filter with a window has the same age after the log is read.
//! Only the log uses it.

use cf::Error;
use lockfree_cuckoo::RandomState;

/// The documentation of the option of `CF.RESERVE`.
pub(crate) const USAGE: &str = "[SEED seed]";

/// The own options of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) seed: Option<u64>,
    pub(crate) at: Option<u64>,
}

/// Returns whether the engine must accept more arguments for a command than its documentation has.
pub(crate) fn takes_more(name: &str) -> bool {
    name == "CF.LOADCHUNK"
}

/// Returns whether a command has own options.
pub(crate) fn has_some(name: &str, arguments: &[&[u8]]) -> bool {
    match name {
        "CF.RESERVE" => true,
        "CF.ROTATE" => arguments.len() > 2,
        "CF.LOADCHUNK" => arguments.len() > 3,
        _ => false,
    }
}

/// Removes the own options from the arguments of a command.
pub(crate) fn split<'a>(name: &str, arguments: &[&'a [u8]]) -> Result<(Vec<&'a [u8]>, Own), Error> {
    let before = if name == "CF.LOADCHUNK" { 3 } else { 2 };
    let options = arguments.get(before..).unwrap_or_default();
    let mut own = Own::default();
    let mut rest = arguments[..arguments.len().min(before)].to_vec();
    for pair in options.chunks(2) {
        match *pair {
            [option, value] if option.eq_ignore_ascii_case(b"SEED") && name == "CF.RESERVE" => {
                own.seed = Some(seed(value)?);
            }
            [option, value] if option.eq_ignore_ascii_case(b"AT") => {
                let at = number(value).ok_or_else(|| Error::Other(AT.to_owned()))?;
                own.at = Some(at);
            }
            _ => rest.extend_from_slice(pair),
        }
    }
    Ok((rest, own))
}

pub(crate) fn random() -> u64 {
    RandomState::new().seed()
}

const SEED: &str = "SEED: value must be `random` or a number from 0 to 18446744073709551615";
const AT: &str = "AT: value must be a number of milliseconds since 1970";

fn seed(value: &[u8]) -> Result<u64, Error> {
    if value.eq_ignore_ascii_case(b"random") {
        return Ok(random());
    }
    number(value).ok_or_else(|| Error::Other(SEED.to_owned()))
}

fn number(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Own, split};

    const NONE: Own = Own {
        seed: None,
        at: None,
    };

    #[test]
    fn are_separated_from_the_other_options() {
        let words = |line: &'static str| line.split(' ').map(str::as_bytes).collect::<Vec<_>>();
        let seven = Own {
            seed: Some(7),
            ..NONE
        };
        for (line, rest, own) in [
            ("CF.RESERVE f 10 SEED 7", "f 10", seven),
            (
                "CF.RESERVE f 10 EXPANSION 2 seed 7 ERROR 0.1",
                "f 10 EXPANSION 2 ERROR 0.1",
                seven,
            ),
            ("CF.RESERVE f 10 SEED", "f 10 SEED", NONE),
            (
                "CF.RESERVE f 10 EXPANSION SEED 7",
                "f 10 EXPANSION SEED 7",
                NONE,
            ),
            ("CF.RESERVE SEED 7", "SEED 7", NONE),
            (
                "CF.RESERVE f 10 WINDOW 60 AT 5 SEED 7",
                "f 10 WINDOW 60",
                Own {
                    at: Some(5),
                    ..seven
                },
            ),
            (
                "CF.ROTATE f 3 at 5",
                "f 3",
                Own {
                    at: Some(5),
                    ..NONE
                },
            ),
            ("CF.ROTATE f 3 SEED 7", "f 3 SEED 7", NONE),
            (
                "CF.LOADCHUNK f AT 3 AT 5",
                "f AT 3",
                Own {
                    at: Some(5),
                    ..NONE
                },
            ),
        ] {
            let (name, arguments) = line.split_once(' ').expect(line);
            let found = split(name, &words(arguments)).expect(line);
            assert_eq!(found, (words(rest), own), "{line}");
        }
        let random = split("CF.RESERVE", &words("f 10 SEED random"));
        assert!(random.is_ok_and(|(_, own)| own.seed.is_some()));
        for line in [
            "f 10 SEED x",
            "f 10 SEED -1",
            "f 10 SEED 18446744073709551616",
            "f 10 AT x",
            "f 10 AT -1",
        ] {
            assert!(split("CF.RESERVE", &words(line)).is_err(), "{line}");
        }
    }
}
