//! A full window: measures lookups in it, and inserts that keep it full.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lockfree_cuckoo_benches::{
    Cell, Contender, Duel, Keys, Limit, Pair, Rig, Slice, Work, cores, items_name, markdown,
    or_dash, race, share,
};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use crate::contenders::{Turning, Visitor, visit_all};

const THREADS: [usize; 2] = [1, 2];

const WORKS: [Work; 3] = [Work::Hit, Work::Miss, Work::Insert];

struct Windows {
    keys: Arc<Keys>,
    /// The items in another order than the lookups, so that one hit does not foretell the
    /// generation of the next.
    order: Vec<u64>,
    limit: Rig<Limit>,
    time: Duration,
    rows: Vec<Vec<String>>,
    /// The rates of the limit, beside the first contender.
    limits: Option<Vec<String>>,
}

/// Measures all contenders with these items. Returns a table.
pub(crate) fn measure(keys: &Arc<Keys>, time: Duration) -> String {
    let mut order = keys.stored.clone();
    let mut random = SmallRng::seed_from_u64(order.len() as u64);
    order.shuffle(&mut random);
    let mut windows = Windows {
        keys: Arc::clone(keys),
        order,
        limit: Rig::full(keys),
        time,
        rows: Vec::new(),
        limits: None,
    };
    visit_all(&mut windows);
    let items = format!("{} items in a window", items_name(keys.stored.len()));
    let head = [
        &*items,
        "bits per item",
        "false positives",
        "hit",
        "miss",
        "insert, with turns",
        "failed",
    ];
    let limits = windows.limits.into_iter();
    markdown::table(&head, limits.chain(windows.rows))
}

impl Visitor for Windows {
    fn visit<C: Turning>(&mut self, name: &'static str) {
        eprintln!("{} items: {name}", items_name(self.keys.stored.len()));
        let mut table = self.full::<C>();
        let items = self.order.len();
        let bits = table
            .size()
            .1
            .map(|bytes| 8.0 * bytes as f64 / items as f64);
        let threads = THREADS.into_iter().filter(|&threads| threads <= cores());
        let mut cells = Vec::new();
        let mut failed = 0;
        for threads in threads.clone() {
            let (cell, faults) = self.inserts(&mut table, threads);
            cells.push(cell);
            failed += faults;
        }
        let mut rig = Rig::of(table, items, &self.keys);
        let mut duel = Duel::new(&mut rig, &mut self.limit);
        for (work, threads) in [Work::Hit, Work::Miss]
            .into_iter()
            .flat_map(|work| threads.clone().map(move |threads| (work, threads)))
        {
            cells.push(duel.cell(work, threads, self.time, 5));
        }
        failed += rig.faults().sum();
        let about = [
            name.to_owned(),
            or_dash(bits, |bits| format!("{bits:.1}")),
            format!("{:.4} %", 100.0 * rig.false_positives()),
        ];
        let of_works = |of: fn(&Cell) -> f64, digits: usize| {
            WORKS.map(|work| {
                let cells = cells.iter().filter(|cell| cell.work == work);
                let numbers = cells.map(|cell| format!("{:.digits$}", of(cell)));
                numbers.collect::<Vec<_>>().join(" / ")
            })
        };
        let ratios = of_works(|cell| cell.ratio, 2);
        let row = about.into_iter().chain(ratios).chain([failed.to_string()]);
        self.rows.push(row.collect());
        let limit = ["limit, M/s", "-", "-"].map(str::to_owned);
        let rates = of_works(|cell| cell.other / 1e6, 1);
        let limit = limit.into_iter().chain(rates).chain(["-".to_owned()]);
        self.limits.get_or_insert_with(|| limit.collect());
    }
}

impl Windows {
    /// Returns a contender that holds the window, half of it from the last period.
    fn full<C: Turning>(&self) -> C {
        let mut table = C::with_window(self.order.len());
        let (first, second) = self.order.split_at(self.order.len() / 2);
        table.insert_each(first);
        table.turn();
        table.insert_each(second);
        table
    }

    /// Inserts both halves of the window anew, with a turn before each, until the time is up. The
    /// time of the turns counts too. Returns the rates, and the number of failures.
    fn inserts<C: Turning>(&mut self, table: &mut C, threads: usize) -> (Cell, usize) {
        let start = Instant::now();
        let (mut pairs, mut failed) = (Vec::new(), 0);
        while pairs.len() < 2 || start.elapsed() < self.time {
            let mut pair = Pair::default();
            let (first, second) = self.order.split_at(self.order.len() / 2);
            for (half, kept) in [(first, second), (second, first)] {
                pair[0] += Slice::of(0, || table.turn()).0;
                let (slice, inserted) = insert(table, half, threads);
                pair[0] += slice;
                pair[1] += insert(self.limit.table(), half, threads).0;
                let found = table.contains_each(half) + table.contains_each(kept);
                failed += half.len() - inserted + self.order.len() - found;
            }
            pairs.push(pair);
        }
        (Cell::of(Work::Insert, threads, &pairs), failed)
    }
}

/// Inserts keys on some threads. Returns the time, and the number of accepted keys.
fn insert<C: Contender>(table: &C, keys: &[u64], threads: usize) -> (Slice, usize) {
    let all = 0..keys.len();
    race(
        keys.len(),
        threads,
        || (),
        |thread| table.insert_each(&keys[share(&all, thread, threads)]),
    )
}
