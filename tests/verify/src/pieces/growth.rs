//! Growth: segments that come and go, and the list of them.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a segment is taken out before it is sealed",
        changes: &[(
            "engine/growing/link.rs",
            "self.sealed.load(Ordering::Acquire) == 1 &&",
            "self.sealed.load(Ordering::Acquire) < 2 &&",
        )],
    },
    Piece {
        name: "a segment is sealed at once",
        changes: &[(
            "engine/growing/growth.rs",
            "guard.defer(move || last.seal());",
            "last.seal();",
        )],
    },
    Piece {
        name: "growers that find another's segment add their own",
        changes: &[(
            "engine/growing/published.rs",
            "        if !ptr::eq(shared.as_raw(), current) {\n            return false;",
            "        if false {\n            return current as *const T == shared.as_raw();",
        )],
    },
    Piece {
        name: "a list is published without what it consists of",
        changes: &[(
            "engine/growing/published.rs",
            ".compare_exchange(shared, new, Ordering::AcqRel, Ordering::Relaxed, guard)",
            ".compare_exchange(shared, new, Ordering::Acquire, Ordering::Relaxed, guard)",
        )],
    },
    Piece {
        name: "a segment with items is taken out",
        changes: &[(
            "engine/growing/link.rs",
            "&& self.segment.len() == 0 && self.holds_nothing()",
            "",
        )],
    },
    Piece {
        name: "an empty filter keeps its largest segment",
        changes: &[(
            "engine/growing/growth.rs",
            "&& last.segment.len() == 0",
            "&& last.segment.len() > last.segment.slots()",
        )],
    },
    Piece {
        name: "an empty filter begins anew while old segments are about",
        changes: &[
            (
                "engine/growing/growth.rs",
                "if let [last] = chain.links()",
                "if let Some(last) = Some(chain.target())",
            ),
            (
                "engine/growing/growth.rs",
                "&& last.segment.len() == 0",
                "&& chain.sum(|link| link.segment.len()) == 0",
            ),
        ],
    },
    Piece {
        name: "what is given up waits for the thread that gave it up",
        changes: &[(
            "engine/growing/growth.rs",
            "// Handed to all threads: this one may not come back for long.\n            guard.flush();",
            "",
        )],
    },
    Piece {
        name: "a clone does not know which segments take no inserts",
        changes: &[("engine/growing.rs", "Chain::at_rest(", "Chain::new(")],
    },
    Piece {
        name: "a ninth copy makes it grow",
        changes: &[(
            "engine/growing/growth.rs",
            "Refusal::AllCopies => Err(InsertError::TooManyCopies {\n                copies: pair_slots::<L>(),\n            }),",
            "Refusal::AllCopies => self.grow(chain, guard),",
        )],
    },
    Piece {
        name: "a segment full of copies is followed by another, however large it is",
        changes: &[(
            "engine/growing/growth.rs",
            "if len >= slots / LEAST_LOAD {",
            "if len >= slots / LEAST_LOAD / 1_024 {",
        )],
    },
    Piece {
        name: "the segment to come does not count for the rate",
        changes: &[(
            "engine/growing/limits.rs",
            "rate_of_full::<L>(chain.links().len() + 1)",
            "rate_of_full::<L>(chain.links().len())",
        )],
    },
    Piece {
        name: "the memory may be twice what is allowed",
        changes: &[(
            "engine/growing/limits.rs",
            "if bytes > most {",
            "if bytes / 2 > most {",
        )],
    },
    Piece {
        name: "each segment is twice as large, whatever the factor",
        changes: &[(
            "engine/growing/limits.rs",
            "target.refined(self.factor)",
            "target.refined(self.factor.min(2))",
        )],
    },
    Piece {
        name: "emptiness is looked at before the seal",
        changes: &[(
            "engine/growing/link.rs",
            "self.sealed.load(Ordering::Acquire) == 1 && self.segment.len() == 0 && self.holds_nothing()",
            "self.segment.len() == 0 && self.holds_nothing() && self.sealed.load(Ordering::Acquire) == 1",
        )],
    },
    Piece {
        name: "the count alone tells that a segment is drained",
        changes: &[(
            "engine/growing/link.rs",
            "&& self.holds_nothing()",
            "&& (true || self.holds_nothing())",
        )],
    },
    Piece {
        name: "the target of a copy is sealed",
        changes: &[(
            "engine/growing/chain.rs",
            "if index != target {",
            "if index != target || true {",
        )],
    },
    Piece {
        name: "clear without memory goes on with the coarsest segment",
        changes: &[(
            "engine/growing.rs",
            "let target = Arc::clone(chain.target());",
            "let target = Arc::clone(&chain.links()[chain.links().len() - 1]);",
        )],
    },
];
