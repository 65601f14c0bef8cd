//! Scans, and the log of hints that they read.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a scan leaves pending relocations alone",
        changes: &[(
            "tokens/scan.rs",
            "merge(copy, bucket, settle(tokens, bucket), group)",
            "merge(copy, bucket, tokens.peek(bucket), group)",
        )],
    },
    Piece {
        name: "a scan ends before it has read the table",
        changes: &[(
            "tokens/scan.rs",
            "tokens.stripes.announce_scan(group);",
            "tokens.stripes.announce_scan(group);\n    tokens.stripes.end_scan(group);",
        )],
    },
    Piece {
        name: "hints that found no room are ignored",
        changes: &[(
            "tokens/hints.rs",
            "let noted = self.log.slots.get(..notes)?;",
            "let noted = &self.log.slots[..notes.min(self.log.slots.len())];",
        )],
    },
];
