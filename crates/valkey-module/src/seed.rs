//! `SEED`, which `CF.RESERVE` takes beside what RedisBloom's does: with its settings, it makes a filter what it is.

use cf::Error;
use lockfree_cuckoo::RandomState;

/// What it adds to the arguments of that command.
pub(crate) const USAGE: &str = "[SEED seed]";

/// The seed that a command says, and the arguments without it.
pub(crate) fn split<'a>(arguments: &[&'a [u8]]) -> Result<(Vec<&'a [u8]>, Option<u64>), Error> {
    // Behind the key and the capacity.
    let options = arguments.get(2..).unwrap_or_default();
    let mut given = None;
    let mut rest = arguments[..arguments.len().min(2)].to_vec();
    for pair in options.chunks(2) {
        match *pair {
            [option, value] if option.eq_ignore_ascii_case(b"SEED") => {
                given = Some(seed(value)?);
            }
            _ => rest.extend_from_slice(pair),
        }
    }
    Ok((rest, given))
}

pub(crate) fn random() -> u64 {
    RandomState::new().seed()
}

const SEED: &str = "SEED: value must be `random` or a number from 0 to 18446744073709551615";

fn seed(value: &[u8]) -> Result<u64, Error> {
    if value.eq_ignore_ascii_case(b"random") {
        return Ok(random());
    }
    let text = std::str::from_utf8(value).ok();
    let number = text.and_then(|text| text.parse().ok());
    number.ok_or_else(|| Error::Other(SEED.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn it_is_taken_out_of_the_other_options() {
        let words = |line: &'static str| line.split(' ').map(str::as_bytes).collect::<Vec<_>>();
        for (line, rest, seed) in [
            ("f 10 SEED 7", "f 10", Some(7)),
            (
                "f 10 EXPANSION 2 seed 7 ERROR 0.1",
                "f 10 EXPANSION 2 ERROR 0.1",
                Some(7),
            ),
            ("f 10 SEED", "f 10 SEED", None),
            ("f 10 EXPANSION SEED 7", "f 10 EXPANSION SEED 7", None),
            ("SEED 7", "SEED 7", None),
        ] {
            let expected = (words(rest), seed);
            assert_eq!(split(&words(line)).expect(line), expected, "{line}");
        }
        assert!(split(&words("f 10 SEED random")).is_ok_and(|(_, seed)| seed.is_some()));
        for line in [
            "f 10 SEED x",
            "f 10 SEED -1",
            "f 10 SEED 18446744073709551616",
        ] {
            assert!(split(&words(line)).is_err(), "{line}");
        }
    }
}
