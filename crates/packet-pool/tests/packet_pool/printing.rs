//! `--print`: when lines come, and what ends them.

use crate::files::{LITTLE, MICROSECONDS, data, loopback};
use crate::frames::{A, B, ethernet, ipv4, ports};
use crate::lines::ROOMY;
use crate::run::{Run, program, start};
use crate::{FLOWS, PACKETS};
use serde_json::Value;
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn lines(out: &[u8]) -> Vec<&str> {
    let text = std::str::from_utf8(out).expect("lines are text");
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines().collect()
}

#[test]
fn each_new_flow_has_a_line() {
    for workers in ["1", "2", "8"] {
        let args = ["--print", "text", "--verify", "-j", workers];
        let (out, run) = Run::beside(&[&args[..], &ROOMY].concat());
        let run = run.expect(0).found(PACKETS, FLOWS);
        assert_eq!(run.table().1[0], PACKETS, "one pass");
        let lines = lines(&out);
        assert_eq!(lines.len() as u64, FLOWS);
        let times: Vec<&str> = lines.iter().map(|line| &line[..30]).collect();
        assert!(times.is_sorted(), "in the order of the capture");
        // Ends and protocol are what makes a flow of TCP and UDP.
        let flows: HashSet<&str> = lines.iter().map(|line| &line[31..]).collect();
        let with_ports = |line: &&&str| line.starts_with("TCP") || line.starts_with("UDP");
        assert_eq!(flows.iter().filter(with_ports).count(), 140 + 219);
    }
}

#[test]
fn lines_are_whole_however_many_workers_write_them() {
    for window in [&[][..], &["--window", "0.01"]] {
        let args = [
            "--made-up",
            "20000",
            "--print",
            "json",
            "--verify",
            "-j",
            "8",
        ];
        let (out, run) = Run::beside(&[&args[..], window].concat());
        let run = run.expect(0);
        run.adds_up();
        let lines = lines(&out);
        assert_eq!(lines.len() as u64, run.table().1[1]);
        for line in lines {
            let line: Value = serde_json::from_str(line).expect("a JSON object");
            assert_eq!(line["destination_port"], 443);
        }
    }
}

#[test]
fn lines_come_while_the_input_goes_on() {
    let mut child = start(&["-", "--print", "text", "-j", "2"], Stdio::piped());
    let mut pipe = child.stdin.take().expect("a pipe");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let file = LITTLE.pcap(MICROSECONDS, 101, &[ipv4(17, [A, B], 0, &ports(1, 2))]);
    pipe.write_all(&file).expect("the program reads");
    // The pipe is still open.
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    assert!(line.contains("UDP 192.0.2.1:1 > 198.51.100.7:2"), "{line}");
    drop(pipe);
    out.read_to_string(&mut line).expect("the end");
    let (_, run) = Run::beside_of(child.wait_with_output().expect("the program ends"));
    assert_eq!(run.expect(0).table().1[1], 1);
    assert_eq!(line.lines().count(), 1);
}

/// Starts with a line that somebody reads, and then nobody.
fn deserted(args: &[&str], stdin: Stdio, feed: impl FnOnce(&mut Child)) {
    let mut child = start(&[args, &["-j", "2"]].concat(), stdin);
    let out = child.stdout.take().expect("a pipe");
    feed(&mut child);
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).expect("a line");
    // New flows come until somebody notices, or too long. The input does not end.
    let mut input = child.stdin.take();
    for turn in 0_u16..2000 {
        if child.try_wait().expect("a child").is_some() {
            break;
        }
        let packet = ipv4(17, [A, B], 0, &ports(turn, 2));
        let frame = ethernet(&[], 0x0800, &packet);
        let record = LITTLE.pcap(MICROSECONDS, 1, &[frame]).split_off(24);
        if let Some(input) = &mut input {
            let _ = input.write_all(&record);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "it was not killed");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "{errors}");
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let many = ["--made-up", "400000", "--print", "text"];
    deserted(&many, Stdio::null(), |_| ());
    let many = [
        "--made-up",
        "400000",
        "--print",
        "json",
        "--window",
        "0.01",
        "--verify",
    ];
    deserted(&many, Stdio::null(), |_| ());
    deserted(&["-", "--print", "json"], Stdio::piped(), |child| {
        let input = child.stdin.as_mut().expect("a pipe");
        input.write_all(&loopback()).expect("the program reads");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    let output = Command::new(program())
        .args(["--print", "text"])
        .stdin(Stdio::null())
        .stdout(full.expect("Linux has it"))
        .output();
    let (_, run) = Run::beside_of(output.expect("the program starts"));
    run.expect(1)
        .says(&["cannot write standard output", "space"]);
}

#[test]
fn a_cooked_capture_is_printed() {
    let path = data("cooked.pcapng");
    let path = path.to_str().expect("the path is text");
    let (out, run) = Run::beside(&[&[path, "--print", "text"], &ROOMY[..]].concat());
    assert_eq!(lines(&out).len(), 19);
    assert_eq!(run.expect(0).table().1[1], 19);
}
