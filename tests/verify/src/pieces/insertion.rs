//! Inserts, and the count of items.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "the last hop opens a slot for anybody",
        changes: &[
            (
                "tokens/insertion.rs",
                "placed.filter(|_| hop.last)",
                "placed.filter(|_| hop.last && false)",
            ),
            (
                "tokens/insertion.rs",
                "Opened::Done => return Ok(()),",
                "Opened::Done if add(tokens, class) => return Ok(()),\n            Opened::Done => {}",
            ),
        ],
    },
    Piece {
        name: "attempts are not bounded",
        changes: &[(
            "tokens/insertion.rs",
            "{ 3 } else { 64 }",
            "{ 1 << 40 } else { 64 }",
        )],
    },
    Piece {
        name: "an insert does not look whether its exchange succeeded",
        changes: &[(
            "tokens/insertion.rs",
            "a.plain(), b.plain()) == Some(true)",
            "a.plain(), b.plain()).is_some()",
        )],
    },
    Piece {
        name: "two threads count on one cell",
        changes: &[("segment/counter.rs", "own.get(index)", "own.first()")],
    },
];
