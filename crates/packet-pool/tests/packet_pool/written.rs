//! `--write`: the capture without its copies, and what it keeps.

use crate::FLOWS;
use crate::files::{BIG, LITTLE, NANOSECONDS, Record, data, loopback, packets, records};
use crate::frames::{A, B, ethernet, ipv4, ports};
use crate::run::{Run, scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Too large to take a packet for another by chance.
pub(crate) const ROOMY: [&str; 2] = ["--capacity", "2000000"];

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// A file that does not exist yet.
pub(crate) fn target(name: &str) -> PathBuf {
    let path = scratch(name, b"");
    fs::remove_file(&path).expect("the file can be removed");
    path
}

/// What is written of a capture.
pub(crate) fn written(name: &str, file: &[u8], args: &[&str]) -> (u32, Vec<Record>, Run) {
    let to = target(&format!("{name}.written"));
    let args = [&["--write", text(&to)], args, &ROOMY].concat();
    let run = Run::on(name, file, &args).expect(0);
    run.adds_up();
    let bytes = fs::read(&to).expect("the file is there");
    fs::remove_file(&to).expect("the file can be removed");
    let (link, records) = records(&bytes);
    assert_eq!(run.numbers("written")[0], records.len() as u64);
    (link, records, run)
}

/// An IPv4 packet with this number, on its way from a tap before a router to one behind it.
fn copies(number: u16) -> [Vec<u8>; 2] {
    let mut packet = ipv4(17, [A, B], 0, &[ports(1, 2), vec![7; 400]].concat());
    packet[4..6].copy_from_slice(&number.to_be_bytes());
    let before = ethernet(&[], 0x0800, &packet);
    packet[8] -= 1;
    [before, ethernet(&[(0x8100, 5)], 0x0800, &packet)]
}

/// A capture with nanoseconds: each packet and its copy one millisecond later.
pub(crate) fn mirrored(packets: u16) -> Vec<(u32, Vec<u8>)> {
    let both = |number: u16| {
        let [before, behind] = copies(number);
        let time = 2 * u32::from(number);
        [(time, before), (time + 1, behind)]
    };
    (0..packets).flat_map(both).collect()
}

#[test]
fn copies_are_left_out_and_all_else_is_kept() {
    let all = mirrored(600);
    let originals: Vec<Record> = all
        .iter()
        .step_by(2)
        .map(|(millis, frame)| {
            let time = (1_700_000_000_000 + u64::from(*millis)) * 1_000_000;
            (time, frame.len() as u32, frame.clone())
        })
        .collect();
    let file = LITTLE.pcap_at(NANOSECONDS, 1, &all);
    for window in [&[][..], &["--window", "0.5"]] {
        let args = [&["--mode", "packets", "-j", "1"], window].concat();
        let (link, records, _) = written("copies.pcap", &file, &args);
        assert_eq!(link, 1);
        assert!(records == originals);
        // With more workers the copy may come first, but there is one of each, in the order of the capture.
        let args = [&["--mode", "packets", "-j", "5"], window].concat();
        let (_, records, run) = written("copies.pcap", &file, &args);
        let firsts = run.table().1[1];
        assert_eq!(records.len() as u64, firsts);
        assert!(firsts == 600 || !window.is_empty() && firsts >= 600);
        assert!(records.is_sorted_by_key(|record| record.0));
        for (time, length, frame) in &records {
            let millis = (time / 1_000_000 - 1_700_000_000_000) as u32;
            let original = &all[millis as usize];
            assert!(original.0 == millis && original.1 == *frame);
            assert_eq!(*length as usize, frame.len());
        }
    }
    // Without copies nothing is left to leave out.
    let to = target("twice.pcap");
    let file = scratch("once.pcap", &LITTLE.pcap_at(NANOSECONDS, 1, &all));
    let args = [
        text(&file),
        "--mode",
        "packets",
        "-j",
        "1",
        "--write",
        text(&to),
    ];
    Run::plain(&[&args[..], &ROOMY].concat()).expect(0);
    let again = target("again.pcap");
    let args = [
        text(&to),
        "--mode",
        "packets",
        "-j",
        "1",
        "--write",
        text(&again),
    ];
    Run::plain(&[&args[..], &ROOMY].concat()).expect(0);
    assert!(fs::read(&to).expect("there") == fs::read(&again).expect("there"));
    for path in [to, file, again] {
        fs::remove_file(path).expect("the file can be removed");
    }
}

#[test]
fn the_first_packet_of_each_flow_is_kept_as_it_was_captured() {
    let file = loopback();
    let field = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
    let (link, records, _) = written("flows.pcap", &file, &["-j", "1"]);
    assert_eq!((link, records.len() as u64), (1, FLOWS));
    // Each is a packet of the capture, and they come in its order.
    let mut all = packets(&file).into_iter();
    let mut cut = 0;
    for (time, length, frame) in &records {
        let found = all.find(|&(start, bytes)| {
            let nanos =
                u64::from(field(start)) * 1_000_000_000 + u64::from(field(start + 4)) * 1000;
            bytes == frame && nanos == *time && field(start + 12) == *length
        });
        assert!(found.is_some(), "not in the capture, or not in order");
        cut += u32::from(*length as usize > frame.len());
    }
    assert!(
        cut > 50,
        "the capture has cut packets, and says how long they were"
    );
    // A flow needs no more than the headers, but the file has all of the packet.
    let long = ipv4(17, [A, B], 0, &[ports(1, 2), vec![7; 1400]].concat());
    let file = BIG.pcap(NANOSECONDS, 101, &[&long, &long]);
    let (link, records, _) = written("long.pcap", &file, &["-j", "1"]);
    assert_eq!(link, 101);
    assert!(records.len() == 1 && records[0].2 == long);
}

#[test]
fn packets_without_a_key_are_left_out_and_shift_nothing() {
    let flow = |number| ethernet(&[], 0x0800, &ipv4(17, [A, B], 0, &ports(number, 2)));
    let other = ethernet(&[], 0x88cc, &[1, 2, 3, 4]);
    let all = [&other, &flow(1), &other, &other, &flow(1), &flow(2), &other].map(Vec::clone);
    let file = LITTLE.pcap(NANOSECONDS, 1, &all);
    let (_, records, run) = written("other.pcap", &file, &["-j", "1"]);
    assert_eq!(run.table().1[4], 4);
    let frames: Vec<&Vec<u8>> = records.iter().map(|record| &record.2).collect();
    assert_eq!(frames, [&all[1], &all[5]]);
}

#[test]
fn writing_changes_no_key() {
    // What makes a packet ends before the last byte.
    let giant = |last| {
        let mut frame = ethernet(&[], 0x88cc, &[1; 70_000]);
        frame.push(last);
        frame
    };
    let file = LITTLE.pcap(NANOSECONDS, 1, &[giant(1), giant(2)]);
    let args = ["--mode", "packets", "-j", "1"];
    Run::on("giants.pcap", &file, &args).expect(0).found(2, 1);
    let (_, records, _) = written("giants.pcap", &file, &args);
    assert!(records.len() == 1 && records[0].2 == giant(1));
}

#[test]
fn nanoseconds_of_pcapng_are_kept() {
    let frame = |number| ethernet(&[], 0x0800, &ipv4(17, [A, B], 0, &ports(number, 2)));
    let file = LITTLE.pcapng_at(9, 1_000_003, &[(1, frame(1)), (2, frame(2)), (3, frame(1))]);
    let (_, records, _) = written("nano.pcapng", &file, &["-j", "1", "--window", "60"]);
    let times: Vec<u64> = records.iter().map(|record| record.0).collect();
    assert_eq!(times, [1_000_003, 2_000_006]);
    let path = data("cooked.pcapng");
    let to = target("cooked.pcap");
    Run::plain(&[text(&path), "--write", text(&to)]).expect(0);
    let (link, records) = records_of(&to);
    assert_eq!((link, records.len()), (276, 19));
    assert!(records.iter().any(|record| record.0 % 1000 != 0));
}

pub(crate) fn records_of(path: &Path) -> (u32, Vec<Record>) {
    let bytes = fs::read(path).expect("the file is there");
    fs::remove_file(path).expect("the file can be removed");
    records(&bytes)
}

#[test]
fn a_capture_without_packets_gives_one() {
    let none: [&[u8]; 0] = [];
    let file = LITTLE.pcap(NANOSECONDS, 1, &none);
    let (_, records, _) = written("none.pcap", &file, &[]);
    assert!(records.is_empty());
}

#[test]
fn packets_longer_than_readers_take_are_cut() {
    let mut long = ethernet(&[], 0x0800, &ipv4(17, [A, B], 0, &ports(1, 2)));
    long.resize(300_000, 1);
    let file = LITTLE.pcap(NANOSECONDS, 1, &[&long]);
    let (_, records, _) = written("giant.pcap", &file, &["--mode", "packets"]);
    assert_eq!((records[0].1, records[0].2.len()), (300_000, 262_144));
}

#[test]
fn lines_and_file_have_the_same_packets() {
    let to = target("both.pcap");
    let args = [
        "--write",
        text(&to),
        "--print",
        "text",
        "--verify",
        "-j",
        "4",
    ];
    let (out, run) = Run::beside(&[&args[..], &["--window", "0.5"], &ROOMY].concat());
    run.expect(0).adds_up();
    let lines = String::from_utf8(out).expect("lines are text");
    let (_, records) = records_of(&to);
    assert!(records.len() as u64 >= FLOWS);
    assert_eq!(lines.lines().count(), records.len());
    for (line, (time, length, _)) in lines.lines().zip(records) {
        assert!(
            line.contains(&format!(".{:09}Z", time % 1_000_000_000)),
            "{line}"
        );
        assert!(line.ends_with(&format!(" length {length}")), "{line}");
    }
}

#[test]
fn packets_of_another_link_type_are_counted() {
    // Ethernet, and raw IP in a second section.
    let frame = |number| ethernet(&[], 0x0800, &ipv4(17, [A, B], 0, &ports(number, 2)));
    let mut file = LITTLE.pcapng_at(9, 1, &[(1, frame(1)), (2, frame(2))]);
    let mut raw = LITTLE.pcapng_at(9, 1, &[(1, &frame(3)[14..]), (2, &frame(4)[14..])]);
    raw[28 + 8] = 101;
    file.extend(raw);
    let to = target("links.pcap");
    let run = Run::on("links.pcapng", &file, &["--write", text(&to), "-j", "1"]).expect(1);
    run.says(&["links.pcap", "2 packets of another link type"]);
    let (link, records) = records_of(&to);
    assert_eq!((link, records.len()), (1, 2));
}

#[test]
fn tcpdump_reads_what_is_written() {
    let to = target("tcpdump.pcap");
    Run::plain(&[&["--write", text(&to), "-j", "2"], &ROOMY[..]].concat()).expect(0);
    let mut command = Command::new("tcpdump");
    command.args(["--nano", "-tt", "-nn", "-r"]).arg(&to);
    let Ok(output) = command.output() else {
        eprintln!("SKIPPED: there is no tcpdump");
        return;
    };
    fs::remove_file(to).expect("the file can be removed");
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8_lossy(&output.stdout);
    assert_eq!(lines.lines().count() as u64, FLOWS);
}
