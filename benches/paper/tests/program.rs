//! The program: run from its command line to its tables and figures, with tables too small to
//! measure anything.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the marks of the page of the paper, in its order.
fn marks_of_the_page() -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/paper.md");
    let page = fs::read_to_string(page).expect("the page");
    let mut marks = Vec::new();
    for line in page.lines() {
        let name = line
            .strip_prefix("<!-- ")
            .and_then(|rest| rest.strip_suffix(" -->"));
        marks.extend(
            name.filter(|name| !name.starts_with("end of "))
                .map(str::to_owned),
        );
    }
    marks
}

#[test]
fn every_contender_is_in_every_table() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("paper");
    let _ = fs::remove_dir_all(&out);
    let page = out.with_extension("md");
    let marks = marks_of_the_page();
    assert_eq!(marks.len(), 11, "{marks:?}");
    let empty: Vec<String> = marks
        .iter()
        .map(|mark| format!("<!-- {mark} -->\n<!-- end of {mark} -->\n"))
        .collect();
    fs::write(&page, empty.concat()).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_paper"))
        .args(["--tiny", "--out"])
        .arg(&out)
        .arg("--into")
        .arg(&page)
        .output();
    let output = output.expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");

    let written = fs::read_to_string(&page).expect("the tables");
    let part = |mark: &str| {
        let (_, rest) = written.split_once(&format!("<!-- {mark} -->")).expect(mark);
        let (part, _) = rest.split_once("<!-- end of").expect(mark);
        part.trim()
    };
    for mark in &marks {
        assert!(
            part(mark).lines().count() >= 3 || mark == "machine",
            "{mark}: {written}"
        );
    }
    let removing = [
        "CF 4 x 16",
        "ss-CF 4 x 17",
        "CF 5 x 12",
        "ss-CF 5 x 14",
        "quotient",
        "d-left counting",
        "counting Bloom",
    ];
    let all = [&removing[..], &["Bloom", "blocked Bloom"]].concat();
    for name in &all {
        for mark in ["table 3", "figures 3 and 4"] {
            let start = format!("| {name} | ");
            let rows = part(mark).lines().filter(|line| line.starts_with(&start));
            assert_eq!(rows.count(), 1, "{name}: {written}");
        }
    }
    // No contender misses a stored item, and none fails to remove one.
    let rows = part("table 3")
        .lines()
        .filter(|line| line.starts_with("| "));
    assert!(
        rows.skip(1).all(|row| row.ends_with(" | 0, 0 |")),
        "{written}"
    );
    let curves = [
        ("figure 5", "share"),
        ("figure 6 hits", "hit"),
        ("figure 6 misses", "miss"),
        ("figure 7", "insert"),
        ("figure 8", "remove"),
    ];
    for (mark, file) in curves {
        let names = if mark == "figure 8" {
            &removing[..]
        } else {
            &all
        };
        let head = part(mark).lines().next().expect("a head");
        let svg = fs::read_to_string(out.join(format!("paper-{file}.svg"))).expect("a chart");
        for name in names {
            assert!(head.contains(&format!(" {name} |")), "{mark}: {head}");
            // A text has a line of its own.
            assert!(svg.lines().any(|line| line == *name), "{file}: {name}");
        }
    }
    for (file, name) in [("fingerprint", "b = 8"), ("space", "ss-CF, all layouts")] {
        let svg = fs::read_to_string(out.join(format!("paper-{file}.svg"))).expect("a chart");
        assert!(svg.contains(name), "{file}");
    }
}
