//! Captures compressed with gzip.

use crate::files::{BIG, LITTLE, MICROSECONDS, data, loopback, packets};
use crate::run::{Run, start};
use crate::{DEFAULT_WORK, FLOWS, ONCE, PACKETS};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::process::Stdio;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

#[test]
fn files_are_read_as_they_are() {
    let file = loopback();
    let run = Run::on("whole.pcap.gz", &gzip(&file), &["-j", "2"]).expect(0);
    assert_eq!(
        run.numbers("passes")[1],
        DEFAULT_WORK.div_ceil(PACKETS) * PACKETS
    );
    assert_eq!(run.numbers("packets"), [PACKETS, file.len() as u64]);
    assert!(run.out.contains("(pcap, gzip)"), "{}", run.out);
    run.found(PACKETS, FLOWS);
    // Whatever the name says.
    let cooked = fs::read(data("cooked.pcapng")).expect("the capture is there");
    Run::on("cooked.pcapng", &gzip(&cooked), &[])
        .expect(0)
        .found(108, 19);
    let frames: Vec<&[u8]> = packets(&file).iter().map(|packet| packet.1).collect();
    let big = gzip(&BIG.pcap(MICROSECONDS, 1, &frames));
    Run::on("big.pcap.gz", &big, &ONCE)
        .expect(0)
        .found(PACKETS, FLOWS);
}

#[test]
fn all_members_are_read() {
    let file = loopback();
    // Cut anywhere, the header of the capture and a record included.
    let cuts = [0, 10, 24, 1000, 100_000, file.len()];
    let members: Vec<u8> = cuts
        .windows(2)
        .flat_map(|cut| gzip(&file[cut[0]..cut[1]]))
        .collect();
    Run::on("members.pcap.gz", &members, &ONCE)
        .expect(0)
        .found(PACKETS, FLOWS);
    // Two pcapng captures, one after the other, are one.
    let frames: Vec<&[u8]> = packets(&file).iter().map(|packet| packet.1).collect();
    let (one, other) = frames.split_at(700);
    let both = [gzip(&LITTLE.pcapng(one)), gzip(&BIG.pcapng(other))].concat();
    Run::on("both.pcapng.gz", &both, &ONCE)
        .expect(0)
        .found(PACKETS, FLOWS);
}

#[test]
fn pipes_may_be_compressed() {
    let mut child = start(
        &["-", "--verify", "--window", "60", "-j", "2"],
        Stdio::piped(),
    );
    let mut pipe = child.stdin.take().expect("a pipe");
    for piece in gzip(&loopback()).chunks(777) {
        pipe.write_all(piece).expect("the program reads");
    }
    drop(pipe);
    let run = Run::of(child.wait_with_output().expect("the program ends"), &[]);
    run.expect(0).found(PACKETS, FLOWS);
}

#[test]
fn damage_is_named_and_costs_nothing_before_it() {
    let whole = gzip(&loopback());
    let cut = Run::on("cut.pcap.gz", &whole[..whole.len() / 2], &ONCE).expect(1);
    cut.says(&["cut.pcap.gz", "ends inside its gzip compression"]);
    let packets = cut.numbers("packets")[0];
    assert!((500..PACKETS).contains(&packets), "{}", cut.out);
    cut.adds_up();
    // The checksum at the end is wrong: all packets were read, but perhaps not as they were.
    let mut wrong = whole.clone();
    let at = wrong.len() - 8;
    wrong[at] ^= 1;
    let run = Run::on("sum.pcap.gz", &wrong, &ONCE).expect(1);
    run.says(&["gzip compression is damaged"]);
    run.adds_up();
    // In the header of the compression, and what is in it is no capture.
    for length in [3, 5, 12] {
        let run = Run::on("header.gz", &whole[..length], &[]).expect(1);
        run.says(&["gzip"]);
        assert!(run.out.is_empty(), "{}", run.out);
    }
    Run::on("text.gz", &gzip(b"Dear diary"), &[])
        .expect(1)
        .says(&["not a pcap or pcapng file"]);
    Run::on("empty.gz", &gzip(b""), &[])
        .expect(1)
        .says(&["the file is empty"]);
}
