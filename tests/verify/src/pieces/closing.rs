//! Closing: an emptied filter that doubles begins anew.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a word that an earlier attempt closed counts",
        changes: &[(
            "tokens/doubling/closing.rs",
            "State::Closed(by) if by >= attempt => return by == attempt,",
            "State::Closed(by) if by <= attempt => return true,",
        )],
    },
    Piece {
        name: "a closed word is opened while the attempt goes on",
        changes: &[(
            "tokens/doubling/opening.rs",
            "State::Closed(_) => tokens.gate.open() &&",
            "State::Closed(_) => !tokens.gate.is_sealed() &&",
        )],
    },
    Piece {
        name: "an attempt seals though a word has a token",
        changes: &[(
            "tokens/doubling/closing.rs",
            "State::Gone | State::Bucket(_) => return false,",
            "State::Gone | State::Bucket(_) => return true,",
        )],
    },
    Piece {
        name: "a lookup takes a sealed table for the filter",
        changes: &[(
            "engine/ladder/walks.rs",
            "        self.check()?;\n        Ok(self.rungs()",
            "        Ok(self.rungs()",
        )],
    },
    Piece {
        name: "a remove takes a sealed table for the filter",
        changes: &[(
            "engine/ladder/walks.rs",
            "        self.check()?;\n        loop {",
            "        loop {",
        )],
    },
    Piece {
        name: "a word that nobody has written to is opened in a sealed table",
        changes: &[(
            "tokens/doubling/opening.rs",
            "                && !tokens.gate.is_sealed()\n",
            "",
        )],
    },
    Piece {
        name: "what is left waits for the thread that has left it",
        changes: &[(
            "engine/ladder/current.rs",
            "left.fetch_add(bytes.wrapping_neg(), Ordering::Relaxed);\n        });\n        guard.flush();",
            "left.fetch_add(bytes.wrapping_neg(), Ordering::Relaxed);\n        });",
        )],
    },
];
