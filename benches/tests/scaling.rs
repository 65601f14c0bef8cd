//! The program `scaling`, from its command line to its files, on tables too small to measure anything.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn scaling(out: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_scaling"))
        .args([
            "--builds",
            "default",
            "--processes",
            "2",
            "--seconds",
            "0",
            "--out",
        ])
        .arg(out)
        .args(arguments)
        .output()
        .expect("the program starts")
}

#[test]
fn every_contender_goes_through_all_work() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scaling");
    let _ = fs::remove_dir_all(&out);
    let output = scaling(&out, &["--sizes", "2000", "--threads", "1,2,4"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    let json = fs::read_to_string(out.join("scaling.json")).expect("the results");
    let results: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    for contender in ["filter", "atomic-cuckoo-filter", "dashmap", "qfilter"] {
        assert!(text.contains(contender), "no word of {contender}\n{text}");
        assert!(results.to_string().contains(contender), "{contender}");
    }
    assert!(text.contains("Goals"), "{text}");
    let plots = fs::read_dir(&out).expect("the plots");
    let plots = plots.filter(|file| {
        let path = file.as_ref().expect("a file").path();
        path.extension().is_some_and(|extension| extension == "svg")
    });
    assert!(plots.count() >= 5);

    // They can be drawn again without measuring, and say what was measured, and where.
    let again = out.join("again");
    let file = out.join("scaling.json");
    let output = scaling(&again, &["--draw", file.to_str().expect("a text")]);
    assert!(output.status.success() && output.stdout.is_empty());
    let machine = results[0]["machine"].as_str().expect("a text");
    let mix = "90 % lookups, 5 % inserts and 5 % removes at 95 % load";
    for words in [machine, mix] {
        let plot = fs::read_to_string(again.join("threads-mixed-2k.svg")).expect("a plot");
        assert!(plot.contains(words), "{words}");
    }
    let plot = "load-hit-2k.svg";
    let [first, second] = [&out, &again].map(|folder| fs::read(folder.join(plot)).expect("a plot"));
    assert!(first == second);
}

#[test]
fn an_unknown_contender_is_an_error_that_names_the_known() {
    let output = scaling(Path::new("nowhere"), &["--contenders", "unheard-of"]);
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("atomic-cuckoo-filter"), "{errors}");
    assert!(!Path::new("nowhere").exists());
}
