//! The seesaw: a table in which an insert has to move one particular token.
//!
//! ```text
//! bucket A   | a a a x |      every other bucket of the range is full,
//! bucket B   | b b b . |      and its tokens cannot go to A or B
//! ```
//!
//! All slots of the range but one are taken, and only the token `x` can use the vacant one. Inserting a
//! `push[0]`, whose buckets are A and a full one, moves `x` to B and takes its place; once it is removed,
//! inserting a `push[1]` moves `x` back. So two hashes make `x` hop to and fro, once an insert, in two
//! buckets that lie in different cache lines.

use std::thread;

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::Descriptors;

use super::geometry::{Class, Geometry, SLOTS};
use super::hashers::AsGiven;

pub(crate) struct Seesaw {
    pub(crate) filter: CuckooFilter<AsGiven>,
    pub(crate) geometry: Geometry,
    /// The class of the token that hops.
    pub(crate) class: Class,
    /// The two hashes of that class: one looks at A first, the other at B.
    pub(crate) rider: [u64; 2],
    /// The hashes whose inserts make it hop.
    pub(crate) push: [u64; 2],
    /// What fills the rest.
    pub(crate) ballast: Vec<u64>,
}

impl Seesaw {
    /// A seesaw without its rider, so that both A and B have one vacant slot.
    pub(crate) fn new(descriptors: Option<usize>) -> Self {
        // Three ranges of sixteen; the one in the middle is used.
        let geometry = Geometry { buckets: 48 };
        let range = 16..32;
        let a = range.start;
        let [fingerprint, first_push] = geometry.fingerprints(a, 1000, 2, |_| true)[..] else {
            unreachable!("two were asked for");
        };
        let b = geometry.alternate(a, fingerprint);
        let apart = |bucket: usize| bucket != a && bucket != b;

        let mut ballast = Vec::new();
        // The other buckets first: their tokens have nowhere else to go, so they fill them completely.
        for bucket in range.filter(|&bucket| apart(bucket)) {
            let start = 2000 + 500 * (bucket as u16 - 16);
            for f in geometry.fingerprints(bucket, start, SLOTS, apart) {
                ballast.push(geometry.hash(bucket, f, 0));
            }
        }
        for bucket in [a, b] {
            for f in geometry.fingerprints(bucket, 20_000, SLOTS - 1, apart) {
                ballast.push(geometry.hash(bucket, f, 0));
            }
        }
        let push = [a, b].map(|bucket| {
            let f = geometry.fingerprints(bucket, first_push + 1, 1, apart)[0];
            geometry.hash(bucket, f, 0)
        });

        let mut builder = CuckooFilter::builder().buckets(geometry.buckets);
        if let Some(descriptors) = descriptors {
            builder = builder.descriptors(descriptors);
        }
        // The hop is the first step of any search, so a short one finds it, and a refusal costs little.
        let filter = builder
            .search_budget(64)
            .hasher(AsGiven)
            .build()
            .expect("a possible geometry");
        for &hash in &ballast {
            filter.insert_hash(hash).expect("the ballast has room");
        }
        let class = Class {
            low: a.min(b),
            high: a.max(b),
            fingerprint,
        };
        Self {
            filter,
            geometry,
            class,
            rider: geometry.both_orders(class),
            push,
            ballast,
        }
    }

    /// Pushes once at one end. True if the push got in; whether or not the rider had to hop for it.
    pub(crate) fn push(&self, end: usize) -> bool {
        let inserted = self.filter.insert_hash(self.push[end]).is_ok();
        if inserted {
            assert!(self.filter.remove_hash(self.push[end]), "a push was lost");
        } else {
            // Other pushes are in the way, perhaps of threads that wait for this processor.
            thread::yield_now();
        }
        inserted
    }

    /// Checks, with nobody else at work, that the ballast is complete and that there are so many riders.
    pub(crate) fn check(&self, riders: usize) {
        for &hash in &self.ballast {
            assert_eq!(self.filter.count_hash(hash), 1, "a token of the ballast");
        }
        for hash in self.push {
            assert_eq!(self.filter.count_hash(hash), 0, "a push that was removed");
        }
        for hash in self.rider {
            assert_eq!(self.filter.count_hash(hash), riders, "the rider");
            assert_eq!(self.filter.contains_hash(hash), riders > 0, "the rider");
        }
        assert_eq!(self.filter.len(), self.ballast.len() + riders);
    }
}
