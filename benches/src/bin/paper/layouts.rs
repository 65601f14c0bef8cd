//! The layouts of this library's filter, by the paper's names: CF, and ss-CF with semi-sorted buckets; slots times bits.

use lockfree_cuckoo::{BuildError, CuckooFilter, Filter, Fixed, Lanes, Layout, SemiSorted};

/// Something to be done with each layout.
pub(crate) trait Visitor {
    fn visit<L: Layout>(&mut self, name: &'static str, kind: Kind) -> Result<(), BuildError>;
}

/// How the slots of a bucket are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    SemiSorted,
}

/// How many are visited.
pub(crate) const LAYOUTS: usize = 9;

/// Visits all that store fingerprints alone, those with the highest rate of false positives first.
pub(crate) fn each(visitor: &mut impl Visitor) -> Result<(), BuildError> {
    visitor.visit::<Lanes<8, 8>>("CF 8 x 8", Kind::Plain)?;
    visitor.visit::<Lanes<6, 10>>("CF 6 x 10", Kind::Plain)?;
    visitor.visit::<SemiSorted<6, 12>>("ss-CF 6 x 12", Kind::SemiSorted)?;
    visitor.visit::<Lanes<5, 12>>("CF 5 x 12", Kind::Plain)?;
    visitor.visit::<SemiSorted<5, 14>>("ss-CF 5 x 14", Kind::SemiSorted)?;
    visitor.visit::<Lanes<4, 16>>("CF 4 x 16", Kind::Plain)?;
    visitor.visit::<SemiSorted<4, 17>>("ss-CF 4 x 17", Kind::SemiSorted)?;
    visitor.visit::<Lanes<3, 21>>("CF 3 x 21", Kind::Plain)?;
    visitor.visit::<Lanes<2, 31>>("CF 2 x 31", Kind::Plain)
}

/// A filter with a table of so many bytes.
pub(crate) fn filter<L: Layout>(bytes: usize) -> Result<Filter<Fixed<L>>, BuildError> {
    const BUCKET_BYTES: usize = 8;
    CuckooFilter::builder()
        .layout::<L>()
        .buckets(bytes / BUCKET_BYTES)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sizes(usize);

    impl Visitor for Sizes {
        fn visit<L: Layout>(&mut self, name: &'static str, kind: Kind) -> Result<(), BuildError> {
            const BYTES: usize = 3 << 20;
            let filter = filter::<L>(BYTES)?;
            // What is not the table is at most 73 KiB.
            assert!(
                (BYTES..BYTES + (73 << 10)).contains(&filter.memory_usage()),
                "{name}"
            );
            let shape = format!("CF {} x {}", L::SLOTS, L::FINGERPRINT_BITS);
            assert!(name.ends_with(&shape), "{name} {shape}");
            assert_eq!(name.starts_with("ss-"), kind == Kind::SemiSorted, "{name}");
            self.0 += 1;
            Ok(())
        }
    }

    #[test]
    fn are_named_by_their_shapes_and_are_of_one_size() {
        let mut sizes = Sizes(0);
        each(&mut sizes).expect("a usual size");
        assert_eq!(sizes.0, LAYOUTS);
    }
}
