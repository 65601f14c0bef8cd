//! Values: a few bits that each copy carries.

use core::hash::Hash;

use super::Filter;
use super::batch::{CHUNK, hash_each};
use crate::engine::operations::{StoresValues, check_lengths};
use crate::engine::values::Values;
use crate::error::{InsertError, ValueError};
use crate::fixed::Fixed;
use crate::kernel::layout::{Layout, WithValues};
use crate::typed_hasher::HashesItem;

/// Values, for filters whose [layout](crate::layout::Layout) has room for them: each copy of an
/// item carries a number of a few bits. The filter is then an approximate map: which port, worker,
/// shard or level has an item.
///
/// Precisely, a token is a class and a value, and the filter is a multiset of tokens. The calls for
/// filters without values work on the class: [`insert`](Filter::insert) adds a token with the value
/// 0, [`contains`](Filter::contains) finds a token with any value, [`remove`](Filter::remove)
/// removes a token with any value, and [`count`](Filter::count) counts them.
///
/// # What a lookup may answer
///
/// * For an item that is stored once, with no false positive: its value, whatever other threads do
///   to other items. A hop of the token changes neither its class nor its value, and no lookup
///   misses it.
/// * For an item whose class has several tokens, because it was inserted several times, or another
///   item of its class was inserted: the value of any of them, or [all](Self::values).
/// * For an absent item: `None`, or with the [false-positive rate](Filter::false_positive_rate) the
///   value of another item.
///
/// # Many threads
///
/// A call that returns a value saw a token that had it at that moment. If threads race to take or
/// replace one token, one succeeds. Beyond that:
///
/// * **If a class never has two tokens at a time**, as when all inserts use
///   [`insert_unique_value`](Self::insert_unique_value), all calls but [`values`](Self::values) are
///   linearizable with respect to the multiset of tokens: the filter is a map with
///   compare-and-exchange.
/// * **In any case** the calls are linearizable if values are ignored, and so are, for each value,
///   the calls that report tokens with that value. But if tokens of one class with different values
///   come and go at the same time, there is no common order for both: one thread may find the class
///   empty at the moment at which another thread finds a token that is being removed, beside one
///   that has just been inserted. [`design::protocol`](crate::design::protocol#values) has the
///   schedule.
///
/// All calls are lock-free, and allocate nothing.
impl<L: Layout, S> Filter<Fixed<L>, S> {
    /// As [`insert_value`](Self::insert_value), by hash.
    ///
    /// # Errors
    ///
    /// As [`insert_value`](Self::insert_value).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// let hops = Filter::<Fixed<Lanes<4, 12, 4>>>::with_capacity(100);
    /// hops.insert_value_hash(0x9e37_79b9_7f4a_7c15, 7)?;
    /// assert_eq!(hops.value_hash(0x9e37_79b9_7f4a_7c15), Some(7));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn insert_value_hash(&self, hash: u64, value: u16) -> Result<(), InsertError>
    where
        L: WithValues,
    {
        self.engine.insert_value_hash(hash, value)
    }

    /// As [`insert_unique_value`](Self::insert_unique_value), by hash.
    ///
    /// # Errors
    ///
    /// As [`insert_unique_value`](Self::insert_unique_value).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// let hops = Filter::<Fixed<Lanes<4, 12, 4>>>::with_capacity(100);
    /// assert_eq!(hops.insert_unique_value_hash(0x9e37_79b9_7f4a_7c15, 7)?, None);
    /// assert_eq!(hops.insert_unique_value_hash(0x9e37_79b9_7f4a_7c15, 8)?, Some(7));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn insert_unique_value_hash(
        &self,
        hash: u64,
        value: u16,
    ) -> Result<Option<u16>, InsertError>
    where
        L: WithValues,
    {
        self.engine.insert_unique_value_hash(hash, value)
    }

    /// As [`value`](Self::value), by hash.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// let hops = Filter::<Fixed<Lanes<4, 12, 4>>>::with_capacity(100);
    /// assert_eq!(hops.value_hash(0x9e37_79b9_7f4a_7c15), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn value_hash(&self, hash: u64) -> Option<u16>
    where
        L: WithValues,
    {
        self.engine.value_hash(hash)
    }

    /// As [`values`](Self::values), by hash.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// let hops = Filter::<Fixed<Lanes<4, 12, 4>>>::with_capacity(100);
    /// hops.insert_value_hash(0x9e37_79b9_7f4a_7c15, 7)?;
    /// assert!(hops.values_hash(0x9e37_79b9_7f4a_7c15).eq([7]));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn values_hash(&self, hash: u64) -> Values
    where
        L: WithValues,
    {
        self.engine.values_hash(hash)
    }

    /// As [`replace_value`](Self::replace_value), by hash.
    ///
    /// # Errors
    ///
    /// As [`replace_value`](Self::replace_value).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// let hops = Filter::<Fixed<Lanes<4, 12, 4>>>::with_capacity(100);
    /// hops.insert_value_hash(0x9e37_79b9_7f4a_7c15, 7)?;
    /// assert_eq!(hops.replace_value_hash(0x9e37_79b9_7f4a_7c15, 7, 8), Ok(true));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn replace_value_hash(&self, hash: u64, old: u16, new: u16) -> Result<bool, ValueError>
    where
        L: WithValues,
    {
        self.engine.replace_value_hash(hash, old, new)
    }

    /// As [`remove_value`](Self::remove_value), by hash.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// let hops = Filter::<Fixed<Lanes<4, 12, 4>>>::with_capacity(100);
    /// hops.insert_value_hash(0x9e37_79b9_7f4a_7c15, 7)?;
    /// assert!(!hops.remove_value_hash(0x9e37_79b9_7f4a_7c15, 8) && hops.remove_value_hash(0x9e37_79b9_7f4a_7c15, 7));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn remove_value_hash(&self, hash: u64, value: u16) -> bool
    where
        L: WithValues,
    {
        self.engine.remove_value_hash(hash, value)
    }

    /// As [`value_many`](Self::value_many), by hashes.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// let hops = Filter::<Fixed<Lanes<4, 12, 4>>>::with_capacity(100);
    /// let mut values = [Some(0); 2];
    /// hops.value_many_hash(&[0x9e37_79b9_7f4a_7c15, 0xd134_2543_de82_ef95], &mut values);
    /// assert_eq!(values, [None; 2]);
    /// ```
    #[track_caller]
    pub fn value_many_hash(&self, hashes: &[u64], values: &mut [Option<u16>])
    where
        L: WithValues,
    {
        self.engine.value_many_hash(hashes, values)
    }
}

impl<L: Layout, S> Filter<Fixed<L>, S> {
    /// Adds one copy of an item with a value, as [`insert`](Filter::insert) does, whatever copies
    /// are stored.
    ///
    /// # Errors
    ///
    /// [`InsertError`], as [`insert`](Filter::insert), and if the value is more than
    /// [`MAX_VALUE`](WithValues::MAX_VALUE).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// type NextHops = Filter<Fixed<Lanes<3, 13, 8>>>;
    ///
    /// let hops = NextHops::with_capacity(100);
    /// hops.insert_value("10.0.0.1", 17)?;
    /// assert_eq!(hops.value("10.0.0.1"), Some(17));
    /// assert_eq!(hops.value("10.0.0.2"), None);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn insert_value<T: Hash + ?Sized>(&self, item: &T, value: u16) -> Result<(), InsertError>
    where
        S: HashesItem<T>,
        L: WithValues,
    {
        self.insert_value_hash(self.hash_one(item), value)
    }

    /// Adds an item with a value if it is absent. Returns `None` if this call added it, otherwise a
    /// stored value: of the item, or rarely of another item of its class. Then this one is not
    /// stored.
    ///
    /// As [`insert_unique`](Filter::insert_unique): if threads race for an absent item, one adds
    /// its value, and the others get that value, unless it is replaced or removed meanwhile.
    ///
    /// # Errors
    ///
    /// As [`insert_value`](Self::insert_value), except `TooManyCopies`.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// type Owners = Filter<Fixed<Lanes<4, 12, 4>>>;
    ///
    /// let owners = Owners::with_capacity(100);
    /// assert_eq!(owners.insert_unique_value("flow", 3)?, None); // worker 3 has it
    /// assert_eq!(owners.insert_unique_value("flow", 5)?, Some(3)); // so worker 5 does not
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn insert_unique_value<T: Hash + ?Sized>(
        &self,
        item: &T,
        value: u16,
    ) -> Result<Option<u16>, InsertError>
    where
        S: HashesItem<T>,
        L: WithValues,
    {
        self.insert_unique_value_hash(self.hash_one(item), value)
    }

    /// The value of an item, or `None` if it is absent. With several copies, or a false positive,
    /// the value of any token of the class. Writes nothing, and costs about as much as
    /// [`contains`](Filter::contains).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// let owners = Filter::<Fixed<Lanes<4, 12, 4>>>::with_capacity(100);
    /// owners.insert_value("flow", 3)?;
    /// assert_eq!(owners.value("flow"), Some(3));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[doc(alias = "get")]
    #[inline]
    #[must_use]
    pub fn value<T: Hash + ?Sized>(&self, item: &T) -> Option<u16>
    where
        S: HashesItem<T>,
        L: WithValues,
    {
        self.value_hash(self.hash_one(item))
    }

    /// The values of all tokens of the item's class, in no particular order: one for each copy.
    ///
    /// Contains the value of each token that is stored during the whole call, and no value of a
    /// token that is not stored at any moment of the call. Like [`count`](Filter::count), it reads
    /// the two buckets one after the other: if one copy is removed while another one is inserted,
    /// the call can return the values of both.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// type Levels = Filter<Fixed<Lanes<4, 12, 4>>>;
    ///
    /// let levels = Levels::with_capacity(100);
    /// levels.insert_value("key", 2)?;
    /// levels.insert_value("key", 7)?;
    /// let mut found: Vec<u16> = levels.values("key").collect();
    /// found.sort();
    /// assert_eq!(found, [2, 7]);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn values<T: Hash + ?Sized>(&self, item: &T) -> Values
    where
        S: HashesItem<T>,
        L: WithValues,
    {
        self.values_hash(self.hash_one(item))
    }

    /// Changes the value of one copy of an item from `old` to `new`, in one exchange. Returns false
    /// if no copy has the value `old`.
    ///
    /// If threads replace the value of one copy at the same time, one succeeds: it is a
    /// compare-and-exchange. Before that moment lookups find the old value, after it the new one,
    /// and the item is never absent. It needs no room, so it works in a full filter.
    ///
    /// Replace only values that you inserted: in the rare case of a false positive the value of
    /// another item is replaced.
    ///
    /// # Errors
    ///
    /// [`ValueError`], if `new` is more than [`MAX_VALUE`](WithValues::MAX_VALUE). Nothing is
    /// changed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// type Owners = Filter<Fixed<Lanes<4, 12, 4>>>;
    ///
    /// let owners = Owners::with_capacity(100);
    /// owners.insert_value("flow", 3)?;
    /// assert!(owners.replace_value("flow", 3, 5)?);
    /// assert!(!owners.replace_value("flow", 3, 6)?);
    /// assert_eq!(owners.value("flow"), Some(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replace_value<T: Hash + ?Sized>(
        &self,
        item: &T,
        old: u16,
        new: u16,
    ) -> Result<bool, ValueError>
    where
        S: HashesItem<T>,
        L: WithValues,
    {
        self.replace_value_hash(self.hash_one(item), old, new)
    }

    /// Removes one copy of an item that has this value. Returns false if there is none.
    /// [`remove`](Filter::remove) removes a copy with any value.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// type Levels = Filter<Fixed<Lanes<4, 12, 4>>>;
    ///
    /// let levels = Levels::with_capacity(100);
    /// levels.insert_value("key", 2)?;
    /// levels.insert_value("key", 7)?;
    /// assert!(levels.remove_value("key", 7));
    /// assert!(!levels.remove_value("key", 7));
    /// assert_eq!(levels.value("key"), Some(2));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn remove_value<T: Hash + ?Sized>(&self, item: &T, value: u16) -> bool
    where
        S: HashesItem<T>,
        L: WithValues,
    {
        self.remove_value_hash(self.hash_one(item), value)
    }

    /// The [`value`](Self::value) of each item. Prefetches the words of the next items.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{Filter, filter::Fixed, layout::Lanes};
    ///
    /// let hops = <Filter<Fixed<Lanes<3, 13, 8>>>>::with_capacity(100);
    /// hops.insert_value("a", 17)?;
    /// let mut values = [None; 2];
    /// hops.value_many(&["a", "b"], &mut values);
    /// assert_eq!(values, [Some(17), None]);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[track_caller]
    pub fn value_many<T: Hash>(&self, items: &[T], values: &mut [Option<u16>])
    where
        S: HashesItem<T>,
        L: WithValues,
    {
        check_lengths(items, values);
        for (items, values) in items.chunks(CHUNK).zip(values.chunks_mut(CHUNK)) {
            self.value_many_hash(
                hash_each(self.hasher.inner(), items, &mut [0; CHUNK]),
                values,
            );
        }
    }
}
