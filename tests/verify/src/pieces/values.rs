//! Values.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a token of another value is no twin",
        changes: &[(
            "tokens/removal.rs",
            "if other.contains(fingerprint) && !bumped {",
            "if other.tokens().any(|t| content.tokens().any(|u| t == u)) && !bumped {",
        )],
    },
    Piece {
        name: "a lookup of a value is not validated",
        changes: &[(
            "tokens/lookup.rs",
            "if tokens.stripes.unchanged(f, version) {\n            return None;",
            "{\n            let _ = version;\n            return None;",
        )],
    },
    Piece {
        name: "a token that arrives has no value",
        changes: &[(
            "tokens/lookup.rs",
            "return Answer::Present(arriving);",
            "return Answer::Present(Token::of(arriving.fingerprint()));",
        )],
    },
    Piece {
        name: "a token is found by its fingerprint alone",
        changes: &[(
            "layout/bucket.rs",
            "L::lane_of_token(self.bits, token.bits()).map(Slot)",
            "L::lane_of(self.bits, token.fingerprint().bits()).map(Slot)",
        )],
    },
    Piece {
        name: "a unique insert takes a present item for its own",
        changes: &[(
            "tokens/admission.rs",
            "Attempt::Present | Attempt::Disturbed => refusal = Refusal::Disturbed,\n            Attempt::Starved => refusal = Refusal::Starved,\n        }\n    }\n    Err(refusal)\n}\n\n/// One attempt",
            "Attempt::Present => return Ok(None),\n            Attempt::Disturbed => refusal = Refusal::Disturbed,\n            Attempt::Starved => refusal = Refusal::Starved,\n        }\n    }\n    Err(refusal)\n}\n\n/// One attempt",
        )],
    },
    Piece {
        name: "a scan forgets values",
        changes: &[(
            "tokens/scan.rs",
            "try_for_each(|token| place(copy, class.first, token))",
            "try_for_each(|_| place(copy, class.first, Token::of(class.fingerprint)))",
        )],
    },
    Piece {
        name: "a scan counts tokens only",
        changes: &[(
            "tokens/scan.rs",
            "        && tokens_of(class, one).all(|token| copies(token, one) == copies(token, other))",
            "        && (true || tokens_of(class, one).all(|token| copies(token, one) == copies(token, other)))",
        )],
    },
    Piece {
        name: "an insert that needs a path loses its value",
        changes: &[(
            "tokens/insertion.rs",
            "open(tokens, class, Some(token))?",
            "open(tokens, class, Some(Token::of(class.fingerprint)))?",
        )],
    },
];
