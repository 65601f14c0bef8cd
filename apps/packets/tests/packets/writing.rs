//! Writing with `--write`: the capture without its copies, its contents, its target, and what ends
//! it.

use crate::FLOWS;
use crate::captures::{
    A, B, BIG, LITTLE, NANOSECONDS, Record, data, ethernet, ipv4, loopback, ports, records, udp,
    udp_frame,
};
use crate::printing::ROOMY;
use crate::run::{Call, Run, Scratch, call};
use crate::streaming;
use std::io::Write;
use std::process::Command;

/// Makes a call that writes to a file, with a filter that is wrong about no key.
fn writing(args: &str) -> (Scratch, Call) {
    let to = Scratch::absent();
    let call = call(args).with(ROOMY).with("--write").path(to.path());
    (to, call)
}

/// Returns the written packets of a capture.
fn written(file: &[u8], args: &str) -> (u32, Vec<Record>, Run) {
    let (to, call) = writing(args);
    let run = call.on(file).expect(0);
    run.adds_up();
    let (link, records) = records(&to.bytes());
    assert_eq!(run.numbers("written")[0], records.len() as u64);
    (link, records, run)
}

/// Makes a capture with nanoseconds: each packet before a router, and its copy behind it one
/// millisecond later.
fn mirrored(packets: u16) -> Vec<(u32, Vec<u8>)> {
    let both = |number: u16| {
        let mut packet = ipv4(17, [A, B], 0, &[ports(1, 2), vec![7; 400]].concat());
        packet[4..6].copy_from_slice(&number.to_be_bytes());
        let before = ethernet(&[], 0x0800, &packet);
        packet[8] -= 1;
        let behind = ethernet(&[(0x8100, 5)], 0x0800, &packet);
        let time = 2 * u32::from(number);
        [(time, before), (time + 1, behind)]
    };
    (0..packets).flat_map(both).collect()
}

#[test]
fn leaves_out_copies_and_keeps_all_else() {
    let all = mirrored(600);
    let whole = all.iter().map(|(millis, frame)| {
        let time = (1_700_000_000_000 + u64::from(*millis)) * 1_000_000;
        (time, frame.len() as u32, frame.clone())
    });
    let whole: Vec<Record> = whole.collect();
    let originals: Vec<Record> = whole.iter().step_by(2).cloned().collect();
    let file = LITTLE.pcap_at(NANOSECONDS, 1, &all);
    for window in ["", "--window 0.5"] {
        let (link, records, _) = written(&file, &format!("--mode packets -j 1 {window}"));
        assert!(link == 1 && records == originals);
        // With more workers the copy may come first, but there is one of each, in the order of the
        // capture.
        let (_, records, run) = written(&file, &format!("--mode packets -j 5 {window}"));
        let firsts = run.all()[1];
        assert_eq!(records.len() as u64, firsts);
        assert!(firsts == 600 || !window.is_empty() && firsts >= 600);
        assert!(records.is_sorted_by_key(|record| record.0));
        assert!(records.iter().all(|record| whole.contains(record)));
    }
    // The written capture has no more copies to leave out.
    let [(once, first), (twice, second)] = [(); 2].map(|()| writing("--mode packets -j 1"));
    first.on(&file).expect(0);
    second.path(once.path()).expect(0);
    assert!(once.bytes() == twice.bytes());
}

/// Keeps the first packet of each flow as it was captured.
#[test]
fn keeps_first_packets_as_captured() {
    let file = loopback();
    let (link, news, _) = written(&file, "-j 1");
    assert_eq!((link, news.len() as u64), (1, FLOWS));
    // Each is a packet of the capture, and they come in its order.
    let mut all = records(&file).1.into_iter();
    for new in &news {
        let is_there = all.any(|record| record == *new);
        assert!(is_there, "not in the capture, or not in order");
    }
    // The capture has cut packets, and says how long they were.
    let cut = news.iter().filter(|new| new.1 as usize > new.2.len());
    assert!(cut.count() > 50);
    // A flow needs only the headers, but the file has the whole packet.
    let long = ipv4(17, [A, B], 0, &[ports(1, 2), vec![7; 1400]].concat());
    let (link, records, _) = written(&BIG.pcap(NANOSECONDS, 101, &[&long, &long]), "-j 1");
    assert_eq!(link, 101);
    assert!(records.len() == 1 && records[0].2 == long);
    // A capture without packets gives one.
    assert!(written(&file[..24], "").1.is_empty());
}

#[test]
fn packets_without_a_key_change_nothing() {
    // Packets without a key are left out, and do not shift the others.
    let other = ethernet(&[], 0x88cc, &[1, 2, 3, 4]);
    let (one, two) = (udp_frame(1), udp_frame(2));
    let all = [&other, &one, &other, &other, &one, &two, &other];
    let (_, records, run) = written(&LITTLE.pcap(NANOSECONDS, 1, &all), "-j 1");
    assert_eq!(run.all()[4], 4);
    let frames: Vec<&Vec<u8>> = records.iter().map(|record| &record.2).collect();
    assert_eq!(frames, [&one, &two]);
    // The key of a packet ends before the last byte.
    let giant = |last| ethernet(&[], 0x88cc, &[&[1; 70_000][..], &[last]].concat());
    let file = LITTLE.pcap(NANOSECONDS, 1, &[giant(1), giant(2)]);
    call("--mode packets -j 1 --repeat 1")
        .on(&file)
        .expect(0)
        .found(2, 1);
    let (_, records, _) = written(&file, "--mode packets -j 1");
    assert!(records.len() == 1 && records[0].2 == giant(1));
    // Packets longer than readers take are cut.
    let mut long = udp_frame(1);
    long.resize(300_000, 1);
    let (_, records, _) = written(&LITTLE.pcap(NANOSECONDS, 1, &[&long]), "--mode packets");
    assert_eq!((records[0].1, records[0].2.len()), (300_000, 262_144));
}

#[test]
fn keeps_nanoseconds_of_pcapng() {
    let packets = [(1, udp_frame(1)), (2, udp_frame(2)), (3, udp_frame(1))];
    let file = LITTLE.pcapng_at(9, 1_000_003, &packets);
    let (_, news, _) = written(&file, "-j 1 --window 60");
    let times: Vec<u64> = news.iter().map(|record| record.0).collect();
    assert_eq!(times, [1_000_003, 2_000_006]);
    let cooked = std::fs::read(data("cooked.pcapng")).expect("the capture is there");
    let (link, news, _) = written(&cooked, "");
    assert_eq!((link, news.len()), (276, 19));
    assert!(news.iter().any(|record| record.0 % 1000 != 0));
}

#[test]
fn lines_and_file_have_the_same_packets() {
    let (to, call) = writing("--print text -j 4 --window 0.5");
    let run = call.expect(0);
    run.adds_up();
    let lines = String::from_utf8(run.printed).expect("lines are text");
    let (_, records) = records(&to.bytes());
    assert!(records.len() as u64 >= FLOWS);
    assert_eq!(lines.lines().count(), records.len());
    for (line, (time, length, _)) in lines.lines().zip(records) {
        let time = format!(".{:09}Z", time % 1_000_000_000);
        let length = format!(" length {length}");
        assert!(line.contains(&time) && line.ends_with(&length), "{line}");
    }
}

#[test]
fn counts_packets_of_another_link_type() {
    // Ethernet, and raw IP in a second section.
    let mut file = LITTLE.pcapng_at(9, 1, &[(1, udp_frame(1)), (2, udp_frame(2))]);
    let mut raw = LITTLE.pcapng_at(9, 1, &[(1, udp(3)), (2, udp(4))]);
    raw[28 + 8] = 101;
    file.extend(raw);
    let (to, call) = writing("-j 1");
    let run = call.on(&file).expect(1);
    run.says(&[".pcap: ", "2 packets of another link type"]);
    let (link, records) = records(&to.bytes());
    assert_eq!((link, records.len()), (1, 2));
}

#[test]
fn tcpdump_reads_the_written_file() {
    let (to, call) = writing("-j 2");
    call.expect(0);
    let mut command = Command::new("tcpdump");
    command.args(["--nano", "-tt", "-nn", "-r"]).arg(to.path());
    let Ok(output) = command.output() else {
        eprintln!("SKIPPED: there is no tcpdump");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8_lossy(&output.stdout);
    assert_eq!(lines.lines().count() as u64, FLOWS);
}

#[test]
fn writes_a_stream_like_its_file() {
    let file = LITTLE.pcap_at(NANOSECONDS, 1, &mirrored(5000));
    let args = "--mode packets --window 0.5";
    let (_, whole, _) = written(&file, &format!("{args} -j 1"));
    for workers in [1, 4] {
        let (to, call) = writing(&format!("- {args} -j {workers}"));
        let run = call.pipe(&file).expect(0);
        run.adds_up();
        let (_, streamed) = records(&to.bytes());
        assert_eq!(streamed.len() as u64, run.all()[1]);
        assert!(streamed.len() >= whole.len());
        assert!(workers > 1 || streamed == whole);
    }
}

/// Checks that a signal ends the run, and that the file has all new packets until then.
#[cfg(unix)]
#[test]
fn a_signal_leaves_a_whole_file() {
    let (to, call) = writing("- -j 2");
    let mut child = call.start();
    let mut pipe = child.stdin.take().expect("a pipe");
    let file = LITTLE.pcap_at(NANOSECONDS, 1, &mirrored(3000));
    pipe.write_all(&file).expect("the program reads");
    // The pipe stays open: only the signal ends the run.
    let run = streaming::signal("INT", child).expect(0);
    drop(pipe);
    run.adds_up();
    let written = records(&to.bytes()).1.len() as u64;
    assert_eq!([run.all()[1], run.numbers("written")[0]], [written; 2]);
}

#[test]
fn standard_output_takes_the_file() {
    for args in ["--write -", "--write - --window 60 -j 3"] {
        let run = call(args).with(ROOMY).expect(0);
        assert_eq!(run.numbers("written")[0], FLOWS);
        assert_eq!(records(&run.printed).1.len() as u64, FLOWS);
    }
    let run = call("--write - --print text").expect(2);
    run.says(&["standard output"]);
}

#[test]
fn names_a_file_that_cannot_be_written() {
    let run = call("--write no/such/folder/new.pcap").expect(1);
    run.only_says(&["cannot write no/such/folder/new.pcap"]);
    // It fails before it reads. The check leaves an existing file as it is, and creates none.
    for capture in ["no.pcap", "-", "--made-up 4000000"] {
        let run = call(capture)
            .with("--write")
            .with("no/such/folder/new.pcap");
        run.expect(1).only_says(&["cannot write no/such/folder"]);
    }
    let (old, new) = (Scratch::new(b"old"), Scratch::absent());
    for to in [&old, &new] {
        let run = call("no.pcap --write").path(to.path()).expect(1);
        run.only_says(&["no.pcap: cannot read the file"]);
    }
    assert!(old.bytes() == b"old" && !new.path().exists());
    // Writing over the input would destroy it.
    let file = Scratch::new(&loopback());
    let read = call("").path(file.path());
    let run = read.with("--write").path(file.path()).expect(2);
    run.only_says(&["cannot write", ".pcap: ", "the capture that is read"]);
    assert!(file.bytes() == loopback());
}

/// A full disk is an error with the name of the file.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let run = call("--write /dev/full -j 2").expect(1);
    run.says(&["cannot write /dev/full", "space"]);
    assert_eq!(run.numbers("written"), [0]);
    let mut child = call("- --write /dev/full").start();
    let mut pipe = child.stdin.take().expect("a pipe");
    let _ = pipe.write_all(&loopback());
    // The pipe stays open: the error ends the run.
    let run = Run::of(child.wait_with_output().expect("the program ends")).expect(1);
    drop(pipe);
    run.says(&["cannot write /dev/full", "space"]);
}
