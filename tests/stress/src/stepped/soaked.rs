//! The filters that are soaked: what each holds, and what it must say of it.

use std::collections::BTreeMap;

use lockfree_cuckoo::testing::hooks::Event;
use lockfree_cuckoo::{Engine, Filter, Fixed, Growing, Layout};
use model::geometry::{Class, Geometry};

use super::layout;

/// Fifteen ranges.
const BUCKETS: usize = 15 << 8;

/// An engine whose filters are soaked.
pub(crate) trait Soaked: Engine {
    const TITLE: &'static str;

    /// Without these the run is worth nothing.
    const NEEDED: &'static [Event];

    /// After so many stretches all items go, and the filter is made as small as it was.
    const STRETCHES: u64;

    fn empty(seed: u64) -> Filter<Self>
    where
        Self: Sized;

    /// Items that stay, and all items, at most.
    fn items() -> (usize, usize);

    /// An error unless these and no others are in. Nobody else is at work.
    fn agree(filter: &Filter<Self>, items: &[u64]) -> Result<(), String>
    where
        Self: Sized;
}

impl<L: Layout> Soaked for Fixed<L> {
    const TITLE: &'static str = "a table of a fixed size";

    const NEEDED: &'static [Event] = &[
        Event::Kick,
        Event::Hop,
        Event::Broken,
        Event::Help,
        Event::Abort,
    ];

    const STRETCHES: u64 = u64::MAX;

    fn empty(seed: u64) -> Filter<Self> {
        let filter = Filter::<Self>::builder().buckets(BUCKETS);
        let filter = filter.search_budget(256).seed(seed).build();
        filter.expect("a possible geometry")
    }

    fn items() -> (usize, usize) {
        let layout = layout::chosen();
        let most = match layout.slots {
            2 => 85,
            3 => 92,
            _ => 95,
        };
        let slots = BUCKETS * layout.slots;
        (slots * 30 / 100, slots * most / 100)
    }

    /// The copies of each class are exact.
    fn agree(filter: &Filter<Self>, items: &[u64]) -> Result<(), String> {
        let geometry = Geometry::with_slots(layout::chosen(), filter.slots());
        let mut model: BTreeMap<Class, usize> = BTreeMap::new();
        for &hash in items {
            *model.entry(geometry.class(hash)).or_default() += 1;
        }
        for (&class, &copies) in &model {
            let [hash, other] = geometry.both_orders(class);
            let counted = filter.count_hash(hash);
            if counted != copies || !filter.contains_hash(other) {
                return Err(format!("{counted}, not {copies} copies of {class:?}"));
            }
        }
        Ok(())
    }
}

impl Soaked for Growing {
    const TITLE: &'static str = "a filter that doubles";

    const NEEDED: &'static [Event] = &[
        Event::Kick,
        Event::Hop,
        Event::Broken,
        Event::Help,
        Event::Growth,
        Event::Split,
    ];

    const STRETCHES: u64 = 3;

    /// Of two buckets.
    fn empty(seed: u64) -> Filter<Self> {
        let filter = Filter::<Self>::builder().buckets(2).seed(seed).build();
        filter.expect("a possible geometry")
    }

    /// What stays is there before all ten doublings. The rest is more than one table takes.
    fn items() -> (usize, usize) {
        (48, 3 << 12)
    }

    /// A token may cover other items too. So there is one for each item, and no more in all.
    fn agree(filter: &Filter<Self>, items: &[u64]) -> Result<(), String> {
        let mut model: BTreeMap<u64, usize> = BTreeMap::new();
        for &hash in items {
            *model.entry(hash).or_default() += 1;
        }
        for (&hash, &copies) in &model {
            let counted = filter.count_hash(hash);
            if counted < copies || !filter.contains_hash(hash) {
                return Err(format!("{counted} tokens for {copies} copies of {hash:#x}"));
            }
        }
        Ok(())
    }
}
