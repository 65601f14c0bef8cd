//! The sweep and its picture.

use crate::files::data;
use crate::run::{Run, scratch};
use std::fs;

#[test]
fn the_sweep_measures_and_draws() {
    let picture = scratch("sweep.svg", b"");
    let path = picture.to_str().expect("the path is text");
    let run = Run::plain(&["--repeat", "1", "-j", "2", "--svg", path]);
    let run = run.expect(0);
    for row in ["      1 ", "      2 "] {
        let line = run.out.lines().find(|line| line.starts_with(row));
        let figures = line.expect("a row").split_whitespace().skip(1);
        let figures: Vec<f64> = figures
            .map(|figure| figure.parse().expect("a number"))
            .collect();
        assert_eq!(figures.len(), 5, "{}", run.out);
        assert!(figures.iter().all(|&figure| figure > 0.0), "{}", run.out);
    }
    let svg = fs::read_to_string(&picture).expect("the picture is there");
    fs::remove_file(&picture).expect("the picture can be removed");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    let machine = charts::machine::machine();
    assert!(run.out.contains(&machine));
    for name in [
        &*machine,
        "million packets per slice, --mode flows",
        "filter",
        "a lock per batch",
        "a lock per packet",
        "limit",
        "worker threads",
    ] {
        assert!(svg.contains(name), "{name:?}");
    }
}

#[test]
fn a_sweep_that_cannot_be_is_refused() {
    let args = [
        "--sweep",
        "--repeat",
        "1",
        "-j",
        "1",
        "--svg",
        "no/such/folder/sweep.svg",
    ];
    let run = Run::plain(&args).expect(1);
    run.says(&["cannot write no/such"]);
    assert!(run.out.is_empty(), "it has measured before it said so");
    let args = ["--sweep", "--window", "1"];
    assert!(!Run::plain(&args).expect(2).err.is_empty());
    let none = scratch(
        "none.pcap",
        &fs::read(data("loopback.pcap")).expect("there")[..24],
    );
    let path = none.to_str().expect("the path is text");
    Run::plain(&["--sweep", path])
        .expect(1)
        .says(&["nothing to measure"]);
    fs::remove_file(&none).expect("the file can be removed");
}

#[test]
fn made_up_captures_have_the_flows_they_should() {
    for flows in [1, 4095, 10_000] {
        let run = Run::new(&["--made-up", &flows.to_string(), "--repeat", "1"]).expect(0);
        run.adds_up();
        assert_eq!(run.distinct(), flows);
    }
}
