//! Scans, and the log of hints that they read.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a scan leaves pending relocations alone",
        changes: &[(
            "scan.rs",
            "copy.merge(bucket, self.settle(bucket), group)",
            "copy.merge(bucket, self.peek(bucket), group)",
        )],
    },
    Piece {
        name: "a scan ends before it has read the table",
        changes: &[(
            "scan.rs",
            "self.stripes.announce_scan(group);",
            "self.stripes.announce_scan(group);\n        self.stripes.end_scan(group);",
        )],
    },
    Piece {
        name: "hints that found no room are ignored",
        changes: &[(
            "hints.rs",
            "let noted = self.log.slots.get(..notes)?;",
            "let noted = &self.log.slots[..notes.min(self.log.slots.len())];",
        )],
    },
];
