//! The program `growing`, from its command line to its tables, on tables too small to measure anything.

use std::path::Path;
use std::process::Command;

#[test]
fn every_contender_is_in_every_table() {
    let charts = Path::new(env!("CARGO_TARGET_TMPDIR")).join("growing");
    let output = Command::new(env!("CARGO_BIN_EXE_growing"))
        .args(["--sizes", "20k", "--milliseconds", "0"])
        .args(["--items", "50k", "--start", "1k", "--fillings", "2"])
        .arg("--out")
        .arg(&charts)
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    let (lookups, filling) = text.split_once("\n50k items").expect("both parts");
    for contender in ["growing", "scalable-rwlock", "growable-rwlock"] {
        let rows = |part: &str| {
            part.lines()
                .filter(|line| line.starts_with(contender))
                .count()
        };
        assert!(rows(lookups) >= 4, "{contender}\n{text}");
        assert!(rows(filling) >= 3, "{contender}\n{text}");
    }
    assert!(filling.contains("Goals"), "{text}");
    for name in ["growing-bits.svg", "growing-rate.svg"] {
        let chart = std::fs::read_to_string(charts.join(name)).expect("a chart");
        assert!(chart.contains("scalable-rwlock"), "{name}: {chart}");
    }
}
