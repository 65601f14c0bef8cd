//! Files: formats, link types and compression; totals, passes and workers; and damage, which ends the reading, is named, and
//! costs nothing before it.

use crate::captures::{
    BIG, LITTLE, MICROSECONDS, NANOSECONDS, data, ethernet, frames, ipv4, ipv6, loopback, packets,
    ports,
};
use crate::run::{Run, call};
use crate::{DEFAULT_WORK, FLOWS, ONCE, PACKETS};
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

#[test]
fn the_totals_do_not_depend_on_the_workers() {
    for workers in [1, 2, 8] {
        let run = call(&format!("-j {workers}"))
            .expect(0)
            .found(PACKETS, FLOWS);
        assert_eq!(run.numbers("flows"), [FLOWS, 140, 219, 141, 0]);
        let (rows, all) = run.table();
        assert_eq!(rows.len(), workers);
        // More passes add duplicates only.
        assert_eq!(run.numbers("passes"), [98, 98 * PACKETS]);
        assert_eq!(all, [98 * PACKETS, FLOWS, 98 * PACKETS - FLOWS, 0, 0]);
        assert!(run.err.is_empty(), "{}", run.err);
    }
    // Long enough for the system to run both, even on one processor.
    let run = call("-j 2 --repeat 400").expect(0).found(PACKETS, FLOWS);
    let (rows, _) = run.table();
    assert!(rows.iter().all(|row| row[0] > 0), "{}", run.out);
}

#[test]
fn small_captures_are_gone_through_more_often() {
    let file = loopback();
    let packet = &frames(&file)[0][14..34];
    let file = |packets: u64| LITTLE.pcap(MICROSECONDS, 101, &vec![packet; packets as usize]);
    for (packets, passes) in [
        (0, 1),
        (1, DEFAULT_WORK),
        (100_000, 3),
        (DEFAULT_WORK - 1, 2),
        (DEFAULT_WORK, 1),
        (DEFAULT_WORK + 1, 1),
    ] {
        let run = call("").on(&file(packets)).expect(0);
        let run = run.found(packets, packets.min(1));
        assert_eq!(run.numbers("passes")[0], passes);
    }
}

#[test]
fn the_variants_of_both_formats_are_read() {
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

/// Makes the link header of a packet with this EtherType.
type Header = fn(&[u8; 2]) -> Vec<u8>;

#[test]
fn other_link_headers_give_the_same_flows() {
    let file = loopback();
    let links: [(u32, Header); 6] = [
        (101, |_| Vec::new()),
        (0, |kind| {
            vec![if kind[0] == 0x86 { 30 } else { 2 }, 0, 0, 0]
        }),
        (108, |kind| {
            vec![0, 0, 0, if kind[0] == 0x86 { 24 } else { 2 }]
        }),
        (113, |kind| [&[0; 14], &kind[..]].concat()),
        (276, |kind| [&kind[..], &[0; 18]].concat()),
        // Ethernet with a VLAN tag.
        (1, |kind| [&[0; 12][..], &[0x81, 0, 0, 7], kind].concat()),
    ];
    for (link, header) in links {
        let framed = frames(&file).into_iter().map(|frame| {
            let kind = frame[12..14].try_into().expect("two bytes");
            [&header(kind), &frame[14..]].concat()
        });
        let file = LITTLE.pcap(MICROSECONDS, link, &framed.collect::<Vec<_>>());
        once(&file).expect(0).found(PACKETS, FLOWS);
    }
}

#[test]
fn packets_without_a_flow_are_counted() {
    let file = LITTLE.pcap(MICROSECONDS, 105, &[[0; 60], [1; 60]]);
    let run = once(&file).expect(1).found(0, 0);
    run.says(&["no packet has a link type that this program reads"]);
    assert_eq!(run.numbers("left out"), [2, 105]);
    let mut arp = [0; 42];
    arp[12..14].copy_from_slice(&[0x08, 0x06]);
    let file = BIG.pcap(MICROSECONDS, 1, &[&arp[..], &[0; 60], &[], &[0; 13]]);
    let run = once(&file).expect(0).found(4, 0);
    assert_eq!(run.all(), [4, 0, 0, 0, 4]);
    // No packets at all are no error.
    for file in [
        LITTLE.pcap(MICROSECONDS, 1, &[[0; 0]; 0]),
        LITTLE.pcapng(&[]),
    ] {
        call("-j 3").on(&file).expect(0).found(0, 0);
    }
}

#[test]
fn a_large_record_is_read() {
    let file = loopback();
    // More than the reader's buffer holds at first.
    let mut frame = frames(&file)[0].to_vec();
    frame.resize(3 << 20, 0);
    let all = [&frame, frames(&file)[1], &frame];
    for file in [LITTLE.pcap(MICROSECONDS, 1, &all), LITTLE.pcapng(&all)] {
        once(&file).expect(0).found(3, 1);
    }
}

/// Three packets, there, back and there, of every kind of flow.
#[test]
fn every_protocol_is_known_in_every_vlan() {
    let message = |kind: u8| vec![kind, 0, 0, 0, 0, 7, 0, 1];
    let mut frames = Vec::new();
    for tags in [&[][..], &[(0x8100, 5)], &[(0x88a8, 5), (0x8100, 6)]] {
        let mut flow = |v4: u8, v6: u8, [there, back]: [Vec<u8>; 2]| {
            for (ends, payload) in [([1, 2], &there), ([2, 1], &back), ([1, 2], &there)] {
                let addresses = ends.map(|end| [192, 0, 2, end]);
                frames.push(ethernet(tags, 0x0800, &ipv4(v4, addresses, 0, payload)));
                if v6 != 0 {
                    frames.push(ethernet(tags, 0x86dd, &ipv6(v6, ends, payload)));
                }
            }
        };
        for protocol in [6, 17, 132] {
            flow(protocol, protocol, [ports(4000, 80), ports(80, 4000)]);
        }
        flow(1, 0, [message(8), message(0)]);
        flow(58, 58, [message(128), message(129)]);
    }
    let run = once(&LITTLE.pcap(MICROSECONDS, 1, &frames)).expect(0);
    // ICMPv6 over IPv4 is strange, and has its flow as well.
    assert_eq!(run.found(81, 27).numbers("flows"), [27, 6, 6, 9, 6]);
}

#[test]
fn what_was_read_of_a_cut_pcap_is_reported() {
    let file = loopback();
    let starts: Vec<usize> = packets(&file).iter().map(|packet| packet.0).collect();
    for cut in 1..24 {
        let words = if cut < 4 {
            "not a pcap"
        } else {
            "ends inside its own header"
        };
        once(&file[..cut]).expect(1).only_says(&[words]);
    }
    let (second, middle, last) = (starts[1], starts[1500], starts[2681]);
    let early = [
        25,
        39,
        40,
        41,
        second - 1,
        second + 1,
        second + 15,
        second + 17,
    ];
    let late = [middle + 8, middle + 20, last + 1, file.len() - 1];
    for cut in early.into_iter().chain(late) {
        let whole = starts.iter().filter(|&&start| start < cut).count() - 1;
        let run = once(&file[..cut]).expect(1);
        let record = format!("record {} at byte {}", whole + 1, starts[whole]);
        run.says(&["the file ends inside", &record]);
        assert_eq!(run.numbers("packets")[0], whole as u64);
        run.adds_up();
    }
    // A cut between two records cannot be told from a shorter capture.
    let run = once(&file[..middle]).expect(0);
    assert_eq!(run.numbers("packets"), [1500, middle as u64]);
}

#[test]
fn what_was_read_of_a_cut_pcapng_is_reported() {
    let file = loopback();
    let frames = &frames(&file)[..6];
    for order in [LITTLE, BIG] {
        let whole = order.pcapng(frames);
        let mut ends = Vec::new();
        let mut at = 0;
        while at < whole.len() {
            let mut field: [u8; 4] = whole[at + 4..at + 8].try_into().expect("four bytes");
            if order.big {
                field.reverse();
            }
            at += u32::from_le_bytes(field) as usize;
            ends.push(at);
        }
        for cut in (5..whole.len()).step_by(13) {
            let blocks = ends.iter().filter(|&&end| end <= cut).count();
            let run = once(&whole[..cut]);
            if blocks == 0 {
                run.expect(1).says(&["the file ends inside its own header"]);
            } else if ends.contains(&cut) {
                run.expect(0).adds_up();
            } else {
                let run = run.expect(1);
                run.says(&["the file ends inside", &format!("record {}", blocks + 1)]);
                // The section and its two interfaces come before the packets.
                let read = blocks.saturating_sub(3).min(frames.len());
                assert_eq!(run.numbers("packets")[0], read as u64);
                run.adds_up();
            }
        }
    }
}

/// Damaged files, the packets before the damage, and what is said of it.
pub(crate) fn damaged() -> Vec<(Vec<u8>, u64, [&'static str; 2])> {
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
    let one = interfaces[28..48].to_vec();
    (0..70_000).for_each(|_| interfaces.extend(&one));
    vec![
        (
            length,
            700,
            ["record 701 at byte", "longer than any packet"],
        ),
        (
            interface,
            1,
            [
                "record 4",
                "names an interface that the file does not describe",
            ],
        ),
        (
            inner,
            1,
            ["record 5", "the lengths in it do not fit together"],
        ),
        (
            interfaces,
            0,
            ["is damaged", "more interfaces than any machine has"],
        ),
    ]
}

#[test]
fn damaged_records_are_named() {
    for (file, packets, words) in damaged() {
        let run = once(&file).expect(1);
        run.says(&words);
        assert_eq!(run.numbers("packets")[0], packets);
        run.adds_up();
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
fn flipped_bytes_never_crash_it() {
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

/// What is no capture, and what is said of it.
pub(crate) fn refused() -> Vec<(Vec<u8>, &'static str)> {
    let section =
        |length: [u8; 4]| [b"\n\r\r\n", &length[..], b"\x4d\x3c\x2b\x1a", &[0; 16]].concat();
    vec![
        (
            b"Dear diary,\ntoday I was not a capture file.\n".to_vec(),
            "not a pcap or pcapng file",
        ),
        (b"BZh91AY&SY".to_vec(), "42 5a 68 39"),
        (Vec::new(), "the file is empty"),
        (gzip(b"Dear diary"), "not a pcap or pcapng file"),
        (gzip(b""), "the file is empty"),
        (
            b"\n\r\r\nnot a section at all, no".to_vec(),
            "the header of the file is damaged",
        ),
        // Four gigabytes, and less than itself.
        (
            section([0xfc, 0xff, 0xff, 0xff]),
            "the header of the file is damaged",
        ),
        (section([8, 0, 0, 0]), "the header of the file is damaged"),
        (
            section([0x1c, 0, 0, 0])[..10].to_vec(),
            "ends inside its own header",
        ),
    ]
}

#[test]
fn files_that_are_no_captures_are_refused() {
    for (file, words) in refused() {
        once(&file).expect(1).only_says(&[".pcap: ", words]);
    }
    call("no/such/file.pcap")
        .expect(1)
        .only_says(&["cannot read the file"]);
    let folder = data("");
    call("")
        .path(&folder)
        .expect(1)
        .only_says(&["this is a directory"]);
}
