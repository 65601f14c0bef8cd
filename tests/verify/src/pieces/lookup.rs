//! Lookups and counts.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a miss is not validated",
        changes: &[(
            "lookup.rs",
            "if self.stripes.change_since(class.fingerprint, version) <= matches.weight() {",
            "{\n                let _ = (version, matches.weight());",
        )],
    },
    Piece {
        name: "a miss weighs as much as a bump",
        changes: &[("matches.rs", "u64::from(self.0)", "u64::from(self.0) + 2")],
    },
    Piece {
        name: "a miss behind a frozen word is not validated",
        changes: &[(
            "lookup.rs",
            "if self.stripes.unchanged(fingerprint, version) {\n                return false;",
            "{\n                let _ = version;\n                return false;",
        )],
    },
    Piece {
        name: "a count is not validated",
        changes: &[(
            "lookup.rs",
            "if self.stripes.unchanged(fingerprint, version) {\n                return copies;",
            "{\n                let _ = version;\n                return copies;",
        )],
    },
    Piece {
        name: "a pending arrival is always present",
        changes: &[(
            "lookup.rs",
            "if self.table.load(transfer.source) == word {",
            "if true {",
        )],
    },
    Piece {
        name: "a pending arrival is never present",
        changes: &[(
            "lookup.rs",
            "if transfer.moved == Some(f) && bucket != transfer.source {",
            "if false && transfer.moved == Some(f) && bucket != transfer.source {",
        )],
    },
    Piece {
        name: "an arrival decided meanwhile goes unnoticed",
        changes: &[(
            "lookup.rs",
            "if self.pool.control(reference) != pending.control {",
            "if false {",
        )],
    },
    Piece {
        name: "a lookup takes a stale reference for absence",
        changes: &[(
            "lookup.rs",
            "Resolved::Stale => return Answer::Unclear,",
            "Resolved::Stale => return Answer::Absent,",
        )],
    },
];
