//! The table of counts: written from a run, or compared with one.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::thread;

use harness::markdown::{table, write_between_marks};

use crate::operations::{FILTERS, OPERATIONS};
use crate::stepper::{COLUMNS, Counts, count, stay_on_one_processor};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/counts.txt");

/// The page with a part of the table, and the name of its marks there.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
const MARK: &str = "counts";

/// The operations on the page, with their words there. Both filters have them.
const COMPARED: [(&str, &str); 7] = [
    ("hit", "lookup"),
    ("insert, half full", "insert, half full"),
    ("insert, full", "insert, full"),
    ("unique, half full", "`insert_unique`, new, half full"),
    ("unique, full", "`insert_unique`, new, full"),
    ("unique, known", "`insert_unique`, known"),
    ("remove", "remove"),
];

/// The columns on the page.
const SHOWN: [&str; 4] = ["instructions", "locked", "loads", "lines"];

/// The first line: the build to which the counts belong.
const HEAD: &str = concat!("x86-64, profile counts, ", env!("COMPILER"));

/// Counts all operations. Returns a row for each: the mean of its counts.
fn rows() -> Result<String, Box<dyn Error>> {
    if cfg!(debug_assertions) {
        return Err("build it with --profile counts".into());
    }
    let mut text = format!("{}\n{:30}", HEAD.trim_end(), "");
    COLUMNS
        .iter()
        .for_each(|name| text += &format!("{name:>14}"));
    text.push('\n');
    // A child is traced by the thread that starts it.
    thread::scope(|scope| {
        let filters = FILTERS.into_iter().enumerate();
        let threads: Vec<_> = filters
            .map(|(number, filter)| scope.spawn(move || rows_of(filter, number)))
            .collect();
        for thread in threads {
            text += &thread.join().expect("no panic")?;
        }
        Ok::<_, String>(())
    })?;
    Ok(text)
}

fn rows_of(filter: &str, processor: usize) -> Result<String, String> {
    stay_on_one_processor(processor).map_err(|error| error.to_string())?;
    let mut text = String::new();
    for operation in OPERATIONS {
        let counted = count(filter, operation).map_err(|error| error.to_string());
        let (Counts(sums), times) = counted?;
        let _ = write!(text, "{:30}", format!("{filter}, {operation}"));
        for sum in sums {
            let _ = write!(text, "{:>14.2}", sum as f64 / times as f64);
        }
        text.push('\n');
    }
    Ok(text)
}

pub(crate) fn write() -> Result<(), Box<dyn Error>> {
    let rows = rows()?;
    write_between_marks(Path::new(PAGE), &[(MARK, page(&rows))])?;
    Ok(fs::write(FILE, rows)?)
}

/// The table of the page: the fixed filter beside the serial one.
fn page(rows: &str) -> String {
    let counts = |filter: &str, operation: &str| {
        let name = format!("{filter}, {operation}");
        let row = rows
            .lines()
            .find(|row| row.get(..30).map(str::trim_end) == Some(&name));
        let cells = row.expect("an operation of the filter")[30..].split_whitespace();
        cells.map(str::to_owned).collect::<Vec<_>>()
    };
    let head = ["filter : serial"]
        .into_iter()
        .chain(SHOWN)
        .collect::<Vec<_>>();
    let lines = COMPARED.map(|(operation, words)| {
        let both = ["fixed", "serial"].map(|filter| counts(filter, operation));
        let columns = SHOWN.map(|shown| COLUMNS.iter().position(|&name| name == shown));
        let cells = columns.map(|at| {
            let at = at.expect("a column");
            both.each_ref().map(|row| short(&row[at])).join(" : ")
        });
        [words.to_owned()].into_iter().chain(cells).collect()
    });
    table(&head, lines)
}

/// A count in three digits, or without a fraction if it has more.
fn short(count: &str) -> String {
    let number: f64 = count.parse().expect("a number");
    let digits = usize::from(number < 100.0 && number.fract() != 0.0);
    format!("{number:.digits$}")
}

/// Compares new counts with the table, and prints each that differs.
pub(crate) fn compare() -> Result<(), Box<dyn Error>> {
    let known = fs::read_to_string(FILE)?;
    let head = known.lines().next().unwrap_or_default();
    if head != HEAD.trim_end() {
        println!("SKIPPED: the counts are those of {head}, and this is {HEAD}");
        return Ok(());
    }
    let rows = rows()?;
    let mut differences = differences(&known, &rows);
    if !fs::read_to_string(PAGE)?.contains(page(&rows).trim()) {
        differences.push("benches/README.md has other counts".to_owned());
    }
    if differences.is_empty() {
        println!(
            "{} operations cost what they did",
            FILTERS.len() * OPERATIONS.len()
        );
        return Ok(());
    }
    println!("{}", differences.join("\n"));
    Err("the counts differ from benches/counts/counts.txt; if that is meant, write them with --write".into())
}

/// Returns a line for each count that differs: the operation, the count, and both values.
fn differences(known: &str, new: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (known, new) in known.lines().zip(new.lines()).skip(2) {
        // The name has commas and single spaces; the counts are the last words.
        let cells = |line: &str| -> Vec<String> {
            let words = line.split_whitespace().rev().take(COLUMNS.len());
            words.map(str::to_owned).collect()
        };
        let names = COLUMNS.iter().rev();
        for ((known, new_cell), name) in cells(known).iter().zip(cells(new)).zip(names) {
            if *known != new_cell {
                let operation = new.get(..30).unwrap_or(new).trim_end();
                all.push(format!("{operation}: {name} {known} -> {new_cell}"));
            }
        }
    }
    if known.lines().count() != new.lines().count() {
        all.push("another number of operations".to_owned());
    }
    all
}
