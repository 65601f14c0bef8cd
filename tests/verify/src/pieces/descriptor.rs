//! Descriptors: who may use one, and what others read in it.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "the number of a use is not checked",
        changes: &[(
            "tokens/descriptor.rs",
            "(Reference::new(reference.index(), control.uses()) == reference)",
            "(reference.index() < usize::MAX)",
        )],
    },
    Piece {
        name: "no Acquire fence after the fields",
        changes: &[("tokens/descriptor.rs", "fence(Ordering::Acquire);", "")],
    },
    Piece {
        name: "no Release fence before the fields",
        changes: &[("tokens/descriptor.rs", "fence(Ordering::Release);", "")],
    },
    Piece {
        name: "a claim is Relaxed",
        changes: &[(
            "tokens/descriptor.rs",
            ".compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)",
            ".compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed)",
        )],
    },
    Piece {
        name: "the release of a claim is Relaxed",
        changes: &[(
            "tokens/descriptor.rs",
            "self.descriptor.owned.store(0, Ordering::Release);",
            "self.descriptor.owned.store(0, Ordering::Relaxed);",
        )],
    },
    Piece {
        name: "a call within a call takes its thread's descriptor again",
        changes: &[(
            "tokens/descriptor.rs",
            "if self.owned.load(Ordering::Relaxed) != 0 {",
            "if self.owned.load(Ordering::Relaxed) > 1 {",
        )],
    },
    Piece {
        name: "a claim takes other threads' own descriptors",
        changes: &[(
            "tokens/descriptor.rs",
            "let index = self.own() + (thread + step) % shared;",
            "let index = (thread + step) % shared;",
        )],
    },
    Piece {
        name: "threads of one number own one descriptor",
        changes: &[(
            "tokens/descriptor.rs",
            "            .min(sync::EXCLUSIVE)\n",
            "",
        )],
    },
    Piece {
        name: "descriptors that are added have the numbers of others",
        changes: &[("tokens/descriptor.rs", "first: self.end(),", "first: 0,")],
    },
    Piece {
        name: "a commit publishes nothing",
        changes: &[(
            "tokens/descriptor.rs",
            "Ordering::SeqCst,\n                Ordering::SeqCst,",
            "Ordering::Relaxed,\n                Ordering::Relaxed,",
        )],
    },
    Piece {
        name: "the control is read Relaxed",
        changes: &[(
            "tokens/descriptor.rs",
            "Control(self.control.load(Ordering::SeqCst))",
            "Control(self.control.load(Ordering::Relaxed))",
        )],
    },
    Piece {
        name: "the number of a use is published Relaxed",
        changes: &[(
            "tokens/descriptor.rs",
            "self.descriptor.control.store(pending.0, Ordering::Release);",
            "self.descriptor.control.store(pending.0, Ordering::Relaxed);",
        )],
    },
];
