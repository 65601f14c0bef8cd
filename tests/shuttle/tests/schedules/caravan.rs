//! The caravan: a table in which one insert makes a whole row of tokens hop.
//!
//! ```text
//! bucket 0   | a a a x |     every other bucket is full,
//! bucket 1   | b b b y |     and its tokens cannot come to this road
//! bucket 2   | c c c z |
//! bucket 3   | d d d . |
//! ```
//!
//! All slots but one are taken, and only the riders `x`, `y` and `z` can go anywhere: `x` to bucket 1, `y` to
//! bucket 2, `z` to bucket 3. An insert that needs a slot of bucket 0 finds a path of three hops and moves all
//! of them one bucket on. Once it is removed, an insert that needs a slot of bucket 3 moves them all back.

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::testing::hooks::Event::{self, Abort, Arrival, Broken, Help, Hop, Kick};
use model::Layout;
use model::geometry::{Class, Geometry};
use model::hashers::AsGiven;

pub(crate) type Filter = CuckooFilter<AsGiven>;

/// What must happen where paths of several hops disturb each other and those who look.
pub(crate) const STORM: [Event; 6] = [Hop, Kick, Broken, Abort, Help, Arrival];

pub(crate) struct Caravan {
    pub(crate) filter: Filter,
    pub(crate) geometry: Geometry,
    /// The hashes of each rider: one looks first at the bucket it starts in, the other at the next.
    pub(crate) riders: Vec<[u64; 2]>,
    /// The hashes whose inserts make the riders hop, from either end of the road.
    pub(crate) push: [u64; 2],
    /// What fills the rest.
    pub(crate) ballast: Vec<u64>,
}

impl Caravan {
    /// The road, without its riders: each bucket on it has one vacant slot.
    pub(crate) fn road(buckets: usize, hops: usize, descriptors: Option<usize>) -> Self {
        let geometry = Geometry::with_buckets(Layout::DEFAULT, buckets);
        let (road, riders) = lay_out(geometry, hops);
        let apart = |bucket: usize| !road.contains(&bucket);
        // Each fingerprint once, so that no two tokens are of one class.
        let mut next = 10_000;
        let mut tokens = |bucket: usize, count: usize| -> Vec<u64> {
            let found = geometry.fingerprints(bucket, next, count, apart);
            next = found.last().map_or(next, |last| last + 1);
            let hashes = found.into_iter();
            hashes.map(|f| geometry.hash(bucket, f, 0)).collect()
        };
        // The buckets apart first: their tokens fill them completely.
        let mut ballast = Vec::new();
        for bucket in (0..buckets).filter(|&bucket| apart(bucket)) {
            ballast.extend(tokens(bucket, Layout::DEFAULT.slots));
        }
        for &bucket in &road {
            ballast.extend(tokens(bucket, Layout::DEFAULT.slots - 1));
        }
        let push = [road[0], road[hops]].map(|end| tokens(end, 1)[0]);

        let filter = filter(buckets, descriptors);
        for &hash in &ballast {
            filter.insert_hash(hash).expect("the ballast has room");
        }
        Self {
            filter,
            geometry,
            riders,
            push,
            ballast,
        }
    }

    /// The road with all its riders, and so a single vacant slot, at its end.
    pub(crate) fn new(buckets: usize, hops: usize, descriptors: Option<usize>) -> Self {
        let caravan = Self::road(buckets, hops, descriptors);
        for [hash, _] in &caravan.riders {
            caravan.filter.insert_hash(*hash).expect("a slot each");
        }
        caravan
    }

    /// Inserts at one end and removes it again. Whether it got in: others may have the vacant slot.
    pub(crate) fn push(&self, end: usize) -> bool {
        let inserted = self.filter.insert_hash(self.push[end]).is_ok();
        if inserted {
            assert!(
                self.filter.contains_hash(self.push[end]),
                "a push is missed"
            );
            assert!(self.filter.remove_hash(self.push[end]), "a push was lost");
        }
        inserted
    }

    /// Pushes from both ends in turn.
    pub(crate) fn keep_pushing(&self, number: usize, times: usize) {
        for at in 0..times {
            self.push((number + at) % 2);
        }
    }

    /// Looks for every rider, in both orders of its buckets and in every way.
    pub(crate) fn look_for_riders(&self) {
        for hashes in &self.riders {
            for &hash in hashes {
                assert!(self.filter.contains_hash(hash), "a rider was missed");
            }
            assert_eq!(
                self.filter.count_hash(hashes[0]),
                1,
                "a rider was miscounted"
            );
            let added = self.filter.insert_unique_hash(hashes[1]);
            assert_eq!(added, Ok(false), "a rider was missed by an insert");
        }
    }

    /// Checks, with nobody else at work, that the ballast is complete and that there are so many of each rider.
    pub(crate) fn check(&self, riders: &[usize]) {
        for &hash in &self.ballast {
            assert_eq!(self.filter.count_hash(hash), 1, "a token of the ballast");
        }
        for hash in self.push {
            assert_eq!(self.filter.count_hash(hash), 0, "a push that was removed");
        }
        for (hashes, &copies) in self.riders.iter().zip(riders) {
            for &hash in hashes {
                assert_eq!(self.filter.count_hash(hash), copies, "copies of a rider");
                assert_eq!(self.filter.contains_hash(hash), copies > 0, "a rider");
            }
        }
        let stored = self.ballast.len() + riders.iter().sum::<usize>();
        assert_eq!(self.filter.len(), stored, "the count is off");
    }

    /// Checks that a copy has all of the ballast and each rider once.
    pub(crate) fn check_copy(&self, copy: &Filter) {
        for &[hash, _] in &self.riders {
            assert_eq!(
                copy.count_hash(hash),
                1,
                "a hopping token was not copied once"
            );
        }
        let at_rest = |&hash: &u64| copy.count_hash(hash) == 1;
        assert!(
            self.ballast.iter().all(at_rest),
            "a token at rest was not copied once"
        );
    }

    /// Checks the same with one of each.
    pub(crate) fn check_complete(&self) {
        self.check(&vec![1; self.riders.len()]);
    }
}

/// A filter whose hashes are as they are given.
pub(crate) fn filter(buckets: usize, descriptors: Option<usize>) -> Filter {
    let mut builder = CuckooFilter::builder().buckets(buckets);
    if let Some(descriptors) = descriptors {
        builder = builder.descriptors(descriptors);
    }
    let built = builder.search_budget(64).hasher(AsGiven).build();
    built.expect("a possible geometry")
}

/// Buckets that lead from one to the next, and the hashes of those who can go there.
fn lay_out(geometry: Geometry, hops: usize) -> (Vec<usize>, Vec<[u64; 2]>) {
    let (mut road, mut riders) = (vec![0], Vec::new());
    while riders.len() < hops {
        let from = road[riders.len()];
        let start = 100 * (riders.len() as u32 + 1);
        let fresh = |to: usize| !road.contains(&to);
        let fingerprint = geometry.fingerprints(from, start, 1, fresh)[0];
        let to = geometry.alternate(from, fingerprint);
        let [low, high] = geometry.both_orders(Class::new(from, to, fingerprint));
        riders.push(if from < to { [low, high] } else { [high, low] });
        road.push(to);
    }
    (road, riders)
}
