//! Space by layout: measures bits per item and false positives of filters that are filled until
//! they refuse an item. Nothing is timed.

use lockfree_cuckoo::{BuildError, layout::Layout};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::layouts::{self, Kind, Visitor};

/// A full filter.
pub(crate) struct Space {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) load: f64,
    /// The measured rate; 0 if it is too low for the lookups.
    pub(crate) false_positive_rate: f64,
    /// The rate that the filter reports.
    pub(crate) expected_rate: f64,
    /// The bits of all memory.
    pub(crate) bits_per_item: f64,
}

/// Measures all layouts with tables of this many bytes, by this many lookups of absent keys.
pub(crate) fn measure(bytes: usize, probes: usize) -> Result<Vec<Space>, BuildError> {
    let mut each = Each {
        bytes,
        probes,
        measured: Vec::new(),
    };
    layouts::each(&mut each)?;
    Ok(each.measured)
}

struct Each {
    bytes: usize,
    probes: usize,
    measured: Vec<Space>,
}

impl Visitor for Each {
    fn visit<L: Layout>(&mut self, name: &'static str, kind: Kind) -> Result<(), BuildError> {
        eprintln!("space of {name}");
        let filter = layouts::filter::<L>(self.bytes)?;
        let mut random = SmallRng::seed_from_u64(0);
        while filter.insert_hash(random.next_u64()).is_ok() {}
        let wrong = (0..self.probes).filter(|_| filter.contains_hash(random.next_u64()));
        self.measured.push(Space {
            name,
            kind,
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

    #[test]
    fn rates_and_bits_fit_the_layouts() {
        const PROBES: usize = 1 << 17;
        for space in &measure(1 << 15, PROBES).expect("a usual size") {
            // "CF 5 x 12": five slots a word, twelve bits a fingerprint.
            let numbers: Vec<f64> = space.name.split(' ').flat_map(str::parse).collect();
            let &[slots, bits] = &*numbers else {
                panic!("{}", space.name);
            };
            let expected = 2.0 * slots * space.load / bits.exp2();
            // Within four standard deviations, and a tenth for what the formula leaves out.
            let deviation = (expected / PROBES as f64).sqrt();
            for rate in [space.false_positive_rate, space.expected_rate] {
                let difference = (rate - expected).abs();
                let most = 0.1 * expected + 4.0 * deviation;
                assert!(difference < most, "{}: {rate} {expected}", space.name);
            }
            let words = 64.0 / slots / space.load;
            assert!(words < space.bits_per_item && space.bits_per_item < 1.4 * words);
            let least = if slots < 3.0 { 0.8 } else { 0.9 };
            assert!(space.load > least, "{} {}", space.name, space.load);
        }
    }
}
