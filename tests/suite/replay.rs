//! A replica that makes the same calls has the same bytes, with every later release: what a million fixed operations leave
//! behind, and what they answer, never changes.
//!
//! They fill tables until they refuse, go on near that load, so that inserts relocate, take items out, and let filters
//! grow and rotate. Where an item is put, and which items move for it, is decided by the order of the search.

use lockfree_cuckoo::{
    Buildable, DynFilter, Filter, FilterBuilder, Fixed, GrowingCuckooFilter, Lanes, Layout,
    Rotating, SemiSorted,
};
use model::mix;

const OPERATIONS: u64 = 1_000_000;

/// Items of one batch.
const BATCH: usize = 16;

/// Operations between two bursts.
const PERIOD: u64 = 100_000;

/// FNV-1a, of answers and of bytes.
#[derive(Clone, Copy)]
struct Digest(u64);

impl Digest {
    const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x100_0000_01b3);
    }
}

/// A filter, and what is in.
struct Life {
    filter: DynFilter,
    /// What may be removed.
    items: Vec<u64>,
    /// The number of items so far.
    made: u64,
    /// How many are never removed.
    staying: usize,
    done: u64,
    answers: Digest,
    only: Option<Inserts>,
}

/// Ways to insert.
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

    /// It is in now.
    fn keep(&mut self, item: u64) {
        if self.made.is_multiple_of(8) && self.staying < self.filter.slots() / 16 {
            self.staying += 1;
        } else {
            self.items.push(item);
        }
    }

    /// One of the items, by a number that looks random.
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

    fn fits(&self, item: u64) -> bool {
        match self.only {
            Some(Inserts::Unique) => self.filter.insert_unique_hash(item).is_ok(),
            _ => self.filter.insert_hash(item).is_ok(),
        }
    }

    /// Inserts until one is refused. What rotates forgets.
    fn burst(&mut self) {
        while self.fits(mix(self.made + 1)) {
            let item = self.new_item();
            self.keep(item);
            self.done += 1;
        }
        self.answers.add(self.filter.len() as u64);
        // So many inserts find no room at once, and have to move others.
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

    /// All of it: what was answered, and the bytes at the end.
    fn run(mut self, course: Course) -> [u64; 2] {
        let mut turn = 0;
        let mut next_burst = PERIOD;
        while self.done < course.operations {
            turn += 1;
            let number = mix(turn ^ 0x5eed << 32);
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

/// What is done with a filter.
#[derive(Clone, Copy)]
struct Course {
    operations: u64,
    /// Where more is taken out than put in: for what grows, so many items, and for others what they are sized for. Only
    /// these are filled from time to time.
    most: Option<usize>,
    /// So many there must be in the end.
    tables: usize,
    /// If all inserts are of one kind.
    only: Option<Inserts>,
}

const COURSE: Course = Course {
    operations: OPERATIONS,
    most: None,
    tables: 1,
    only: None,
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
    };
    life.run(course)
}

fn fixed<L: Layout>(course: Course) -> [u64; 2] {
    life(Filter::<Fixed<L>>::builder().capacity(60_000), course)
}

/// All ten doublings, and a table behind that.
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

/// In hexadecimal, as they are written below.
fn hex<const FILTERS: usize>(digests: [[u64; 2]; FILTERS]) -> String {
    format!("{digests:#018x?}")
}

#[test]
fn a_fixed_filter_is_the_same_for_ever() {
    let all = [fixed::<Common>, fixed::<Wide>, fixed::<Sorted>];
    assert_eq!(hex(all.map(|run| run(COURSE))), hex(FIXED));
}

#[test]
fn a_filter_that_grows_is_the_same_for_ever() {
    assert_eq!(hex([growing(COURSE)]), hex(GROWING));
}

#[test]
fn a_filter_that_rotates_is_the_same_for_ever() {
    let all = [rotating::<Common>, rotating::<Wide>, rotating::<Sorted>];
    assert_eq!(hex(all.map(|run| run(COURSE))), hex(ROTATING));
}

/// In a mixed life one way to insert could hide behind the other.
#[test]
fn each_way_to_insert_is_the_same_for_ever() {
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

/// Of filters that are fixed, that grow, and that rotate.
const ANY: [[u64; 2]; 3] = [
    [0x030e_c1cd_9a83_4669, 0xfd11_81e1_1f07_d74a],
    [0x097d_4c97_b455_a962, 0x64ed_ce48_932d_89e9],
    [0xfcba_1973_e23f_be31, 0x16af_73d8_4a6b_77e6],
];

const UNIQUE: [[u64; 2]; 3] = [
    [0xade8_56a5_e355_9674, 0x12d2_93ea_c667_08bb],
    [0x9021_c43c_6355_ead3, 0xded6_2454_8708_d8bf],
    [0x4e28_93cb_2b59_2154, 0x7e83_1aa1_0006_bf60],
];

/// Of the answers and of the stored bytes, for each layout: a contract with every replica.
const FIXED: [[u64; 2]; 3] = [
    [0x02f5_3fdd_62c4_60f6, 0x24b0_737f_c9da_539f],
    [0x6439_bebf_f22b_bf95, 0x6ad3_ea57_05f1_642e],
    [0x5e44_5a08_ad55_8a16, 0x7e51_27a5_563a_282b],
];

/// A filter that grows has one layout.
const GROWING: [[u64; 2]; 1] = [[0x4154_38ca_995e_a928, 0x212b_87ff_5002_92b9]];

const ROTATING: [[u64; 2]; 3] = [
    [0x8734_0130_5f33_8c95, 0x1671_cb2c_47a8_0748],
    [0x505f_795a_9127_3edf, 0xc5db_a4e4_5bb8_092e],
    [0x34ef_5934_a1f5_814a, 0x4d17_2a41_90a1_25fc],
];

/// Of equal tokens in both buckets one goes, and it is always the same one, however far a doubling has come.
#[test]
fn which_copy_is_removed_is_the_same_for_ever() {
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
    assert_eq!(format!("{:#018x}", digest.0), "0x909652b776803fe8");
}
