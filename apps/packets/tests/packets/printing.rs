//! Printing with `--print`: the content of lines, when they come, and what ends them.

use crate::captures::{
    A, B, LITTLE, MICROSECONDS, NANOSECONDS, data, ethernet, ipv4, ipv6, loopback, ports, udp,
    udp_frame,
};
use crate::run::{Run, call};
use crate::{FLOWS, PACKETS};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::time::Duration;

/// Room enough that no key is taken for another by chance.
pub(crate) const ROOMY: &str = "--capacity 2000000";

/// Returns the printed text of a run.
fn text(run: &Run) -> &str {
    let text = std::str::from_utf8(&run.printed).expect("lines are text");
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text
}

/// Returns packets of many kinds, each with its line as text, without time and length.
fn kinds() -> [(Vec<u8>, &'static str); 8] {
    let v4 = |protocol, fragment, payload: &[u8]| {
        ethernet(&[], 0x0800, &ipv4(protocol, [A, B], fragment, payload))
    };
    let v6 = |next, payload: &[u8]| ethernet(&[], 0x86dd, &ipv6(next, [1, 2], payload));
    let echo = |kind| [kind, 0, 0, 0, 0, 5, 0, 1];
    let tags = [(0x88a8, 5), (0x8100, 0xe006)];
    let tagged = ethernet(&tags, 0x0800, &ipv4(17, [B, A], 0, &ports(53, 9)));
    let lldp = ethernet(&[], 0x88cc, &[1, 2, 3, 4]);
    let (tcp, tcp6) = (v4(6, 0, &ports(1234, 443)), v6(6, &ports(1234, 443)));
    [
        (tagged, "UDP 198.51.100.7:53 > 192.0.2.1:9 vlan 5 vlan 6"),
        (tcp6, "TCP [2001:db8::1]:1234 > [2001:db8::2]:443"),
        (lldp, "0x88cc 02:02:02:02:02:02 > 02:02:02:02:02:02"),
        (tcp, "TCP 192.0.2.1:1234 > 198.51.100.7:443"),
        (v4(17, 9, &[1; 20]), "UDP 192.0.2.1 > 198.51.100.7"),
        (v4(1, 0, &echo(8)), "ICMP 192.0.2.1 > 198.51.100.7"),
        (v4(253, 0, &[0; 4]), "IP-253 192.0.2.1 > 198.51.100.7"),
        (v6(58, &echo(128)), "ICMPv6 2001:db8::1 > 2001:db8::2"),
    ]
}

#[test]
fn a_line_has_sender_and_receiver() {
    let kinds = kinds();
    let packets: Vec<_> = (1..).zip(kinds.iter().map(|kind| &kind.0)).collect();
    let file = LITTLE.pcap_at(NANOSECONDS, 1, &packets);
    let run = |args| call(args).with("--mode packets -j 2").on(&file).expect(0);
    let lines = (1..).zip(&kinds).map(|(time, (frame, words))| {
        let length = frame.len();
        format!("2023-11-14T22:13:20.{time:03}000000Z {words} length {length}\n")
    });
    assert_eq!(text(&run("--print text")), lines.collect::<String>());

    let run = run("--print json");
    let objects = text(&run).lines().map(serde_json::from_str);
    let objects: Vec<Value> = objects.map(|object| object.expect("JSON")).collect();
    assert_eq!(objects.len(), kinds.len());
    let tagged = json!({
        "time": "2023-11-14T22:13:20.001000000Z", "protocol": "UDP", "length": 62, "vlans": [5, 6],
        "source": "198.51.100.7", "source_port": 53, "destination": "192.0.2.1", "destination_port": 9,
    });
    let v6 = json!({
        "time": "2023-11-14T22:13:20.002000000Z", "protocol": "TCP", "length": 74,
        "source": "2001:db8::1", "source_port": 1234, "destination": "2001:db8::2", "destination_port": 443,
    });
    // Fields that it does not have are left out.
    let lldp = json!({
        "time": "2023-11-14T22:13:20.003000000Z", "protocol": "0x88cc", "length": 18,
        "source": "02:02:02:02:02:02", "destination": "02:02:02:02:02:02",
    });
    assert_eq!(objects[..3], [tagged, v6, lldp]);
}

#[test]
fn a_line_leaves_out_missing_fields() {
    // Cut before the ports, and cut before the addresses.
    let lldp = [&[0; 14][..], &[0x88, 0xcc, 1, 2]].concat();
    let cut = " UDP 192.0.2.1 > 198.51.100.7 length 22";
    for (link, frame, words) in [
        (101, &udp(1)[..22], cut),
        (113, &lldp, " 0x88cc - > - length 18"),
    ] {
        let file = LITTLE.pcap(MICROSECONDS, link, &[frame]);
        let run = call("--mode packets --print text").on(&file).expect(0);
        assert!(text(&run).contains(words), "{}", text(&run));
    }
}

#[test]
fn each_new_flow_has_a_line() {
    for workers in [1, 2, 8] {
        let call = call(&format!("--print text -j {workers} {ROOMY}"));
        let run = call.expect(0).found(PACKETS, FLOWS);
        assert_eq!(run.all()[0], PACKETS, "one pass");
        let lines: Vec<&str> = text(&run).lines().collect();
        assert_eq!(lines.len() as u64, FLOWS);
        let times = lines.iter().map(|line| &line[..30]);
        assert!(times.is_sorted(), "in the order of the capture");
        // For TCP and UDP, endpoints and protocol make a flow.
        let flows: HashSet<&str> = lines.iter().map(|line| &line[31..]).collect();
        let with_ports = |line: &&&str| line.starts_with("TCP") || line.starts_with("UDP");
        assert_eq!(flows.iter().filter(with_ports).count(), 140 + 219);
    }
    let cooked = call("--print text").path(&data("cooked.pcapng"));
    let cooked = cooked.with(ROOMY).expect(0);
    assert_eq!((text(&cooked).lines().count(), cooked.all()[1]), (19, 19));
}

#[test]
fn lines_of_many_workers_are_whole() {
    for window in ["", "--window 0.01"] {
        let run = call(&format!("--made-up 20000 --print json -j 8 {window}")).expect(0);
        run.adds_up();
        assert_eq!(text(&run).lines().count() as u64, run.all()[1]);
        for line in text(&run).lines() {
            let line: Value = serde_json::from_str(line).expect("a JSON object");
            assert_eq!(line["destination_port"], 443);
        }
    }
}

#[test]
fn lines_come_while_the_input_goes_on() {
    let mut child = call("- --print text -j 2").start();
    let mut pipe = child.stdin.take().expect("a pipe");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let file = LITTLE.pcap(MICROSECONDS, 101, &[udp(1)]);
    pipe.write_all(&file).expect("the program reads");
    // The pipe is still open.
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    assert!(line.contains("UDP 192.0.2.1:1 > 198.51.100.7:53"), "{line}");
    drop(pipe);
    out.read_to_string(&mut line).expect("the end");
    let run = Run::of(child.wait_with_output().expect("the program ends"));
    assert_eq!(run.expect(0).all()[1], 1);
    assert_eq!(line.lines().count(), 1);
}

/// Starts with a reader for one line, which then goes away.
fn deserted(args: &str, feed: impl FnOnce(&mut Child)) {
    let mut child = call(args).plain().start();
    let out = child.stdout.take().expect("a pipe");
    feed(&mut child);
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).expect("a line");
    // Feed new flows until the program notices, for a limited time. The input does not end.
    let mut input = child.stdin.take().expect("a pipe");
    for turn in 0_u16..2000 {
        if child.try_wait().expect("a child").is_some() {
            break;
        }
        let record = LITTLE
            .pcap(MICROSECONDS, 1, &[udp_frame(turn)])
            .split_off(24);
        let _ = input.write_all(&record);
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "it was not killed");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "{errors}");
}

/// A reader that goes away ends the run quietly.
#[test]
fn a_reader_that_leaves_ends_the_run() {
    deserted("--made-up 400000 --print text -j 2", |_| ());
    let args = "--made-up 400000 --print json --window 0.01 --verify -j 2";
    deserted(args, |_| ());
    deserted("- --print json -j 2", |child| {
        let input = child.stdin.as_mut().expect("a pipe");
        input.write_all(&loopback()).expect("the program reads");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut command = call("--print text").command();
    command
        .stdin(Stdio::null())
        .stdout(full.expect("Linux has it"));
    let run = Run::of(command.output().expect("the program starts")).expect(1);
    run.says(&["cannot write standard output", "space"]);
}
