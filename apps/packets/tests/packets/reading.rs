//! Reading files: formats, link types and compression; totals, passes and workers; and damage,
//! which ends the reading, is named, and affects nothing before it.

use crate::captures::{
    A, B, BIG, LITTLE, MICROSECONDS, NANOSECONDS, data, ethernet, frames, ipv4, loopback, packets,
    ports,
};
use crate::printing::ROOMY;
use crate::run::{Run, call};
use crate::{FLOWS, ONCE, PACKETS};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// Runs on a file, once.
fn once(file: &[u8]) -> Run {
    call(ONCE).on(file).run()
}

/// Runs on a file, and on the same through a pipe, each with its name in errors.
fn both(file: &[u8]) -> [(&'static str, Run); 2] {
    let piped = call("- -j 2").pipe(file);
    [(".pcap: ", once(file)), ("standard input: ", piped)]
}

#[test]
fn the_totals_do_not_depend_on_the_workers() {
    let file = loopback();
    for workers in [1, 2, 8] {
        let options = format!("-j {workers} {ROOMY}");
        let held = call(&options).expect(0);
        // More passes add duplicates only. Only the example has several by default.
        assert_eq!(held.numbers("passes"), [100, 100 * PACKETS]);
        let read = call(&options).on(&file).expect(0);
        assert_eq!(read.numbers("passes"), [1, PACKETS]);
        let piped = call(&format!("- {options}")).pipe(&file);
        assert!(!piped.out.contains("\npasses"), "{}", piped.out);
        for (run, passes) in [(held, 100), (read, 1), (piped.expect(0), 1)] {
            let run = run.found(PACKETS, FLOWS);
            assert_eq!(run.numbers("flows"), [FLOWS, 140, 219, 141, 0]);
            let (rows, all) = run.table();
            assert_eq!(rows.len(), workers);
            let packets = passes * PACKETS;
            assert_eq!(all, [packets, FLOWS, packets - FLOWS, 0, 0]);
            assert!(run.err.is_empty(), "{}", run.err);
        }
    }
    // Long enough for the system to run both, even on one processor.
    let run = call("-j 2 --repeat 400").expect(0).found(PACKETS, FLOWS);
    let (rows, _) = run.table();
    assert!(rows.iter().all(|row| row[0] > 0), "{}", run.out);
    // To be processed again, a stream has to be held.
    let run = call("- --repeat 3").pipe(&file);
    assert_eq!(run.expect(0).found(PACKETS, FLOWS).all()[0], 3 * PACKETS);
}

#[test]
fn reads_the_variants_of_both_formats() {
    let file = loopback();
    let all = frames(&file);
    let (first, second) = all.split_at(1000);
    // The "modified" variant has eight more bytes in front of each packet.
    let mut modified = LITTLE.pcap(0xa1b2_cd34, 1, &[[0; 0]; 0]);
    for (start, frame) in packets(&file) {
        modified.extend(&file[start..start + 16]);
        modified.extend([0; 8]);
        modified.extend(frame);
    }
    let files = [
        LITTLE.pcap(MICROSECONDS, 1, &all),
        BIG.pcap(MICROSECONDS, 1, &all),
        // Ethernet too, with flags in the upper bits.
        LITTLE.pcap(NANOSECONDS, 0x2400_0001, &all),
        BIG.pcap(NANOSECONDS, 0x2400_0001, &all),
        modified,
        LITTLE.pcapng(&all),
        BIG.pcapng(&all),
        // Sections may differ in byte order, and each describes its interfaces.
        [LITTLE.pcapng(first), BIG.pcapng(second)].concat(),
        // Compressed, in one member and in several.
        gzip(&LITTLE.pcap(MICROSECONDS, 1, &all)),
        [gzip(&LITTLE.pcapng(first)), gzip(&BIG.pcapng(second))].concat(),
        // Cut anywhere, the header of the capture and a record included.
        [0, 10, 24, 1000, 100_000, file.len()]
            .windows(2)
            .flat_map(|cut| gzip(&file[cut[0]..cut[1]]))
            .collect(),
    ];
    for file in &files {
        once(file).expect(0).found(PACKETS, FLOWS);
    }
    let run = once(&gzip(&file)).expect(0);
    assert_eq!(run.numbers("packets"), [PACKETS, file.len() as u64]);
    assert!(run.out.contains("(pcap, gzip)"), "{}", run.out);
    let cooked = fs::read(data("cooked.pcapng")).expect("the capture is there");
    for file in [&cooked, &gzip(&cooked)] {
        let run = once(file).expect(0).found(108, 19);
        assert_eq!(run.numbers("flows"), [19, 6, 6, 7, 0]);
    }
}

#[test]
fn other_link_headers_give_the_same_flows() {
    let file = loopback();
    // Raw, BSD loopback of two kinds, Linux cooked of two versions, and Ethernet with a VLAN tag.
    for link in [101, 0, 108, 113, 276, 1] {
        let framed = frames(&file).into_iter().map(|frame| {
            let (kind, ip) = (&frame[12..14], &frame[14..]);
            let family = if kind == [0x86, 0xdd] { 24 } else { 2 };
            let header = match link {
                0 => vec![family, 0, 0, 0],
                108 => vec![0, 0, 0, family],
                113 => [&[0; 14], kind].concat(),
                276 => [kind, &[0; 18]].concat(),
                1 => [&[0; 12], &[0x81, 0, 0, 7][..], kind].concat(),
                _ => Vec::new(),
            };
            [&header, ip].concat()
        });
        let file = LITTLE.pcap(MICROSECONDS, link, &framed.collect::<Vec<_>>());
        once(&file).expect(0).found(PACKETS, FLOWS);
    }
}

#[test]
fn counts_packets_without_a_flow() {
    let file = LITTLE.pcap(MICROSECONDS, 105, &[[0; 60], [1; 60]]);
    let run = once(&file).expect(1).found(0, 0);
    run.says(&["no packet has a link type that this program reads"]);
    assert_eq!(run.numbers("left out"), [2, 105]);
    let arp = ethernet(&[], 0x0806, &[0; 28]);
    let sctp = ethernet(&[], 0x0800, &ipv4(132, [A, B], 0, &ports(1, 2)));
    let file = BIG.pcap(MICROSECONDS, 1, &[&arp[..], &[0; 60], &sctp, &[], &[0; 13]]);
    let run = once(&file).expect(0).found(5, 1);
    assert_eq!(run.all(), [5, 1, 0, 0, 4]);
    assert_eq!(run.numbers("flows"), [1, 0, 0, 0, 1]);
    // No packets at all are no error.
    let none = LITTLE.pcap(MICROSECONDS, 1, &[[0; 0]; 0]);
    for file in [none, LITTLE.pcapng(&[])] {
        call("-j 3").on(&file).expect(0).found(0, 0);
    }
}

#[test]
fn reads_a_large_record() {
    let file = loopback();
    // Longer than the reader's buffer at first.
    let mut frame = frames(&file)[0].to_vec();
    frame.resize(3 << 20, 0);
    let all = [&frame, frames(&file)[1], &frame];
    for file in [LITTLE.pcap(MICROSECONDS, 1, &all), LITTLE.pcapng(&all)] {
        once(&file).expect(0).found(3, 1);
    }
}

#[test]
fn reports_the_packets_of_a_cut_pcap() {
    let file = loopback();
    let starts: Vec<usize> = packets(&file).iter().map(|packet| packet.0).collect();
    for cut in 1..4 {
        once(&file[..cut]).expect(1).only_says(&["not a pcap"]);
    }
    for cut in 4..24 {
        let run = once(&file[..cut]).expect(1);
        run.only_says(&["ends inside its own header"]);
    }
    let (second, middle, last) = (starts[1], starts[1500], starts[2681]);
    let late = [middle + 8, middle + 20, last + 1, file.len() - 1];
    for cut in (25..42).chain(second - 1..second + 18).chain(late) {
        let whole = starts.iter().filter(|&&start| start < cut).count() - 1;
        // A cut between two records cannot be distinguished from a shorter capture.
        let is_between = starts.contains(&cut);
        let run = once(&file[..cut]).expect(i32::from(!is_between));
        if !is_between {
            let record = format!("record {} at byte {}", whole + 1, starts[whole]);
            run.says(&["the file ends inside", &record]);
        }
        assert_eq!(
            run.numbers("packets")[0],
            (whole + usize::from(is_between)) as u64
        );
        run.adds_up();
    }
}

#[test]
fn reports_the_packets_of_a_cut_pcapng() {
    let file = loopback();
    let frames = &frames(&file)[..6];
    for order in [LITTLE, BIG] {
        let whole = order.pcapng(frames);
        // The ends of the section, its two interfaces and each packet; the last block has 20 bytes.
        let packets = (0..=6).map(|count| order.pcapng(&frames[..count]).len() - 20);
        let ends: Vec<usize> = [28, 48].into_iter().chain(packets).collect();
        for cut in (5..whole.len()).step_by(13) {
            let blocks = ends.iter().filter(|&&end| end <= cut).count();
            let run = once(&whole[..cut]);
            if blocks == 0 {
                run.expect(1)
                    .only_says(&["the file ends inside its own header"]);
                continue;
            }
            if !ends.contains(&cut) {
                let record = format!("record {} at byte {}", blocks + 1, ends[blocks - 1]);
                run.says(&["the file ends inside", &record]);
            }
            let run = run.expect(i32::from(!ends.contains(&cut)));
            assert_eq!(run.numbers("packets")[0], blocks.saturating_sub(3) as u64);
            run.adds_up();
        }
    }
}

/// Returns damaged files, the packets before the damage, the number of the damaged record, and the
/// error.
fn damaged() -> Vec<(Vec<u8>, u64, u64, &'static str)> {
    let file = loopback();
    let mut length = file.clone();
    let (start, _) = packets(&file)[700];
    length[start + 8..start + 12].copy_from_slice(&[0xff; 4]);
    let frames = &frames(&file)[..2];
    // The second interface is taken out, and the second packet names it.
    let mut interface = LITTLE.pcapng(frames);
    interface.drain(28 + 20..28 + 40);
    // A packet that claims to be longer than its block.
    let mut inner = LITTLE.pcapng(frames);
    let second = inner.len() - 20 - (32 + frames[1].len().next_multiple_of(4));
    inner[second + 20..second + 24].copy_from_slice(&5000_u32.to_le_bytes());
    // Interfaces without end.
    let mut interfaces = LITTLE.pcapng(&[]);
    interfaces.truncate(68);
    let one = interfaces[28..48].to_vec();
    (0..70_000).for_each(|_| interfaces.extend(&one));
    let cut = file[..packets(&file)[2000].0 + 20].to_vec();
    let unknown = "is damaged: it names an interface that the file does not describe";
    let inconsistent = "is damaged: the lengths in it do not fit together";
    let many = "is damaged: it describes more interfaces than any machine has";
    vec![
        (
            length,
            700,
            701,
            "is damaged: it claims to be longer than any packet is",
        ),
        (interface, 1, 4, unknown),
        (inner, 1, 5, inconsistent),
        (interfaces, 0, 65_538, many),
        (cut, 2000, 2001, "the file ends inside"),
    ]
}

#[test]
fn names_damaged_records() {
    for (file, packets, record, words) in damaged() {
        for (name, run) in both(&file) {
            let run = run.expect(1);
            run.says(&[name, &format!("record {record} at byte"), words]);
            assert_eq!(run.numbers("packets")[0], packets);
            run.adds_up();
        }
    }
    // A compressed file that is cut, or whose checksum at the end is wrong.
    let whole = gzip(&loopback());
    let cut = once(&whole[..whole.len() / 2]).expect(1);
    cut.says(&[".pcap: ", "ends inside its gzip compression"]);
    let packets = cut.numbers("packets")[0];
    assert!((500..PACKETS).contains(&packets), "{}", cut.out);
    cut.adds_up();
    let mut wrong = whole.clone();
    wrong[whole.len() - 8] ^= 1;
    let run = once(&wrong).expect(1);
    run.says(&["gzip compression is damaged"]);
    run.adds_up();
    for length in [3, 5, 12] {
        once(&whole[..length]).expect(1).only_says(&["gzip"]);
    }
}

#[test]
fn flipped_bytes_do_not_crash_it() {
    let file = loopback();
    let frames = &frames(&file)[..40];
    let files = [
        LITTLE.pcap(MICROSECONDS, 1, frames),
        LITTLE.pcapng(frames),
        BIG.pcapng(frames),
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    for whole in &files {
        for _ in 0..15 {
            let mut file = whole.clone();
            for _ in 0..=random(8) {
                let at = random(file.len());
                file[at] = random(256) as u8;
            }
            let run = once(&file);
            assert!(run.status == 0 || run.status == 1, "{}", run.err);
            if !run.out.is_empty() {
                run.adds_up();
            }
        }
    }
}

/// Returns files that are not captures, and their errors.
fn refused() -> Vec<(Vec<u8>, &'static str)> {
    // A section that claims this many bytes.
    let section = |length: u8| {
        let length = [length, 0, 0, if length == 0 { 0xff } else { 0 }];
        [b"\n\r\r\n", &length[..], b"\x4d\x3c\x2b\x1a", &[0; 16]].concat()
    };
    vec![
        (
            b"Dear diary,\ntoday ...\n".to_vec(),
            "not a pcap or pcapng file",
        ),
        (b"BZh91AY&SY".to_vec(), "42 5a 68 39"),
        (Vec::new(), "the file is empty"),
        (gzip(b"Dear diary"), "not a pcap or pcapng file"),
        (gzip(b""), "the file is empty"),
        (
            b"\n\r\r\nnot a section".to_vec(),
            "the header of the file is damaged",
        ),
        (section(0), "the header of the file is damaged"),
        (section(8), "the header of the file is damaged"),
        (section(28)[..10].to_vec(), "ends inside its own header"),
    ]
}

#[test]
fn refuses_files_that_are_not_captures() {
    for (file, words) in refused() {
        for (name, run) in both(&file) {
            run.expect(1).only_says(&[name, words]);
        }
    }
    call("no/such/file.pcap")
        .expect(1)
        .only_says(&["cannot read the file"]);
    let folder = call("").path(&data("")).expect(1);
    folder.only_says(&["this is a directory"]);
}
