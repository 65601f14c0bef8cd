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
    Piece {
        name: "hints of other groups count in a scan by groups",
        changes: &[(
            "scan.rs",
            ".filter(|hint| group.has(hint.fingerprint))",
            ".filter(|hint| group.has(hint.fingerprint) || true)",
        )],
    },
    Piece {
        name: "a group has every stripe",
        changes: &[(
            "stripes.rs",
            "stripe_of(f) % self.groups == self.index",
            "stripe_of(f) % self.groups == self.index || true",
        )],
    },
    Piece {
        name: "the end of a scan resets the versions",
        changes: &[(
            "stripes.rs",
            "stripe.fetch_and(!SCAN, Ordering::Relaxed);",
            "stripe.store(0, Ordering::Relaxed);",
        )],
    },
    Piece {
        name: "the log is emptied after the announcement",
        changes: &[(
            "scan.rs",
            "        scan.forget();\n        self.stripes.announce_scan(group);",
            "        self.stripes.announce_scan(group);\n        scan.forget();",
        )],
    },
    Piece {
        name: "a scanner that gets no memory keeps the right to scan",
        changes: &[(
            "hints.rs",
            "                self.end_scan();\n                Err(NoScan::OutOfMemory(error))",
            "                Err(NoScan::OutOfMemory(error))",
        )],
    },
];
