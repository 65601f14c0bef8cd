//! The programs: run from their command lines to their tables and files, with tables too small to
//! measure anything.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lockfree_cuckoo_benches::rivals;

/// Returns a directory that does not exist.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn run(program: &str, arguments: &str, out: &Path) -> Output {
    let output = Command::new(program)
        .args(["--seconds", "0"])
        .args(arguments.split_whitespace())
        .arg("--out")
        .arg(out)
        .output();
    output.expect("the program starts")
}

/// Returns the standard output of a program that succeeds.
fn text(output: &Output) -> &str {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    str::from_utf8(&output.stdout).expect("a text")
}

/// Returns the marks that a file has for a table.
fn marks_for(table: &str) -> String {
    format!("<!-- {table} -->\n<!-- end of {table} -->\n")
}

const SCALING: &str = env!("CARGO_BIN_EXE_scaling");

#[test]
fn every_contender_does_all_work() {
    let out = folder("scaling");
    let readme = out.with_extension("md");
    let marks = ["calls", "contenders", "price", "limit", "rivals", "latency"];
    let marks = marks.map(marks_for).concat();
    fs::write(&readme, &marks).expect("a file");
    let into = format!(
        "--processes 2 --sizes 2000 --threads 1,4 --into {}",
        readme.display()
    );
    let output = run(SCALING, &into, &out);
    let text = text(&output);
    let json = fs::read_to_string(out.join("scaling.json")).expect("the results");
    let results: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    for contender in rivals::names() {
        // A row for each number of threads that it can have, and perhaps latencies.
        let start = format!("| {contender} | ");
        let rows = text.lines().filter(|line| line.starts_with(&start));
        assert!((1..=3).contains(&rows.count()), "{contender}\n{text}");
        assert!(json.contains(contender), "{contender}");
    }
    for head in [
        "2k items, 1 thread",
        "2k items, 4 threads",
        "2k items: 99.9 % / longest",
    ] {
        assert!(text.contains(&format!("\n| {head} | ")), "{head}\n{text}");
    }
    // The speed-up of the mixed work.
    let filter = text.lines().filter(|line| line.starts_with("| filter | "));
    assert!(filter.clone().any(|row| row.contains(" ×")), "{text}");

    // The tables are written again from the results.
    let written = fs::read_to_string(&readme).expect("the tables");
    for contender in rivals::names() {
        assert!(
            written.contains(&format!("\n| {contender} | ")),
            "{contender}\n{written}"
        );
    }
    for head in [
        "\n| contender | `insert` of a stored item | check-and-insert |",
        "\n| 2k items, 1 thread | bits per item |",
        "\n| 2k items: 99.9 % / longest | 4 threads |",
        "\n| 2k items | limit, 1 thread | fastest rival, 1 thread |",
        "\n|  | 2k items |\n",
        "\n| 2k items | this filter | `atomic-cuckoo-filter` |",
        "\n| One thread, 2k items: times as fast as |",
    ] {
        assert!(written.contains(head), "{head}\n{written}");
    }
    fs::write(&readme, &marks).expect("a file");
    let again = format!(
        "--into {} --from {}",
        readme.display(),
        out.join("scaling.json").display()
    );
    assert!(run(SCALING, &again, &folder("again")).status.success());
    assert_eq!(fs::read_to_string(&readme).expect("the tables"), written);

    // The plot names the work and the machine.
    let machine = results["machine"].as_str().expect("a text");
    let plot = fs::read_to_string(out.join("threads-mixed-2k.svg")).expect("a plot");
    for words in [machine, "90 % lookups, 5 % inserts", "qfilter-shards"] {
        assert!(plot.contains(words), "{words}\n{plot}");
    }
}

#[test]
fn an_unknown_contender_is_refused_with_the_known_names() {
    let out = folder("nowhere");
    let output = run(SCALING, "--contenders unheard-of", &out);
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("atomic-cuckoo-filter"), "{errors}");
    assert!(!out.exists());
}

#[test]
fn every_growing_contender_is_in_every_table() {
    let out = folder("growing");
    let readme = out.with_extension("md");
    fs::write(&readme, marks_for("growing")).expect("a file");
    let arguments = "--sizes 20k --items 50k --start 1k --fillings 2";
    let arguments = format!("{arguments} --into {}", readme.display());
    let output = run(env!("CARGO_BIN_EXE_growing"), &arguments, &out);
    let text = text(&output);
    let (lookups, filling) = text.split_once("\n50k items").expect("both parts");
    for contender in ["growing", "scalable-rwlock", "growable-rwlock"] {
        let rows = |part: &str| {
            let rows = part.lines().filter(|line| line.starts_with(contender));
            rows.count()
        };
        assert!(rows(lookups) >= 4, "{contender}\n{text}");
        assert!(rows(filling) >= 1, "{contender}\n{text}");
    }
    let written = fs::read_to_string(&readme).expect("the table");
    for row in [
        "| 20k items: doublings | hit |",
        "| 0 | ",
        ", during the next | ",
    ] {
        assert!(written.contains(row), "{row}\n{written}");
    }
    for name in ["growing-bits.svg", "growing-rate.svg"] {
        let chart = fs::read_to_string(out.join(name)).expect("a chart");
        assert!(chart.contains("scalable-rwlock"), "{name}: {chart}");
    }
}

#[test]
fn every_rotating_contender_has_all_figures() {
    let out = folder("rotating");
    let readme = out.with_extension("md");
    fs::write(&readme, marks_for("rotating")).expect("a file");
    let arguments = format!("--sizes 2k --threads 1,3 --into {}", readme.display());
    let output = run(env!("CARGO_BIN_EXE_rotating"), &arguments, &out);
    text(&output);
    let written = fs::read_to_string(&readme).expect("the tables");
    let rows = written.lines().filter(|line| line.starts_with("| "));
    let cells = |row: &str| row.split(" | ").map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    // The head, the limit, and the contenders.
    assert_eq!(rows.len(), 2 + 4, "{written}");
    for row in &rows[2..] {
        // Two of them cannot insert absent items only.
        let is_unique = row[0] == "| rotating" || row[0].contains("fastbloom");
        let dashes = row.iter().filter(|cell| *cell == "-").count();
        assert_eq!(
            (row.len(), dashes),
            (9, if is_unique { 0 } else { 2 }),
            "{written}"
        );
        // The others refuse inserts into so small a table, or lose items.
        assert!(row[8].starts_with("0 ") || !is_unique, "{written}");
        assert!(row[3].contains(" / "), "{written}");
    }
}

#[cfg(feature = "shared")]
#[test]
fn filters_that_processes_share_have_all_figures() {
    let out = folder("processes");
    let readme = out.with_extension("md");
    fs::write(&readme, marks_for("processes")).expect("a file");
    let arguments = format!("--sizes 2k --threads 1,3 --into {}", readme.display());
    let output = run(env!("CARGO_BIN_EXE_processes"), &arguments, &out);
    text(&output);
    let written = fs::read_to_string(&readme).expect("the tables");
    let rows = written.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(" | ").collect()).collect();
    assert_eq!(rows.len(), 1 + 3, "{written}");
    for row in &rows[1..] {
        // A Bloom filter cannot remove, nor say what is new.
        let dashes = row.iter().filter(|cell| cell.starts_with('-')).count();
        let bloom = row[0].contains("Bloom");
        assert_eq!(
            (row.len(), dashes),
            (9, if bloom { 3 } else { 0 }),
            "{written}"
        );
        assert!(row[3].contains(" / "), "{written}");
    }
}
