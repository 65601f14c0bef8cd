//! A table that doubles ten times, compared with the items that it holds.

use crate::engine::buildable::Buildable;
use crate::engine::operations::RawFilter;
use crate::engine::plan::Plan;
use crate::growing::Growing;
use crate::growing::lane::TAIL_BITS;
use crate::growing::levels::Levels;
use crate::growing::tokens::GrowingTokens;
use crate::kernel::outcome::Failure;
use crate::kernel::pool::PoolSize;
use crate::sync;

const BUDGET: usize = 256;

fn table(first: u32) -> GrowingTokens {
    let levels = Levels::new(first).expect("memory");
    GrowingTokens::with_levels(levels, BUDGET).expect("memory")
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        model::mix(self.0)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Few heads, and few index bits after those of a table of this level: so that many prefixes are
/// nested.
fn narrow(hash: u64, bits: u32) -> u64 {
    hash & u64::MAX << (64 - bits) | (hash & 3 | 1) << 10
}

/// Inserts, and does a share of a growth.
fn insert_and_help(table: &GrowingTokens, hash: u64) {
    assert_eq!(table.insert(table.root(), hash, BUDGET), Ok(()));
    table.help_to_grow().expect("nobody else has descriptors");
}

/// Inserts, and doubles the table if there is no room. Returns false if the table is full, and
/// cannot double.
fn insert(table: &GrowingTokens, hash: u64) -> bool {
    loop {
        let root = table.root();
        match table.insert(table.root(), hash, BUDGET) {
            Ok(()) => {
                table.help_to_grow().expect("nobody else has descriptors");
                return true;
            }
            Err(Failure::Full) if !table.can_grow() => return false,
            Err(Failure::Full) if table.is_growing(root) => {
                table.help_to_grow().expect("nobody else has descriptors");
            }
            Err(Failure::Full) => table.begin_growth(root).expect("memory"),
            Err(Failure::TooManyCopies) => return false,
            Err(Failure::Disturbed | Failure::NoDescriptor) => {}
        }
    }
}

/// Random inserts and removes, until the table is full, and then removes. Every item that is in
/// must be found at each check, every remove must succeed, and at the end nothing may be left.
fn live_and_die(table: &GrowingTokens, hash: impl Fn(u64) -> u64, seed: u64) -> u32 {
    let first = table.first();
    let mut random = Random(seed << 32);
    let mut items = Vec::new();
    let mut check_at = 1;
    let mut refused = 0;
    while refused < 20 {
        let item = hash(random.next());
        if insert(table, item) {
            items.push(item);
        } else {
            refused += 1;
        }
        if random.below(10) < 3 && !items.is_empty() {
            let item = items.swap_remove(random.below(items.len()));
            assert!(table.remove(table.root(), item), "not there: {item:x}");
        }
        if items.len() >= check_at {
            check_at += check_at / 4 + 1;
            assert!(items.iter().all(|&item| table.contains(item)));
        }
    }
    let doublings = table.level() - first;
    // Halfway down, everything else is still there.
    let mut removed = 0;
    while !items.is_empty() {
        let item = items.swap_remove(random.below(items.len()));
        assert!(table.remove(table.root(), item), "not there: {item:x}");
        removed += 1;
        if removed % 1000 == 0 {
            assert!(items.iter().all(|&item| table.contains(item)));
            assert!(items.iter().all(|&item| table.count(item) > 0));
        }
    }
    assert_eq!(table.taken(), 0);
    doublings
}

/// No item is removed for another one, whose token covers it too.
#[test]
fn items_with_nested_prefixes() {
    for first in [2, 3, 4] {
        let bits = first + TAIL_BITS + 2;
        live_and_die(&table(first), |hash| narrow(hash, bits), first.into());
    }
    // With all heads, and from words that nobody has written to.
    let lazy = Levels::lazy(3).expect("memory");
    let lazy = GrowingTokens::with_levels(lazy, BUDGET).expect("memory");
    for table in [table(1), lazy, table(5)] {
        assert_eq!(live_and_die(&table, |hash| hash, 1), TAIL_BITS);
    }
}

/// Otherwise the table would omit words that a dead thread has taken to split, for a while, and its
/// copy would not.
#[test]
fn a_table_goes_on_as_its_copy_does() {
    const LEVEL: u32 = 8;
    let table = table(LEVEL);
    let items = (0..900).map(model::mix);
    assert!(
        items
            .clone()
            .take(700)
            .all(|item| table.insert(table.root(), item, BUDGET).is_ok())
    );
    table.begin_growth(table.root()).expect("memory");
    for _ in 0..3 {
        let taken = table.levels.next_chunk(table.root());
        assert!(!taken.is_empty());
    }
    table.settle_all();
    let (copy, _) = table.snapshot().expect("nobody disturbs it");
    for item in items.skip(700) {
        insert_and_help(&table, item);
        insert_and_help(&copy, item);
        assert_eq!(table.stage(), copy.stage());
        let regions = |of: &GrowingTokens| {
            let places = 0..1 << of.level();
            let regions = places.map(|place| of.region_at(of.level(), place));
            regions.collect::<Vec<_>>()
        };
        assert_eq!(regions(&table), regions(&copy));
    }
    assert_eq!(table.doubled(), None, "it is over");
}

/// A limit on memory counts what each doubling adds. Without it, claims would add descriptors one
/// by one.
#[test]
fn a_doubling_adds_descriptors() {
    let table = table(4);
    let least = table.pool.bytes();
    while table.can_grow() {
        let level = table.level() + 1;
        let expected = table.pool.bytes() + table.pool.bytes_to_grow(1 << level);
        table.begin_growth(table.root()).expect("memory");
        assert!(table.finish_sweep());
        assert_eq!(table.pool.bytes(), expected, "level {level}");
        assert_eq!(table.pool.bytes_to_grow(1 << level), 0);
    }
    assert!(table.pool.bytes() >= 16 * least, "none was added");
}

/// A filter that began with 16 buckets, and has 2^12 of them for these items.
fn grown(items: impl Iterator<Item = u64>) -> Growing {
    let plan = Plan {
        buckets: Some(16),
        ..Plan::new()
    };
    let filter = Growing::build(&plan, 0).expect("memory");
    items.for_each(|hash| filter.insert(hash).expect("memory"));
    assert!(filter.finish_doubling());
    assert_eq!(filter.tables.oldest().tokens().level(), 12);
    filter
}

/// Claims of threads that stopped for good have added descriptors. As many stay as the size needs,
/// which is more than it began with.
#[test]
fn contraction_fits_the_pool() {
    sync::on_processors(16, || {
        let mut filter = grown((0..10_000).map(model::mix));
        let pool = &filter.tables.oldest().tokens().pool;
        (0..100).for_each(|_| core::mem::forget(pool.claim()));
        assert!(pool.bytes() > PoolSize::exactly(100).bytes());
        filter.tables.contract();
        let tokens = filter.tables.oldest().tokens();
        assert_eq!(tokens.level(), 12, "it has the right size");
        assert_eq!(tokens.pool.bytes(), PoolSize::exactly(32).bytes());
    });
}

/// Dead threads have not counted what they added.
#[test]
fn contraction_counts_again() {
    let items = || (0..10_000).map(model::mix);
    let mut filter = grown(items());
    assert!(items().all(|hash| filter.remove(hash)));
    let tokens = filter.tables.oldest().tokens();
    for hash in items().take(80) {
        assert_eq!(tokens.insert(tokens.root(), hash, BUDGET), Ok(()));
    }
    assert_eq!(filter.len(), 0);
    filter.tables.contract();
    assert_eq!((filter.len(), filter.slots()), (80, 128));
}
