//! What each layout needs an item, and how often it is wrong for that: filled until it refuses one. Nothing is timed.

use lockfree_cuckoo::{BuildError, Layout};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::layouts::{self, Kind, Visitor};

/// A full filter.
pub(crate) struct Space {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) items: usize,
    pub(crate) load: f64,
    /// Measured; 0 if it is too low for the lookups.
    pub(crate) false_positive_rate: f64,
    /// What the filter says that it is.
    pub(crate) expected_rate: f64,
    /// Of all memory.
    pub(crate) bits_per_item: f64,
}

/// Measures all layouts with tables of so many bytes, by as many lookups of absent keys.
pub(crate) fn measure(
    bytes: usize,
    probes: usize,
    tick: impl Fn(&'static str),
) -> Result<Vec<Space>, BuildError> {
    let mut each = Each {
        bytes,
        probes,
        tick,
        measured: Vec::new(),
    };
    layouts::each(&mut each)?;
    Ok(each.measured)
}

struct Each<F> {
    bytes: usize,
    probes: usize,
    tick: F,
    measured: Vec<Space>,
}

impl<F: Fn(&'static str)> Visitor for Each<F> {
    fn visit<L: Layout>(&mut self, name: &'static str, kind: Kind) -> Result<(), BuildError> {
        (self.tick)(name);
        let filter = layouts::filter::<L>(self.bytes)?;
        let mut random = SmallRng::seed_from_u64(0);
        while filter.insert_hash(random.next_u64()).is_ok() {}
        let wrong = (0..self.probes).filter(|_| filter.contains_hash(random.next_u64()));
        self.measured.push(Space {
            name,
            kind,
            items: filter.len(),
            load: filter.load_factor(),
            false_positive_rate: wrong.count() as f64 / self.probes as f64,
            expected_rate: filter.false_positive_rate(),
            bits_per_item: filter.memory_usage() as f64 * 8.0 / filter.len() as f64,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layouts::LAYOUTS;

    #[test]
    fn rates_and_bits_are_those_of_the_layouts() {
        let all = measure(1 << 16, 1 << 18, |_| ()).expect("a usual size");
        assert_eq!(all.len(), LAYOUTS);
        for space in &all {
            // "CF 5 x 12": five slots a word, twelve bits a fingerprint.
            let numbers: Vec<f64> = space.name.split(' ').flat_map(str::parse).collect();
            let &[slots, bits] = &*numbers else {
                panic!("{}", space.name);
            };
            let expected = 2.0 * slots * space.load / bits.exp2();
            // Within four standard deviations, and a tenth for what the formula leaves out.
            let deviation = (expected / f64::from(1 << 18)).sqrt();
            let difference = (space.false_positive_rate - expected).abs();
            assert!(
                difference < 0.1 * expected + 4.0 * deviation,
                "{}: {} {expected}",
                space.name,
                space.false_positive_rate
            );
            let words = 64.0 / slots / space.load;
            assert!(words < space.bits_per_item && space.bits_per_item < 1.2 * words);
            let least = if slots < 3.0 { 0.8 } else { 0.9 };
            assert!(space.load > least, "{} {}", space.name, space.load);
        }
    }
}
