//! Relocations.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a relocation bumps nothing",
        changes: &[(
            "tokens/relocation.rs",
            "tokens.announce(hop.source, hop.moved.fingerprint());",
            "",
        )],
    },
    Piece {
        name: "a relocation bumps before the installs",
        changes: &[
            (
                "tokens/relocation.rs",
                "tokens.announce(hop.source, hop.moved.fingerprint());",
                "",
            ),
            (
                "tokens/relocation.rs",
                "let (reference, pending) =",
                "tokens.announce(hop.source, hop.moved.fingerprint());\n    let (reference, pending) =",
            ),
        ],
    },
    Piece {
        name: "a relocation bumps after the commit",
        changes: &[
            (
                "tokens/relocation.rs",
                "tokens.announce(hop.source, hop.moved.fingerprint());",
                "",
            ),
            (
                "tokens/relocation.rs",
                "let committed = claim.decide(pending, State::Committed);",
                "let committed = claim.decide(pending, State::Committed);\n    tokens.announce(hop.source, hop.moved.fingerprint());",
            ),
        ],
    },
    Piece {
        name: "a relocation commits with one word frozen",
        changes: &[(
            "tokens/relocation.rs",
            "        claim.decide(pending, State::Aborted);\n        tokens\n            .table",
            "    }\n    if false {\n        tokens\n            .table",
        )],
    },
    Piece {
        name: "a relocation bumps between the installs",
        changes: &[
            (
                "tokens/relocation.rs",
                "tokens.announce(hop.source, hop.moved.fingerprint());",
                "",
            ),
            (
                "tokens/relocation.rs",
                "    if !tokens\n        .table\n        .exchange(higher,",
                "    tokens.announce(hop.source, hop.moved.fingerprint());\n    if !tokens\n        .table\n        .exchange(higher,",
            ),
        ],
    },
    Piece {
        name: "a relocation that froze one word leaves it frozen",
        changes: &[(
            "tokens/relocation.rs",
            "        tokens\n            .table\n            .exchange(lower, reference, transfer.before(lower));\n",
            "",
        )],
    },
    Piece {
        name: "a committed relocation leaves its source frozen",
        changes: &[(
            "tokens/relocation.rs",
            "        tokens.table.exchange(hop.source, reference, new_source);\n",
            "        let _ = new_source;\n",
        )],
    },
    Piece {
        name: "a relocation gives no hint",
        changes: &[(
            "tokens/relocation.rs",
            "tokens.announce(hop.source, hop.moved.fingerprint());",
            "tokens.stripes.bump(hop.moved.fingerprint());",
        )],
    },
    Piece {
        name: "a relocation gives its hint after the commit",
        changes: &[
            (
                "tokens/relocation.rs",
                "tokens.announce(hop.source, hop.moved.fingerprint());",
                "let scanned = tokens.stripes.bump(hop.moved.fingerprint());",
            ),
            (
                "tokens/relocation.rs",
                "let committed = claim.decide(pending, State::Committed);",
                "let committed = claim.decide(pending, State::Committed);\n    if scanned {\n        let fingerprint = hop.moved.fingerprint();\n        tokens.hints.note(super::hints::Hint { bucket: hop.source, fingerprint });\n    }",
            ),
        ],
    },
    Piece {
        name: "a relocation freezes its source first",
        changes: &[
            (
                "tokens/relocation.rs",
                "let lower = hop.source.min(hop.destination);",
                "let lower = hop.source;",
            ),
            (
                "tokens/relocation.rs",
                "let higher = hop.source.max(hop.destination);",
                "let higher = hop.destination;",
            ),
        ],
    },
];
