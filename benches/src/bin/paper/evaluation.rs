//! Everything that is measured, in order.

use indicatif::{ProgressBar, ProgressStyle};
use lockfree_cuckoo::{BuildError, CuckooFilter};
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::limit::Limit;
use lockfree_cuckoo_benches::rivals::d_left::DLeft;

use crate::args::Args;
use crate::grid::Grid;
use crate::keys::Keys;
use crate::life::{Life, STEPS};
use crate::load::{self, Load};
use crate::published::TABLE_3;
use crate::rivals::{BlockedBloom, Bloom, Counting, Quotient};
use crate::subject::Subject;

/// What came of it.
pub(crate) struct Evaluation {
    pub(crate) loads: Vec<Load>,
    pub(crate) grids: Vec<Grid>,
    /// The contenders, this filter first. All are filled as in the paper.
    pub(crate) lives: Vec<Life>,
    /// Those that take any number of items, with as many as this filter had.
    pub(crate) equals: Vec<Life>,
}

const BUCKET_BYTES: usize = 8;

impl Evaluation {
    pub(crate) fn run(args: &Args) -> Result<Self, BuildError> {
        // Those that remove fill and empty, the four Bloom filters only fill.
        let bar = bar(args.slots().len() + args.grids().len() + (4 * 2 + 4) * STEPS);
        let tick = || bar.inc(1);
        let mut loads = Vec::new();
        for slots in args.slots() {
            bar.set_message(format!("load of {slots} slots"));
            loads.push(load::measure(slots)?);
            tick();
        }

        let mut grids = Vec::new();
        for slots in args.grids() {
            bar.set_message(format!("simulated tables of {slots} slots"));
            grids.push(Grid::measure(slots));
            tick();
        }

        let filter = CuckooFilter::builder()
            .buckets(args.table_bytes() / BUCKET_BYTES)
            .build()?;
        let (bytes, slots) = (filter.memory_usage(), filter.slots());
        let as_published = (bytes as f64 * 8.0 / TABLE_3[2].bits_per_item) as usize;
        let quotient = Quotient::new(bytes);
        let most = slots.max(as_published).max(quotient.room());
        let mut runner = Runner {
            keys: Keys::new(most),
            slots,
            bar: &bar,
        };
        let filter = runner.run("this filter", filter);
        let items = filter.items;
        let lives = vec![
            filter,
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
            lives,
            equals,
        })
    }
}

struct Runner<'a> {
    keys: Keys,
    /// Of the limit.
    slots: usize,
    bar: &'a ProgressBar,
}

impl Runner<'_> {
    fn run<S: Subject>(&mut self, name: &'static str, subject: S) -> Life {
        self.bar.set_message(name);
        // It is made for a load of 0.95.
        let limit = Limit::with_capacity(self.slots / 20 * 19);
        Life::of(name, subject, limit, &mut self.keys, || self.bar.inc(1))
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
