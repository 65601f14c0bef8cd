//! Removes.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a failed remove is not validated",
        changes: &[(
            "removal.rs",
            "if self.stripes.unchanged(fingerprint, version) {",
            "{\n                let _ = version;",
        )],
    },
    Piece {
        name: "a remove that sees two tokens bumps nothing",
        changes: &[(
            "removal.rs",
            "if twin && !bumped {",
            "if false && twin && !bumped {",
        )],
    },
    Piece {
        name: "a remove takes one of two tokens at once",
        changes: &[("removal.rs", "matches.is_single()", "matches.any()")],
    },
    Piece {
        name: "a remove does not look whether its exchange succeeded",
        changes: &[(
            "removal.rs",
            "cleared(matches.slot());\n                if self.table.exchange(bucket, content, cleared) {",
            "cleared(matches.slot());\n                self.table.exchange(bucket, content, cleared);\n                {",
        )],
    },
    Piece {
        name: "a remove bumps after its exchange",
        changes: &[
            (
                "removal.rs",
                "                    self.announce(first, fingerprint);\n",
                "",
            ),
            (
                "removal.rs",
                "bumped = true;\n                }\n                if self.table.exchange(bucket, content, cleared) {\n",
                "bumped = true;\n                }\n                if self.table.exchange(bucket, content, cleared) {\n                    if twin {\n                        self.stripes.bump(fingerprint);\n                    }\n",
            ),
        ],
    },
    Piece {
        name: "a remove that sees two tokens gives no hint",
        changes: &[(
            "removal.rs",
            "self.announce(first, fingerprint);",
            "self.stripes.bump(fingerprint);",
        )],
    },
];
