//! What a filter says about itself.

use crate::bucket::Bucket;
use crate::filter::CuckooFilter;
use crate::fingerprint::Fingerprint;

/// Measures. While other threads write they are approximate; they never leave their bounds.
impl<S> CuckooFilter<S> {
    /// The number of stored copies, at most [`slots`](Self::slots). Exact while nobody writes. Reads at most
    /// 64 counters.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// assert_eq!(filter.len(), 1);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.counter.sum(self.slots())
    }

    /// Whether [`len`](Self::len) is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(lockfree_cuckoo::CuckooFilter::with_capacity(100).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of items that the filter is sized for: what `with_capacity` was told, or what suits the
    /// number of buckets. It usually takes some more; of items with several copies each it may take fewer.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::CuckooFilter::with_capacity(100).capacity(), 100);
    /// ```
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The number of slots, four a bucket.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::CuckooFilter::with_capacity(8).slots(), 8);
    /// ```
    #[must_use]
    pub fn slots(&self) -> usize {
        self.tokens.geometry.buckets() * Bucket::SLOTS
    }

    /// The fraction of the slots in use, 0 to 1; as exact as [`len`](Self::len).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(8);
    /// filter.insert("a")?;
    /// assert_eq!(filter.load_factor(), 0.125);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn load_factor(&self) -> f64 {
        self.len() as f64 / self.slots() as f64
    }

    /// The bytes in use, all of them: the value itself and what it has on the heap. Fixed at construction,
    /// but that the first [`snapshot`](Self::snapshot) adds a sixteenth of the table.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(lockfree_cuckoo::CuckooFilter::with_capacity(100).memory_usage() <= 4096);
    /// ```
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        size_of::<Self>() + self.tokens.bytes() + self.counter.bytes()
    }

    /// The probability that `contains` is true for an item that is not in, at the present load; as exact as
    /// [`len`](Self::len). It supposes a hasher that mixes well.
    ///
    /// A lookup compares the item's fingerprint, one of 65,535, with the stored ones among eight slots: about
    /// `8 * load_factor / 65535` (Fan et al. 2014, section 5.1, with a bucket size of 4).
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert_eq!(filter.false_positive_rate(), 0.0);
    /// ```
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        any_of(2.0 * Bucket::SLOTS as f64 * self.load_factor())
    }

    /// Removes everything. Needs `&mut self`: it could not be exact while others write. Takes time linear in
    /// the size.
    ///
    /// It also takes back what threads that died in the middle of an insert held: one descriptor each.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let mut filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.clear();
    /// assert!(!filter.contains("a"));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.counter.reset(0);
    }
}

/// The probability that at least one of so many fingerprints is a given one: `1 - (1 - 1/65535)^compared`.
///
/// As a binomial series, because powers need the standard library. Up to eight, the fifth term is less than
/// half a unit in the last place.
pub(crate) fn any_of(compared: f64) -> f64 {
    const TERMS: u32 = 4;
    let e = 1.0 / f64::from(Fingerprint::VALUES);
    // Horner's scheme, from the last term: each is `-e (compared - k) / (k + 1)` times the one before.
    let series = (1..TERMS)
        .rev()
        .map(f64::from)
        .fold(1.0, |rest, k| 1.0 - e * (compared - k) / (k + 1.0) * rest);
    compared * e * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_the_power() {
        let e = 1.0 / f64::from(Fingerprint::VALUES);
        for compared in (0..=8_000).map(|thousandths| f64::from(thousandths) / 1_000.0) {
            let sum = any_of(compared);
            // The power itself is known to the last place of 1, the two functions to that of the result.
            let power = 1.0 - (1.0 - e).powf(compared);
            assert!((sum - power).abs() <= f64::EPSILON, "{compared}");
            let exact = -((-e).ln_1p() * compared).exp_m1();
            assert!(
                (sum - exact).abs() <= 2.0 * f64::EPSILON * exact,
                "{compared}"
            );
        }
    }
}
