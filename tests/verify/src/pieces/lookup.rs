//! Lookups and counts.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a miss is not validated",
        changes: &[
            (
                "tokens/lookup.rs",
                "if Word::are_plain(a, b) && tokens.stripes.unchanged(f, version) {",
                "if Word::are_plain(a, b) {",
            ),
            (
                "tokens/lookup.rs",
                "if sight.is_sure() && tokens.stripes.unchanged(f, version) {",
                "if sight.is_sure() && matches!(version, _) {",
            ),
        ],
    },
    Piece {
        name: "a miss behind a frozen word is not validated",
        changes: &[(
            "tokens/lookup.rs",
            "if tokens.stripes.unchanged(fingerprint, version) {\n            return None;",
            "{\n            let _ = version;\n            return None;",
        )],
    },
    Piece {
        name: "a count is not validated",
        changes: &[(
            "tokens/lookup.rs",
            "if tokens.stripes.unchanged(fingerprint, version) {\n            return contents;",
            "{\n            let _ = version;\n            return contents;",
        )],
    },
    Piece {
        name: "a pending arrival is always present",
        changes: &[(
            "tokens/lookup.rs",
            "if tokens.table.load(transfer.source) == word {",
            "if true {",
        )],
    },
    Piece {
        name: "a pending arrival is never present",
        changes: &[(
            "tokens/lookup.rs",
            "&& bucket != transfer.source\n",
            "&& bucket != transfer.source\n                    && false\n",
        )],
    },
    Piece {
        name: "an arrival decided meanwhile goes unnoticed",
        changes: &[(
            "tokens/lookup.rs",
            "if tokens.pool.control(reference) != pending.control {",
            "if false {",
        )],
    },
    Piece {
        name: "a lookup takes a stale reference for absence",
        changes: &[(
            "tokens/lookup.rs",
            "Resolved::Stale => return Answer::Unclear,",
            "Resolved::Stale => return Answer::Absent,",
        )],
    },
];
