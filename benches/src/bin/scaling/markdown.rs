//! The tables of the READMEs: what the calls of the contenders do, all contenders, the filter beside
//! the limit and its fastest rival, the price of sharing, the rates of four named rivals, and the
//! latencies.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use lockfree_cuckoo_benches::markdown::{table, write_between_marks};
use lockfree_cuckoo_benches::rivals::{self, FILTER, SERIAL};
use lockfree_cuckoo_benches::{About, Quantiles, Work, items_name, or_dash};

use crate::results::{Key, Results, Size};

/// Writes each table for which the file has marks. All runs get tables of contenders and one of
/// the price of sharing. The others are those of the first run.
pub(crate) fn write(file: &Path, runs: &[Results]) -> Result<(), Box<dyn Error>> {
    let of_first = |table: fn(&Results) -> String| runs.first().map_or_else(String::new, table);
    let of_all = |table: fn(&Results) -> String| runs.iter().map(table).collect();
    let tables: [(&str, String); 6] = [
        ("calls", calls()),
        ("contenders", of_all(contenders_with_processors)),
        ("price", of_all(price)),
        ("limit", of_first(limit)),
        ("rivals", of_first(rivals)),
        ("latency", of_first(latency)),
    ];
    write_between_marks(file, &tables)
}

/// The kinds of work that have a column, each with its batched kind, which has a row of its own.
const WORKS: [(Work, Option<Work>); 7] = [
    (Work::Hit, Some(Work::HitMany)),
    (Work::Miss, Some(Work::MissMany)),
    (Work::Unique, Some(Work::UniqueMany)),
    (Work::Known, Some(Work::KnownMany)),
    (Work::Insert, Some(Work::InsertMany)),
    (Work::Remove, Some(Work::RemoveMany)),
    (Work::Mixed, None),
];

/// The rivals that have a column in the README, with their headings: a filter of this kind, the
/// filter of the paper's authors, a Bloom filter without locks and one in locks, which can say who
/// was first, and an exact set.
const NAMED: [(&str, &str); 5] = [
    ("atomic-cuckoo-filter", "`atomic-cuckoo-filter`"),
    ("authors-shards", "the authors' C++ in 64 locks"),
    ("fastbloom", "`fastbloom`, without removal"),
    ("fastbloom-shards", "`fastbloom` in 64 locks"),
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

/// Makes a cell for all sizes.
fn by_size(run: &Results, number: impl Fn(&Size) -> Option<f64>, digits: usize) -> String {
    cell(run.sizes.iter().map(number), digits)
}

/// Returns the names of all sizes.
fn sizes(run: &Results) -> String {
    let names = run.sizes.iter().map(|size| items_name(size.items));
    names.collect::<Vec<_>>().join(" / ")
}

/// Returns a number of threads in words.
fn on(threads: usize) -> String {
    format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
}

fn words(work: Work) -> String {
    work.words().trim_end_matches('.').to_owned()
}

/// Describes the machine and the command of a run.
fn source(run: &Results) -> String {
    format!("{}; `{}`", run.machine, run.command)
}

/// Returns a table of what the calls of each contender do.
pub(crate) fn calls() -> String {
    let rows = rivals::calls().into_iter().map(|(name, calls)| {
        let words = [calls.insert, calls.insert_unique].map(str::to_owned);
        [name.to_owned()].into_iter().chain(words).collect()
    });
    let head = ["contender", "`insert` of a stored item", "check-and-insert"];
    table::<_, String>(&head, rows)
}

/// Returns the tables of contenders for the numbers of threads that have a processor each.
fn contenders_with_processors(run: &Results) -> String {
    contenders(run, &run.threads_with_processors())
}

/// The rows of one table of contenders.
type Rows = Vec<Vec<String>>;

/// Returns a table of all contenders for each size and number of threads.
pub(crate) fn contenders(run: &Results, threads: &[usize]) -> String {
    let mut text = format!("\n{}:\n", source(run));
    for size in &run.sizes {
        for (at, &threads) in threads.iter().enumerate() {
            let _ = write!(text, "\n{}", contenders_on(size, threads, at == 0));
        }
    }
    text
}

/// Returns a table of all contenders with this many threads. The first one also has what does not
/// depend on threads.
fn contenders_on(size: &Size, threads: usize, is_first: bool) -> String {
    let works = WORKS.into_iter().filter(|&(work, many)| {
        let measured = |work| size.limit((work, threads)).is_some();
        measured(work) || many.is_some_and(measured)
    });
    let works: Vec<(Work, Option<Work>)> = works.collect();
    let about = ["bits per item", "load", "false positives"];
    let about = if is_first { &about[..] } else { &[] };
    let failed = if is_first { &["failed"][..] } else { &[] };
    let head = format!("{} items, {}", items_name(size.items), on(threads));
    let names = works.iter().map(|(work, _)| work.name());
    let head: Vec<String> = [head]
        .into_iter()
        .chain(about.iter().map(|&name| name.to_owned()))
        .chain(names)
        .chain(failed.iter().map(|&name| name.to_owned()))
        .collect();
    let row = |name: &str, of: Option<About>, cells: &dyn Fn(Key) -> String, batches: bool| {
        let of_works = works.iter().map(|&(work, many)| {
            let work = if batches { many } else { Some(work) };
            work.map_or_else(|| "-".to_owned(), |work| cells((work, threads)))
        });
        let mut row = vec![name.to_owned()];
        if is_first {
            row.extend(match of {
                None => vec!["-".to_owned(); about.len()],
                Some(of) => vec![
                    or_dash(of.bits(size.items), |bits| format!("{bits:.1}")),
                    or_dash(of.load(size.items), |load| format!("{load:.2}")),
                    format!("{:.4} %", 100.0 * of.false_positives),
                ],
            });
        }
        row.extend(of_works);
        if is_first {
            row.push(or_dash(of, |of| of.faults.sum().to_string()));
        }
        row
    };
    let mut rows = Rows::new();
    for (batches, name) in [(false, "limit"), (true, "limit in batches")] {
        let cells = |key| rate_cell(size.limit(key), size.limit_speedup(key), None);
        rows.push(row(name, None, &cells, batches));
    }
    for name in size.contenders() {
        let cells = |key| {
            let rate = size.cell(name, key, |cell| cell.rate);
            rate_cell(rate, size.speedup(name, key), size.ratio(name, key))
        };
        rows.push(row(name, size.about(name), &cells, false));
        if name == FILTER {
            rows.push(row("filter in batches", None, &cells, true));
        }
    }
    // Those that one thread uses have nothing to show on more.
    rows.retain(|row| row[1..].iter().any(|cell| cell != "-"));
    table(&head, rows)
}

/// Shows a rate in millions a second, how many times the rate of one thread it is, and its ratio to
/// the limit: `230 ×1.9 (0.70)`.
fn rate_cell(rate: Option<f64>, speedup: Option<f64>, ratio: Option<f64>) -> String {
    let speedup = speedup.map_or_else(String::new, |speedup| format!(" ×{speedup:.1}"));
    let ratio = ratio.map_or_else(String::new, |ratio| format!(" ({ratio:.2})"));
    or_dash(rate, |rate| format!("{}{speedup}{ratio}", million(rate)))
}

/// Returns a table of the filter's rates divided by those of the limit, and by those of the fastest
/// rival, which is named: on the fewest threads, and on the most that have a processor each.
fn limit(run: &Results) -> String {
    let first = format!("{} items", sizes(run));
    let mut both = run.threads_with_processors();
    both.drain(1..both.len().max(2) - 1);
    let head = both.iter().map(|&threads| {
        [
            format!("limit, {}", on(threads)),
            format!("fastest rival, {}", on(threads)),
        ]
    });
    let head: Vec<String> = [first].into_iter().chain(head.flatten()).collect();
    let rows = WORKS.map(|(work, _)| {
        let mut row = vec![words(work)];
        for &threads in &both {
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
    let key = |work| (work, 1);
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

/// Returns a table and a chart of the rates of the filter and of four named rivals, and a table of
/// the price of sharing. The first line says on how many threads, and on what machine.
fn rivals(run: &Results) -> String {
    let threads = run.threads_with_processors().last().copied().unwrap_or(1);
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
        "On {}, on {}; this and the tables below by\n`{}`:\n\n{}\n{}\n{}",
        on(threads),
        run.machine,
        run.command,
        table(&head, rows),
        chart(run, threads),
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
        let cells = ALONE.map(|(name, _)| by_size(run, |size| size.against(name, (work, 1)), 2));
        [words(work)].into_iter().chain(cells).collect()
    });
    table(&head, rows)
}

/// Returns a table for each size: by the number of threads, the time that 99.9 % of the lookups do
/// not exceed while all threads change the table too, and the longest operation.
pub(crate) fn latency(run: &Results) -> String {
    let mut text = String::new();
    for size in &run.sizes {
        let is_measured = |name, threads| size.latency(name, threads, |of| of.longest).is_some();
        let names = || size.contenders();
        let mut numbers = size.threads.clone();
        numbers.retain(|&threads| names().any(|name| is_measured(name, threads)));
        if numbers.is_empty() {
            continue;
        }
        let first = format!("{} items: 99.9 % / longest", items_name(size.items));
        let head = [first]
            .into_iter()
            .chain(numbers.iter().map(|&threads| on(threads)));
        let rows = names()
            .filter(|&name| is_measured(name, numbers[0]))
            .map(|name| {
                let cells = numbers.iter().map(|&threads| {
                    let time = |of: fn(&Quantiles) -> u64| {
                        or_dash(size.latency(name, threads, of), duration)
                    };
                    format!("{} / {}", time(|of| of.lookups[2]), time(|of| of.longest))
                });
                [name.to_owned()].into_iter().chain(cells).collect()
            });
        let rows: Rows = rows.collect();
        let _ = write!(text, "\n{}", table(&head.collect::<Vec<_>>(), rows));
    }
    if text.is_empty() {
        return text;
    }
    format!("\n{}:\n{text}", source(run))
}

const _: () = assert!(
    Quantiles::SHARES[2] == 0.999,
    "the share that the table names"
);

/// Shows nanoseconds with a unit.
fn duration(nanoseconds: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let unit = units.into_iter().find(|&(unit, _)| nanoseconds >= unit);
    let (unit, name) = unit.unwrap_or((1.0, "ns"));
    let number = nanoseconds / unit;
    let digits = if number < 9.95 && unit > 1.0 { 1 } else { 0 };
    format!("{number:.digits$} {name}")
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
        let both = |work| [1, 2].map(|threads| cell(work, threads));
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
            latencies: vec![(
                2,
                Quantiles {
                    lookups: [40, 300, 1_250, 80_000],
                    longest: 3_600_000,
                    operations: 1_000,
                },
            )],
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
            cores: 2,
            sizes: vec![Size {
                items: 1_000_000,
                threads: vec![1, 2],
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
            "| 1M items, 1 thread | bits per item | load | false positives | hit | insert | failed |",
            "| limit | - | - | - | 100 | 100 | - |",
            "| filter | 16.0 | 0.80 | 0.0100 % | 90.0 (0.90) | 90.0 (0.90) | 7 |",
            "| filter in batches | - | - | - | 90.0 (0.90) | - | - |",
            "| wrong | 16.0 | 0.80 | 3.0000 % | 60.0 (0.60) |",
            "| 1M items, 2 threads | hit | insert |",
            "| limit | 200 ×2.0 | 200 ×2.0 |",
            "| filter | 180 ×2.0 (0.90) | 180 ×2.0 (0.90) |",
        ];
        let text = contenders(&run(), &[1, 2]);
        assert_lines(&text, &rows);
        // On four threads nothing was measured.
        assert_eq!(
            text.lines()
                .filter(|row| row.starts_with("| filter in"))
                .count(),
            2
        );
        let text = contenders(&run(), &[1, 4]);
        assert_eq!(
            text.lines()
                .filter(|row| row.starts_with("| filter"))
                .count(),
            2
        );
    }

    #[test]
    fn tables_are_of_the_threads_that_were_measured() {
        let mut run = run();
        assert_eq!(run.threads_with_processors(), [1, 2]);
        run.cores = 1;
        assert_eq!(run.threads_with_processors(), [1]);
        let only = "| 1M items | limit, 1 thread | fastest rival, 1 thread |\n";
        assert!(limit(&run).starts_with(only), "{}", limit(&run));
        assert!(rivals(&run).starts_with("On 1 thread, on a machine;"));
        run.sizes[0].threads = vec![2, 4];
        assert_eq!(run.threads_with_processors(), [2, 4]);
        run.cores = 16;
        run.sizes[0].threads = vec![8, 1, 64, 16, 2];
        assert_eq!(run.threads_with_processors(), [1, 2, 8, 16]);
        assert!(limit(&run).contains("1 thread | limit, 16 threads | fastest"));
    }

    #[test]
    fn each_contender_has_words_for_its_calls() {
        let rows = [
            "| contender | `insert` of a stored item | check-and-insert |",
            "| filter | adds a copy | `insert_unique` |",
            "| hashbrown-rwlock | changes nothing | `insert` |",
        ];
        assert_lines(&calls(), &rows);
    }

    #[test]
    fn latencies_have_units() {
        let rows = [
            "a machine; `scaling`:",
            "| 1M items: 99.9 % / longest | 2 threads |",
            "| filter | 1.2 µs / 3.6 ms |",
        ];
        assert_lines(&latency(&run()), &rows);
        let shown = [40.0, 999.0, 12_345.0, 2.5e9].map(duration);
        assert_eq!(shown, ["40 ns", "999 ns", "12 µs", "2.5 s"]);
        let mut without = run();
        without.sizes[0].processes[0].contenders.clear();
        assert_eq!(latency(&without), "");
    }

    #[test]
    fn the_fastest_rival_can_do_the_same() {
        let rows = [
            "| 1M items | limit, 1 thread | fastest rival, 1 thread | limit, 2 threads |",
            "| Lookups of stored items | 0.90 | 3.0 slow | 0.90 | 3.0 slow |",
            "| Lookups of absent items | - | - | - | - |",
            "| `insert_unique` of new items, from empty to 95 % load | - | - | - | - |",
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
            "On 2 threads, on a machine; this and the tables below by",
            "| 1M items | this filter | `atomic-cuckoo-filter` | the authors' C++ in 64 locks |",
            "| Lookups of stored items | 180 | - | - | - | - | 30.0 |",
            "| Removes of a quarter of the items | - | - | - | - | - | - |",
        ];
        assert_lines(&rivals(&run()), &rows);
    }
}
