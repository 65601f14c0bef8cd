//! Admissions: inserts of what must not be in twice.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a rival admission is no obstacle",
        changes: &[("tokens/settlement.rs", "if !rival {", "if !rival || true {")],
    },
    Piece {
        name: "an admission does not ask its witness",
        changes: &[(
            "tokens/settlement.rs",
            "let empty = witness_holds_none(tokens, admission);",
            "let empty = witness_holds_none(tokens, admission) || true;",
        )],
    },
    Piece {
        name: "an admission leaves its target frozen",
        changes: &[(
            "tokens/admission.rs",
            "    tokens.table.exchange(\n        target,\n        reference,\n        if committed { admitted } else { content },\n    );\n",
            "    let _ = admitted;\n",
        )],
    },
    Piece {
        name: "an equal token in a frozen witness does not count",
        changes: &[(
            "tokens/settlement.rs",
            "Resolved::Pending(other) if other.old.contains(fingerprint) => return false,",
            "",
        )],
    },
    Piece {
        name: "an admission asks its witness before the older generations",
        changes: &[(
            "tokens/settlement.rs",
            "elsewhere.earlier_hold_none()\n        && witness_holds_none(tokens, admission)",
            "witness_holds_none(tokens, admission)\n        && elsewhere.earlier_hold_none()",
        )],
    },
];
