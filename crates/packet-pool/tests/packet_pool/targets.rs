//! `--write`: where the capture goes, and what ends it.

use crate::FLOWS;
use crate::files::{LITTLE, NANOSECONDS, loopback, records};
use crate::run::{Run, scratch, start};
use crate::written::{ROOMY, mirrored, records_of, target, text, written};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn a_stream_is_written_as_its_file_is() {
    let file = LITTLE.pcap_at(NANOSECONDS, 1, &mirrored(5000));
    let args = ["--mode", "packets", "--window", "0.5", "-j", "1"];
    let (_, whole, _) = written("whole.pcap", &file, &args);
    for workers in ["1", "4"] {
        let to = target("stream.pcap");
        let args = [
            "-",
            "--verify",
            "--write",
            text(&to),
            "--mode",
            "packets",
            "--window",
            "0.5",
        ];
        let args = [&args[..], &["-j", workers], &ROOMY].concat();
        let mut child = start(&args, Stdio::piped());
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(&file).expect("the program reads");
        drop(pipe);
        let run = Run::of(child.wait_with_output().expect("the program ends"), &args).expect(0);
        run.adds_up();
        let (_, streamed) = records_of(&to);
        assert_eq!(streamed.len() as u64, run.table().1[1]);
        assert!(streamed.len() >= whole.len());
        assert!(workers != "1" || streamed == whole);
    }
}

/// A signal ends the run, and the file has all that was found until then.
#[cfg(unix)]
#[test]
fn a_signal_leaves_a_whole_file() {
    let to = target("signal.pcap");
    let args = ["-", "--write", text(&to), "--verify", "-j", "2"];
    let mut child = start(&args, Stdio::piped());
    let mut pipe = child.stdin.take().expect("a pipe");
    let file = LITTLE.pcap_at(NANOSECONDS, 1, &mirrored(3000));
    pipe.write_all(&file).expect("the program reads");
    let kill = format!("kill -INT {}", child.id());
    let killed = Command::new("sh").args(["-c", &kill]).status();
    assert!(killed.expect("a shell").success());
    // The pipe stays open: nothing but the signal ends it.
    let run = Run::of(child.wait_with_output().expect("the program ends"), &args).expect(0);
    drop(pipe);
    run.adds_up();
    let (_, records) = records_of(&to);
    assert_eq!(records.len() as u64, run.table().1[1]);
    assert_eq!(run.numbers("written")[0], records.len() as u64);
}

#[test]
fn standard_output_takes_the_file_too() {
    for args in [
        &["--write", "-"][..],
        &["--write", "-", "--window", "60", "-j", "3"],
    ] {
        let (out, run) = Run::beside(&[args, &ROOMY].concat());
        let run = run.expect(0);
        assert_eq!(run.numbers("written")[0], FLOWS);
        assert_eq!(records(&out).1.len() as u64, FLOWS);
    }
    let run = Run::plain(&["--write", "-", "--print", "text"]).expect(2);
    run.says(&["standard output"]);
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let args = ["--write", "no/such/folder/new.pcap"];
    Run::plain(&args)
        .expect(1)
        .says(&["cannot write no/such/folder/new.pcap"]);
    // To write over what is read would destroy it.
    let file = scratch("same.pcap", &loopback());
    let run = Run::plain(&[text(&file), "--write", text(&file)]).expect(2);
    run.says(&["cannot write", "same.pcap", "the capture that is read"]);
    assert!(fs::read(&file).expect("there") == loopback());
    fs::remove_file(file).expect("the file can be removed");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_with_the_name_of_the_file() {
    let run = Run::new(&["--write", "/dev/full", "-j", "2"]).expect(1);
    run.says(&["cannot write /dev/full", "space"]);
    assert_eq!(run.numbers("written"), [0]);
    let file = loopback();
    let mut child = start(&["-", "--write", "/dev/full"], Stdio::piped());
    let mut pipe = child.stdin.take().expect("a pipe");
    let _ = pipe.write_all(&file);
    // The pipe stays open: the error ends the run.
    let output = child.wait_with_output().expect("the program ends");
    drop(pipe);
    let run = Run::of(output, &[]).expect(1);
    run.says(&["cannot write /dev/full", "space"]);
}
