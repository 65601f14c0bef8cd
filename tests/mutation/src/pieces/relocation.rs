//! Relocations.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a relocation bumps nothing",
        changes: &[("relocation.rs", "self.announce(hop.source, hop.moved);", "")],
    },
    Piece {
        name: "a relocation bumps before the installs",
        changes: &[
            ("relocation.rs", "self.announce(hop.source, hop.moved);", ""),
            (
                "relocation.rs",
                "let (reference, pending) =",
                "self.announce(hop.source, hop.moved);\n        let (reference, pending) =",
            ),
        ],
    },
    Piece {
        name: "a relocation bumps after the commit",
        changes: &[
            ("relocation.rs", "self.announce(hop.source, hop.moved);", ""),
            (
                "relocation.rs",
                "let committed = claim.decide(pending, State::Committed);",
                "let committed = claim.decide(pending, State::Committed);\n        self.announce(hop.source, hop.moved);",
            ),
        ],
    },
    Piece {
        name: "a relocation commits with one word frozen",
        changes: &[(
            "relocation.rs",
            "            claim.decide(pending, State::Aborted);\n            self.table",
            "        }\n        if false {\n            self.table",
        )],
    },
    Piece {
        name: "a relocation bumps between the installs",
        changes: &[
            ("relocation.rs", "self.announce(hop.source, hop.moved);", ""),
            (
                "relocation.rs",
                "            return false;\n        }\n        if !self\n            .table\n            .exchange(higher,",
                "            return false;\n        }\n        self.announce(hop.source, hop.moved);\n        if !self\n            .table\n            .exchange(higher,",
            ),
        ],
    },
    Piece {
        name: "a relocation that froze one word leaves it frozen",
        changes: &[(
            "relocation.rs",
            "            self.table\n                .exchange(lower, reference, transfer.before(lower));\n",
            "",
        )],
    },
    Piece {
        name: "a committed relocation leaves its source frozen",
        changes: &[(
            "relocation.rs",
            "            self.table.exchange(hop.source, reference, new_source);\n",
            "            let _ = new_source;\n",
        )],
    },
    Piece {
        name: "a relocation gives no hint",
        changes: &[(
            "relocation.rs",
            "self.announce(hop.source, hop.moved);",
            "self.stripes.bump(hop.moved);",
        )],
    },
    Piece {
        name: "a relocation gives its hint after the commit",
        changes: &[
            (
                "relocation.rs",
                "self.announce(hop.source, hop.moved);",
                "let scanned = self.stripes.bump(hop.moved);",
            ),
            (
                "relocation.rs",
                "let committed = claim.decide(pending, State::Committed);",
                "let committed = claim.decide(pending, State::Committed);\n        if scanned {\n            self.hints.note(crate::hints::Hint { bucket: hop.source, fingerprint: hop.moved });\n        }",
            ),
        ],
    },
    Piece {
        name: "a relocation freezes its source first",
        changes: &[
            (
                "relocation.rs",
                "let lower = hop.source.min(hop.destination);",
                "let lower = hop.source;",
            ),
            (
                "relocation.rs",
                "let higher = hop.source.max(hop.destination);",
                "let higher = hop.destination;",
            ),
        ],
    },
];
