//! Growth: segments that come and go, and the list of them.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a segment is taken out before it is sealed",
        changes: &[(
            "engine/growing/link.rs",
            "let sealed = self.state.load(Ordering::Acquire) == SEALED;",
            "let sealed = self.state.load(Ordering::Acquire) < PARKED;",
        )],
    },
    Piece {
        name: "a segment is sealed at once",
        changes: &[(
            "engine/growing/growth.rs",
            "guard.defer(last.sealing());",
            "last.sealing()();",
        )],
    },
    Piece {
        name: "growers that find another's segment add their own",
        changes: &[(
            "engine/growing/published.rs",
            "        if !self.is(current, guard) {\n            return false;\n        }\n",
            "        let current = self.load(guard);\n",
        )],
    },
    Piece {
        name: "a list is published without what it consists of",
        changes: &[(
            "engine/growing/published.rs",
            "            Ordering::SeqCst,\n            Ordering::SeqCst,\n        );\n        if replaced.is_err() {",
            "            Ordering::Acquire,\n            Ordering::Acquire,\n        );\n        if replaced.is_err() {",
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
                "if let (Some(last), None) = (links.next(), links.next())",
                "if let (last, Some(_)) = (chain.target(), links.next())",
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
        changes: &[(
            "engine/growing.rs",
            "Published::at_rest(",
            "Published::new(",
        )],
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
            "rate_of_full::<L>(segments + 1)",
            "rate_of_full::<L>(segments)",
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
            "let sealed = self.state.load(Ordering::Acquire) == SEALED;\n        sealed && self.segment.len() == 0 && self.holds_nothing()",
            "self.segment.len() == 0 && self.holds_nothing() && self.state.load(Ordering::Acquire) == SEALED",
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
            "engine/growing/published.rs",
            "if index != target {",
            "if index != target || true {",
        )],
    },
    Piece {
        name: "clear without memory goes on with the coarsest segment",
        changes: &[(
            "engine/growing/published.rs",
            "let target = ptr::from_ref(self.current().target());",
            "let target = ptr::from_ref(self.current().links().last().expect(\"a segment\"));",
        )],
    },
    Piece {
        name: "a list that has come back counts as unchanged",
        changes: &[(
            "engine/growing/published.rs",
            "&& self.changes.load(Ordering::SeqCst) == look.changes",
            "&& self.changes.load(Ordering::SeqCst) >= look.changes",
        )],
    },
    Piece {
        name: "an exchange of the list is not announced",
        changes: &[(
            "engine/growing/published.rs",
            "self.changes.fetch_add(1, Ordering::SeqCst);",
            "self.changes.fetch_add(0, Ordering::SeqCst);",
        )],
    },
    Piece {
        name: "a list is used again at once",
        changes: &[(
            "engine/growing/published.rs",
            "guard.defer(current.give_back());",
            "current.give_back()();",
        )],
    },
    // As if lookups were pinned. The memory stays, and says that it was read.
    Piece {
        name: "a list is freed when all are unpinned",
        changes: &[
            (
                "engine/growing/published.rs",
                "guard.defer(current.give_back());",
                "let freed = ptr::from_ref(current) as usize;\n        #[allow(unsafe_code)]\n        \
                 guard.defer(move || unsafe { (*(freed as *const Chain<L>)).free() });",
            ),
            (
                "engine/growing/chain.rs",
                "    /// What gives it back, when",
                "    pub(super) fn free(&self) {\n        self.builders.store(u64::MAX, Ordering::Release);\n    }\n\n    \
                 /// What gives it back, when",
            ),
            (
                "engine/growing/chain.rs",
                "self.links.iter().map_while(Self::link)",
                "assert!(self.builders.load(Ordering::Acquire) != u64::MAX, \"a freed list is read\");\n        \
                 self.links.iter().map_while(Self::link)",
            ),
        ],
    },
    Piece {
        name: "a segment is freed when all are unpinned",
        changes: &[
            (
                "engine/growing/growth.rs",
                "drained.into_iter().for_each(Link::park);",
                "for link in drained {\n                let freed = core::ptr::from_ref(link) as usize;\n                \
             #[allow(unsafe_code)]\n                \
             guard.defer(move || unsafe { (*(freed as *mut Link<L>)).free() });\n            }",
            ),
            (
                "engine/growing/link.rs",
                "    /// Marks the segment as sealed, while",
                "    pub(super) fn free(&mut self) {\n        let smallest = Geometry::with_buckets(2).expect(\"a pair\");\n        \
             *self = Self::new(smallest, 1).expect(\"memory\");\n    }\n\n    /// Marks the segment as sealed, while",
            ),
        ],
    },
    Piece {
        name: "parked segments are not used again",
        changes: &[(
            "engine/growing/growth.rs",
            "match self.published.take(geometry) {",
            "match self.published.take(geometry).filter(|_| false) {",
        )],
    },
    Piece {
        name: "the pages of parked segments stay",
        changes: &[(
            "engine/growing/link.rs",
            "let released = self.segment.tokens().release_pages() as u64;",
            "let released = 0;",
        )],
    },
    Piece {
        name: "parked segments take no memory",
        changes: &[(
            "engine/growing.rs",
            "self.sum(Link::bytes) + self.published.parked_bytes()",
            "self.sum(Link::bytes)",
        )],
    },
    Piece {
        name: "what is parked stays when nobody else is about",
        changes: &[(
            "engine/growing/published.rs",
            ".retain(|link| chain.links().any(|listed| ptr::eq(listed, link)));",
            ".retain(|link| link.is_parked() || chain.links().any(|listed| ptr::eq(listed, link)));",
        )],
    },
];
