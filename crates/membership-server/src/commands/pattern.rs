//! The patterns of KEYS and of SCAN with MATCH, as Redis has them.

/// Whether a pattern stands for a text: `*` for anything, `?` for one byte, `[ab]`, `[a-c]` and `[^a]` for one of some
/// bytes; `\` takes the next byte as it is.
pub(super) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut pattern_at, mut text_at) = (0, 0);
    // Where to go on if what follows the last star does not fit.
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

/// The length of what the pattern begins with, if that stands for this byte.
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

/// Whether the byte is one of those in brackets, and the length with the closing one. Without one the class ends with
/// the pattern.
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

    fn check(cases: &[(&str, &str, bool)]) {
        for &(pattern, text, fits) in cases {
            assert_eq!(
                matches(pattern.as_bytes(), text.as_bytes()),
                fits,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        check(&[
            ("*", "", true),
            ("*", "abc", true),
            ("a*c", "abbc", true),
            ("a*c*", "acb", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a*d", "abc", false),
            ("", "a", false),
            ("*a*b", "aab", true),
        ]);
    }

    #[test]
    fn brackets_stand_for_one_of_some_bytes() {
        check(&[
            ("h[ae]llo", "hallo", true),
            ("h[ae]llo", "hillo", false),
            ("h[^e]llo", "hallo", true),
            ("h[^e]llo", "hello", false),
            ("h[a-b]llo", "hbllo", true),
            ("h[b-a]llo", "hallo", true),
            ("h[a-b]llo", "hcllo", false),
            ("*[0-9]", "flow7", true),
            ("*[0-9]x*", "a1b2xc", true),
            ("[a-]", "^", true),
            ("[a-]", "-", false),
            ("[\\]]", "]", true),
            ("[]", "]", false),
            ("[]a", "]a", false),
            ("[^]", "a", true),
            ("[ab", "b", true),
            ("[", "[", false),
            ("[a]", "", false),
        ]);
    }

    #[test]
    fn a_backslash_takes_the_next_byte_as_it_is() {
        check(&[
            ("a\\*b", "a*b", true),
            ("a\\*b", "aab", false),
            ("\\?", "?", true),
            ("\\?", "a", false),
            ("\\[a]", "[a]", true),
            ("\\", "\\", true),
        ]);
    }
}
