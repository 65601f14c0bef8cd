//! How fast is each layout, beside the bare limit of its own lanes and beside 4 x 16?
//!
//! In one process, slices of a layout's work, of its [limit](Bare)'s, of the work of 4 x 16 and of the limit of that
//! take turns, with the same keys, so a disturbance of the machine meets all four. A figure is a median over slices: the
//! speed of the layout by that of its limit, that quotient by the one of 4 x 16, and the speed by that of 4 x 16. One
//! thread. Each filter has room for just the items, so the tables of layouts are of different sizes.
//!
//! `--items 10M` is beyond most caches. `--quick` takes a tenth of the time. With
//! `RUSTFLAGS="-C target-cpu=native"` the compiler may use what else the processor has.

mod slices;
mod subject;

use clap::Parser;
use lockfree_cuckoo::{Lanes, Layout, SemiSorted};
use lockfree_cuckoo_benches::bare::Bare;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::layout::Layout as Columns;
use lockfree_cuckoo_benches::machine::machine;
use lockfree_cuckoo_benches::size::items_of;

use self::slices::{Figures, race};
use self::subject::Subject;

/// Measures all layouts beside the limits of their lanes.
#[derive(Debug, Parser)]
struct Options {
    /// Stored items
    #[arg(long, default_value = "1M", value_parser = items_of)]
    items: usize,

    /// Measures less
    #[arg(long)]
    quick: bool,

    /// Only layouts whose name begins so
    #[arg(long, default_value = "")]
    layout: String,
}

struct Report {
    options: Options,
    keys: Keys,
    columns: Columns,
}

impl Report {
    /// A layout, beside the lanes that a lookup compares.
    fn row<L: Layout, const SLOTS: usize, const BITS: u32>(&mut self) {
        let path = std::any::type_name::<L>();
        let name = path.rsplit("::").next().unwrap_or(path);
        if !name.starts_with(&self.options.layout) {
            return;
        }
        let rounds = if self.options.quick { 3 } else { 30 };
        let words = Subject::<L>::words_for(self.keys.stored.len());
        let figures = race::<Subject<L>, Bare<SLOTS, BITS>>(&self.keys, words, rounds);
        let Figures { bits, works } = figures;
        let ratios = works.iter().flat_map(|work| {
            let ratios = [work.to_limit, work.to_limit_of_default, work.to_default];
            ratios.map(|ratio| format!("{ratio:.2}"))
        });
        self.columns.row(
            [name.to_owned(), format!("{bits:.1}")]
                .into_iter()
                .chain(ratios),
        );
    }
}

fn main() {
    let options = Options::parse();
    println!("{}", machine());
    println!("speed by the limit's, that by the same of 4 x 16, speed by that of 4 x 16");
    let works = ["hit", "miss", "insert", "remove"];
    let head = works.iter().flat_map(|&work| [work, "/", "/"]);
    let mut report = Report {
        keys: Keys::generate(options.items),
        columns: Columns::new(["layout", "bits"].into_iter().chain(head)),
        options,
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
    report.columns.print();
}
