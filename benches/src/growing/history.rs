//! How a contender came to be as large as it is.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::{Doubling, Growing};
use crate::contender::Contender;
use crate::keys::Keys;
use crate::work::insert_each;

/// The items in the order in which they are inserted: another one than that in which they are looked up, so
/// that one hit does not foretell the table of the next.
#[must_use]
pub fn order(keys: &Keys) -> Vec<u64> {
    let mut order = keys.stored.clone();
    let mut random = SmallRng::seed_from_u64(order.len() as u64);
    order.shuffle(&mut random);
    order
}

/// A contender of a first size, filled with these keys. No growth is under way.
///
/// # Panics
///
/// If it refuses one.
#[must_use]
pub fn grown<C: Growing>(start: usize, order: &[u64]) -> C {
    let table = C::with_capacity(start);
    assert_eq!(insert_each(&table, order), order.len(), "{}", C::NAME);
    table.end_growth();
    table
}

/// A contender with these keys, about in the midst of a growth; none, if it does not grow little by little.
///
/// # Panics
///
/// If it refuses a key.
#[must_use]
pub fn half_grown<C: Growing>(start: usize, order: &[u64]) -> Option<C> {
    let growing_since = |inserted: usize| {
        let table: C = grown(start, &order[..inserted]);
        table.begin_to_grow().then_some(table)
    };
    let before = order.len() - order.len() / 8;
    let trial = growing_since(before)?;
    let half = order[before..].iter().position(|&key| {
        assert!(trial.insert(key), "{}", C::NAME);
        trial.growth_done().is_none_or(|done| done >= 0.5)
    });
    drop(trial);
    // So many inserts it takes; with them all keys are in.
    let (before, since) = order.split_at(order.len() - half.unwrap_or(0) - 1);
    let table = growing_since(before.len())?;
    assert_eq!(insert_each(&table, since), since.len(), "{}", C::NAME);
    Some(table)
}

/// How often a table that doubles has doubled, with those that were added for it counted in.
#[must_use]
pub fn doublings<C: Contender>(start: usize, grown: &C) -> Option<u32> {
    let first = C::with_capacity(start).slots();
    (grown.slots() / first.max(1)).checked_ilog2()
}

/// A first size from which the filter doubles so often.
#[must_use]
pub fn start_for(times: u32, order: &[u64]) -> usize {
    let mut start = order.len() >> times;
    while doublings(start, &grown::<Doubling>(start, order)) > Some(times) {
        start += start / 32 + 1;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sizes_lead_to_the_doublings() {
        let order = order(&Keys::generate(50_000));
        for times in 0..=8 {
            let start = start_for(times, &order);
            let filter: Doubling = grown(start, &order);
            assert_eq!(doublings(start, &filter), Some(times), "{start}");
            let filter: Doubling = half_grown(start, &order).expect("it grows little by little");
            let done = filter.growth_done();
            assert!(
                done.is_some_and(|done| (0.2..0.8).contains(&done)),
                "{done:?}"
            );
        }
    }
}
