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
        name: "chunks trust words that a token has left",
        changes: &[(
            "stored/chunks.rs",
            "self.words.announcements() == self.announcements",
            "self.words.announcements() >= self.announcements",
        )],
    },
    Piece {
        name: "chunks leave pending relocations alone",
        changes: &[(
            "stored/sized.rs",
            "Access::Shared => self.settle_each(),",
            "Access::Shared => self.taken(),",
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
    Piece {
        name: "hints of other groups count in a scan by groups",
        changes: &[(
            "tokens/scan.rs",
            ".filter(|hint| group.has(hint.fingerprint))",
            ".filter(|hint| group.has(hint.fingerprint) || true)",
        )],
    },
    Piece {
        name: "a group has every stripe",
        changes: &[(
            "tokens/stripes.rs",
            "f.bits() as usize % self.groups == self.index",
            "f.bits() as usize % self.groups == self.index || true",
        )],
    },
    Piece {
        name: "the end of a scan resets the versions",
        changes: &[(
            "tokens/stripes.rs",
            "stripe.fetch_and(!SCAN, Ordering::Relaxed);",
            "stripe.store(0, Ordering::Relaxed);",
        )],
    },
    Piece {
        name: "the log is emptied after the announcement",
        changes: &[(
            "tokens/scan.rs",
            "    scan.forget();\n    tokens.stripes.announce_scan(group);",
            "    tokens.stripes.announce_scan(group);\n    scan.forget();",
        )],
    },
    Piece {
        name: "a scanner that gets no memory keeps the right to scan",
        changes: &[(
            "tokens/hints.rs",
            "                self.end_scan();\n                Err(NoScan::OutOfMemory(error))",
            "                Err(NoScan::OutOfMemory(error))",
        )],
    },
];
