//! One filter, as clients know it.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockfree_cuckoo::{
    BuildError, Chunks, CuckooFilter, FilterBuilder, Fixed, Growing, GrowingCuckooFilter, Hashed,
    InsertError, InsertManyError, RandomState, ReadError, Shape, SnapshotError,
};

use crate::budget::{Budget, NotAdded};
use crate::deletions::Deletions;
use crate::engine::Engine;
use crate::layout::Layout;
use crate::origin::Origin;
use crate::reply::Answer;
use crate::settings::{Kind, Settings};

/// A filter of byte strings with the settings it was made with: what a key of a server or a module holds.
///
/// All calls but [`behind_a_mutex`](Self::behind_a_mutex) take `&self`; any number of threads may make them at once.
#[derive(Debug)]
pub struct Filter {
    engine: Engine,
    /// The filter's own: an item is hashed here, once, whatever kind of filter there is.
    hasher: RandomState,
    settings: Settings,
    deletions: Deletions,
    /// What it shares with others, if it grows.
    budget: Option<Arc<dyn Budget>>,
    /// Bytes that it may take whatever is left, if it grows.
    most: usize,
    /// Its bytes when it was last looked whether it has grown.
    seen: AtomicUsize,
}

/// Bytes of a bucket of the library's filters.
const BUCKET_BYTES: usize = 8;

/// Items that are added before it is looked again how far the filter may grow.
const BATCH: usize = 256;

impl Filter {
    /// A filter that takes at most `left` bytes now, and may grow to `most` if it grows.
    ///
    /// An expansion with which the second segment would take more than half of `most` is lowered.
    ///
    /// # Errors
    ///
    /// If that is too little, and as the builders of the library. Nothing of note is allocated then.
    pub fn new(settings: Settings, left: usize, most: usize) -> Result<Self, NotMade> {
        Self::with_origin(settings, Origin::random(), left, most)
    }

    /// The same, of this origin.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_origin(
        settings: Settings,
        origin: Origin,
        left: usize,
        most: usize,
    ) -> Result<Self, NotMade> {
        let grows = settings.expansion != 0;
        Self::build(settings, origin, left, most).map_err(|error| match error.memory_needed() {
            Some(needed) if grows && needed > most => NotMade::TooLarge { needed, most },
            Some(needed) => NotMade::NoMemory {
                needed: with_snapshot(needed),
                left,
            },
            None => NotMade::Build(error),
        })
    }

    fn build(
        mut settings: Settings,
        origin: Origin,
        left: usize,
        most: usize,
    ) -> Result<Self, BuildError> {
        let Settings {
            capacity,
            expansion,
            layout,
            ..
        } = settings;
        // What its first snapshot adds has to fit too.
        let left = without_snapshot(left);
        let hasher = RandomState::with_seed(origin.seed);
        let (filter, kind) = if expansion == 0 {
            let builder = FilterBuilder::<Fixed>::with_hasher(hasher.clone());
            let builder = builder.capacity(capacity).max_memory_usage(left);
            (build(builder, layout)?, Kind::Fixed)
        } else {
            let left = left.min(most);
            let build = |expansion: u16| {
                let builder = FilterBuilder::<Growing>::with_hasher(hasher.clone());
                let builder = builder.growth_factor(expansion.into());
                let builder = match (origin.growth_rate, layout) {
                    (Some(rate), Layout::Shape(_)) => builder.max_false_positive_rate(rate),
                    _ => builder,
                };
                build(builder.capacity(capacity).max_memory_usage(left), layout)
            };
            let mut filter = build(expansion)?;
            // The table of the second segment may take a half, so that what else it needs fits too.
            let table = filter.slots() / filter.shape().slots() * BUCKET_BYTES;
            let times = (most / 2 / table).max(2);
            if usize::from(expansion) > times {
                // Below an expansion, so that it is one.
                settings.expansion = 1 << times.ilog2();
                filter = build(settings.expansion)?;
            }
            filter.set_max_memory_usage(most);
            (filter, Kind::Growing)
        };
        let engine = Engine::new(filter, kind);
        Ok(Self::of(
            engine,
            hasher,
            settings,
            Deletions::default(),
            most,
        ))
    }

    /// A filter that was stored. A growing one may grow to `most` bytes.
    pub(crate) fn read(
        kind: Kind,
        settings: Settings,
        deleted: u64,
        source: impl Read,
        most: usize,
    ) -> Result<Self, ReadError> {
        let mut filter = match kind {
            Kind::Fixed => CuckooFilter::read_from_any_layout(source)?,
            Kind::Growing => GrowingCuckooFilter::read_from_any_layout(source)?,
        };
        // Not what the one who stored it allowed.
        filter.set_max_memory_usage(most);
        // It would not have been read with another one.
        let hasher = filter.hasher().downcast_ref::<RandomState>().cloned();
        let hasher = hasher.ok_or(ReadError::HasherNeeded)?;
        let engine = Engine::new(filter, kind);
        let deletions = Deletions::starting_at(deleted);
        Ok(Self::of(engine, hasher, settings, deletions, most))
    }

    fn of(
        engine: Engine,
        hasher: RandomState,
        mut settings: Settings,
        deletions: Deletions,
        most: usize,
    ) -> Self {
        let seen = engine.access().memory_usage().into();
        settings.layout = Layout::Shape(engine.access().shape());
        Self {
            engine,
            hasher,
            settings,
            deletions,
            budget: None,
            most,
            seen,
        }
    }

    /// The same filter, which asks others whether it may grow if it does.
    #[must_use]
    pub fn with_budget(self, budget: Arc<dyn Budget>) -> Self {
        let grows = self.kind() == Kind::Growing;
        Self {
            budget: grows.then_some(budget),
            ..self
        }
    }

    /// The same filter with a mutex around it, to show what a lock costs.
    #[must_use]
    pub fn behind_a_mutex(self) -> Self {
        Self {
            engine: self.engine.behind_a_mutex(),
            ..self
        }
    }

    /// Whether it grows.
    pub fn kind(&self) -> Kind {
        self.engine.kind()
    }

    /// What it was made with.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Bytes that it takes, with what its first snapshot adds: a sixteenth.
    pub fn reserved(&self) -> usize {
        with_snapshot(self.memory_usage())
    }

    /// Adds a copy of an item.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert`]; and if it may not grow any more.
    pub fn insert(&self, item: &[u8]) -> Result<(), NotAdded> {
        let left = self.limit_growth();
        let inserted = self.engine.access().insert_hash(self.hash(item));
        self.charge();
        inserted.map_err(|error| self.not_added(error, left))
    }

    /// Adds an item unless it is in. Returns true if this call added it.
    ///
    /// # Errors
    ///
    /// As [`CuckooFilter::insert_unique`]; and if it may not grow any more.
    pub fn insert_unique(&self, item: &[u8]) -> Result<bool, NotAdded> {
        let left = self.limit_growth();
        let inserted = self.engine.access().insert_unique_hash(self.hash(item));
        self.charge();
        inserted.map_err(|error| self.not_added(error, left))
    }

    /// Adds those of the items that there is room for or, if `is_unique`, those of them that are not in. For each of
    /// them, whether this call added it.
    pub fn insert_each(&self, items: &[&[u8]], is_unique: bool) -> Vec<Answer> {
        // Once for all: a refusal must not cost the hashing of all that follows it.
        let hashes = self.hashes(items);
        if self.budget.is_none() {
            return self.insert_hashes(&hashes, is_unique);
        }
        let mut answers = Vec::with_capacity(hashes.len());
        for batch in hashes.chunks(BATCH) {
            self.limit_growth();
            answers.extend(self.insert_hashes(batch, is_unique));
            self.charge();
        }
        answers
    }

    fn insert_hashes(&self, hashes: &[u64], is_unique: bool) -> Vec<Answer> {
        let mut added = vec![!is_unique; hashes.len()];
        let mut answers = Vec::with_capacity(hashes.len());
        while answers.len() < hashes.len() {
            let rest = &hashes[answers.len()..];
            let added = &mut added[..rest.len()];
            let filter = self.engine.access();
            let inserted = if is_unique {
                filter.insert_unique_many_hash(rest, added)
            } else {
                filter.insert_many_hash(rest)
            };
            // A refusal ends a batch; what is behind it is the next one.
            let done = inserted
                .as_ref()
                .map_or_else(InsertManyError::inserted, |()| rest.len());
            answers.extend(added[..done].iter().map(|&added| Answer::from(added)));
            if inserted.is_err() {
                answers.push(Answer::Refused);
            }
        }
        answers
    }

    /// Lets the filter grow by what is left, and no further: what needs a segment that does not fit is refused, and before
    /// that is allocated. Returns what is left.
    fn limit_growth(&self) -> Option<usize> {
        let budget = self.budget.as_ref()?;
        let used = self.seen.load(Ordering::Relaxed);
        let left = budget.left(used);
        let most = used.saturating_add(without_snapshot(left)).min(self.most);
        self.engine.access().limit_memory_usage(most);
        Some(left)
    }

    /// Why an item was not added while so much was left for growth.
    fn not_added(&self, error: InsertError, left: Option<usize>) -> NotAdded {
        let InsertError::CannotGrow { error: growth } = &error else {
            return error.into();
        };
        let used = self.seen.load(Ordering::Relaxed);
        match (growth.memory_needed(), left) {
            (Some(needed), Some(left))
                if used.saturating_add(without_snapshot(left)) < self.most =>
            {
                NotAdded::NoMemoryToGrow {
                    needed: with_snapshot(needed.saturating_sub(used)),
                    left,
                }
            }
            _ => error.into(),
        }
    }

    /// Tells the others if the filter has grown.
    fn charge(&self) {
        if let Some(budget) = &self.budget {
            let bytes = self.memory_usage();
            // Relaxed: what is told is read anew by whoever is told.
            if self.seen.load(Ordering::Relaxed) != bytes {
                self.seen.store(bytes, Ordering::Relaxed);
                budget.has_changed();
            }
        }
    }

    /// Returns true if the item is in, and seldom if it is not.
    pub fn contains(&self, item: &[u8]) -> bool {
        self.engine.access().contains_hash(self.hash(item))
    }

    /// The same for each of many items.
    pub fn contains_each(&self, items: &[&[u8]]) -> Vec<Answer> {
        let hashes = self.hashes(items);
        let mut found = vec![false; hashes.len()];
        self.engine.access().contains_many_hash(&hashes, &mut found);
        found.into_iter().map(Answer::from).collect()
    }

    /// The copies of an item that are in.
    pub fn count(&self, item: &[u8]) -> usize {
        self.engine.access().count_hash(self.hash(item))
    }

    /// Removes one copy of an item that was added. Returns false if there is none.
    ///
    /// Removals are counted. Callers with different numbers seldom write to one count.
    pub fn remove(&self, item: &[u8], caller: u64) -> bool {
        let removed = self.engine.access().remove_hash(self.hash(item));
        if removed {
            self.deletions.add_one(caller);
        }
        removed
    }

    /// Items in the filter, each copy counted.
    pub fn items(&self) -> usize {
        self.engine.access().len()
    }

    /// Items removed since it was made, also before it was stored.
    pub fn deleted(&self) -> u64 {
        self.deletions.sum()
    }

    /// As [`CuckooFilter::slots`].
    pub fn slots(&self) -> usize {
        self.engine.access().slots()
    }

    /// The layout of its buckets.
    pub fn shape(&self) -> Shape {
        self.engine.access().shape()
    }

    /// As [`CuckooFilter::load_factor`].
    pub fn load_factor(&self) -> f64 {
        self.engine.access().load_factor()
    }

    /// As [`CuckooFilter::false_positive_rate`].
    pub fn false_positive_rate(&self) -> f64 {
        self.engine.access().false_positive_rate()
    }

    /// As [`CuckooFilter::memory_usage`].
    pub fn memory_usage(&self) -> usize {
        self.engine.access().memory_usage()
    }

    /// As [`GrowingCuckooFilter::segments`]; 1 for a filter that does not grow.
    pub fn segments(&self) -> usize {
        self.engine.access().segments()
    }

    /// Gives back what removals have emptied.
    pub fn shrink_to_fit(&self) {
        self.engine.access().shrink_to_fit();
        self.charge();
    }

    /// The stored form of the library, for a caller who knows that nobody writes meanwhile: see
    /// [`lockfree_cuckoo::Filter::chunks`]. It does not wait for the [mutex](Self::behind_a_mutex), if there is one.
    ///
    /// # Errors
    ///
    /// If the few bytes that it takes could not be allocated.
    pub fn chunks(&self) -> Result<Chunks<'_>, SnapshotError> {
        self.engine.chunks()
    }

    /// Writes all items that were in when it was called, and perhaps some that came since, while others go on. What
    /// else there is to keep of a filter is its [`Entry`](crate::Entry).
    ///
    /// # Errors
    ///
    /// If there is no memory for a copy of it, others disturb each try to make one, or the sink fails.
    pub fn write(&self, mut sink: impl Write) -> Result<(), WriteError> {
        let copy = patiently(|| self.engine.snapshot())?;
        Ok(copy(&mut sink)?)
    }

    /// Not by `Hash`: what is stored must be found by a program that another version of Rust has compiled.
    fn hash(&self, item: &[u8]) -> u64 {
        self.hasher.hash_bytes(item)
    }

    fn hashes(&self, items: &[&[u8]]) -> Vec<u64> {
        items.iter().map(|item| self.hash(item)).collect()
    }
}

/// Builds a filter with the layout, or with one for the rate.
fn build<E: lockfree_cuckoo::Engine>(
    builder: FilterBuilder<E>,
    layout: Layout,
) -> Result<Box<dyn Hashed>, BuildError> {
    match layout {
        Layout::Shape(shape) => builder.build_shape(shape),
        Layout::Rate(rate) => builder.build_smallest(rate),
    }
}

/// Bytes of a filter of which a snapshot was taken.
fn with_snapshot(bytes: usize) -> usize {
    bytes.saturating_add(bytes.div_ceil(16))
}

/// Bytes that a filter may take so that there is room for its first snapshot.
fn without_snapshot(bytes: usize) -> usize {
    bytes - bytes.div_ceil(17)
}

/// Why no filter was made.
#[derive(Debug, thiserror::Error)]
pub enum NotMade {
    /// It would take more than there is left.
    #[error("what is left is {left} bytes, and this filter needs {needed}")]
    NoMemory {
        /// With what a snapshot adds.
        needed: usize,
        /// What was said to be left.
        left: usize,
    },
    /// It would take more than one that grows may.
    #[error("a filter that grows can take at most {most} bytes, and this one needs {needed}")]
    TooLarge {
        /// To begin with.
        needed: usize,
        /// What it may take.
        most: usize,
    },
    /// It cannot be built.
    #[error(transparent)]
    Build(BuildError),
}

/// Why a filter was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// No copy of it could be made.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The sink failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Another snapshot may be under way, for another file or another client, and others may disturb one so much that it
/// is given up: both pass.
fn patiently<T>(snapshot: impl Fn() -> Result<T, SnapshotError>) -> Result<T, SnapshotError> {
    const TRIES: usize = 1_000;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(5);
    for _ in 1..TRIES {
        match snapshot() {
            Err(SnapshotError::Busy | SnapshotError::Disturbed) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    snapshot()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Settings = Settings {
        capacity: 100,
        expansion: 0,
        max_iterations: 20,
        layout: Layout::Shape(Shape::of::<lockfree_cuckoo::Lanes<4, 16>>()),
    };

    fn written(filter: &Filter) -> Vec<u8> {
        let mut bytes = Vec::new();
        filter.write(&mut bytes).expect("room");
        bytes
    }

    #[test]
    fn a_mutex_changes_nothing_but_the_waiting() {
        let filter = Filter::new(SETTINGS, usize::MAX, usize::MAX).expect("room");
        filter.insert(b"a").expect("room");
        let free = written(&filter);
        let (memory, reserved) = (filter.memory_usage(), filter.reserved());
        let locked = filter.behind_a_mutex();
        assert_eq!(written(&locked), free);
        assert!(locked.contains(b"a") && locked.remove(b"a", 0) && !locked.contains(b"a"));
        assert_eq!((locked.kind(), locked.segments()), (Kind::Fixed, 1));
        assert_eq!(
            (locked.memory_usage(), locked.reserved()),
            (memory, reserved)
        );
    }

    #[test]
    fn what_holds_the_lock_keeps_others_waiting() {
        let filter = Filter::new(SETTINGS, usize::MAX, usize::MAX).expect("room");
        let filter = filter.behind_a_mutex();
        let held = filter.engine.access();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| filter.contains(b"a"));
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(!other.is_finished());
            drop(held);
            assert!(!other.join().expect("the other"));
        });
    }

    #[test]
    fn items_are_hashed_as_the_library_hashes_byte_strings() {
        for expansion in [0, 2] {
            let settings = Settings {
                expansion,
                ..SETTINGS
            };
            let filter = Filter::new(settings, usize::MAX, usize::MAX).expect("room");
            let items: [&[u8]; 3] = [b"a", b"", b"a longer one"];
            filter.insert(items[0]).expect("room");
            let answers = filter.insert_each(&items[1..], false);
            assert_eq!(answers, [Answer::Yes; 2]);
            let bytes = written(&filter);
            let found = items.map(|item| match filter.kind() {
                Kind::Fixed => CuckooFilter::read_from(bytes.as_slice()).map(|f| f.contains(item)),
                Kind::Growing => {
                    GrowingCuckooFilter::read_from(bytes.as_slice()).map(|f| f.contains(item))
                }
            });
            assert!(found.into_iter().all(|found| found.expect("valid")));
        }
    }

    #[test]
    fn a_growing_filter_obeys_who_reads_it() {
        let settings = Settings {
            expansion: 2,
            ..SETTINGS
        };
        let unlimited = Filter::new(settings, usize::MAX, usize::MAX).expect("room");
        let bytes = written(&unlimited);
        let filter = Filter::read(Kind::Growing, settings, 0, bytes.as_slice(), 1 << 16);
        let filter = filter.expect("valid");
        let refused = (0..100_000u32).find_map(|item| filter.insert(&item.to_le_bytes()).err());
        assert!(matches!(refused, Some(NotAdded::Refused(_))));
        assert!(filter.memory_usage() <= 1 << 16);
    }

    #[derive(Debug)]
    struct Least(AtomicUsize);

    impl Budget for Least {
        fn left(&self, _used: usize) -> usize {
            self.0.load(Ordering::Relaxed)
        }

        fn has_changed(&self) {}
    }

    fn with_budget(expansion: u16, left: usize) -> (Filter, Arc<Least>) {
        let settings = Settings {
            capacity: 1_000,
            expansion,
            ..SETTINGS
        };
        let budget = Arc::new(Least(left.into()));
        let filter = Filter::new(settings, usize::MAX, usize::MAX).expect("room");
        let shared = Arc::clone(&budget) as Arc<dyn Budget>;
        (filter.with_budget(shared), budget)
    }

    /// Adds items until one is refused, and returns how many were added.
    fn fill(filter: &Filter, from: u32) -> (u32, NotAdded) {
        let refused = |item: u32| filter.insert(&item.to_le_bytes()).err().zip(Some(item));
        let (error, item) = (from..).find_map(refused).expect("a limit");
        (item - from, error)
    }

    /// A deletion makes no difference, whichever item it is, and what is deleted makes room.
    #[test]
    fn a_filter_that_may_not_grow_any_more_is_filled() {
        for deleted in [None, Some(0_u32), Some(1_500)] {
            for segments in 1..=3 {
                let (filter, budget) = with_budget(2, usize::MAX);
                let mut items = 0_u32;
                while items < 1_000 || filter.segments() < segments {
                    assert!(filter.insert(&items.to_le_bytes()).is_ok());
                    items += 1;
                }
                budget.0.store(0, Ordering::Relaxed);
                if let Some(item) = deleted.filter(|&item| item < items) {
                    assert!(filter.remove(&item.to_le_bytes(), 0));
                }
                let start = filter.memory_usage();
                let (added, error) = fill(&filter, items);
                assert!(matches!(error, NotAdded::NoMemoryToGrow { left: 0, .. }));
                let last = items + added;
                assert!(filter.load_factor() > 0.9, "{deleted:?}: {filter:?}");
                let more = [last, last + 1, last + 2].map(u32::to_le_bytes);
                let answers = filter.insert_each(&more.each_ref().map(|item| &item[..]), false);
                assert!(answers.contains(&Answer::Refused), "{answers:?}");
                assert!((last - 100..last).all(|item| filter.remove(&item.to_le_bytes(), 0)));
                let (added, _) = fill(&filter, last + 3);
                assert!(added > 50, "{added} instead of 100 that were deleted");
                assert_eq!(filter.memory_usage(), start);
            }
        }
    }

    /// What is asked for is the next segment, which is larger than the last by the expansion.
    #[test]
    fn a_filter_grows_when_the_next_segment_fits() {
        for expansion in [2, 4] {
            let (filter, budget) = with_budget(expansion, 0);
            let mut next = 0;
            for _ in 0..3 {
                let (added, error) = fill(&filter, next);
                next += added;
                let NotAdded::NoMemoryToGrow { needed, .. } = error else {
                    panic!("{error}");
                };
                let before = filter.memory_usage();
                budget.0.store(needed - 20, Ordering::Relaxed);
                let add = |item: u32| filter.insert(&item.to_le_bytes());
                assert!(add(next).is_err() && filter.memory_usage() == before);
                budget.0.store(needed, Ordering::Relaxed);
                assert!(add(next).is_ok());
                let grown = filter.memory_usage() - before;
                assert!(
                    with_snapshot(grown).abs_diff(needed) < 20,
                    "{grown} {needed}"
                );
                budget.0.store(0, Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn a_large_expansion_is_lowered_until_the_filter_can_grow() {
        let settings = Settings {
            expansion: 32_768,
            ..SETTINGS
        };
        let filter = Filter::new(settings, usize::MAX, 1 << 20).expect("room");
        assert!(filter.settings().expansion < 32_768);
        assert!((0..100_000u32).all(|item| filter.insert(&item.to_le_bytes()).is_ok()));
        assert!(filter.memory_usage() <= 1 << 20);
    }
}
