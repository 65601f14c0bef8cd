//! Damaged captures: what is left is reported, and what is wrong is said.

use crate::ONCE;
use crate::files::{BIG, LITTLE, MICROSECONDS, loopback, packets};
use crate::run::Run;

#[test]
fn what_was_read_of_a_cut_pcap_is_reported() {
    let file = loopback();
    let starts: Vec<usize> = packets(&file).iter().map(|packet| packet.0).collect();
    for cut in 1..24 {
        let run = Run::on("cut-header.pcap", &file[..cut], &[]).expect(1);
        let words = if cut < 4 {
            "not a pcap"
        } else {
            "ends inside its own header"
        };
        run.says(&[words]);
        assert!(run.out.is_empty(), "{}", run.out);
    }
    let (second, middle, last) = (starts[1], starts[1500], starts[2681]);
    let cuts = [
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
    for cut in cuts.into_iter().chain(late) {
        let whole = starts.iter().filter(|&&start| start < cut).count() - 1;
        let run = Run::on("cut.pcap", &file[..cut], &ONCE).expect(1);
        let record = format!("record {} at byte {}", whole + 1, starts[whole]);
        run.says(&["the file ends inside", &record]);
        assert_eq!(run.numbers("packets")[0], whole as u64);
        run.adds_up();
    }
    // A cut between two records cannot be told from a shorter capture.
    let run = Run::on("short.pcap", &file[..middle], &[]).expect(0);
    assert_eq!(run.numbers("packets"), [1500, middle as u64]);
}

#[test]
fn what_was_read_of_a_cut_pcapng_is_reported() {
    let file = loopback();
    let frames: Vec<&[u8]> = packets(&file)[..6].iter().map(|packet| packet.1).collect();
    let mut ends = Vec::new();
    for order in [LITTLE, BIG] {
        let whole = order.pcapng(&frames);
        ends.clear();
        let mut at = 0;
        while at < whole.len() {
            let field = whole[at + 4..at + 8].try_into().expect("four bytes");
            let length = if order.big {
                u32::from_be_bytes(field)
            } else {
                u32::from_le_bytes(field)
            };
            at += length as usize;
            ends.push(at);
        }
        for cut in (5..whole.len()).step_by(13) {
            let blocks = ends.iter().filter(|&&end| end <= cut).count();
            let run = Run::on("cut.pcapng", &whole[..cut], &ONCE);
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

#[test]
fn damaged_records_are_named() {
    let file = loopback();
    let (start, _) = packets(&file)[700];
    let mut damaged = file.clone();
    damaged[start + 8..start + 12].copy_from_slice(&[0xff; 4]);
    let run = Run::on("length.pcap", &damaged, &[]).expect(1);
    run.says(&["record 701", "is damaged", "more than any packet has"]);
    assert_eq!(run.numbers("packets")[0], 700);
    run.adds_up();

    let frames: Vec<&[u8]> = packets(&file)[..2].iter().map(|packet| packet.1).collect();
    let mut ng = LITTLE.pcapng(&frames);
    let tail = ng.split_off(28 + 20);
    // The second interface is taken out, and the second packet names it.
    let run = Run::on("interface.pcapng", &[&ng, &tail[20..]].concat(), &[]).expect(1);
    run.says(&[
        "record 4",
        "names an interface that the file does not describe",
    ]);
    assert_eq!(run.numbers("packets")[0], 1);

    // A packet that claims to be longer than its block.
    let mut ng = LITTLE.pcapng(&frames);
    let second = ng.len() - 20 - (32 + frames[1].len().next_multiple_of(4));
    ng[second + 20..second + 24].copy_from_slice(&5000_u32.to_le_bytes());
    let run = Run::on("inner.pcapng", &ng, &[]).expect(1);
    run.says(&["record 5", "the lengths in it do not fit together"]);
    assert_eq!(run.numbers("packets")[0], 1);
}

#[test]
fn flipped_bytes_never_crash_it() {
    let file = loopback();
    let frames: Vec<&[u8]> = packets(&file)[..40].iter().map(|packet| packet.1).collect();
    let files = [
        LITTLE.pcap(MICROSECONDS, 1, &frames),
        LITTLE.pcapng(&frames),
        BIG.pcapng(&frames),
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
                file[at] = u8::try_from(random(256)).expect("below 256");
            }
            let run = Run::on("flipped", &file, &ONCE);
            assert!(run.status == 0 || run.status == 1, "{}", run.err);
            if !run.out.is_empty() {
                run.adds_up();
            }
        }
    }
}

#[test]
fn files_that_are_no_captures_are_refused() {
    let refused = |run: Run, words: &str| {
        let run = run.expect(1);
        run.says(&[words]);
        assert!(run.out.is_empty(), "{}", run.out);
    };
    let text = b"Dear diary,\ntoday I was not a capture file.\n";
    refused(Run::on("text", text, &[]), "not a pcap or pcapng file");
    refused(Run::on("bzip2", b"BZh91AY&SY", &[]), "42 5a 68 39");
    refused(Run::on("empty", b"", &[]), "the file is empty");
    refused(
        Run::on("section", b"\n\r\r\nnot a section at all, no", &[]),
        "header",
    );
    refused(Run::new(&["no/such/file.pcap"]), "cannot read the file");
    let folder = env!("CARGO_MANIFEST_DIR");
    refused(Run::new(&[folder]), "this is a directory");
}
