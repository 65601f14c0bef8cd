//! The layouts of this library's filter, by the paper's names: CF, or ss-CF with semi-sorted
//! buckets; slots times bits.

use lockfree_cuckoo::{
    BuildError, CuckooFilter, Filter,
    filter::Fixed,
    layout::{Lanes, Layout, SemiSorted},
};

/// A visitor of the layouts.
pub(crate) trait Visitor {
    fn visit<L: Layout>(&mut self, name: &'static str, kind: Kind) -> Result<(), BuildError>;
}

/// The packing of the slots in a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    SemiSorted,
}

/// Visits all layouts without values, those with the highest rate of false positives first.
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

/// Makes a filter with a table of this many bytes.
pub(crate) fn filter<L: Layout>(bytes: usize) -> Result<Filter<Fixed<L>>, BuildError> {
    const BUCKET_BYTES: usize = 8;
    CuckooFilter::builder()
        .layout::<L>()
        .buckets(bytes / BUCKET_BYTES)
        .build()
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo::layout::Shape;

    use super::*;

    struct Names(usize);

    impl Visitor for Names {
        fn visit<L: Layout>(&mut self, name: &'static str, kind: Kind) -> Result<(), BuildError> {
            const BYTES: usize = 3 << 20;
            let filter = filter::<L>(BYTES)?;
            assert_eq!(filter.slots(), BYTES / 8 * L::SLOTS, "{name}");
            let shape = format!("CF {} x {}", L::SLOTS, L::FINGERPRINT_BITS);
            assert!(name.ends_with(&shape), "{name} {shape}");
            assert_eq!(name.starts_with("ss-"), kind == Kind::SemiSorted, "{name}");
            self.0 += 1;
            Ok(())
        }
    }

    #[test]
    fn lists_all_layouts_without_values() {
        let mut names = Names(0);
        each(&mut names).expect("a usual size");
        let shapes = Shape::ALL.iter().filter(|shape| shape.value_bits() == 0);
        assert_eq!(names.0, shapes.count());
    }
}
