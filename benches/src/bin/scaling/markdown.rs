//! The tables of the READMEs: all contenders, the filter beside the limit and its fastest rival,
//! the price of sharing, and the rates of four named rivals.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use lockfree_cuckoo_benches::markdown::{table, write_between_marks};
use lockfree_cuckoo_benches::rivals::{FILTER, SERIAL};
use lockfree_cuckoo_benches::{About, Work, items_name, or_dash};

use crate::results::{Key, Results, Size};

/// Writes each table for which the file has marks. All runs get a table of contenders and one of
/// the price of sharing. The tables of the limit and of the named rivals are those of the first
/// run.
pub(crate) fn write(file: &Path, runs: &[Results]) -> Result<(), Box<dyn Error>> {
    let of_first = |table: fn(&Results) -> String| runs.first().map_or_else(String::new, table);
    let of_all = |table: fn(&Results) -> String| runs.iter().map(table).collect();
    let tables: [(&str, String); 4] = [
        ("contenders", of_all(contenders)),
        ("price", of_all(price)),
        ("limit", of_first(limit)),
        ("rivals", of_first(rivals)),
    ];
    write_between_marks(file, &tables)
}

/// The kinds of work that have a column, each with its batched kind, which has a row of its own.
const WORKS: [(Work, Option<Work>); 5] = [
    (Work::Hit, Some(Work::HitMany)),
    (Work::Miss, Some(Work::MissMany)),
    (Work::Remove, Some(Work::RemoveMany)),
    (Work::Mixed, None),
    (Work::Insert, Some(Work::InsertMany)),
];

const THREADS: [usize; 2] = [1, 2];

/// The rivals that have a column in the README, with their headings: a filter of this kind, the
/// filter of the paper's authors, a Bloom filter, and an exact set.
const NAMED: [(&str, &str); 4] = [
    ("atomic-cuckoo-filter", "`atomic-cuckoo-filter`"),
    ("authors-shards", "the authors' C++ in 64 locks"),
    ("fastbloom", "`fastbloom`, without removal"),
    ("dashmap", "`dashmap`, an exact set"),
];

/// Returns the contenders of the README, with their headings: the filter, and the named rivals.
fn columns() -> impl Iterator<Item = (&'static str, &'static str)> {
    [(FILTER, "this filter")].into_iter().chain(NAMED)
}

/// Joins some numbers into a cell.
fn cell(numbers: impl Iterator<Item = Option<f64>>, digits: usize) -> String {
    let numbers = numbers.map(|number| or_dash(number, |number| format!("{number:.digits$}")));
    numbers.collect::<Vec<_>>().join(" / ")
}

/// Makes a cell for one thread and for two.
fn on_threads(number: impl Fn(usize) -> Option<f64>, digits: usize) -> String {
    cell(THREADS.into_iter().map(number), digits)
}

/// Makes a cell for all sizes.
fn by_size(run: &Results, number: impl Fn(&Size) -> Option<f64>, digits: usize) -> String {
    cell(run.sizes.iter().map(number), digits)
}

/// Returns the names of all sizes.
fn sizes(run: &Results) -> String {
    let names = run.sizes.iter().map(|size| items_name(size.items));
    names.collect::<Vec<_>>().join(" / ")
}

fn words(work: Work) -> String {
    work.words().trim_end_matches('.').to_owned()
}

/// Describes the machine and the command of a run.
fn source(run: &Results) -> String {
    format!("{}; `{}`", run.machine, run.command)
}

/// Returns a table of all contenders for each size.
pub(crate) fn contenders(run: &Results) -> String {
    let mut text = format!("\n{}:\n", source(run));
    let about = ["bits per item", "load", "false positives"];
    for size in &run.sizes {
        let items = format!("{} items", items_name(size.items));
        let works = WORKS.map(|(work, _)| work.name());
        let head: Vec<&str> = [&*items]
            .into_iter()
            .chain(about)
            .chain(works.iter().map(String::as_str))
            .chain(["failed"])
            .collect();
        let mut rows = Vec::new();
        let nothing = || vec!["-".to_owned(); about.len()];
        let row = |name: &str, about, cells: &dyn Fn(Work) -> String, batches, failed| {
            let works = WORKS.iter().map(|&(work, many)| {
                let work = if batches { many } else { Some(work) };
                work.map_or_else(|| "-".to_owned(), cells)
            });
            let name: [Vec<String>; 2] = [vec![name.to_owned()], about];
            let cells = name.into_iter().flatten().chain(works);
            cells.chain([failed]).collect::<Vec<String>>()
        };
        for (batches, name) in [(false, "limit, M/s"), (true, "limit in batches, M/s")] {
            let cells = |work| on_threads(|threads| Some(size.limit((work, threads))? / 1e6), 1);
            rows.push(row(name, nothing(), &cells, batches, "-".to_owned()));
        }
        for name in size.contenders() {
            let cells = |work| on_threads(|threads| size.ratio(name, (work, threads)), 2);
            let about = size.about(name).unwrap_or_default();
            let failed = about.faults.sum().to_string();
            let about = vec![
                or_dash(about.bits(size.items), |bits| format!("{bits:.1}")),
                or_dash(about.load(size.items), |load| format!("{load:.2}")),
                format!("{:.4} %", 100.0 * about.false_positives),
            ];
            rows.push(row(name, about, &cells, false, failed));
            if name == FILTER {
                let name = "filter in batches";
                rows.push(row(name, nothing(), &cells, true, "-".to_owned()));
            }
        }
        let _ = write!(text, "\n{}", table(&head, rows));
    }
    text
}

/// Returns a table of the filter's rates divided by those of the limit, and by those of the fastest
/// rival, which is named.
fn limit(run: &Results) -> String {
    let first = format!("{} items", sizes(run));
    let head = THREADS.map(|threads| {
        let on = |other| format!("{other}, {threads} thread{}", &"s"[..threads - 1]);
        [on("limit"), on("fastest rival")]
    });
    let head: Vec<String> = [first]
        .into_iter()
        .chain(head.into_iter().flatten())
        .collect();
    let rows = WORKS.map(|(work, _)| {
        let mut row = vec![words(work)];
        for threads in THREADS {
            let key = (work, threads);
            row.push(by_size(run, |size| size.ratio(FILTER, key), 2));
            let rivals = run.sizes.iter().map(|size| {
                or_dash(fastest(size, key), |(name, ratio)| {
                    format!("{ratio:.1} {name}")
                })
            });
            row.push(rivals.collect::<Vec<_>>().join(" / "));
        }
        row
    });
    format!("{}\n{}:\n", table(&head, rows), source(run))
}

/// Returns the fastest rival that does what the filter does, and the filter's rate divided by its
/// rate.
fn fastest(size: &Size, key: Key) -> Option<(&str, f64)> {
    let rivals = size.contenders().filter(|&name| name != FILTER);
    let rivals = rivals.filter(|name| size.about(name).is_some_and(|about| does_the_same(&about)));
    let ratios = rivals.filter_map(|name| Some((name, size.against(name, key)?)));
    ratios.min_by(|one, other| one.1.total_cmp(&other.1))
}

/// Returns whether a contender is concurrent, able to remove, and as rarely wrong as the filter.
pub(crate) fn does_the_same(about: &About) -> bool {
    const MOST_FALSE_POSITIVES: f64 = 0.0005;
    about.shared && about.removes && about.false_positives < MOST_FALSE_POSITIVES
}

/// Returns a table of the filter's rates divided by those of the same filter for one thread.
fn price(run: &Results) -> String {
    let key = |work| (work, THREADS[0]);
    let is_there = |size: &Size| size.against(SERIAL, key(Work::Hit)).is_some();
    if !run.sizes.iter().any(is_there) {
        return String::new();
    }
    let names = run
        .sizes
        .iter()
        .map(|size| items_name(size.items) + " items");
    let head: Vec<String> = [String::new()].into_iter().chain(names).collect();
    let rows = WORKS.map(|(work, _)| {
        let cells = run.sizes.iter().map(|size| {
            let rate = |name| or_dash(size.cell(name, key(work), |cell| cell.rate), million);
            let ratio = size.against(SERIAL, key(work));
            let ratio = or_dash(ratio, |ratio| format!("{ratio:.2}"));
            format!("{ratio} ({} of {} M/s)", rate(FILTER), rate(SERIAL))
        });
        [words(work)].into_iter().chain(cells).collect()
    });
    format!("\n{}:\n\n{}", source(run), table(&head, rows))
}

/// Returns a rate in millions a second, with about three digits.
fn million(rate: f64) -> String {
    let million = rate / 1e6;
    let digits = if million < 99.95 { 1 } else { 0 };
    format!("{million:.digits$}")
}

/// Returns a table and a chart of the rates of the filter and of four named rivals, and a sentence
/// on the price of sharing.
fn rivals(run: &Results) -> String {
    let threads = THREADS[THREADS.len() - 1];
    let head: Vec<String> = [format!("{} items", sizes(run))]
        .into_iter()
        .chain(columns().map(|(_, column)| column.to_owned()))
        .collect();
    let rows = WORKS.map(|(work, _)| {
        let cells = columns().map(|(name, _)| {
            let rates = run.sizes.iter().map(|size| {
                let rate = size.cell(name, (work, threads), |cell| cell.rate);
                or_dash(rate, million)
            });
            let cell = rates.collect::<Vec<_>>();
            // A rival that cannot do it has one dash.
            let nothing = cell.iter().all(|rate| rate == "-");
            if nothing {
                "-".to_owned()
            } else {
                cell.join(" / ")
            }
        });
        [words(work)].into_iter().chain(cells).collect()
    });
    format!(
        "{}\n{}\n{threads} threads together; {}; all of it by\n`{}`.\n\n{}",
        table(&head, rows),
        chart(run, threads),
        run.machine,
        run.command,
        prices(run)
    )
}

/// Returns a table of the rates on one thread, divided by those of filters that are for one thread.
fn prices(run: &Results) -> String {
    const ALONE: [(&str, &str); 2] = [
        (SERIAL, "this filter, written for one thread"),
        ("authors-alone", "the authors' C++, for one thread"),
    ];
    let head = format!("One thread, {} items: times as fast as", sizes(run));
    let columns = ALONE.map(|(_, column)| column.to_owned());
    let head: Vec<String> = [head].into_iter().chain(columns).collect();
    let rows = WORKS.map(|(work, _)| {
        let cells =
            ALONE.map(|(name, _)| by_size(run, |size| size.against(name, (work, THREADS[0])), 2));
        [words(work)].into_iter().chain(cells).collect()
    });
    table(&head, rows)
}

/// Returns bars of the rates of the filter and of the named rivals, with the largest size: text, so
/// that it shows wherever the README does.
fn chart(run: &Results, threads: usize) -> String {
    const WIDTH: f64 = 40.0;
    let Some(size) = run.sizes.last() else {
        return String::new();
    };
    let mut text = "```text\n".to_owned();
    for work in [Work::Hit, Work::Mixed] {
        let rate = |name| size.cell(name, (work, threads), |cell| cell.rate);
        let measured = columns().filter_map(|(name, column)| Some((column, rate(name)?)));
        let measured: Vec<_> = measured.collect();
        let most = measured.iter().map(|&(_, rate)| rate).fold(1.0, f64::max);
        let _ = writeln!(
            text,
            "{}, {} items, M/s",
            words(work),
            items_name(size.items)
        );
        for (column, rate) in measured {
            let column = column.replace('`', "");
            let bar = "█".repeat((WIDTH * rate / most).ceil() as usize);
            let _ = writeln!(text, "  {column:29} {bar} {}", million(rate));
        }
    }
    text + "```\n"
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo_benches::{Cell, Faults};

    use super::*;
    use crate::results::{Measured, Process};

    /// Returns a contender with this ratio to the limit in all work, on each number of threads.
    fn contender(name: &str, ratio: f64, false_positives: f64) -> Measured {
        let cell = |work, threads| Cell {
            work,
            threads,
            ratio,
            rate: 1e8 * ratio * threads as f64,
            other: 1e8 * threads as f64,
        };
        let works = [Work::Insert, Work::Hit, Work::HitMany];
        let both = |work| THREADS.map(|threads| cell(work, threads));
        Measured {
            name: name.to_owned(),
            about: About {
                bytes: Some(2_000_000),
                slots: Some(1_250_000),
                false_positives,
                removes: true,
                shared: name != SERIAL,
                faults: Faults {
                    missed: 7,
                    ..Faults::default()
                },
            },
            cells: works.into_iter().flat_map(both).collect(),
            latencies: Vec::new(),
        }
    }

    fn run() -> Results {
        let contenders = vec![
            contender(FILTER, 0.9, 0.0001),
            contender(SERIAL, 1.2, 0.0001),
            contender("slow", 0.3, 0.0),
            contender("wrong", 0.6, 0.03),
            contender("dashmap", 0.15, 0.0),
        ];
        Results {
            machine: "a machine".to_owned(),
            command: "scaling".to_owned(),
            sizes: vec![Size {
                items: 1_000_000,
                threads: THREADS.to_vec(),
                processes: vec![Process {
                    speedup: 2.0,
                    contenders,
                }],
            }],
        }
    }

    fn assert_lines(text: &str, starts: &[&str]) {
        for start in starts {
            assert!(
                text.lines().any(|line| line.starts_with(start)),
                "{start}\n{text}"
            );
        }
    }

    #[test]
    fn the_table_of_contenders_has_the_measured_values() {
        let rows = [
            "a machine; `scaling`:",
            "| 1M items | bits per item | load | false positives | hit | miss |",
            "| limit, M/s | - | - | - | 100.0 / 200.0 |",
            "| filter | 16.0 | 0.80 | 0.0100 % | 0.90 / 0.90 | - / - | - / - | - / - | 0.90 / 0.90 | 7 |",
            "| filter in batches | - | - | - | 0.90 / 0.90 | - / - | - / - | - | - / - | - |",
            "| wrong | 16.0 | 0.80 | 3.0000 % | 0.60 / 0.60 |",
        ];
        assert_lines(&contenders(&run()), &rows);
    }

    #[test]
    fn the_fastest_rival_can_do_the_same() {
        let rows = [
            "| 1M items | limit, 1 thread | fastest rival, 1 thread | limit, 2 threads |",
            "| Lookups of stored items | 0.90 | 3.0 slow | 0.90 | 3.0 slow |",
            "| Lookups of absent items | - | - | - | - |",
        ];
        assert_lines(&limit(&run()), &rows);
    }

    #[test]
    fn the_price_divides_by_the_serial_filter() {
        let rows = [
            "|  | 1M items |",
            "| Lookups of stored items | 0.75 (90.0 of 120 M/s) |",
            "| Lookups of absent items | - (- of - M/s) |",
        ];
        assert_lines(&price(&run()), &rows);
        let mut without = run();
        without.sizes[0].processes[0].contenders.remove(1);
        assert_eq!(price(&without), "");
        let rows = [
            "| One thread, 1M items: times as fast as | this filter, written for one thread | the authors' C++,",
            "| Lookups of stored items | 0.75 | - |",
        ];
        assert_lines(&prices(&run()), &rows);
        assert!(rivals(&run()).ends_with(&prices(&run())));
    }

    #[test]
    fn bars_are_as_long_as_rates_are_high() {
        let rows = [
            "Lookups of stored items, 1M items, M/s",
            "  this filter                   ████████████████████████████████████████ 180",
            "  dashmap, an exact set         ███████ 30.0",
            "90 % lookups",
        ];
        let chart = chart(&run(), 2);
        assert_lines(&chart, &rows);
        assert_eq!(chart.lines().count(), 6, "{chart}");
    }

    #[test]
    fn named_rivals_have_rates() {
        let rows = [
            "| 1M items | this filter | `atomic-cuckoo-filter` | the authors' C++ in 64 locks |",
            "| Lookups of stored items | 180 | - | - | - | 30.0 |",
            "| Removes of a quarter of the items | - | - | - | - | - |",
        ];
        assert_lines(&rivals(&run()), &rows);
    }
}
