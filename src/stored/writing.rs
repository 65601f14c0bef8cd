//! From a filter of one table to its stored form.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::hash::BuildHasher;

use super::{Header, Identity};
use crate::allocate::{self, OutOfMemory};
use crate::tokens::Tokens;

/// Tokens without a frozen word, and the header that describes them.
#[derive(Debug)]
pub(crate) struct Storable<'a> {
    header: Header,
    tokens: &'a Tokens,
}

impl<'a> Storable<'a> {
    pub(crate) fn new<S: BuildHasher + 'static>(
        tokens: &'a Tokens,
        items: usize,
        capacity: usize,
        hasher: &S,
    ) -> Self {
        let header = Header {
            identity: Identity::of(hasher),
            geometry: tokens.geometry,
            capacity,
            items,
            search_budget: tokens.search_budget,
        };
        Self { header, tokens }
    }

    /// Hands the stored form to `put`, a piece at a time, until it fails.
    pub(crate) fn put<E>(&self, mut put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        put(&self.header.encode())?;
        let mut checksum = self.header.begin_checksum();
        self.tokens.put_words(&mut checksum, &mut put)?;
        put(&checksum.finalize().to_le_bytes())
    }

    pub(crate) fn to_vec(&self) -> Result<Vec<u8>, OutOfMemory> {
        collect(self.header.stored_bytes(), |put| self.put(put))
    }
}

/// What is put, which is so many bytes.
pub(crate) fn collect(
    all: u64,
    put_all: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<(), Infallible>) -> Result<(), Infallible>,
) -> Result<Vec<u8>, OutOfMemory> {
    let mut bytes = Vec::new();
    allocate::grow(&mut bytes, usize::try_from(all).unwrap_or(usize::MAX))?;
    let Ok(()) = put_all(&mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    });
    Ok(bytes)
}

impl Tokens {
    /// Leaves no word frozen, and no descriptor with a thread that is gone. Returns the number of tokens.
    /// `&mut`: nothing is under way, so what is found unfinished belongs to dead threads.
    pub(crate) fn settle_all(&mut self) -> usize {
        let tokens = (0..self.table.len())
            .map(|bucket| self.settle(bucket).len())
            .sum();
        self.reclaim();
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::CuckooFilterBuilder;
    use crate::descriptor::State;
    use crate::filter::CuckooFilter;
    use crate::random_state::RandomState;
    use crate::transfer::Transfer;

    const HASH: u64 = 0x1234_5678_9abc_def1;

    /// A filter with one token, which a thread was about to move to its other bucket when it died: at the
    /// given stage, with both words still frozen.
    fn abandoned(stage: State) -> CuckooFilter {
        let filter = CuckooFilterBuilder::with_hasher(RandomState::with_seed(1))
            .buckets(64)
            .build()
            .expect("memory");
        filter.insert_hash(HASH).expect("room");
        let tokens = &filter.tokens;
        let class = tokens.geometry.candidates(HASH);
        let (source, destination) = if tokens.peek(class.first).contains(class.fingerprint) {
            (class.first, class.second)
        } else {
            (class.second, class.first)
        };
        let transfer = Transfer {
            moved: Some(class.fingerprint),
            placed: None,
            source,
            destination,
            old_source: tokens.peek(source),
            old_destination: tokens.peek(destination),
        };
        let mut claim = tokens.pool.claim().expect("a descriptor");
        let (reference, pending) = claim.publish(transfer);
        for bucket in [source, destination] {
            assert!(
                tokens
                    .table
                    .exchange(bucket, transfer.before(bucket), reference)
            );
        }
        if stage != State::Pending {
            assert!(claim.decide(pending, stage));
        }
        core::mem::forget(claim);
        filter
    }

    #[test]
    fn what_dead_threads_left_is_settled_first() {
        for stage in [State::Pending, State::Committed, State::Aborted] {
            let mut filter = abandoned(stage);
            let frozen = |filter: &CuckooFilter| {
                let words = 0..filter.tokens.table.len();
                words
                    .filter(|&word| filter.tokens.table.load(word).is_reference())
                    .count()
            };
            assert_eq!(frozen(&filter), 2, "{stage:?}");
            let bytes = filter.to_bytes();
            assert_eq!(frozen(&filter), 0, "{stage:?}");
            let again = CuckooFilter::from_bytes(&bytes).expect("no reference is stored");
            for filter in [&filter, &again] {
                assert!(filter.contains_hash(HASH), "{stage:?}");
                assert_eq!((filter.len(), filter.count_hash(HASH)), (1, 1), "{stage:?}");
            }
        }
    }

    #[test]
    fn descriptors_of_dead_threads_are_taken_back() {
        let mut filter = abandoned(State::Pending);
        let free = |filter: &CuckooFilter| {
            let claims: Vec<_> = core::iter::from_fn(|| filter.tokens.pool.claim()).collect();
            claims.len()
        };
        assert_eq!(free(&filter), filter.tokens.pool.len() - 1);
        let _ = filter.to_bytes();
        assert_eq!(free(&filter), filter.tokens.pool.len());
    }
}
