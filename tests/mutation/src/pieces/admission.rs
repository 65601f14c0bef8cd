//! Admissions: inserts of what must not be in twice.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a rival admission is no obstacle",
        changes: &[("settlement.rs", "if !rival {", "if !rival || true {")],
    },
    Piece {
        name: "an admission does not ask its witness",
        changes: &[(
            "settlement.rs",
            "let state = if self.witness_holds_none(admission) {",
            "let state = if self.witness_holds_none(admission) || true {",
        )],
    },
    Piece {
        name: "an admission leaves its target frozen",
        changes: &[(
            "admission.rs",
            "        self.table.exchange(\n            target,\n            reference,\n            if committed { admitted } else { content },\n        );\n",
            "        let _ = admitted;\n",
        )],
    },
    Piece {
        name: "an equal token in a frozen witness does not count",
        changes: &[(
            "settlement.rs",
            "Resolved::Pending(other) if other.old.contains(fingerprint) => return false,",
            "",
        )],
    },
    Piece {
        name: "others decide an admission in a segment",
        changes: &[(
            "settlement.rs",
            "pending.transfer.moved.is_none() && self.scope == Scope::Whole",
            "pending.transfer.moved.is_none() && self.scope != Scope::Whole",
        )],
    },
    Piece {
        name: "an admission asks its witness before the finer segments",
        changes: &[(
            "settlement.rs",
            "elsewhere.finer_hold_none()\n            && self.witness_holds_none(admission)",
            "self.witness_holds_none(admission)\n            && elsewhere.finer_hold_none()",
        )],
    },
    Piece {
        name: "an admission looks at the list before it asks the coarser segments",
        changes: &[(
            "growing/operations.rs",
            "        self.hold_none(self.chain.segments()[self.chain.target_index() + 1..].iter())\n            && self.filter.is_current(self.chain, self.guard)",
            "        self.filter.is_current(self.chain, self.guard)\n            && self.hold_none(self.chain.segments()[self.chain.target_index() + 1..].iter())",
        )],
    },
];
