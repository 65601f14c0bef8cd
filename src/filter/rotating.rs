//! What only filters that rotate have: rotations.

use super::batch::check_lengths;
use super::rotates::sealed::Sealed;
use super::{Filter, Rotates};
use crate::engine::Rotating;
use crate::error::{InsertError, InsertManyError, RotateError};
use crate::layout::Layout;

/// Filters that rotate.
impl<L: Layout, S> Filter<Rotating<L>, S> {
    /// Forgets the oldest generation, and lets inserts go to a new one.
    ///
    /// It takes effect in one moment, for all threads. Lock-free, as all operations: a thread that stops in the middle
    /// of a rotation keeps no other from rotating.
    ///
    /// Then it empties the table of the forgotten generation, for the next rotation, in time linear in the size of one
    /// generation. Another rotation that begins meanwhile does not wait for that: it first does the same work.
    ///
    /// Of several threads that call this at the same time, each rotates once. If they mean the same rotation, use
    /// [`rotate_if`](Self::rotate_if).
    ///
    /// # Errors
    ///
    /// [`RotateError`], if other threads were in the way: try again.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.rotate()?;
    /// assert!(filter.contains("a"));
    /// filter.rotate()?;
    /// assert!(!filter.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rotate(&self) -> Result<(), RotateError> {
        self.engine.rotate(None).map(|_| ())
    }

    /// Rotates if there were `rotations` rotations so far. Does nothing if there were more. Returns whether this call
    /// rotated.
    ///
    /// So if several threads ask for the same rotation, one of them does it: several threads that find the young
    /// generation full, or a clock and a thread that finds it full.
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// let rotations = filter.rotations();
    /// assert!(filter.rotate_if(rotations)?);
    /// assert!(!filter.rotate_if(rotations)?);
    /// assert_eq!(filter.rotations(), rotations + 1);
    /// # Ok::<(), lockfree_cuckoo::RotateError>(())
    /// ```
    pub fn rotate_if(&self, rotations: u64) -> Result<bool, RotateError> {
        self.engine.rotate(Some(rotations))
    }

    /// The number of rotations so far. A copy, and a filter that was stored and read, goes on with the number of the
    /// original. After 2<sup>43</sup> rotations the count begins again at 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::with_capacity(100);
    /// filter.rotate()?;
    /// assert_eq!(filter.rotations(), 1);
    /// # Ok::<(), lockfree_cuckoo::RotateError>(())
    /// ```
    #[must_use]
    pub fn rotations(&self) -> u64 {
        self.engine.rotations()
    }

    /// The number of generations, `n`: the `n`-th rotation after its insert forgets an item.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::RotatingCuckooFilter::with_capacity(100).generations(), 2);
    /// ```
    #[must_use]
    pub fn generations(&self) -> usize {
        self.engine.generations()
    }
}

impl<L: Layout> Sealed for Rotating<L> {}

impl<L: Layout> Rotates for Rotating<L> {
    fn rotate(&self) -> Result<(), RotateError> {
        self.rotate(None).map(|_| ())
    }

    fn rotate_if(&self, rotations: u64) -> Result<bool, RotateError> {
        self.rotate(Some(rotations))
    }

    fn rotations(&self) -> u64 {
        self.rotations()
    }

    fn generations(&self) -> usize {
        self.generations()
    }

    fn refresh_hash(&self, hash: u64) -> Result<bool, InsertError> {
        self.refresh(hash)
    }

    #[track_caller]
    fn refresh_many_hash(&self, hashes: &[u64], new: &mut [bool]) -> Result<(), InsertManyError> {
        check_lengths(hashes, new);
        new.fill(false);
        self.refresh_many(hashes, new)
    }
}
