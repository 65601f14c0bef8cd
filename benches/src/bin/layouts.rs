//! How fast is each layout, beside the bare limit of its own lanes and beside 4 x 16?
//!
//! In one process, slices of a layout's work and of its [limit](Bare)'s take turns, and so do slices of 4 x 16 and of its
//! limit, and of the layout and of 4 x 16. A figure is a median over slices: the speed of the layout by that of its
//! limit, that quotient by the one of 4 x 16, and the speed by that of 4 x 16. One thread. Each filter has room for just
//! the items, so the tables of layouts are of different sizes.
//!
//! `--sizes 10M` is beyond most caches. `--quick` takes a fraction of the time. With
//! `RUSTFLAGS="-C target-cpu=native"` the compiler may use what else the processor has.

use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Lanes, Layout, SemiSorted};
use lockfree_cuckoo_benches::{
    Bare, Common, Contender, Duel, Keys, Limit, Rig, Table, Work, items_name, machine,
};

/// Measures all layouts beside the limits of their lanes.
#[derive(Debug, Parser)]
struct Options {
    #[command(flatten)]
    common: Common,

    /// Only layouts whose name begins so
    #[arg(long, default_value = "")]
    layout: String,
}

const WORKS: [Work; 4] = [Work::Hit, Work::Miss, Work::Insert, Work::Remove];

struct Report {
    layout: String,
    time: Duration,
    keys: Arc<Keys>,
    default: Rig<CuckooFilter>,
    limit_of_default: Rig<Limit>,
    table: Table,
}

impl Report {
    /// A layout, beside the lanes that a lookup compares.
    fn row<L: Layout, const SLOTS: usize, const BITS: u32>(&mut self) {
        let path = std::any::type_name::<L>();
        let name = path.rsplit("::").next().unwrap_or(path);
        if !name.starts_with(&self.layout) {
            return;
        }
        let mut filter = Rig::<Filter<Fixed<L>>>::full(&self.keys);
        let words = filter.table().slots() / L::SLOTS;
        let mut limit = Rig::of(Bare::<SLOTS, BITS>::with_words(words), 0, &self.keys);
        limit.fill();
        let bits = 64.0 * words as f64 / self.keys.stored.len() as f64;
        let mut row = vec![name.to_owned(), format!("{bits:.1}")];
        for work in WORKS {
            let to_limit = ratio(&mut filter, &mut limit, work, self.time);
            let of_default = ratio(
                &mut self.default,
                &mut self.limit_of_default,
                work,
                self.time,
            );
            let to_default = ratio(&mut filter, &mut self.default, work, self.time);
            let ratios = [to_limit, to_limit / of_default, to_default];
            row.extend(ratios.map(|ratio| format!("{ratio:.2}")));
        }
        self.table.row(row);
    }
}

fn ratio<C: Contender, D: Contender>(
    one: &mut Rig<C>,
    other: &mut Rig<D>,
    work: Work,
    time: Duration,
) -> f64 {
    Duel::new(one, other).cell(work, 1, time, 5).ratio.median
}

fn main() {
    let Options { common, layout } = Options::parse();
    println!("{}", machine());
    for &items in common.sizes() {
        let mut head = vec!["layout".to_owned(), "bits".to_owned()];
        for work in WORKS {
            head.extend([work.name(), "/".to_owned(), "/".to_owned()]);
        }
        let keys = Arc::new(Keys::generate(items));
        let mut report = Report {
            layout: layout.clone(),
            time: common.time(),
            default: Rig::full(&keys),
            limit_of_default: Rig::full(&keys),
            keys,
            table: Table::new(head),
        };
        report.row::<Lanes<8, 8>, 8, 8>();
        report.row::<Lanes<6, 10>, 6, 10>();
        report.row::<Lanes<5, 12>, 5, 12>();
        report.row::<Lanes<4, 16>, 4, 16>();
        report.row::<Lanes<3, 21>, 3, 21>();
        report.row::<Lanes<2, 31>, 2, 31>();
        report.row::<SemiSorted<4, 17>, 4, 13>();
        report.row::<SemiSorted<5, 14>, 5, 10>();
        report.row::<SemiSorted<6, 12>, 6, 8>();
        report.row::<Lanes<4, 12, 4>, 4, 16>();
        report.row::<Lanes<3, 13, 8>, 3, 21>();
        report.row::<Lanes<2, 16, 15>, 2, 31>();
        report.table.print(&format!(
            "{} items: speed by the limit's, that by the same of 4 x 16, speed by that of 4 x 16",
            items_name(items)
        ));
    }
}
