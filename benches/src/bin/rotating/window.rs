//! A full window: measures lookups in it, and inserts that keep it full.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lockfree_cuckoo_benches::{
    Cell, Contender, Duel, Keys, Limit, Pair, Rig, Slice, Work, items_name, markdown, or_dash,
    race, share,
};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use crate::contenders::{Turning, Visitor, visit_all};

const WORKS: [Work; 5] = [
    Work::Hit,
    Work::Miss,
    Work::Insert,
    Work::Unique,
    Work::Known,
];

struct Windows<'a> {
    keys: Arc<Keys>,
    /// The items in another order than the lookups, so that one hit does not foretell the
    /// generation of the next.
    order: Vec<u64>,
    limit: Rig<Limit>,
    threads: &'a [usize],
    time: Duration,
    rows: Vec<Vec<String>>,
    /// The rates of the limit, beside the first contender.
    limits: Option<Vec<String>>,
}

/// Measures all contenders with these items, on each number of threads. Returns a table.
pub(crate) fn measure(keys: &Arc<Keys>, threads: &[usize], time: Duration) -> String {
    let mut order = keys.stored.clone();
    let mut random = SmallRng::seed_from_u64(order.len() as u64);
    order.shuffle(&mut random);
    let mut windows = Windows {
        keys: Arc::clone(keys),
        order,
        limit: Rig::full(keys),
        threads,
        time,
        rows: Vec::new(),
        limits: None,
    };
    visit_all(&mut windows);
    let threads: Vec<String> = threads.iter().map(usize::to_string).collect();
    let items = items_name(keys.stored.len());
    let items = format!("{items} items in a window, {} threads", threads.join(" / "));
    let head = [
        &*items,
        "bits per item",
        "false positives",
        "hit",
        "miss",
        "insert, with turns",
        "unique, with turns",
        "known",
        "failed",
    ];
    let limits = windows.limits.into_iter();
    markdown::table(&head, limits.chain(windows.rows))
}

impl Visitor for Windows<'_> {
    fn visit<C: Turning>(&mut self, name: &'static str) {
        eprintln!("{} items: {name}", items_name(self.keys.stored.len()));
        let mut table = self.full::<C>();
        let items = self.order.len();
        let bits = table
            .size()
            .1
            .map(|bytes| 8.0 * bytes as f64 / items as f64);
        let mut cells = Vec::new();
        let mut failed = 0;
        // The last inserts leave all items, for what follows.
        for work in [Work::Unique, Work::Insert] {
            for &threads in self.threads {
                if work.suits::<C>() {
                    let (cell, faults) = self.inserts(&mut table, work, threads);
                    cells.push(cell);
                    failed += faults;
                }
            }
        }
        let mut rig = Rig::of(table, items, &self.keys);
        let mut duel = Duel::new(&mut rig, &mut self.limit);
        for work in [Work::Hit, Work::Miss, Work::Known] {
            for &threads in self.threads {
                if work.suits::<C>() {
                    cells.push(duel.cell(work, threads, self.time, 5));
                }
            }
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
                let numbers: Vec<String> = numbers.collect();
                or_dash(Some(numbers).filter(|all| !all.is_empty()), |all| {
                    all.join(" / ")
                })
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

impl Windows<'_> {
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
    /// time of the turns counts too. Returns the rates, and the number of failures: refused inserts,
    /// and items that are missing.
    fn inserts<C: Turning>(&self, table: &mut C, work: Work, threads: usize) -> (Cell, usize) {
        let start = Instant::now();
        let (mut pairs, mut failed) = (Vec::new(), 0);
        // The items of the half before that collided with others when they were inserted.
        let mut collided = 0;
        while pairs.len() < 2 || start.elapsed() < self.time {
            let mut pair = Pair::default();
            let (first, second) = self.order.split_at(self.order.len() / 2);
            for (half, kept) in [(first, second), (second, first)] {
                pair[0] += Slice::of(0, || table.turn()).0;
                let (slice, inserted) = insert(table, work, half, threads);
                pair[0] += slice;
                pair[1] += self.limit_inserts(work, half, threads);
                let [found, old] = [half, kept].map(|half| table.contains_each(half));
                let left_out = half.len() - inserted;
                match work {
                    // An item that was left out is found in another one, until that is forgotten.
                    Work::Unique => {
                        failed += half.len() - found;
                        failed += (kept.len() - old).saturating_sub(collided);
                        collided = left_out;
                    }
                    _ => failed += left_out + self.order.len() - found - old,
                }
            }
            pairs.push(pair);
        }
        (Cell::of(work, threads, &pairs), failed)
    }

    /// Inserts half of the window into the limit, which holds all of it: unique inserts after the
    /// items have been removed.
    fn limit_inserts(&self, work: Work, half: &[u64], threads: usize) -> Slice {
        let limit = self.limit.table();
        if work == Work::Unique {
            limit.remove_each(half);
        }
        insert(limit, work, half, threads).0
    }
}

/// Inserts keys on some threads. Returns the time, and the number of keys that were added.
fn insert<C: Contender>(table: &C, work: Work, keys: &[u64], threads: usize) -> (Slice, usize) {
    let all = 0..keys.len();
    let call = match work {
        Work::Unique => C::insert_unique_each,
        _ => C::insert_each,
    };
    race(
        keys.len(),
        threads,
        || (),
        |thread| call(table, &keys[share(&all, thread, threads)]),
    )
}
