//! Calls on a filter that grows: their walks over its segments.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a remove walks from the oldest segment",
        changes: &[(
            "growing/operations.rs",
            "chain.segments().iter().enumerate() {",
            "chain.segments().iter().enumerate().rev() {",
        )],
    },
    Piece {
        name: "a lookup trusts a list that has changed",
        changes: &[(
            "growing/operations.rs",
            "            if self.is_current(chain, guard) {\n                return false;",
            "            {\n                return false;",
        )],
    },
    Piece {
        name: "a remove trusts a list that has changed",
        changes: &[(
            "growing/operations.rs",
            "if !self.is_current(chain, guard) {\n                return None;",
            "if false {\n                return None;",
        )],
    },
    Piece {
        name: "an admission does not look at the list again",
        changes: &[(
            "growing/operations.rs",
            "            && self.filter.is_current(self.chain, self.guard)\n",
            "            && (self.filter.is_current(self.chain, self.guard) || self.hash > 0)\n",
        )],
    },
    Piece {
        name: "an admission asks its own segment only",
        changes: &[(
            "growing/operations.rs",
            "segments.all(|segment| segment.as_ref().tokens.holds_none(self.hash))",
            "segments.all(|segment| segment.as_ref().slots() > 0)",
        )],
    },
    Piece {
        name: "an admission reads other segments like a lookup",
        changes: &[(
            "growing/witness.rs",
            "let holds = |bucket| self.settle_latest(bucket).contains(fingerprint);",
            "let holds = |bucket| self.settle(bucket).contains(fingerprint);",
        )],
    },
    Piece {
        name: "a count trusts a list that has changed",
        changes: &[(
            "growing/operations.rs",
            "            if self.is_current(chain, guard) {\n                return count;",
            "            {\n                return count;",
        )],
    },
    Piece {
        name: "removes take no segment out",
        changes: &[(
            "growing/operations.rs",
            "if index != chain.target_index() && segment.is_bare_around(hash) {",
            "if index > chain.segments().len() && segment.is_bare_around(hash) {",
        )],
    },
    Piece {
        name: "a count looks at the newest segment only",
        changes: &[(
            "growing/operations.rs",
            "let count = chain.sum(|segment| {",
            "let count = Some(chain.target()).map_or(0, |segment| {",
        )],
    },
    Piece {
        name: "insert_unique does not look at older segments",
        changes: &[
            (
                "growing/operations.rs",
                "if self.contains_under(hash, guard) {\n                return Ok(false);",
                "if disturbed == usize::MAX {\n                return Ok(false);",
            ),
            (
                "growing/operations.rs",
                "self.chain.target_index() + 1..]",
                "self.chain.segments().len()..]",
            ),
        ],
    },
    Piece {
        name: "the false-positive rate is that of the newest segment",
        changes: &[(
            "growing/measures.rs",
            "let segments = self.chain.load(guard).segments().iter();",
            "let segments = self.chain.load(guard).segments().iter().take(1);",
        )],
    },
    Piece {
        name: "a batch counts from the beginning of its last chunk",
        changes: &[(
            "growing/batch.rs",
            "ahead(hashes).enumerate() {\n                    let inserted = chunk * CHUNK + turn;",
            "ahead(hashes).enumerate() {\n                    let inserted = chunk.min(1) * CHUNK + turn;",
        )],
    },
    Piece {
        name: "a batch of absent items counts from the beginning of its last chunk",
        changes: &[(
            "growing/batch.rs",
            "in turns.enumerate() {\n                    let inserted = chunk * CHUNK + turn;",
            "in turns.enumerate() {\n                    let inserted = chunk.min(1) * CHUNK + turn;",
        )],
    },
    Piece {
        name: "an admission does not ask the finer segments",
        changes: &[(
            "growing/operations.rs",
            "self.chain.segments()[..self.chain.target_index()].iter()",
            "self.chain.segments()[..0].iter()",
        )],
    },
    Piece {
        name: "another segment's miss is not validated",
        changes: &[(
            "growing/witness.rs",
            "if self.stripes.unchanged(fingerprint, version) {",
            "if self.stripes.unchanged(fingerprint, version) || true {",
        )],
    },
    Piece {
        name: "a lookup walks from the oldest segment",
        changes: &[(
            "growing/operations.rs",
            "                .iter()\n                .any(|segment| segment.tokens.contains(hash))",
            "                .iter()\n                .rev()\n                .any(|segment| segment.tokens.contains(hash))",
        )],
    },
    Piece {
        name: "a count walks from the oldest segment",
        changes: &[(
            "growing/operations.rs",
            "let count = chain.sum(|segment| {",
            "let count = chain.segments().iter().rev().fold(0, |sum, segment| sum + {",
        )],
    },
    Piece {
        name: "a snapshot of a growing filter trusts a list that has changed",
        changes: &[(
            "growing/snapshot.rs",
            "if !self.is_current(chain, guard) {",
            "if !self.is_current(chain, guard) && false {",
        )],
    },
];
