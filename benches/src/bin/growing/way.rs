//! The way: memory and the expected rate of false positives, again and again while a filter grows.

use std::sync::Arc;

use lockfree_cuckoo_benches::growing::{Growing, Visitor};
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::work::insert_each;

/// Looks from one number of items to twice as many.
pub(crate) const LOOKS: i32 = 32;

/// From such a share of all items on, memory is compared with the goals: what the parts besides the slots take is little
/// by then.
const SHARE: usize = 64;

/// What a contender was like each time.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) contender: &'static str,
    pub(crate) looks: Vec<Look>,
    /// The number of items from which on memory is compared.
    first: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) items: usize,
    pub(crate) bits_per_item: Option<f64>,
    /// The expected rate of false positives, or a bound of it.
    pub(crate) false_positives: f64,
    is_growing: bool,
}

/// What lies between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) least: f64,
    /// Over the logarithm of the number of items.
    pub(crate) mean: f64,
    pub(crate) most: f64,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.collect();
        (!values.is_empty()).then(|| Self {
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            most: values.iter().copied().fold(0.0, f64::max),
        })
    }
}

impl Way {
    /// Bits an item while it was not growing.
    pub(crate) fn settled(&self) -> Option<Range> {
        self.bits_of(|look| !look.is_growing)
    }

    /// Bits an item in the midst of growths.
    pub(crate) fn growing(&self) -> Option<Range> {
        self.bits_of(|look| look.is_growing)
    }

    fn bits_of(&self, which: impl Fn(&Look) -> bool) -> Option<Range> {
        let looks = self.looks.iter();
        let looks = looks.filter(|look| look.items >= self.first && which(look));
        Range::of(looks.filter_map(|look| look.bits_per_item))
    }
}

pub(crate) struct Ways {
    keys: Arc<Keys>,
    start: usize,
    /// The numbers of items at which there is a look.
    stops: Vec<usize>,
    pub(crate) found: Vec<Way>,
}

impl Ways {
    /// Of filters that begin with a first size.
    pub(crate) fn new(keys: &Arc<Keys>, start: usize) -> Self {
        let items = keys.stored.len();
        let times = |look: i32| 2f64.powf(f64::from(look) / f64::from(LOOKS));
        let stops = (0..).map(|look| (start as f64 * times(look)) as usize);
        Self {
            keys: Arc::clone(keys),
            start,
            stops: stops.take_while(|&stop| stop <= items).collect(),
            found: Vec::new(),
        }
    }
}

impl Visitor for Ways {
    fn visit<C: Growing>(&mut self) {
        let table = C::with_capacity(self.start);
        let mut inserted = 0;
        let look = |&items: &usize| {
            let part = &self.keys.stored[inserted..items];
            assert_eq!(insert_each(&table, part), part.len(), "{}", C::NAME);
            inserted = items;
            let bits = |bytes: usize| 8.0 * bytes as f64 / items as f64;
            Look {
                items,
                bits_per_item: table.bytes().map(bits),
                false_positives: table.expected_false_positives(),
                is_growing: table.growth_done().is_some(),
            }
        };
        self.found.push(Way {
            contender: C::NAME,
            looks: self.stops.iter().map(look).collect(),
            first: self.keys.stored.len() / SHARE,
        });
    }
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo_benches::growing;

    use super::*;

    #[test]
    fn memory_lies_between_bounds() {
        let keys = Arc::new(Keys::generate(50_000));
        let mut ways = Ways::new(&keys, 1_000);
        growing::visit_all(&mut ways);
        let settled = |way: &&Way| way.settled().is_some();
        assert_eq!(ways.found.iter().filter(settled).count(), 2);
        for way in &ways.found {
            let bits = way.settled();
            assert!(
                bits.is_none_or(|bits| bits.least > 8.0 && bits.mean < bits.most),
                "{way:?}"
            );
        }
    }
}
