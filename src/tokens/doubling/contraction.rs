//! Contraction: the tokens of tables in a smaller one, while nobody else uses them.
//!
//! It is the inverse of a doubling: the last bit of a bucket's number comes back in front of the tails. Where a lane has no
//! room for one more bit, the last bit of the tail goes. So each item has still a token of its own that covers it, and that
//! is all that [removal](super::removal) needs. No tail becomes shorter than the doublings from the first level on would
//! have left it, so the table can double as often as before.

use super::parts::{Doubling, Token, prefix};
use super::scan::place;
use crate::table::doubling::level_of;

/// Adds all tokens of another table, which nobody else uses, and which has nothing under way. Returns false if they do not
/// fit.
pub(super) fn add_all(to: &Doubling, from: &Doubling) -> bool {
    let both_levels = 1 << from.level()..4 << from.level();
    let mut contents = both_levels.filter_map(|bucket| Some((bucket, from.peek(bucket)?)));
    contents.all(|(bucket, content)| {
        let mut tokens = content.tokens();
        tokens.all(|token| add(to, from, bucket, token))
    })
}

/// Adds a token that is in a bucket of another table, on either side.
fn add(to: &Doubling, from: &Doubling, bucket: usize, token: Token) -> bool {
    let level = to.level();
    let prefix = prefix(bucket, token, from.blocks.depth(level_of(bucket)));
    let (first, lane) = prefix.at(level, to.blocks.depth(level));
    Token::from_bits(u32::from(lane)).is_some_and(|token| place(to, first, token).is_ok())
}
