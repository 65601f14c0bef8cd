//! fit: checks the promised loads by filling tables of each layout until they refuse an item.
//!
//! The tables have one range of 2 to half a million buckets, or several ranges. A filter should
//! refuse one of the items it is sized for less than once in a million fillings. In tables that are
//! not small this is too rare to be counted, so the lower tail is [extrapolated](tail). A row has
//! the items that a table took, those that it promises (*promised*), the most that could be
//! promised (*possible*), and the probability of a refusal below the promise (*chance*).
//!
//! The constants of `src/kernel/layout/shape.rs` are chosen by this output. The numbers do not
//! depend on the machine.

mod tail;

use std::iter;

use clap::Parser;
use lockfree_cuckoo::{
    CuckooFilter,
    layout::{Lanes, Layout, SemiSorted},
};
use lockfree_cuckoo_benches::Table;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;

use self::tail::Tail;

/// Fills tables of all layouts until the first refusal.
#[derive(Debug, Parser)]
struct Options {
    /// Only layouts whose names begin with this
    #[arg(long, default_value = "")]
    layout: String,
}

fn main() {
    let options = Options::parse();
    model::of_every_layout!(fit, &options);
}

/// Fills tables of all shapes and prints the items that they took.
fn fit<L: Layout>(options: &Options) {
    let path = std::any::type_name::<L>();
    let name = path.rsplit("::").next().unwrap_or(path);
    if !name.starts_with(&options.layout) {
        return;
    }
    let cells: Vec<Fillings> = grid().into_par_iter().map(Fillings::of::<L>).collect();
    print::<L>(name, &cells);
}

/// A number of ranges of `2^log` buckets.
#[derive(Clone, Copy, Debug)]
struct Shape {
    ranges: usize,
    log: u32,
}

/// Returns all shapes, of one range first. Those of several ranges check the values that are
/// computed from one range.
fn grid() -> Vec<Shape> {
    let single = (1..=19).map(|log| (1, log));
    let several = [3, 9, 31].into_iter();
    let several = several.flat_map(|ranges| (1..=14).step_by(2).map(move |log| (ranges, log)));
    let all = single.chain(several);
    all.map(|(ranges, log)| Shape { ranges, log }).collect()
}

/// The fillings of tables of one shape.
#[derive(Clone, Debug)]
struct Fillings {
    shape: Shape,
    /// The items that the filter promises to take.
    promised: usize,
    slots: usize,
    /// The items before the first refusal, sorted.
    taken: Vec<u32>,
}

impl Fillings {
    /// Fills tables that have a given number of slots together, within bounds of the number of
    /// fillings.
    fn of<L: Layout>(shape: Shape) -> Self {
        let buckets = shape.ranges << shape.log;
        let builder = CuckooFilter::builder().layout::<L>().seed(0);
        let filter = builder.buckets(buckets).build();
        let mut filter = filter.expect("a possible geometry");
        let slots = if shape.ranges > 1 {
            2_000_000
        } else {
            12_000_000
        };
        let times = (slots / (buckets * L::SLOTS)).clamp(12, 1_000_000);
        let seed = (shape.ranges as u64) << 8 | u64::from(shape.log);
        let filling = |turn| {
            filter.clear();
            let mut random = SmallRng::seed_from_u64(seed ^ (turn as u64) << 32);
            let hashes = iter::repeat_with(|| random.next_u64());
            let taken = hashes.take_while(|&hash| filter.insert_hash(hash).is_ok());
            taken.count() as u32
        };
        let mut taken: Vec<u32> = (0..times).map(filling).collect();
        taken.sort_unstable();
        Self {
            shape,
            promised: filter.capacity(),
            slots: filter.slots(),
            taken,
        }
    }

    /// Returns mean and standard deviation of the items taken.
    fn moments(&self) -> (f64, f64) {
        let count = self.taken.len() as f64;
        let mean = self.taken.iter().map(|&t| f64::from(t)).sum::<f64>() / count;
        let square = |&t: &u32| (f64::from(t) - mean).powi(2);
        let variance = self.taken.iter().map(square).sum::<f64>() / (count - 1.0);
        (mean, variance.sqrt())
    }
}

fn print<L: Layout>(name: &str, cells: &[Fillings]) {
    let single = cells.iter().filter(|cell| cell.shape.ranges == 1);
    let tails: Vec<Tail> = single.map(Tail::of::<L>).collect();
    let taken = "fillings,mean,deviation,1 %,computed,lowest";
    let head = format!("ranges x buckets,{taken},promised,possible,chance");
    let mut table = Table::new(head.split(','));
    let mut worst: f64 = 0.0;
    for cell in cells {
        let Shape { ranges, log } = cell.shape;
        let tail = tails.iter().find(|tail| tail.log == log);
        let tail = tail.expect("ranges of each length are filled alone");
        let (mean, deviation) = cell.moments();
        let refused = tail.chance(ranges, cell.promised);
        worst = worst.max(refused);
        // The number of items of which only this share of tables refuses one.
        let below = |chance| tail.first_above(ranges, chance, cell.slots);
        let load = |items: f64| format!("{:.4}", items / cell.slots as f64);
        table.row([
            format!("{ranges} x {}", 1u64 << log),
            cell.taken.len().to_string(),
            load(mean),
            load(deviation),
            load(cell.taken[cell.taken.len() / 100].into()),
            load(below(0.01) as f64),
            load(cell.taken[0].into()),
            load(cell.promised as f64),
            load(below(1e-6).saturating_sub(1) as f64),
            format!("{refused:.0e}"),
        ]);
    }
    table.print(name);
    println!("a refusal below the promise: {worst:.0e} at most");
}
