//! Calls on a filter that grows: their walks over its segments.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a remove walks from the oldest segment",
        changes: &[(
            "engine/growing/walks.rs",
            "chain.links().iter().enumerate() {",
            "chain.links().iter().enumerate().rev() {",
        )],
    },
    Piece {
        name: "a lookup trusts a list that has changed",
        changes: &[(
            "engine/growing/walks.rs",
            "            if self.is_current(chain, guard) {\n                return false;",
            "            {\n                return false;",
        )],
    },
    Piece {
        name: "a remove trusts a list that has changed",
        changes: &[(
            "engine/growing/walks.rs",
            "if !self.is_current(chain, guard) {\n                return None;",
            "if false {\n                return None;",
        )],
    },
    Piece {
        name: "an admission does not look at the list again",
        changes: &[(
            "engine/growing/walks.rs",
            "            && self.engine.is_current(self.chain, self.guard)\n",
            "            && (self.engine.is_current(self.chain, self.guard) || self.hash > 0)\n",
        )],
    },
    Piece {
        name: "an admission asks its own segment only",
        changes: &[(
            "engine/growing/walks.rs",
            "links.all(|link| link.as_ref().segment.tokens().holds_none(self.hash))",
            "links.all(|link| link.as_ref().segment.slots() > 0)",
        )],
    },
    Piece {
        name: "an admission reads other segments like a lookup",
        changes: &[(
            "tokens/witness.rs",
            "let holds = |bucket| settle_latest(tokens, bucket).contains(fingerprint);",
            "let holds = |bucket| tokens.settle(bucket).contains(fingerprint);",
        )],
    },
    Piece {
        name: "a count trusts a list that has changed",
        changes: &[(
            "engine/growing/walks.rs",
            "            if self.is_current(chain, guard) {\n                return count;",
            "            {\n                return count;",
        )],
    },
    Piece {
        name: "removes take no segment out",
        changes: &[(
            "engine/growing/walks.rs",
            "if index != chain.target_index() && link.is_bare_around(hash) {",
            "if index > chain.links().len() && link.is_bare_around(hash) {",
        )],
    },
    Piece {
        name: "a count looks at the newest segment only",
        changes: &[(
            "engine/growing/walks.rs",
            "let count = chain.sum(|link| ",
            "let count = Some(chain.target()).map_or(0, |link| ",
        )],
    },
    Piece {
        name: "insert_unique does not look at older segments",
        changes: &[
            (
                "engine/growing/walks.rs",
                "if self.contains_under(hash, guard) {\n                return Ok(false);",
                "if disturbed == usize::MAX {\n                return Ok(false);",
            ),
            (
                "engine/growing/walks.rs",
                "self.chain.target_index() + 1..]",
                "self.chain.links().len()..]",
            ),
        ],
    },
    Piece {
        name: "the false-positive rate is that of the newest segment",
        changes: &[(
            "engine/growing.rs",
            "let links = self.chain.load(&guard).links().iter();",
            "let links = self.chain.load(&guard).links().iter().take(1);",
        )],
    },
    Piece {
        name: "a batch counts from the beginning of its last chunk",
        changes: &[(
            "engine/operations.rs",
            "self.insert(hash, &pin)\n                    .map_err(|error| InsertManyError::new(chunk * Self::PER_PIN + turn, error))?;",
            "self.insert(hash, &pin)\n                    .map_err(|error| InsertManyError::new(chunk.min(1) * Self::PER_PIN + turn, error))?;",
        )],
    },
    Piece {
        name: "a batch of absent items counts from the beginning of its last chunk",
        changes: &[(
            "engine/operations.rs",
            ".insert_unique(hash, &pin)\n                    .map_err(|error| InsertManyError::new(chunk * Self::PER_PIN + turn, error))?;",
            ".insert_unique(hash, &pin)\n                    .map_err(|error| InsertManyError::new(chunk.min(1) * Self::PER_PIN + turn, error))?;",
        )],
    },
    Piece {
        name: "an admission does not ask the finer segments",
        changes: &[(
            "engine/growing/walks.rs",
            "self.chain.links()[..self.chain.target_index()].iter()",
            "self.chain.links()[..0].iter()",
        )],
    },
    Piece {
        name: "another segment's miss is not validated",
        changes: &[(
            "tokens/witness.rs",
            "if tokens.stripes.unchanged(fingerprint, version) {",
            "if tokens.stripes.unchanged(fingerprint, version) || true {",
        )],
    },
    Piece {
        name: "a lookup walks from the oldest segment",
        changes: &[(
            "engine/growing/walks.rs",
            "                .iter()\n                .any(|link| link.segment.tokens().contains(hash))",
            "                .iter()\n                .rev()\n                .any(|link| link.segment.tokens().contains(hash))",
        )],
    },
    Piece {
        name: "a count walks from the oldest segment",
        changes: &[(
            "engine/growing/walks.rs",
            "let count = chain.sum(|link| ",
            "let count = chain.links().iter().rev().fold(0, |sum, link| sum + ",
        )],
    },
    Piece {
        name: "a snapshot of a growing filter trusts a list that has changed",
        changes: &[(
            "engine/growing/snapshot.rs",
            "if !self.is_current(chain, guard) {",
            "if !self.is_current(chain, guard) && false {",
        )],
    },
];
