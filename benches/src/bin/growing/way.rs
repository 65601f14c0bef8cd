//! Samples: memory and the expected rate of false positives, taken while a filter grows.

use std::io;
use std::path::Path;

use charts::{Axis, Chart, Series};
use lockfree_cuckoo_benches::{Keys, Table, items_name, machine, or_dash};

use crate::contenders::{Growing, Visitor, visit_all};

/// Samples from one number of items to twice as many: enough to miss at most a 1,500th of the peak
/// at which a growth begins.
const LOOKS: i32 = 1_024;

/// The table has the memory from these shares of all items on: of the whole run, and of the part in
/// which everything but the slots takes little.
const SHARES: [usize; 2] = [usize::MAX, 64];

/// The samples of a contender.
#[derive(Debug)]
struct Way {
    contender: &'static str,
    looks: Vec<Look>,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    items: usize,
    bits_per_item: Option<f64>,
    /// The expected rate of false positives, or a bound of it.
    false_positives: f64,
    is_growing: bool,
}

impl Way {
    /// Returns the items of the first sample at this share of all items or more.
    fn first(&self, share: usize) -> Option<usize> {
        let least = self.looks.last()?.items / share;
        let mut items = self.looks.iter().map(|look| look.items);
        items.find(|&items| items >= least)
    }

    /// Returns the bits per item from this number of items on, at rest or during growth: the least,
    /// the mean over the logarithm of the number of items, and the most.
    fn bits(&self, first: usize, growing: bool) -> Option<[f64; 3]> {
        let looks = self.looks.iter();
        let looks = looks.filter(|look| look.items >= first && look.is_growing == growing);
        let bits: Vec<f64> = looks.filter_map(|look| look.bits_per_item).collect();
        let of = |choose: fn(f64, f64) -> f64| bits.iter().copied().reduce(choose);
        let mean = bits.iter().sum::<f64>() / bits.len() as f64;
        Some([of(f64::min)?, mean, of(f64::max)?])
    }
}

struct Ways<'a> {
    keys: &'a Keys,
    start: usize,
    found: Vec<Way>,
}

impl Visitor for Ways<'_> {
    fn visit<C: Growing>(&mut self, name: &'static str) {
        let table = C::with_capacity(self.start);
        let mut inserted = 0;
        let look = |items: usize| {
            let part = &self.keys.stored[inserted..items];
            assert_eq!(table.insert_each(part), part.len(), "{name}");
            inserted = items;
            let bits = |bytes: usize| 8.0 * bytes as f64 / items as f64;
            Look {
                items,
                bits_per_item: table.size().1.map(bits),
                false_positives: table.expected_false_positives(),
                is_growing: table.growth_done().is_some(),
            }
        };
        let times = |look: i32| 2f64.powf(f64::from(look) / f64::from(LOOKS));
        let stops = (0..).map(|look| (self.start as f64 * times(look)) as usize);
        let stops = stops.take_while(|&stop| stop <= self.keys.stored.len());
        self.found.push(Way {
            contender: name,
            looks: stops.map(look).collect(),
        });
    }
}

fn go(keys: &Keys, start: usize) -> Vec<Way> {
    let found = Vec::new();
    let mut ways = Ways { keys, start, found };
    visit_all(&mut ways);
    ways.found
}

/// Measures, prints and draws.
pub(crate) fn measure(keys: &Keys, start: usize, out: &Path) -> io::Result<()> {
    let ways = go(keys, start);
    print(keys.stored.len(), start, &ways);
    for (name, chart) in charts(&ways, start) {
        let path = out.join(name);
        chart.write_svg(&path)?;
        println!("{}", path.display());
    }
    Ok(())
}

fn print(items: usize, start: usize, ways: &[Way]) {
    let head = "contender;from items;bits per item, least;mean;most;most in a growth";
    let mut table = Table::new(head.split(';'));
    for (way, share) in ways.iter().flat_map(|way| SHARES.map(|share| (way, share))) {
        let Some(first) = way.first(share) else {
            continue;
        };
        let settled = way.bits(first, false);
        let settled = settled.map_or([None; 3], |bits| bits.map(Some));
        let growing = way.bits(first, true).map(|[.., most]| most);
        let bits = settled.into_iter().chain([growing]);
        let cells = bits.map(|bits| or_dash(bits, |bits| format!("{bits:.1}")));
        let about = [way.contender.to_owned(), first.to_string()].into_iter();
        table.row(about.chain(cells));
    }
    let (start, items) = (items_name(start), items_name(items));
    table.print(&format!("On the way from {start} to {items} items: memory"));
}

/// Points of a line from one number of items to twice as many.
const POINTS: i32 = 8;

fn charts(ways: &[Way], start: usize) -> [(&'static str, Chart); 2] {
    let bits = Axis::log("bits an item");
    let rate = Axis::linear("expected false positives, % (of the rivals a bound)");
    let chart = |title: &str, y: Axis, value: fn(&Look) -> Option<f64>| {
        let point = |look: &Look| Some((look.items as f64, value(look)?));
        let series = ways.iter().map(|way| Series {
            name: way.contender.to_owned(),
            points: way
                .looks
                .iter()
                .step_by((LOOKS / POINTS) as usize)
                .filter_map(point)
                .collect(),
            dashed: false,
        });
        Chart {
            title: title.to_owned(),
            mix: format!(
                "items inserted one after the other into filters made for {}",
                items_name(start)
            ),
            machine: machine(),
            x: Axis::log("items"),
            y,
            series: series.filter(|line| !line.points.is_empty()).collect(),
        }
    };
    let of_bits = chart("Memory of filters that grow", bits, |look| {
        look.bits_per_item
    });
    let of_rate = chart("False positives of filters that grow", rate, |look| {
        Some(100.0 * look.false_positives)
    });
    [("growing-bits.svg", of_bits), ("growing-rate.svg", of_rate)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_within_bounds() {
        let ways = go(&Keys::generate(50_000), 1_000);
        let settled = ways
            .iter()
            .filter_map(|way| way.bits(way.first(64)?, false));
        let bits: Vec<[f64; 3]> = settled.collect();
        assert_eq!((ways.len(), bits.len()), (3, 2));
        let sound = |[least, mean, most]: &[f64; 3]| *least > 8.0 && least < mean && mean < most;
        assert!(bits.iter().all(sound), "{bits:?}");
    }
}
