//! Removes.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a failed remove is not validated",
        changes: &[(
            "tokens/removal.rs",
            "if tokens.stripes.unchanged(fingerprint, version) {",
            "{\n            let _ = version;",
        )],
    },
    Piece {
        name: "a remove that sees two tokens bumps nothing",
        changes: &[(
            "tokens/removal.rs",
            "if other.contains(fingerprint) && !bumped {",
            "if false && other.contains(fingerprint) && !bumped {",
        )],
    },
    Piece {
        name: "a remove takes one of two tokens at once",
        changes: &[("tokens/removal.rs", "matches.is_single()", "matches.any()")],
    },
    Piece {
        name: "a remove does not look whether its exchange succeeded",
        changes: &[(
            "tokens/removal.rs",
            "cleared(matches.slot());\n            if tokens.table.exchange(bucket, content, cleared) {",
            "cleared(matches.slot());\n            tokens.table.exchange(bucket, content, cleared);\n            {",
        )],
    },
    Piece {
        name: "a remove bumps after its exchange",
        changes: &[
            (
                "tokens/removal.rs",
                "                tokens.announce(first, fingerprint);\n",
                "",
            ),
            (
                "tokens/removal.rs",
                "bumped = true;\n            }\n            if tokens.table.exchange(bucket, content, after) {\n",
                "bumped = true;\n            }\n            if tokens.table.exchange(bucket, content, after) {\n                if other.contains(fingerprint) {\n                    tokens.stripes.bump(fingerprint);\n                }\n",
            ),
        ],
    },
    Piece {
        name: "a remove that sees two tokens gives no hint",
        changes: &[(
            "tokens/removal.rs",
            "tokens.announce(first, fingerprint);",
            "tokens.stripes.bump(fingerprint);",
        )],
    },
];
