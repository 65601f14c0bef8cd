//! The program `paper`, from its command line to its tables and figures, on tables too small to measure anything.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn every_contender_is_in_every_table_and_figure() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("paper");
    let output = Command::new(env!("CARGO_BIN_EXE_paper"))
        .arg("--smoke")
        .arg("--out")
        .arg(&directory)
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");

    let removing = [
        "CF 4 x 16",
        "ss-CF 4 x 17",
        "CF 5 x 12",
        "ss-CF 5 x 14",
        "quotient",
        "d-left counting",
        "counting Bloom",
    ];
    let filling = ["Bloom", "blocked Bloom"];
    let figures = |names: &[&str], file: &str| {
        let svg = fs::read_to_string(directory.join(file)).expect("a figure");
        for name in names {
            // Text has a line of its own.
            assert!(svg.lines().any(|line| line == *name), "{file}: {name}");
        }
    };
    let part = |title: &str| {
        let (_, rest) = text.split_once(title).expect(title);
        rest.split("\n\n").nth(1).expect(title)
    };
    let (construction, _) = part("(their Table 3)")
        .split_once("Published")
        .expect("what was published is beside it");
    for name in removing.iter().chain(&filling) {
        for table in [construction, part("Figures 3 and 4)")] {
            let lines = table.lines();
            let rows = lines.filter(|line| line.starts_with(&format!("{name} ")));
            assert_eq!(rows.count(), 1, "{name}: {text}");
        }
    }
    for (title, file) in [
        ("(their Figure 5)", "lookup-by-share.svg"),
        ("present items, by occupancy", "hit-by-occupancy.svg"),
        ("absent items, by occupancy", "miss-by-occupancy.svg"),
        ("(their Figure 7)", "insert-by-occupancy.svg"),
        ("(their Figure 8)", "remove-until-empty.svg"),
    ] {
        let head = part(title).lines().next().expect(title);
        assert!(removing.iter().all(|name| head.contains(name)), "{head}");
        figures(&removing, file);
        if !file.starts_with("remove") {
            assert!(filling.iter().all(|name| head.contains(name)), "{head}");
            figures(&filling, file);
        }
    }
    figures(&["b = 1", "b = 8"], "load-by-fingerprint.svg");
    figures(&["formula, ss-CF", "ss-CF, all layouts"], "space.svg");
}
