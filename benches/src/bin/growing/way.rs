//! The way: memory and the expected rate of false positives, again and again while a filter grows.

use std::sync::Arc;

use lockfree_cuckoo_benches::growing::{Chain, Growing, Visitor};
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::work::insert_each;

/// Looks from one number of items to twice as many.
const LOOKS: i32 = 32;

/// It begins with such a share of all items: what the parts besides the slots take is little by then.
const SHARE: usize = 64;

/// What a contender was like each time.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) contender: &'static str,
    looks: Vec<Look>,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    bits_per_item: Option<f64>,
    /// The expected rate of false positives by that of the chain with as many items.
    rate: Option<f64>,
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
        let looks = self.looks.iter().filter(|look| !look.is_growing);
        Range::of(looks.filter_map(|look| look.bits_per_item))
    }

    /// Bits an item in the midst of growths.
    pub(crate) fn growing(&self) -> Option<Range> {
        let looks = self.looks.iter().filter(|look| look.is_growing);
        Range::of(looks.filter_map(|look| look.bits_per_item))
    }

    /// The rate by the chain's.
    pub(crate) fn rate(&self) -> Option<Range> {
        Range::of(self.looks.iter().filter_map(|look| look.rate))
    }
}

pub(crate) struct Ways {
    keys: Arc<Keys>,
    start: usize,
    /// The numbers of items at which there is a look.
    stops: Vec<usize>,
    /// The rates of the chain there.
    chain: Vec<f64>,
    pub(crate) found: Vec<Way>,
}

impl Ways {
    /// Of filters that begin with a first size.
    pub(crate) fn new(keys: &Arc<Keys>, start: usize) -> Self {
        let items = keys.stored.len();
        let times = |look: i32| 2f64.powf(f64::from(look) / f64::from(LOOKS));
        let first = start.max(items / SHARE);
        let stops = (0..).map(|look| (first as f64 * times(look)) as usize);
        let mut ways = Self {
            keys: Arc::clone(keys),
            start,
            stops: stops.take_while(|&stop| stop <= items).collect(),
            chain: Vec::new(),
            found: Vec::new(),
        };
        let rate = |chain: &Chain| chain.expected_false_positives();
        ways.chain = ways.at_stops(rate);
        ways
    }

    fn at_stops<C: Growing, T>(&self, look: impl Fn(&C) -> T) -> Vec<T> {
        let table = C::with_capacity(self.start);
        let mut inserted = 0;
        let to = |&stop: &usize| {
            let part = &self.keys.stored[inserted..stop];
            assert_eq!(insert_each(&table, part), part.len(), "{}", C::NAME);
            inserted = stop;
            look(&table)
        };
        self.stops.iter().map(to).collect()
    }
}

impl Visitor for Ways {
    fn visit<C: Growing>(&mut self) {
        let seen = self.at_stops(|table: &C| {
            (
                table.bytes(),
                // Of others there is only a bound of it.
                C::EXACT.then(|| table.expected_false_positives()),
                table.growth_done().is_some(),
            )
        });
        let looks = seen.into_iter().zip(&self.stops).zip(&self.chain);
        self.found.push(Way {
            contender: C::NAME,
            looks: looks
                .map(|(((bytes, rate, is_growing), &items), chain)| Look {
                    bits_per_item: bytes.map(|bytes| 8.0 * bytes as f64 / items as f64),
                    rate: rate.map(|rate| rate / chain),
                    is_growing,
                })
                .collect(),
        });
    }
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo_benches::growing;

    use super::*;

    #[test]
    fn the_chain_is_as_often_wrong_as_itself() {
        let keys = Arc::new(Keys::generate(50_000));
        let mut ways = Ways::new(&keys, 1_000);
        growing::visit_all(&mut ways);
        let chain = ways.found.iter().find(|way| way.contender == "chain");
        let one = Range {
            least: 1.0,
            mean: 1.0,
            most: 1.0,
        };
        assert_eq!(chain.and_then(Way::rate), Some(one));
        for way in &ways.found {
            let bits = way.settled();
            assert!(
                bits.is_none_or(|bits| bits.least > 8.0 && bits.mean < bits.most),
                "{way:?}"
            );
        }
    }
}
