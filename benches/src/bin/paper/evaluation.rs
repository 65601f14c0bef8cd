//! Everything that is measured, in order.

use indicatif::{ProgressBar, ProgressStyle};
use lockfree_cuckoo::{BuildError, Lanes, SemiSorted};
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::limit::Limit;
use lockfree_cuckoo_benches::rivals::d_left::DLeft;

use crate::args::Args;
use crate::grid::Grid;
use crate::keys::Keys;
use crate::layouts::{self, LAYOUTS};
use crate::life::{Life, STEPS};
use crate::load::{self, Load};
use crate::looks::Looks;
use crate::published::TABLE_3;
use crate::rivals::{BlockedBloom, Bloom, Counting, Quotient};
use crate::space::{self, Space};
use crate::subject::Subject;

/// What came of it.
pub(crate) struct Evaluation {
    pub(crate) loads: Vec<Load>,
    pub(crate) grids: Vec<Grid>,
    /// The layouts of this library, full.
    pub(crate) spaces: Vec<Space>,
    /// The load at which the d-left counting Bloom filter refuses an item.
    pub(crate) d_left_load: f64,
    /// The contenders, the default of this library first. All are filled as in the paper.
    pub(crate) lives: Vec<Life>,
    /// Those that take any number of items, with as many as the first had.
    pub(crate) equals: Vec<Life>,
}

impl Evaluation {
    pub(crate) fn run(args: &Args) -> Result<Self, BuildError> {
        let effort = args.effort();
        let sizes = effort.loads.len() + effort.grids.len();
        // Seven of the contenders fill and empty, the Bloom filters that do not count only fill, twice each.
        let bar = bar(sizes + LAYOUTS + (7 * 2 + 2 * 2) * STEPS);
        let step = |message: String| {
            bar.inc(1);
            bar.set_message(message);
        };
        let mut loads = Vec::new();
        for slots in effort.loads {
            step(format!("load of 2^{slots} slots"));
            loads.push(load::measure(1 << slots)?);
        }
        let mut grids = Vec::new();
        for slots in effort.grids {
            step(format!("simulated tables of 2^{slots} slots"));
            grids.push(Grid::measure(1 << slots));
        }
        let spaces = space::measure(effort.table_bytes, effort.looks.probes, |name| {
            step(format!("space of {name}"));
        })?;

        let filter = layouts::filter::<Lanes<4, 16>>(effort.table_bytes)?;
        let (bytes, slots) = (filter.memory_usage(), filter.slots());
        let as_published = (bytes as f64 * 8.0 / TABLE_3[2].bits_per_item) as usize;
        let quotient = Quotient::new(bytes);
        let five = layouts::filter::<Lanes<5, 12>>(effort.table_bytes)?;
        let most = five.slots().max(as_published).max(quotient.room());
        let mut runner = Runner {
            keys: Keys::new(most),
            looks: effort.looks,
            slots,
            bar: &bar,
        };
        let filter = runner.run("CF 4 x 16", filter);
        let items = filter.items;
        let semi_sorted = layouts::filter::<SemiSorted<4, 17>>(effort.table_bytes)?;
        let semi_sorted_five = layouts::filter::<SemiSorted<5, 14>>(effort.table_bytes)?;
        let lives = vec![
            filter,
            runner.run("ss-CF 4 x 17", semi_sorted),
            runner.run("CF 5 x 12", five),
            runner.run("ss-CF 5 x 14", semi_sorted_five),
            runner.run("Bloom", Bloom::new(bytes, as_published)),
            runner.run("blocked Bloom", BlockedBloom::new(bytes, as_published)),
            runner.run("quotient", quotient),
            runner.run("d-left counting", DLeft::with_bytes(bytes)),
            runner.run("counting Bloom", Counting::like_bloom(bytes, as_published)),
        ];
        let equals = vec![
            runner.run("Bloom, same items", Bloom::new(bytes, items)),
            runner.run("blocked, same items", BlockedBloom::new(bytes, items)),
        ];
        bar.finish_and_clear();
        Ok(Self {
            loads,
            grids,
            spaces,
            d_left_load: load::of_d_left(bytes),
            lives,
            equals,
        })
    }
}

struct Runner<'a> {
    keys: Keys,
    looks: Looks,
    /// Of the limit.
    slots: usize,
    bar: &'a ProgressBar,
}

impl Runner<'_> {
    fn run<S: Subject>(&mut self, name: &'static str, subject: S) -> Life {
        self.bar.set_message(name);
        // It is made for a load of 0.95.
        let limit = Limit::with_capacity(self.slots / 20 * 19);
        Life::of(name, subject, limit, &mut self.keys, self.looks, || {
            self.bar.inc(1);
        })
    }
}

/// Nothing is drawn where nobody watches.
fn bar(steps: usize) -> ProgressBar {
    let template = "[{bar:40}] {elapsed}, {eta} left: {msg}";
    let style = ProgressStyle::with_template(template).map_or_else(
        |_| ProgressStyle::default_bar(),
        |style| style.progress_chars("=> "),
    );
    ProgressBar::new(steps as u64).with_style(style)
}
