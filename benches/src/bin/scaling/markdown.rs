//! The tables of the READMEs, written between the marks that they have for them.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use lockfree_cuckoo_benches::rivals::FILTER;
use lockfree_cuckoo_benches::{About, Work, items_name, or_dash};

use crate::results::{Key, Results, Size};

/// Writes the tables into a file: each that the file has marks for, `<!-- name -->` and `<!-- end of name -->`. All runs get
/// a table of contenders, the first run the table of rivals.
pub(crate) fn write(file: &Path, runs: &[Results]) -> Result<(), Box<dyn Error>> {
    let mut text = fs::read_to_string(file)?;
    let all: String = runs.iter().map(contenders).collect();
    let rows = runs.first().map_or_else(String::new, rivals);
    let tables = [("contenders", all), ("rivals", rows)];
    let written = tables.iter().filter(|(name, table)| {
        let new = replaced(&text, name, table);
        new.map(|new| text = new).is_some()
    });
    if written.count() == 0 {
        return Err(format!("{}: no marks of a table", file.display()).into());
    }
    Ok(fs::write(file, text)?)
}

/// The text with a table between its marks, if it has them.
fn replaced(text: &str, name: &str, table: &str) -> Option<String> {
    let (start, end) = (
        format!("<!-- {name} -->"),
        format!("<!-- end of {name} -->"),
    );
    let (before, rest) = text.split_once(&start)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{start}\n{table}{end}{after}"))
}

/// The works that have a column, each with the same in batches, which has a row of its own.
const WORKS: [(Work, Option<Work>); 5] = [
    (Work::Hit, Some(Work::HitMany)),
    (Work::Miss, Some(Work::MissMany)),
    (Work::Remove, Some(Work::RemoveMany)),
    (Work::Mixed, None),
    (Work::Insert, Some(Work::InsertMany)),
];

const THREADS: [usize; 2] = [1, 2];

/// A cell with some numbers.
fn cell(numbers: impl Iterator<Item = Option<f64>>, digits: usize) -> String {
    let numbers = numbers.map(|number| or_dash(number, |number| format!("{number:.digits$}")));
    numbers.collect::<Vec<_>>().join(" / ")
}

/// A cell for one thread and for two.
fn on_threads(number: impl Fn(usize) -> Option<f64>, digits: usize) -> String {
    cell(THREADS.into_iter().map(number), digits)
}

/// All contenders of a run, size by size.
pub(crate) fn contenders(run: &Results) -> String {
    let mut text = String::new();
    let (machine, command) = (&run.machine, &run.command);
    let _ = writeln!(text, "\n{machine}; `{command}`:");
    for size in &run.sizes {
        let _ = writeln!(
            text,
            "\n| {} items | bits per item | false positives | hit | miss | remove | mixed | insert | failed |\n\
             |---|---|---|---|---|---|---|---|---|",
            items_name(size.items)
        );
        let mut row =
            |name: &str, about: [String; 2], cells: &dyn Fn(Work) -> String, batches, failed| {
                let works = WORKS.iter().filter_map(|&(work, many)| {
                    let work = if batches { many } else { Some(work) };
                    Some(work.map_or_else(|| "-".to_owned(), cells))
                        .map(|cell| format!(" {cell} |"))
                });
                let works: String = works.collect();
                let _ = writeln!(text, "| {name} | {} |{works} {failed} |", about.join(" | "));
            };
        let nothing = || ["-", "-"].map(str::to_owned);
        for (batches, name) in [(false, "limit, M/s"), (true, "limit in batches, M/s")] {
            let cells = |work| on_threads(|threads| Some(size.limit((work, threads))? / 1e6), 1);
            row(name, nothing(), &cells, batches, "-".to_owned());
        }
        for name in size.contenders() {
            let cells = |work| on_threads(|threads| size.ratio(name, (work, threads)), 2);
            let about = size.about(name).unwrap_or_default();
            let bits = or_dash(about.bits(size.items), |bits| format!("{bits:.1}"));
            let wrong = format!("{:.4} %", 100.0 * about.false_positives);
            let failed = about.faults.sum().to_string();
            row(name, [bits, wrong], &cells, false, failed);
            if name == FILTER {
                row("filter in batches", nothing(), &cells, true, "-".to_owned());
            }
        }
    }
    text
}

/// The filter by the limit, and by the fastest rival.
fn rivals(run: &Results) -> String {
    let sizes = run.sizes.iter().map(|size| items_name(size.items));
    let mut text = format!(
        "\n| {} items | limit, 1 thread | rival, 1 thread | limit, 2 threads | rival, 2 threads |\n\
         |---|---|---|---|---|\n",
        sizes.collect::<Vec<_>>().join(" / ")
    );
    for (work, _) in WORKS {
        let _ = write!(text, "| {} |", work.words().trim_end_matches('.'));
        for threads in THREADS {
            let key = (work, threads);
            let sizes = run.sizes.iter();
            let limit = sizes.clone().map(|size| size.ratio(FILTER, key));
            let rival = sizes.map(|size| by_the_fastest(size, key));
            let _ = write!(text, " {} | {} |", cell(limit, 2), cell(rival, 1));
        }
        text.push('\n');
    }
    let (machine, command) = (&run.machine, &run.command);
    let _ = writeln!(text, "\nMeasured on {machine}, with `{command}`.");
    text
}

/// The least ratio of the filter to a rival that does the same.
fn by_the_fastest(size: &Size, key: Key) -> Option<f64> {
    let rivals = size.contenders().filter(|&name| name != FILTER);
    let rivals = rivals.filter(|name| size.about(name).is_some_and(|about| does_the_same(&about)));
    let ratios = rivals.filter_map(|name| size.against(name, key));
    ratios.min_by(f64::total_cmp)
}

/// Whether a contender is concurrent, able to remove, and as rarely wrong as the filter.
pub(crate) fn does_the_same(about: &About) -> bool {
    const MOST_FALSE_POSITIVES: f64 = 0.0005;
    about.shared && about.removes && about.false_positives < MOST_FALSE_POSITIVES
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo_benches::{Cell, Faults};

    use super::*;
    use crate::results::{Measured, Process};

    /// A contender whose every rate is so much of the limit's, on each thread.
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
                false_positives,
                removes: true,
                shared: true,
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
            contender("slow", 0.3, 0.0),
            contender("wrong", 0.6, 0.03),
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

    #[test]
    fn rows_have_what_was_measured() {
        let text = contenders(&run());
        let rows = [
            "a machine; `scaling`:",
            "| limit, M/s | - | - | 100.0 / 200.0 |",
            "| filter | 16.0 | 0.0100 % | 0.90 / 0.90 | - / - | - / - | - / - | 0.90 / 0.90 | 7 |",
            "| filter in batches | - | - | 0.90 / 0.90 | - / - | - / - | - | - / - | - |",
            "| wrong | 16.0 | 3.0000 % | 0.60 / 0.60 |",
        ];
        for row in rows {
            assert!(
                text.lines().any(|line| line.starts_with(row)),
                "{row}\n{text}"
            );
        }
    }

    #[test]
    fn one_that_is_wrong_too_often_is_no_rival() {
        let text = rivals(&run());
        let rows = [
            "| Lookups of stored items | 0.90 | 3.0 | 0.90 | 3.0 |",
            "| Lookups of absent items | - | - | - | - |",
        ];
        for row in rows {
            assert!(text.contains(row), "{row}\n{text}");
        }
    }

    #[test]
    fn what_is_between_the_marks_is_replaced_and_nothing_else() {
        let text = "a\n<!-- rivals -->\nold\n<!-- end of rivals -->\nb\n";
        let new = "a\n<!-- rivals -->\nnew\n<!-- end of rivals -->\nb\n";
        assert_eq!(replaced(text, "rivals", "new\n").as_deref(), Some(new));
        assert_eq!(replaced(text, "contenders", "new\n"), None);
        assert_eq!(replaced("<!-- rivals -->\n", "rivals", "new\n"), None);
    }
}
