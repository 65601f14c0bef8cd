//! Inserts, and the count of items.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a short search begins with the second candidate",
        changes: &[(
            "tokens/insertion.rs",
            "near_hop(&a, &b)",
            "near_hop(&b, &a)",
        )],
    },
    Piece {
        name: "a long search begins with the top slot",
        changes: &[(
            "tokens/path.rs",
            "(0..L::SLOTS).filter(|slot| self.examined",
            "(0..L::SLOTS).rev().filter(|slot| self.examined",
        )],
    },
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
                "Opened::Done if add(tokens, class, token) => return Ok(()),\n            Opened::Done => {}",
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
        changes: &[(
            "counted/counter.rs",
            "change_own(&self.cells[word(index)], by);",
            "change_own(&self.cells[word(0)], by);",
        )],
    },
    Piece {
        name: "cells that are added take the place of those before",
        changes: &[(
            "counted/counter.rs",
            "let totals = few.chain(self.added().map(Counter::total));",
            "let totals = few.chain(self.last().map(Counter::total));",
        )],
    },
    Piece {
        name: "a refusal does not look for room again",
        changes: &[(
            "tokens/insertion.rs",
            "if pair.iter().any(|bucket| bucket.has_room()) {",
            "if pair.iter().any(|bucket| bucket.has_room()) && false {",
        )],
    },
    Piece {
        name: "an insert looks for a frozen word only in its first bucket",
        changes: &[(
            "tokens/insertion.rs",
            "if Word::are_plain(a, b) &&",
            "if Word::are_plain(a, a) &&",
        )],
    },
    Piece {
        name: "thread numbers are taken without looking who has them",
        changes: &[(
            "sync/real/hosted.rs",
            "if HELD.fetch_or(bit, Ordering::Acquire) & bit == 0 {",
            "if HELD.fetch_or(bit, Ordering::Acquire) & bit <= bit {",
        )],
    },
    Piece {
        name: "a thread that ends keeps the number that it gives back",
        changes: &[("sync/real/hosted.rs", "        INDEX.set(shared());\n", "")],
    },
    Piece {
        name: "a search goes one bucket over its budget",
        changes: &[(
            "tokens/path.rs",
            "budget.min(A::BUDGET).saturating_sub(2)",
            "budget.min(A::BUDGET).saturating_sub(1)",
        )],
    },
    Piece {
        name: "a search has room for half the nodes",
        changes: &[(
            "layout/words.rs",
            "(nodes(slots, LONG_BUDGET), REMEMBERED);\n",
            "(nodes(slots, LONG_BUDGET) / 2, REMEMBERED / 2);\n",
        )],
    },
];
