//! Calls on a filter that grows: their walks over its segments.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a remove walks from the oldest segment",
        changes: &[(
            "engine/growing/walks.rs",
            "for link in look.chain.links() {",
            "for link in look.chain.links().collect::<Vec<_>>().into_iter().rev() {",
        )],
    },
    Piece {
        name: "a lookup trusts a list that has changed",
        changes: &[(
            "engine/growing/walks.rs",
            "            if self.is_current(&look) {\n                return false;",
            "            {\n                return false;",
        )],
    },
    Piece {
        name: "a remove trusts a list that has changed",
        changes: &[
            (
                "engine/growing/walks.rs",
                "if !self.is_current(look) {\n                return None;",
                "if false {\n                return None;",
            ),
            (
                "engine/growing/walks.rs",
                "self.is_current(look).then_some(false)",
                "Some(false)",
            ),
        ],
    },
    Piece {
        name: "an admission does not look at the list again",
        changes: &[(
            "engine/growing/walks.rs",
            "coarser.skip(1).all(|link| self.holds_none(link)) && self.is_current()",
            "coarser.skip(1).all(|link| self.holds_none(link)) && (self.is_current() || self.hash > 0)",
        )],
    },
    Piece {
        name: "an admission asks its own segment only",
        changes: &[(
            "engine/growing/walks.rs",
            "link.segment.tokens().holds_none(self.hash)",
            "link.segment.slots() > usize::from(self.hash == 0)",
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
            "engine/growing.rs",
            "            if self.is_current(&look) {\n                return result;",
            "            {\n                return result;",
        )],
    },
    Piece {
        name: "removes take no segment out",
        changes: &[(
            "engine/growing/walks.rs",
            "if !ptr::eq(link, look.chain.target()) && link.is_bare_around(hash) {",
            "if look.chain.links().count() == 0 && link.is_bare_around(hash) {",
        )],
    },
    Piece {
        name: "a count looks at the newest segment only",
        changes: &[(
            "engine/growing.rs",
            "self.of_current(|chain| chain.sum(|link| link.segment.tokens().count(hash)))",
            "self.of_current(|chain| chain.target().segment.tokens().count(hash))",
        )],
    },
    Piece {
        name: "insert_unique does not look at older segments",
        changes: &[
            (
                "engine/growing/walks.rs",
                "if self.lookup(hash) {\n                return Ok(false);",
                "if disturbed == usize::MAX {\n                return Ok(false);",
            ),
            (
                "engine/growing/walks.rs",
                "coarser.skip(1)",
                "coarser.skip(usize::MAX)",
            ),
        ],
    },
    Piece {
        name: "the false-positive rate is that of the newest segment",
        changes: &[(
            "engine/growing.rs",
            "chain.links().map(of_link).sum()",
            "chain.links().take(1).map(of_link).sum()",
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
            "finer.all(|link| self.holds_none(link))",
            "finer.all(|link| link.segment.slots() > 0)",
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
            "            let mut links = look.chain.links();\n",
            "            let links: Vec<_> = look.chain.links().collect();\n            let mut links = links.into_iter().rev();\n",
        )],
    },
    Piece {
        name: "a count walks from the oldest segment",
        changes: &[(
            "engine/growing.rs",
            "self.of_current(|chain| chain.sum(|link| link.segment.tokens().count(hash)))",
            "self.of_current(|chain| {\n            let links: Vec<_> = chain.links().collect();\n            \
             links.iter().rev().map(|link| link.segment.tokens().count(hash)).sum()\n        })",
        )],
    },
    Piece {
        name: "a snapshot of a growing filter trusts a list that has changed",
        changes: &[(
            "engine/growing/snapshot.rs",
            "if !self.is_current(&look) {",
            "if !self.is_current(&look) && false {",
        )],
    },
];
