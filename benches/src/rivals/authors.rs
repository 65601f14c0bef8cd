//! The filter of the paper's authors, `efficient/cuckoofilter`, in C++.
//!
//! Its source is not in this repository: `benches/measure` gets it from the npm package
//! `cuckoofilter-native`, and the feature `authors` compiles it with `-O3 -march=native`. The loops
//! over many keys are C++ too. A single call, which only the mixed work and locks make, is a call
//! of a function that is not inlined.
#![allow(unsafe_code, reason = "calls of C++")]

use std::ptr::{NonNull, from_ref};

use super::locks::Single;
use crate::contender::Calls;

/// The C++ object.
#[repr(C)]
struct Object([u8; 0]);

// SAFETY: as `authors.cc` defines them.
unsafe extern "C" {
    fn authors_new(items: usize) -> NonNull<Object>;
    fn authors_delete(filter: NonNull<Object>);
    fn authors_bytes(filter: NonNull<Object>) -> usize;
    fn authors_insert(filter: NonNull<Object>, hashes: *const u64, count: usize) -> usize;
    fn authors_insert_unique(filter: NonNull<Object>, hashes: *const u64, count: usize) -> usize;
    fn authors_contains(filter: NonNull<Object>, hashes: *const u64, count: usize) -> usize;
    fn authors_remove(filter: NonNull<Object>, hashes: *const u64, count: usize) -> usize;
}

/// A filter for one thread, with the defaults of the paper: 16-bit fingerprints in buckets of four.
/// It rounds the buckets up to a power of two. When an insert finds no room, it keeps the last
/// victim aside and refuses all further ones.
#[derive(Debug)]
pub struct Authors(NonNull<Object>);

// SAFETY: the object has no tie to the thread that made it. Its lookups write nothing, and all else
// takes `&mut`.
unsafe impl Send for Authors {}
// SAFETY: as above.
unsafe impl Sync for Authors {}

impl Drop for Authors {
    fn drop(&mut self) {
        // SAFETY: it was made by `authors_new`, and no call uses it any more.
        unsafe { authors_delete(self.0) }
    }
}

impl Single for Authors {
    // A token that finds no place in 500 moves is kept aside, and then all inserts are refused until
    // a remove.
    const EXACT: bool = false;
    const CALLS: Calls = Calls {
        insert: "adds a copy",
        insert_unique: "a lookup, then an insert",
    };

    fn with_capacity(items: usize) -> Self {
        // SAFETY: `new` throws if there is no memory, which ends the process.
        Self(unsafe { authors_new(items) })
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        // SAFETY: the object lives as long as `self`.
        let bytes = unsafe { authors_bytes(self.0) };
        (Some(bytes / size_of::<u16>()), Some(bytes))
    }

    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        // SAFETY: the object lives, only this call uses it, and there is one hash.
        unsafe { authors_insert(self.0, from_ref(&hash), 1) > 0 }
    }

    #[inline]
    fn insert_unique(&mut self, hash: u64) -> bool {
        // SAFETY: the object lives, only this call uses it, and there is one hash.
        unsafe { authors_insert_unique(self.0, from_ref(&hash), 1) > 0 }
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        // SAFETY: the object lives, no call changes it, and there is one hash.
        unsafe { authors_contains(self.0, from_ref(&hash), 1) > 0 }
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        // SAFETY: the object lives, only this call uses it, and there is one hash.
        unsafe { authors_remove(self.0, from_ref(&hash), 1) > 0 }
    }

    fn insert_each(&mut self, hashes: &[u64]) -> usize {
        // SAFETY: the object lives, only this call uses it, and there are `len` hashes.
        unsafe { authors_insert(self.0, hashes.as_ptr(), hashes.len()) }
    }

    fn insert_unique_each(&mut self, hashes: &[u64]) -> usize {
        // SAFETY: the object lives, only this call uses it, and there are `len` hashes.
        unsafe { authors_insert_unique(self.0, hashes.as_ptr(), hashes.len()) }
    }

    fn contains_each(&self, hashes: &[u64]) -> usize {
        // SAFETY: the object lives, no call changes it, and there are `len` hashes.
        unsafe { authors_contains(self.0, hashes.as_ptr(), hashes.len()) }
    }

    fn remove_each(&mut self, hashes: &[u64]) -> usize {
        // SAFETY: the object lives, only this call uses it, and there are `len` hashes.
        unsafe { authors_remove(self.0, hashes.as_ptr(), hashes.len()) }
    }
}
