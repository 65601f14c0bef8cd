//! Replay: the same calls give the same bytes and the same answers in every later release, so
//! replicas stay equal. Digests of a million fixed operations check this.
//!
//! The operations fill tables until they refuse, continue near that load, so that inserts relocate,
//! remove items, and let filters grow and rotate. The order of the search decides where an item
//! goes, and which items move for it.

use lockfree_cuckoo::testing::Internals as _;
use lockfree_cuckoo::{
    CuckooFilter, DynFilter, Filter, FilterBuilder, GrowingCuckooFilter, InsertError,
    RotatingCuckooFilter,
    filter::{Buildable, Fixed, Rotating},
    layout::{Lanes, Layout, SemiSorted},
};
use model::mix;

const OPERATIONS: u64 = 1_000_000;

/// The items of one batch.
const BATCH: usize = 16;

/// The operations between two bursts.
const PERIOD: u64 = 100_000;

/// An FNV-1a digest of answers and bytes.
#[derive(Clone, Copy)]
struct Digest(u64);

impl Digest {
    const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x100_0000_01b3);
    }
}

/// A filter with its items.
struct Life {
    filter: DynFilter,
    /// The items that may be removed.
    items: Vec<u64>,
    /// The number of items made up to now.
    made: u64,
    /// The number of items that are never removed.
    staying: usize,
    done: u64,
    answers: Digest,
    only: Option<Inserts>,
    /// Whether calls that change nothing come in between.
    with_others: bool,
}

/// The ways to insert.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inserts {
    /// `insert`.
    Any,
    /// `insert_unique`.
    Unique,
}

impl Life {
    fn new_item(&mut self) -> u64 {
        self.made += 1;
        mix(self.made)
    }

    /// Records an item that is stored now.
    fn keep(&mut self, item: u64) {
        if self.made.is_multiple_of(8) && self.staying < self.filter.slots() / 16 {
            self.staying += 1;
        } else {
            self.items.push(item);
        }
    }

    /// Returns one of the items, selected by a pseudorandom number.
    fn one(&self, number: u64) -> u64 {
        match self.items.len() {
            0 => mix(0),
            items => self.items[number as usize % items],
        }
    }

    fn take(&mut self, number: u64) -> u64 {
        match self.items.len() {
            0 => mix(0),
            items => self.items.swap_remove(number as usize % items),
        }
    }

    fn insert(&mut self, number: u64) {
        let item = match number % 8 {
            0 | 1 => self.one(number >> 8),
            _ => self.new_item(),
        };
        let answer = match (self.only, number % 8) {
            (Some(Inserts::Unique), _) | (None, 0 | 2) => self.filter.insert_unique_hash(item),
            (None, 3) => match self.filter.rotating() {
                Some(rotating) => rotating.refresh_hash(item),
                None => self.filter.insert_unique_hash(item),
            },
            _ => self.filter.insert_hash(item).map(|()| true),
        };
        self.answers.add(match answer {
            Ok(added) => added.into(),
            Err(_) => 2,
        });
        if answer == Ok(true) {
            self.keep(item);
        }
        self.done += 1;
    }

    fn insert_batch(&mut self, number: u64) {
        let batch: [u64; BATCH] = std::array::from_fn(|_| self.new_item());
        let mut added = [true; BATCH];
        let all = self
            .only
            .map_or(number.is_multiple_of(2), |only| only == Inserts::Any);
        let inserted = if all {
            self.filter.insert_many_hash(&batch)
        } else {
            self.filter.insert_unique_many_hash(&batch, &mut added)
        };
        let inserted = inserted.map_or_else(|error| error.inserted(), |()| BATCH);
        self.answers.add(inserted as u64);
        for (item, added) in batch.into_iter().zip(added).take(inserted) {
            if added {
                self.keep(item);
            }
        }
        self.done += BATCH as u64;
    }

    fn remove(&mut self, number: u64) {
        let item = self.take(number);
        self.answers.add(self.filter.remove_hash(item).into());
        self.done += 1;
    }

    fn remove_batch(&mut self, number: u64) {
        let batch: [u64; BATCH] = std::array::from_fn(|turn| self.take(number + turn as u64));
        self.answers
            .add(self.filter.remove_many_hash(&batch) as u64);
        self.done += BATCH as u64;
    }

    /// Makes calls that cannot succeed.
    fn call_in_vain(&self, number: u64) {
        let (absent, known) = (mix(number ^ 0xab5e << 40), self.one(number));
        let is_absent = !self.filter.contains_hash(absent);
        assert!(!is_absent || !self.filter.remove_hash(absent));
        if self.filter.contains_hash(known) {
            assert_eq!(self.filter.insert_unique_hash(known), Ok(false));
        }
        let _ = self.filter.count_hash(known);
    }

    fn fits(&self, item: u64) -> bool {
        match self.only {
            Some(Inserts::Unique) => self.filter.insert_unique_hash(item).is_ok(),
            _ => self.filter.insert_hash(item).is_ok(),
        }
    }

    /// Inserts until one is refused. Rotating filters expire items instead.
    fn burst(&mut self) {
        while self.fits(mix(self.made + 1)) {
            let item = self.new_item();
            self.keep(item);
            self.done += 1;
        }
        self.answers.add(self.filter.len() as u64);
        // At this load, inserts find no room at once and move other tokens.
        let is_full = self.filter.load_factor() > 0.75;
        assert!(
            is_full || self.filter.rotating().is_some(),
            "{:?}",
            self.filter
        );
        if let Some(rotating) = self.filter.rotating() {
            rotating.rotate().expect("alone");
            let filter = &self.filter;
            self.items.retain(|&item| filter.contains_hash(item));
        }
    }

    /// Runs it all, and returns the digests of the answers and of the final bytes.
    fn run(mut self, course: Course) -> [u64; 2] {
        let mut turn = 0;
        let mut next_burst = PERIOD;
        while self.done < course.operations {
            turn += 1;
            let number = mix(turn ^ 0x5eed << 32);
            if self.with_others {
                self.call_in_vain(number);
            }
            let is_full = match course.most {
                None => self.filter.is_full(),
                Some(most) => self.filter.len() >= most,
            };
            let inserts = number % 100 < if is_full { 45 } else { 80 };
            let number = number / 100;
            match (inserts, number.is_multiple_of(64)) {
                (true, false) => self.insert(number / 64),
                (true, true) => self.insert_batch(number / 64),
                (false, false) => self.remove(number / 64),
                (false, true) => self.remove_batch(number / 64),
            }
            if self.done >= next_burst {
                next_burst += PERIOD;
                if course.most.is_none() {
                    self.burst();
                }
            }
        }
        assert!(self.filter.tables() >= course.tables, "{:?}", self.filter);
        let mut bytes = Digest::NEW;
        for byte in self.filter.to_bytes().expect("quiet") {
            bytes.add(byte.into());
        }
        [self.answers.0, bytes.0]
    }
}

/// The calls to make on a filter.
#[derive(Clone, Copy)]
struct Course {
    operations: u64,
    /// The number of items from which there are more removes than inserts; for filters that do not
    /// grow it is their capacity. Only those are filled from time to time.
    most: Option<usize>,
    /// The number of tables at the end.
    tables: usize,
    /// The only kind of insert, if there is just one.
    only: Option<Inserts>,
    /// Whether calls that change nothing come in between.
    with_others: bool,
}

const COURSE: Course = Course {
    operations: OPERATIONS,
    most: None,
    tables: 1,
    only: None,
    with_others: false,
};

fn life<E: Buildable>(builder: FilterBuilder<E>, course: Course) -> [u64; 2] {
    let life = Life {
        filter: builder.seed(7).build().expect("memory").into(),
        items: Vec::new(),
        made: 0,
        staying: 0,
        done: 0,
        answers: Digest::NEW,
        only: course.only,
        with_others: course.with_others,
    };
    life.run(course)
}

fn fixed<L: Layout>(course: Course) -> [u64; 2] {
    life(Filter::<Fixed<L>>::builder().capacity(60_000), course)
}

/// All ten doublings, and a second table.
fn growing(course: Course) -> [u64; 2] {
    let course = Course {
        most: Some(50_000),
        tables: 2,
        ..course
    };
    life(GrowingCuckooFilter::builder().capacity(8), course)
}

fn rotating<L: Layout>(course: Course) -> [u64; 2] {
    let builder = Filter::<Rotating<L>>::builder().capacity(60_000);
    life(builder.generations(3), course)
}

type Common = Lanes<4, 16>;
type Wide = Lanes<2, 31>;
type Sorted = SemiSorted<4, 17>;

/// Returns the digests in hexadecimal, as they are written below.
fn hex<const FILTERS: usize>(digests: [[u64; 2]; FILTERS]) -> String {
    format!("{digests:#018x?}")
}

#[test]
fn a_fixed_filter_never_changes() {
    let all = [fixed::<Common>, fixed::<Wide>, fixed::<Sorted>];
    assert_eq!(hex(all.map(|run| run(COURSE))), hex(FIXED));
}

#[test]
fn a_growing_filter_never_changes() {
    assert_eq!(hex([growing(COURSE)]), hex(GROWING));
}

#[test]
fn a_rotating_filter_never_changes() {
    let all = [rotating::<Common>, rotating::<Wide>, rotating::<Sorted>];
    assert_eq!(hex(all.map(|run| run(COURSE))), hex(ROTATING));
}

/// In a mixed run one way to insert could hide behind the other.
#[test]
fn each_way_to_insert_never_changes() {
    for (only, expected) in [(Inserts::Any, ANY), (Inserts::Unique, UNIQUE)] {
        let course = Course {
            operations: 3 * PERIOD,
            only: Some(only),
            ..COURSE
        };
        let all = [fixed::<Common>, growing, rotating::<Common>];
        assert_eq!(hex(all.map(|run| run(course))), hex(expected));
    }
}

/// A replica need not be told of them.
#[test]
fn calls_in_vain_do_not_count() {
    let course = Course {
        operations: 3 * PERIOD,
        only: Some(Inserts::Any),
        with_others: true,
        ..COURSE
    };
    let all = [fixed::<Common>, growing, rotating::<Common>];
    assert_eq!(hex(all.map(|run| run(course))), hex(ANY));
}

/// A filter that gets all calls, and one that gets only those that succeed.
struct Pair {
    all: DynFilter,
    successes: DynFilter,
    /// The failed calls, by kind: removals, refused inserts, ninth copies.
    failed: [usize; 3],
    /// The failed calls in doublings.
    midway: usize,
}

impl Pair {
    /// Both are the same at first, but for the `bytes` to which the one that decides may grow.
    fn new<E: Buildable>(build: impl Fn() -> FilterBuilder<E>, bytes: usize) -> Self {
        let make = || DynFilter::from(build().seed(7).build().expect("memory"));
        let all = make();
        all.set_memory_allowance(bytes);
        Self {
            all,
            successes: make(),
            failed: [0; 3],
            midway: 0,
        }
    }

    /// Compares both after a failed call of a kind.
    fn fail(&mut self, kind: usize) {
        self.failed[kind] += 1;
        self.midway += usize::from(self.all.doubled().is_some());
        self.check();
    }

    fn check(&self) {
        let bytes = [&self.all, &self.successes].map(|filter| filter.to_bytes().expect("quiet"));
        assert!(
            bytes[0] == bytes[1],
            "they differ: {:?} {:?}",
            self.all,
            self.successes
        );
    }

    fn insert(&mut self, hash: u64) -> bool {
        let inserted = self.all.insert_hash(hash);
        match inserted {
            Ok(()) => assert_eq!(self.successes.insert_hash(hash), Ok(())),
            Err(InsertError::TooManyCopies { .. }) => self.fail(2),
            Err(_) => self.fail(1),
        }
        inserted.is_ok()
    }

    fn insert_unique(&mut self, hash: u64) -> bool {
        let inserted = self.all.insert_unique_hash(hash);
        match inserted {
            Ok(true) => assert_eq!(self.successes.insert_unique_hash(hash), Ok(true)),
            Ok(false) => self.check(),
            Err(_) => self.fail(1),
        }
        inserted == Ok(true)
    }

    fn refresh(&mut self, hash: u64) {
        let refresh = |filter: &DynFilter| Some(filter.rotating()?.refresh_hash(hash));
        match refresh(&self.all) {
            // A known item may have another copy.
            Some(Ok(new)) => assert_eq!(refresh(&self.successes), Some(Ok(new))),
            Some(Err(_)) => self.fail(1),
            None => {}
        }
    }

    fn remove(&mut self, hash: u64) -> bool {
        let removed = self.all.remove_hash(hash);
        if removed {
            assert!(self.successes.remove_hash(hash));
        } else {
            self.fail(0);
        }
        removed
    }

    /// Many random calls, with hashes from this function: inserts until there are several refusals,
    /// then removals, and so on.
    fn live(mut self, calls: u64, hash: impl Fn(u64) -> u64) -> Self {
        let mut items: Vec<u64> = Vec::new();
        let (mut fills, mut refused) = (true, 0);
        for turn in 0..calls {
            let number = mix(turn ^ 0x5eed << 32);
            let item = hash(mix(turn));
            let known = items.get(number as usize % items.len().max(1)).copied();
            let known = known.unwrap_or(item);
            match (number >> 32) % 16 {
                0 | 1 if self.insert_unique(item) => items.push(item),
                2 => drop(self.insert_unique(known)),
                3 => drop(self.all.contains_hash(item) | (self.all.count_hash(known) > 0)),
                4 if self.remove(item) => items.retain(|&other| other != item),
                5 => self.refresh(known),
                6 => {
                    // As many copies as there may be, and more.
                    let added = (0..10).filter(|_| self.insert(known)).count();
                    items.extend(vec![known; added]);
                }
                7..12 if fills => {
                    if self.insert(item) {
                        items.push(item);
                    } else {
                        refused += 1;
                    }
                }
                12.. if !fills && !items.is_empty() => {
                    let item = items.swap_remove(number as usize % items.len());
                    self.remove(item);
                }
                _ => {}
            }
            // Empty it to an eighth when it has refused a few, and fill it again.
            if refused > 20 || !fills && items.len() < self.all.slots() / 8 {
                (fills, refused) = (!fills, 0);
            }
        }
        self.check();
        self
    }
}

/// A replica and a log that get only the calls that have succeeded stay equal to a filter that gets
/// all, in doublings too, and where they end.
#[test]
fn failed_calls_change_nothing() {
    const NO_LIMIT: usize = usize::MAX;
    let growing = |capacity| move || GrowingCuckooFilter::builder().capacity(capacity);
    let rated = |rate| move || growing(100)().max_false_positive_rate(rate);
    let fixed = || CuckooFilter::builder().capacity(500);
    let rotating = || RotatingCuckooFilter::builder().capacity(500);
    // Few heads, and few index bits: pairs of buckets are full while the table is nearly empty.
    let narrow = |bits| {
        move |hash: u64| hash & u64::MAX << (64 - bits) | (hash & 3 | 1) << 10 | hash >> 20 & 0xff
    };
    let failed = |pair: Pair, midway: bool| {
        assert!(
            pair.failed.iter().all(|&failed| failed > 0),
            "{:?}",
            pair.failed
        );
        assert_eq!(pair.midway > 0, midway, "{:?}", pair.all);
    };
    let calls = 4_000;
    for bits in [3, 5, 7, 9, 11, 13] {
        for bytes in [NO_LIMIT, 5 << 10, 7 << 10, 22 << 10] {
            let pair = Pair::new(growing(8), bytes).live(calls / 2, narrow(bits));
            assert_ne!(pair.failed, [0; 3]);
        }
    }
    failed(
        Pair::new(growing(8), NO_LIMIT).live(calls, |hash| hash),
        true,
    );
    for rate in [0.0006, 0.001] {
        failed(
            Pair::new(rated(rate), NO_LIMIT).live(calls, |hash| hash),
            true,
        );
    }
    // The limit on memory is that of the one that decides.
    for bytes in [8 << 10, 22 << 10] {
        failed(
            Pair::new(growing(100), bytes).live(calls, |hash| hash),
            true,
        );
    }
    failed(Pair::new(fixed, NO_LIMIT).live(calls, |hash| hash), false);
    failed(
        Pair::new(rotating, NO_LIMIT).live(calls, |hash| hash),
        false,
    );
}

/// The digests for fixed, growing and rotating filters.
const ANY: [[u64; 2]; 3] = [
    [0x030e_c1cd_9a83_4669, 0xb0e5_80f9_d191_f40e],
    [0x881b_fb34_f063_9ed6, 0x0638_46ae_a816_1dd9],
    [0xfcba_1973_e23f_be31, 0xca4e_4678_4be7_3ba3],
];

const UNIQUE: [[u64; 2]; 3] = [
    [0xade8_56a5_e355_9674, 0x4ef9_3b1d_149a_c188],
    [0xaa1b_e8af_99fd_396e, 0xc7b7_aec0_19c9_5b1d],
    [0x4e28_93cb_2b59_2154, 0xcf80_154b_be7b_c5fd],
];

/// The digests of answers and stored bytes, for each layout: a contract with every replica.
const FIXED: [[u64; 2]; 3] = [
    [0x02f5_3fdd_62c4_60f6, 0x67d0_8bab_f3db_d8db],
    [0x6439_bebf_f22b_bf95, 0x2deb_84db_9263_8a56],
    [0x5e44_5a08_ad55_8a16, 0xb0f0_7570_6f9c_ee68],
];

/// A growing filter has one layout.
const GROWING: [[u64; 2]; 1] = [[0x6e14_0d82_359e_8cde, 0x9c47_287c_269a_20ee]];

const ROTATING: [[u64; 2]; 3] = [
    [0x8734_0130_5f33_8c95, 0xfae2_fd94_501f_2aec],
    [0x505f_795a_9127_3edf, 0x1607_678f_6a54_6e96],
    [0x34ef_5934_a1f5_814a, 0x2b7a_930e_bcac_83dc],
];

/// The choice of the removed copy never changes. If both buckets hold equal tokens, the remove
/// always takes the same one, whatever the stage of a doubling.
#[test]
fn removed_copy_never_changes() {
    let filter = GrowingCuckooFilter::builder().capacity(1_000).seed(7);
    let filter = filter.build().expect("memory");
    let mut digest = Digest::NEW;
    for item in 0..4_000u64 {
        let copies = [item; 2];
        filter.insert_many(&copies).expect("it grows");
        if item >= 100 && item.is_multiple_of(3) {
            assert!(filter.remove(&(item - 100)));
        }
        if item.is_multiple_of(50) {
            let bytes = filter.to_bytes().expect("quiet").into_iter();
            bytes.for_each(|byte| digest.add(byte.into()));
        }
    }
    assert_eq!(format!("{:#018x}", digest.0), "0x90c33b7f370ba8c1");
}
