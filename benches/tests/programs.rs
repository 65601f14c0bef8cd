//! The programs, from their command lines to their tables and files, on tables too small to measure anything.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lockfree_cuckoo_benches::rivals;

/// A directory that is not there.
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

/// The standard output of a program that succeeds.
fn text(output: &Output) -> &str {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    str::from_utf8(&output.stdout).expect("a text")
}

const SCALING: &str = env!("CARGO_BIN_EXE_scaling");

#[test]
fn every_contender_goes_through_all_work() {
    let out = folder("scaling");
    let readme = out.with_extension("md");
    let marks = |table: &str| format!("<!-- {table} -->\n<!-- end of {table} -->\n");
    let marks = format!("{}{}", marks("contenders"), marks("rivals"));
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
        let start = format!("| {contender} | ");
        let rows = text.lines().filter(|line| line.starts_with(&start));
        assert_eq!(rows.count(), 1, "{contender}\n{text}");
        assert!(json.contains(contender), "{contender}");
    }
    assert!(text.contains("filter, 4 threads"), "no latencies\n{text}");

    // The tables are written again from the results.
    let written = fs::read_to_string(&readme).expect("the tables");
    for contender in rivals::names() {
        assert!(
            written.contains(&format!("\n| {contender} | ")),
            "{contender}\n{written}"
        );
    }
    assert!(
        written.contains("\n| 2k items | limit, 1 thread | rival, 1 thread |"),
        "{written}"
    );
    fs::write(&readme, &marks).expect("a file");
    let again = format!(
        "--into {} --from {}",
        readme.display(),
        out.join("scaling.json").display()
    );
    assert!(run(SCALING, &again, &folder("again")).status.success());
    assert_eq!(fs::read_to_string(&readme).expect("the tables"), written);

    // The plot says what was measured, and where.
    let machine = results["machine"].as_str().expect("a text");
    let plot = fs::read_to_string(out.join("threads-mixed-2k.svg")).expect("a plot");
    for words in [machine, "90 % lookups, 5 % inserts", "qfilter-shards"] {
        assert!(plot.contains(words), "{words}\n{plot}");
    }
}

#[test]
fn an_unknown_contender_is_an_error_that_names_the_known() {
    let out = folder("nowhere");
    let output = run(SCALING, "--contenders unheard-of", &out);
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("atomic-cuckoo-filter"), "{errors}");
    assert!(!out.exists());
}

#[test]
fn every_contender_that_grows_is_in_every_table() {
    let out = folder("growing");
    let arguments = "--sizes 20k --items 50k --start 1k --fillings 2";
    let output = run(env!("CARGO_BIN_EXE_growing"), arguments, &out);
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
    for name in ["growing-bits.svg", "growing-rate.svg"] {
        let chart = fs::read_to_string(out.join(name)).expect("a chart");
        assert!(chart.contains("scalable-rwlock"), "{name}: {chart}");
    }
}
