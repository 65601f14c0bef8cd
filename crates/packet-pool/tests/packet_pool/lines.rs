//! `--print`: a line for each new flow or packet.

use crate::files::{LITTLE, MICROSECONDS, NANOSECONDS, data, loopback};
use crate::frames::{A, B, ethernet, ipv4, ipv6, ports};
use crate::run::{Run, program, scratch, start};
use crate::{FLOWS, PACKETS};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Too large to take a key for another by chance.
const ROOMY: [&str; 2] = ["--capacity", "2000000"];

fn lines(out: &[u8]) -> Vec<&str> {
    let text = std::str::from_utf8(out).expect("lines are text");
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines().collect()
}

/// Prints what is new in a capture of these packets.
fn printed(name: &str, file: &[u8], args: &[&str]) -> String {
    let file = scratch(name, file);
    let path = file.to_str().expect("the path is text");
    let (out, run) = Run::beside(&[&[path], args, &ROOMY].concat());
    std::fs::remove_file(&file).expect("the file can be removed");
    run.expect(0);
    String::from_utf8(out).expect("lines are text")
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

/// Packets of many kinds, each with its line.
fn kinds() -> Vec<(Vec<u8>, &'static str, Value)> {
    let v4 = |protocol, fragment, payload: &[u8]| {
        ethernet(&[], 0x0800, &ipv4(protocol, [A, B], fragment, payload))
    };
    let tagged = |tags: &[(u16, u16)]| ethernet(tags, 0x0800, &ipv4(17, [B, A], 0, &ports(53, 9)));
    let v6 = |next, payload: &[u8]| ethernet(&[], 0x86dd, &ipv6(next, [1, 2], payload));
    let (a, b) = ("192.0.2.1", "198.51.100.7");
    let mac = "02:02:02:02:02:02";
    let between = |protocol: &str| json!({ "protocol": protocol, "source": a, "destination": b });
    let with = |mut value: Value, more: Value| {
        let fields = value.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        value
    };
    let to = |source: u16, destination: u16| json!({ "source_port": source, "destination_port": destination });
    let vlans = json!({
        "protocol": "UDP", "source": b, "source_port": 53, "destination": a,
        "destination_port": 9, "vlans": [5, 6],
    });
    let wide = json!({
        "protocol": "TCP", "source": "2001:db8::1", "source_port": 1234,
        "destination": "2001:db8::2", "destination_port": 443,
    });
    let ping = json!({
        "protocol": "ICMPv6", "source": "2001:db8::1", "destination": "2001:db8::2",
    });
    let stations =
        |protocol: &str| json!({ "protocol": protocol, "source": mac, "destination": mac });
    vec![
        (
            v4(6, 0, &ports(1234, 443)),
            "TCP 192.0.2.1:1234 > 198.51.100.7:443",
            with(between("TCP"), to(1234, 443)),
        ),
        (
            v4(17, 0, &ports(7, 53)),
            "UDP 192.0.2.1:7 > 198.51.100.7:53",
            with(between("UDP"), to(7, 53)),
        ),
        (
            v4(17, 9, &[1; 20]),
            "UDP 192.0.2.1 > 198.51.100.7",
            between("UDP"),
        ),
        (
            v4(1, 0, &[8, 0, 0, 0, 0, 5, 0, 1]),
            "ICMP 192.0.2.1 > 198.51.100.7",
            between("ICMP"),
        ),
        (
            v4(253, 0, &[0; 4]),
            "IP-253 192.0.2.1 > 198.51.100.7",
            between("IP-253"),
        ),
        (
            tagged(&[(0x88a8, 5), (0x8100, 0xe006)]),
            "UDP 198.51.100.7:53 > 192.0.2.1:9 vlan 5 vlan 6",
            vlans,
        ),
        (
            v6(6, &ports(1234, 443)),
            "TCP [2001:db8::1]:1234 > [2001:db8::2]:443",
            wide,
        ),
        (
            v6(58, &[128, 0, 0, 0, 0, 5, 0, 1]),
            "ICMPv6 2001:db8::1 > 2001:db8::2",
            ping,
        ),
        (
            ethernet(&[], 0x88cc, &[1, 2, 3, 4]),
            "0x88cc 02:02:02:02:02:02 > 02:02:02:02:02:02",
            stations("0x88cc"),
        ),
    ]
}

#[test]
fn a_line_says_who_spoke_to_whom() {
    let kinds = kinds();
    let packets: Vec<_> = kinds
        .iter()
        .zip(1..)
        .map(|((frame, ..), time)| (time, frame))
        .collect();
    let file = LITTLE.pcap_at(NANOSECONDS, 1, &packets);
    let args = ["--mode", "packets", "--print", "text", "-j", "2"];
    let text = printed("kinds.pcap", &file, &args);
    let expected = kinds.iter().zip(1..).map(|((frame, words, _), time)| {
        let length = frame.len();
        format!("2023-11-14T22:13:20.{time:03}000000Z {words} length {length}\n")
    });
    assert_eq!(text, expected.collect::<String>());

    let args = ["--mode", "packets", "--print", "json", "-j", "2"];
    let text = printed("kinds.pcap", &file, &args);
    assert_eq!(text.lines().count(), kinds.len());
    for ((line, (frame, _, expected)), time) in text.lines().zip(&kinds).zip(1..) {
        let mut expected = expected.clone();
        expected["length"] = frame.len().into();
        expected["time"] = format!("2023-11-14T22:13:20.{time:03}000000Z").into();
        let line: Value = serde_json::from_str(line).expect("a JSON object");
        assert_eq!(line, expected);
    }
}

#[test]
fn what_the_capture_does_not_have_is_not_said() {
    // Cut before the ports, and cut before the addresses.
    let udp = ipv4(17, [A, B], 0, &ports(1, 2));
    let file = LITTLE.pcap(MICROSECONDS, 101, &[&udp[..22]]);
    let text = printed("cut.pcap", &file, &["--print", "text"]);
    assert!(
        text.contains(" UDP 192.0.2.1 > 198.51.100.7 length 22"),
        "{text}"
    );
    let lldp = [&[0; 14][..], &[0x88, 0xcc, 1, 2]].concat();
    let file = LITTLE.pcap(MICROSECONDS, 113, &[lldp]);
    let text = printed(
        "cooked.pcap",
        &file,
        &["--mode", "packets", "--print", "text"],
    );
    assert!(text.contains(" 0x88cc - > - length 18"), "{text}");
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
