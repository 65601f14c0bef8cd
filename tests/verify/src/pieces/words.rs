//! Words of the table, and the stripes of versions.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a frozen word is read as a bucket",
        changes: &[
            (
                "layout/words.rs",
                "self.0 & UNSURE == 0",
                "self.0 & UNSURE < u32::MAX",
            ),
            (
                "layout/lanes.rs",
                "const TOPS: u32 = 0x8080;",
                "const TOPS: u32 = 0;",
            ),
            (
                "layout/lanes.rs",
                ".min(b.wrapping_sub(1)) >> Self::BELOW_THE_TOP_LANE != 0",
                ".min(b.wrapping_sub(1)) >> Self::BELOW_THE_TOP_LANE < u64::MAX",
            ),
        ],
    },
    Piece {
        name: "the witness is read by a plain load",
        changes: &[(
            "table.rs",
            "self.words[bucket].fetch_or(0, Ordering::SeqCst)",
            "self.words[bucket].load(Ordering::Acquire)",
        )],
    },
    Piece {
        name: "the version is read Relaxed",
        changes: &[(
            "tokens/stripes.rs",
            "Version(self.stripe(f).load(Ordering::Acquire))",
            "Version(self.stripe(f).load(Ordering::Relaxed))",
        )],
    },
    Piece {
        name: "a bump releases nothing",
        changes: &[(
            "tokens/stripes.rs",
            "fetch_add(BUMP, Ordering::AcqRel)",
            "fetch_add(BUMP, Ordering::Acquire)",
        )],
    },
    Piece {
        name: "words are read Relaxed",
        changes: &[(
            "table.rs",
            "(a.load(Ordering::SeqCst), b.load(Ordering::SeqCst))",
            "(a.load(Ordering::Relaxed), b.load(Ordering::Relaxed))",
        )],
    },
    Piece {
        name: "loads of words are not in the one order",
        changes: &[(
            "table.rs",
            "(a.load(Ordering::SeqCst), b.load(Ordering::SeqCst))",
            "(a.load(Ordering::Acquire), b.load(Ordering::Acquire))",
        )],
    },
    Piece {
        name: "frozen words are read Relaxed",
        changes: &[(
            "table.rs",
            "self.words[bucket].load(Ordering::SeqCst)",
            "self.words[bucket].load(Ordering::Relaxed)",
        )],
    },
    Piece {
        name: "exchanges of words are not in the one order",
        changes: &[(
            "table.rs",
            "Ordering::SeqCst,\n                Ordering::SeqCst,",
            "Ordering::AcqRel,\n                Ordering::Acquire,",
        )],
    },
    Piece {
        name: "an exchange of a word publishes nothing",
        changes: &[(
            "table.rs",
            "Ordering::SeqCst,\n                Ordering::SeqCst,",
            "Ordering::Acquire,\n                Ordering::Acquire,",
        )],
    },
    Piece {
        name: "a scan is announced without Acquire",
        changes: &[(
            "tokens/stripes.rs",
            "stripe.fetch_or(SCAN, Ordering::AcqRel);",
            "stripe.fetch_or(SCAN, Ordering::Release);",
        )],
    },
];
