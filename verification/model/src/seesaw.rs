//! The seesaw: a table in which an insert must move one particular token.
//!
//! ```text
//! bucket A   | a a a x |      every other bucket of the range is full,
//! bucket B   | b b b . |      and its tokens cannot go to A or B
//! ```
//!
//! All slots of the range but one are taken, and only the token `x` can use the vacant one.
//! Inserting a `push[0]`, whose buckets are A and a full one, moves `x` to B and takes its place.
//! After it is removed, inserting a `push[1]` moves `x` back. So two hashes make `x` hop back and
//! forth, once per insert, between two buckets in different cache lines.

use std::collections::BTreeSet;

use crate::geometry::{Class, Geometry};
use crate::layout::Layout;

/// The hashes to insert into a table.
#[derive(Clone, Debug)]
pub struct Seesaw {
    /// The table: three ranges, of which the middle one is used.
    pub geometry: Geometry,
    /// The class of the token that hops.
    pub class: Class,
    /// The two hashes of that class: one has the lower bucket first, the other the higher.
    pub rider: [u64; 2],
    /// The hashes whose inserts make it hop.
    pub push: [u64; 2],
    /// The hashes that fill the rest, in the order in which they are inserted; no two are of one
    /// class.
    pub ballast: Vec<u64>,
}

impl Seesaw {
    /// Makes the seesaw of a layout.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        let geometry = Geometry::with_buckets(layout, 48);
        let range = 16..32;
        let a = range.start;
        let fingerprint = geometry.fingerprints(a, 1, 1, |_| true)[0];
        let class = geometry.class_in(a, fingerprint);
        let b = geometry.alternate(a, fingerprint);
        let apart = |bucket: usize| bucket != a && bucket != b;

        // Returns a hash that leads from `bucket` to a separate bucket, in a class of its own.
        let mut taken = BTreeSet::new();
        let mut fresh = |bucket: usize| {
            let leads = |&f: &u32| apart(geometry.alternate(bucket, f));
            let mut fits = layout.fingerprints().filter(leads);
            let f = fits.find(|&f| taken.insert(geometry.class_in(bucket, f)));
            geometry.hash(bucket, f.expect("more classes than slots"), 0)
        };
        let mut ballast = Vec::new();
        // The other buckets first: their tokens have no alternative, so they fill them completely.
        for bucket in range.filter(|&bucket| apart(bucket)) {
            ballast.extend((0..layout.slots).map(|_| fresh(bucket)));
        }
        for bucket in [a, b] {
            ballast.extend((1..layout.slots).map(|_| fresh(bucket)));
        }
        Self {
            geometry,
            class,
            rider: geometry.both_orders(class),
            push: [a, b].map(fresh),
            ballast,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::oracle::Oracle;

    /// The rider and a push have room only if the rider can move.
    #[test]
    fn rider_must_move() {
        for layout in Layout::EVERY {
            let seesaw = Seesaw::new(layout);
            let class = |hash: u64| seesaw.geometry.class(hash);
            let mut oracle = Oracle::new(seesaw.geometry);
            for &hash in &seesaw.ballast {
                assert!(oracle.has_room_for(class(hash)), "{layout:?}");
                assert_eq!(oracle.count(class(hash)), 0, "{layout:?}");
                oracle.add(class(hash));
            }
            // Both ends have one vacant slot each, and no token of the ballast can move to the
            // other end.
            assert_eq!(oracle.len(), 16 * layout.slots - 2);
            oracle.add(seesaw.class);
            assert!(seesaw.rider.map(class) == [seesaw.class; 2]);
            for push in seesaw.push.map(class) {
                assert_eq!(oracle.count(push), 0, "{layout:?}");
                let ends = [seesaw.class.low, seesaw.class.high];
                let at_ends = [push.low, push.high].map(|bucket| ends.contains(&bucket));
                assert_eq!(at_ends.iter().filter(|&&is| is).count(), 1, "{layout:?}");
                assert!(oracle.has_room_for(push), "{layout:?}");
                oracle.add(push);
                let more = seesaw.push.map(class).map(|push| oracle.has_room_for(push));
                assert_eq!(more, [false; 2], "{layout:?}");
                assert!(oracle.take(push));
            }
        }
    }
}
