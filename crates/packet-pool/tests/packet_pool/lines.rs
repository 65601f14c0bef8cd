//! `--print`: what a line says.

use crate::files::{LITTLE, MICROSECONDS, NANOSECONDS};
use crate::frames::{A, B, ethernet, ipv4, ipv6, ports};
use crate::run::{Run, scratch};
use serde_json::{Value, json};

/// Too large to take a key for another by chance.
pub(crate) const ROOMY: [&str; 2] = ["--capacity", "2000000"];

/// Prints what is new in a capture of these packets.
fn printed(name: &str, file: &[u8], args: &[&str]) -> String {
    let file = scratch(name, file);
    let path = file.to_str().expect("the path is text");
    let (out, run) = Run::beside(&[&[path], args, &ROOMY].concat());
    std::fs::remove_file(&file).expect("the file can be removed");
    run.expect(0);
    String::from_utf8(out).expect("lines are text")
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
