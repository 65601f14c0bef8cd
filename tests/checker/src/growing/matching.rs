//! Whether each item that is in can have a token of its own.

use super::geometry::{Class, Item};

/// Whether so many of each item can be matched with tokens that cover them, one each.
pub fn matches(items: &[Item], numbers: &[u8], tokens: &[Class]) -> bool {
    let copies = items.iter().zip(numbers);
    let wanted: Vec<Item> = copies
        .flat_map(|(&item, &number)| std::iter::repeat_n(item, number.into()))
        .collect();
    let mut taken = vec![None; tokens.len()];
    (0..wanted.len()).all(|at| {
        finds(
            at,
            &wanted,
            tokens,
            &mut taken,
            &mut vec![false; tokens.len()],
        )
    })
}

/// An augmenting path (Berge 1957).
fn finds(
    at: usize,
    wanted: &[Item],
    tokens: &[Class],
    taken: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for token in 0..tokens.len() {
        if !tokens[token].covers(wanted[at]) || std::mem::replace(&mut tried[token], true) {
            continue;
        }
        let free = taken[token].is_none_or(|other| finds(other, wanted, tokens, taken, tried));
        if free {
            taken[token] = Some(at);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_token_serves_whom_no_long_one_covers() {
        let [x, y] = [0b0000, 0b0100].map(|bits| Item { head: 1, bits });
        let short = Class::of(x, 1);
        let long = Class::of(x, 2);
        assert!(matches(&[x, y], &[1, 1], &[short, long]));
        assert!(!matches(&[x, y], &[1, 1], &[long, long]));
        assert!(!matches(&[x, y], &[1, 2], &[short, long]));
        assert!(matches(&[x, y], &[2, 0], &[short, long]));
    }
}
