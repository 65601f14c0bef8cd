//! Layouts: what a word says.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a slot that is cleared leaves a gap",
        changes: &[(
            "layout/lanes.rs",
            "above | below << Self::WIDTH",
            "above | below",
        )],
    },
    Piece {
        name: "bits beyond the lanes are part of a bucket",
        changes: &[("layout/lanes.rs", "&& word & !(ones(Self::LANES)) == 0", "")],
    },
    Piece {
        name: "a tag in one of two words goes unnoticed",
        changes: &[(
            "layout/lanes.rs",
            "(a | b) & Self::TAG == 0",
            "a & b & Self::TAG == 0",
        )],
    },
    Piece {
        name: "a reference keeps its tag",
        changes: &[(
            "layout/lanes.rs",
            "(word & Self::TAG != 0).then_some(word & !Self::TAG)",
            "(word & Self::TAG != 0).then_some(word)",
        )],
    },
    Piece {
        name: "a low part in the other bucket goes unnoticed",
        changes: &[(
            "layout/semi_sorted.rs",
            "if flags & (flags - 1) | others != 0 {",
            "if flags & (flags - 1) | others & 0 != 0 {",
        )],
    },
    Piece {
        name: "equal nibbles are in the order in which they came",
        changes: &[(
            "layout/semi_sorted.rs",
            "(list[low], list[low + 1]) = (a.min(b), a.max(b));",
            "if a >> Self::LOW > b >> Self::LOW { (list[low], list[low + 1]) = (b, a); }",
        )],
    },
    Piece {
        name: "the last code is a reference",
        changes: &[(
            "layout/semi_sorted.rs",
            "(multiset::count(SLOTS) as u64) << Self::CODE",
            "(multiset::count(SLOTS) as u64 - 1) << Self::CODE",
        )],
    },
    Piece {
        name: "a list out of order is a bucket",
        changes: &[(
            "layout/semi_sorted.rs",
            "word < Self::FIRST_REFERENCE && Self::list(word).is_sorted()",
            "word < Self::FIRST_REFERENCE",
        )],
    },
    Piece {
        name: "an equal low part is a match",
        changes: &[(
            "layout/semi_sorted.rs",
            "matches |= u32::from(same) << lane;",
            "matches |= u32::from(same || true) << lane;",
        )],
    },
    Piece {
        name: "a lowest part of 0 is room",
        changes: &[(
            "layout/semi_sorted.rs",
            "bucket & ones(Self::LOW) == 0 && Self::has_nibble(bucket, 0, 0)",
            "bucket & ones(Self::LOW) == 0",
        )],
    },
    Piece {
        name: "a code is read as a bucket",
        changes: &[(
            "layout/semi_sorted.rs",
            "a.max(b) < Self::FIRST_REFERENCE",
            "a.min(b) < Self::FIRST_REFERENCE",
        )],
    },
    Piece {
        name: "the largest nibble is found by one too many",
        changes: &[(
            "layout/multiset.rs",
            "at_most(&TERMS[place], rest) - 1;",
            "at_most(&TERMS[place], rest.saturating_sub(1)) - 1;",
        )],
    },
];
