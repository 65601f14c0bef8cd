//! A bucket: as a list of tokens, and as a word.
//!
//! In a semi-sorted bucket the list is in order, the largest fingerprint first. In other buckets
//! slots fill from the top lane down and stay packed: a removal moves the tokens below it up. So
//! the empty bucket is 0, and a bucket has room if its lowest lane is 0. Of several tokens with one
//! fingerprint the lowest is removed.

use crate::layout::{Encoding, Fingerprint, Layout, Token};

/// The lanes of a word from the top lane down, vacant ones too. Entries beyond the slots of the
/// layout are 0.
pub type Lanes = [Token; Layout::MOST_SLOTS];

impl Layout {
    /// Returns the lanes of a word.
    #[inline]
    #[must_use]
    pub fn lanes(self, word: u64) -> Lanes {
        if self.encoding == Encoding::SemiSorted {
            return self.sorted_lanes(word);
        }
        let mut lanes = [0; Self::MOST_SLOTS];
        for (slot, lane) in lanes[..self.slots].iter_mut().enumerate() {
            let shift = (self.slots - 1 - slot) as u32 * self.token_bits();
            *lane = (word >> shift) as Token & Token::MAX >> (Token::BITS - self.token_bits());
        }
        lanes
    }

    /// Returns the word of these lanes.
    #[inline]
    #[must_use]
    pub fn word(self, lanes: Lanes) -> u64 {
        if self.encoding == Encoding::SemiSorted {
            return self.sorted_word(lanes);
        }
        lanes[..self.slots]
            .iter()
            .fold(0, |word, &lane| word << self.token_bits() | u64::from(lane))
    }

    /// Returns the tokens of a bucket, from the top lane down.
    #[inline]
    pub fn tokens(self, bucket: u64) -> impl Iterator<Item = Token> {
        let lanes = self.lanes(bucket).into_iter();
        lanes.take_while(|&lane| lane != 0)
    }

    /// Returns the token in a slot, counted from the top lane down.
    #[inline]
    #[must_use]
    pub fn occupant(self, bucket: u64, slot: usize) -> Option<Token> {
        Some(self.lanes(bucket)[slot]).filter(|&token| token != 0)
    }

    /// Returns the number of tokens of this fingerprint in a bucket.
    #[inline]
    #[must_use]
    pub fn count(self, bucket: u64, f: Fingerprint) -> usize {
        let tokens = self.tokens(bucket);
        tokens.filter(|&t| self.fingerprint_of(t) == f).count()
    }

    /// Whether a bucket holds a token of this fingerprint.
    #[inline]
    #[must_use]
    pub fn contains(self, bucket: u64, f: Fingerprint) -> bool {
        self.tokens(bucket).any(|t| self.fingerprint_of(t) == f)
    }

    /// Returns the lowest token of this fingerprint, if a bucket has one.
    #[inline]
    #[must_use]
    pub fn find(self, bucket: u64, f: Fingerprint) -> Option<Token> {
        let tokens = self.tokens(bucket);
        tokens.filter(|&t| self.fingerprint_of(t) == f).last()
    }

    /// Returns the number of vacant slots of a bucket.
    #[inline]
    #[must_use]
    pub fn vacancies(self, bucket: u64) -> usize {
        self.slots - self.tokens(bucket).count()
    }

    /// Whether a bucket has a vacant slot.
    #[inline]
    #[must_use]
    pub fn has_room(self, bucket: u64) -> bool {
        self.lanes(bucket)[self.slots - 1] == 0
    }

    /// Returns a bucket with a token added, if there is room.
    #[inline]
    #[must_use]
    pub fn with(self, bucket: u64, token: Token) -> Option<u64> {
        let mut lanes = self.lanes(bucket);
        let slots = &mut lanes[..self.slots];
        *slots.iter_mut().find(|lane| **lane == 0)? = token;
        Some(self.word(lanes))
    }

    /// Returns a bucket without its lowest token of this fingerprint, if it has one.
    #[inline]
    #[must_use]
    pub fn without(self, bucket: u64, f: Fingerprint) -> Option<u64> {
        self.without_lowest(bucket, |token| self.fingerprint_of(token) == f)
    }

    /// Returns a bucket without its lowest copy of this token, if it has one.
    #[inline]
    #[must_use]
    pub fn without_token(self, bucket: u64, token: Token) -> Option<u64> {
        self.without_lowest(bucket, |other| other == token)
    }

    fn without_lowest(self, bucket: u64, is_meant: impl Fn(Token) -> bool) -> Option<u64> {
        let mut lanes = self.lanes(bucket);
        let slots = &mut lanes[..self.slots];
        let slot = slots.iter().rposition(|&lane| is_meant(lane))?;
        slots.copy_within(slot + 1.., slot);
        slots[self.slots - 1] = 0;
        Some(self.word(lanes))
    }

    /// Returns a bucket with its lowest copy of `old` replaced, if it has one.
    #[inline]
    #[must_use]
    pub fn replacing(self, bucket: u64, old: Token, new: Token) -> Option<u64> {
        let mut lanes = self.lanes(bucket);
        let slots = &mut lanes[..self.slots];
        let slot = slots.iter().rposition(|&lane| lane == old)?;
        slots[slot] = new;
        Some(self.word(lanes))
    }

    /// Whether a word is a bucket: no vacant lane above an occupied one, and all spare bits 0.
    #[inline]
    #[must_use]
    pub fn is_packed(self, word: u64) -> bool {
        let lanes = self.lanes(word);
        let named = |&token: &Token| token == 0 || self.fingerprint_of(token) != 0;
        lanes.is_sorted_by_key(|&lane| lane == 0)
            && lanes.iter().all(named)
            && self.word(lanes) == word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_fills_from_the_top() {
        let layout = Layout::DEFAULT;
        let three = [7, 8, 7].iter().try_fold(0, |b, &f| layout.with(b, f));
        assert_eq!(three, Some(0x0007_0008_0007_0000));
        let bucket = 0x0007_0008_0007_0000;
        assert_eq!(layout.without(bucket, 7), Some(0x0007_0008_0000_0000));
        assert_eq!(layout.without(bucket, 8), Some(0x0007_0007_0000_0000));
        assert_eq!(layout.replacing(bucket, 7, 9), Some(0x0007_0008_0009_0000));
        assert_eq!((layout.count(bucket, 7), layout.vacancies(bucket)), (2, 1));
    }

    #[test]
    fn lanes_lie_below_the_spare_bits() {
        let eight = Layout::of_lanes(8, 8);
        assert_eq!(eight.with(0, 0xab), Some(0xab << 56));
        let two = Layout::of_lanes(2, 31);
        let (f, g) = (0x7654_3210, 0x7fff_ffff);
        let full = two.with(0, f).and_then(|bucket| two.with(bucket, g));
        assert_eq!(full, Some(0x7654_3210 << 31 | 0x7fff_ffff));
        assert!(two.is_packed(0x7fff_ffff << 31));
    }

    #[test]
    fn an_unpacked_word_is_no_bucket() {
        for layout in Layout::EVERY {
            let top = layout.with(0, 1).expect("room");
            assert!(layout.is_packed(0) && layout.is_packed(top));
            assert!(!layout.is_packed(1), "only the lowest lane is taken");
            for bit in u64::BITS - layout.spare_bits()..u64::BITS {
                assert!(!layout.is_packed(top | 1 << bit), "spare bit {bit}");
            }
        }
    }

    #[test]
    fn the_lowest_or_the_named_token_is_removed() {
        for layout in Layout::VALUED {
            let [f4, f9, g4] = [(7, 4), (7, 9), (8, 4)].map(|(f, value)| layout.token(f, value));
            assert_eq!((layout.fingerprint_of(f9), layout.value_of(f9)), (7, 9));
            let list = |tokens: &[Token]| tokens.iter().try_fold(0, |b, &t| layout.with(b, t));
            let bucket = list(&[f4, f9]).expect("room for two");
            assert_eq!((layout.count(bucket, 7), layout.count(bucket, 8)), (2, 0));
            assert_eq!(layout.find(bucket, 7), Some(f9));
            assert_eq!(layout.without(bucket, 7), list(&[f4]));
            assert_eq!(layout.without_token(bucket, f4), list(&[f9]));
            assert_eq!(layout.without_token(bucket, g4), None);
            assert_eq!(layout.replacing(bucket, f4, g4), list(&[g4, f9]));
            assert!(layout.is_packed(bucket));
            let value_alone = u64::from(layout.token(0, 1));
            let top = (layout.slots - 1) as u32 * layout.token_bits();
            assert!(!layout.is_packed(value_alone << top));
        }
    }
}
