//! `SEED` and `MAXERROR`, which `CF.RESERVE` takes beside what RedisBloom's does: what else makes a filter what it is.

use cf::{Error, Origin};

use crate::config;

/// What a filter begins with for which no command says it.
pub(crate) fn unless_said() -> Origin {
    Origin {
        seed: config::seed(),
        growth_rate: config::growth_rate(),
    }
}

/// What a command says of it, and the arguments without that.
pub(crate) fn split<'a>(arguments: &[&'a [u8]]) -> Result<(Vec<&'a [u8]>, Origin), Error> {
    // Behind the key and the capacity.
    let options = arguments.get(2..).unwrap_or_default();
    let mut origin = unless_said();
    let mut rest = arguments[..arguments.len().min(2)].to_vec();
    for pair in options.chunks(2) {
        match *pair {
            [option, value] if option.eq_ignore_ascii_case(b"SEED") => {
                origin.seed = seed(value)?;
            }
            [option, value] if option.eq_ignore_ascii_case(b"MAXERROR") => {
                origin.growth_rate =
                    config::rate(value).ok_or(Error::Other(MAXERROR.to_owned()))?;
            }
            _ => rest.extend_from_slice(pair),
        }
    }
    Ok((rest, origin))
}

const MAXERROR: &str = "MAXERROR: value must be a number from 0.000000001 to 1";
const SEED: &str = "SEED: value must be `random` or a number from 0 to 18446744073709551615";

fn seed(value: &[u8]) -> Result<u64, Error> {
    if value.eq_ignore_ascii_case(b"random") {
        return Ok(Origin::random().seed);
    }
    let text = std::str::from_utf8(value).ok();
    let number = text.and_then(|text| text.parse().ok());
    number.ok_or_else(|| Error::Other(SEED.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn its_options_are_taken_out_of_the_others() {
        let words = |line: &'static str| line.split(' ').map(str::as_bytes).collect::<Vec<_>>();
        for (line, rest, seed, rate) in [
            ("f 10 SEED 7", "f 10", Some(7), None),
            (
                "f 10 EXPANSION 2 seed 7 ERROR 0.1 maxerror 0.5",
                "f 10 EXPANSION 2 ERROR 0.1",
                Some(7),
                Some(0.5),
            ),
            ("f 10 MAXERROR 1", "f 10", None, None),
            ("f 10 SEED", "f 10 SEED", None, None),
            ("f 10 EXPANSION SEED 7", "f 10 EXPANSION SEED 7", None, None),
            ("SEED 7", "SEED 7", None, None),
        ] {
            let arguments = words(line);
            let (left, origin) = split(&arguments).expect(line);
            assert_eq!(left, words(rest), "{line}");
            assert!(seed.is_none_or(|seed| seed == origin.seed), "{line}");
            assert_eq!(origin.growth_rate, rate, "{line}");
        }
        for line in [
            "f 10 SEED x",
            "f 10 SEED -1",
            "f 10 SEED 18446744073709551616",
            "f 10 MAXERROR 0",
            "f 10 MAXERROR 2",
            "f 10 MAXERROR nan",
        ] {
            assert!(split(&words(line)).is_err(), "{line}");
        }
    }
}
