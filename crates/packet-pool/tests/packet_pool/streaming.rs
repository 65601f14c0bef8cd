//! Streams: `tcpdump -w - | packet-pool -`.

use crate::files::{BIG, LITTLE, MICROSECONDS, data, loopback, packets};
use crate::frames::{A, B, ipv4, ports};
use crate::run::{Run, program, start};
use crate::{FLOWS, PACKETS};
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Runs on a pipe that this function writes into. The program may have ended
/// before all of it is written.
fn piped(args: &[&str], write: impl FnOnce(&mut ChildStdin) -> std::io::Result<()>) -> Run {
    let args = [args, &["--verify"]].concat();
    let mut child = start(&[&["-"], &args[..]].concat(), Stdio::piped());
    let mut pipe = child.stdin.take().expect("a pipe");
    let _ = write(&mut pipe);
    drop(pipe);
    Run::of(child.wait_with_output().expect("the program ends"), &args)
}

#[test]
fn a_stream_has_the_totals_of_the_file() {
    let file = loopback();
    for workers in ["1", "2", "8"] {
        let run = piped(&["-j", workers], |pipe| pipe.write_all(&file));
        let run = run.expect(0).found(PACKETS, FLOWS);
        assert_eq!(run.numbers("flows"), [FLOWS, 140, 219, 141, 0]);
        assert_eq!(run.table().0.len().to_string(), workers);
        assert!(
            run.err.is_empty() && !run.out.contains("\npasses"),
            "{}",
            run.err
        );
    }
    let run = piped(&["--window", "1", "-j", "4"], |pipe| pipe.write_all(&file));
    run.expect(0).adds_up();
    // To go through it again, it has to be held.
    let run = piped(&["--repeat", "3"], |pipe| pipe.write_all(&file));
    assert_eq!(
        run.expect(0).found(PACKETS, FLOWS).table().1[0],
        3 * PACKETS
    );
}

#[test]
fn pcapng_streams_too() {
    let file = loopback();
    let frames: Vec<&[u8]> = packets(&file).iter().map(|packet| packet.1).collect();
    for order in [LITTLE, BIG] {
        let file = order.pcapng(&frames);
        let run = piped(&["-j", "2"], |pipe| pipe.write_all(&file));
        run.expect(0).found(PACKETS, FLOWS);
    }
}

#[test]
fn a_slow_pipe_is_no_end() {
    let file = loopback();
    let frames: Vec<&[u8]> = packets(&file)[..40].iter().map(|packet| packet.1).collect();
    for file in [LITTLE.pcap(MICROSECONDS, 1, &frames), BIG.pcapng(&frames)] {
        let run = piped(&["-j", "2"], |pipe| {
            // Every byte of the headers alone, then pieces that cut the records.
            let (bytes, rest) = file.split_at(120);
            for byte in bytes {
                pipe.write_all(&[*byte])?;
                thread::sleep(Duration::from_micros(200));
            }
            for piece in rest.chunks(333) {
                pipe.write_all(piece)?;
                thread::sleep(Duration::from_millis(2));
            }
            Ok(())
        });
        let run = run.expect(0);
        assert_eq!(run.numbers("packets")[0], 40);
        run.adds_up();
    }
}

#[test]
fn a_cut_stream_reports_what_came() {
    let file = loopback();
    let (start, _) = packets(&file)[2000];
    let run = piped(&["-j", "2"], |pipe| pipe.write_all(&file[..start + 20])).expect(1);
    run.says(&["standard input", "the file ends inside record 2001"]);
    assert_eq!(run.numbers("packets")[0], 2000);
    run.adds_up();
    // Damage in the middle of what was read at once.
    let mut damaged = file.clone();
    damaged[start + 8..start + 12].copy_from_slice(&[0xff; 4]);
    let run = piped(&["-j", "2"], |pipe| pipe.write_all(&damaged)).expect(1);
    run.says(&["record 2001", "more than any packet has"]);
    assert_eq!(run.numbers("packets")[0], 2000);
    run.adds_up();
    // Damage that needs no more to be read: the second packet names an interface
    // that is taken out.
    let frames: Vec<&[u8]> = packets(&file)[..2].iter().map(|packet| packet.1).collect();
    let mut ng = LITTLE.pcapng(&frames);
    ng.drain(28 + 20..28 + 40);
    let run = piped(&["-j", "2"], |pipe| pipe.write_all(&ng)).expect(1);
    run.says(&["record 4", "names an interface"]);
    assert_eq!(run.numbers("packets")[0], 1);
    run.adds_up();
    for cut in [0, 3, 4, 10, 23] {
        let run = piped(&[], |pipe| pipe.write_all(&file[..cut])).expect(1);
        assert!(
            run.out.is_empty() && run.err.lines().count() == 1,
            "{}",
            run.err
        );
    }
    let none = piped(&[], |pipe| pipe.write_all(&file[..24])).expect(0);
    none.found(0, 0);
}

#[test]
fn bad_streams_are_refused() {
    let refused = |bytes: &[u8], words: &str| {
        let run = piped(&[], |pipe| pipe.write_all(bytes)).expect(1);
        run.says(&["standard input", words]);
        assert!(run.out.is_empty(), "{}", run.out);
    };
    refused(b"", "the file is empty");
    refused(b"Dear diary", "not a pcap");
    // A section that claims four gigabytes.
    refused(
        b"\n\r\r\n\xfc\xff\xff\xff\x4d\x3c\x2b\x1a",
        "header of the file is damaged",
    );
    refused(
        b"\n\r\r\n\x1c\x00\x00\x00\x4d\x3c",
        "ends inside its own header",
    );
    // A packet that does.
    let none: [&[u8]; 0] = [];
    let mut file = LITTLE.pcap(MICROSECONDS, 1, &none);
    file.extend([[0; 8], [0xff; 8]].concat());
    let run = piped(&[], |pipe| pipe.write_all(&file)).expect(1);
    run.says(&["more than any packet has"]);
    // Interfaces without end.
    let mut file = LITTLE.pcapng(&[]);
    let interface = file[28..48].to_vec();
    (0..70_000).for_each(|_| file.extend(&interface));
    let run = piped(&[], |pipe| pipe.write_all(&file)).expect(1);
    run.says(&["more interfaces than any machine has"]);
}

#[test]
fn packets_of_unknown_link_types_are_counted() {
    let file = LITTLE.pcap(MICROSECONDS, 105, &[[0; 60], [1; 60]]);
    let run = piped(&[], |pipe| pipe.write_all(&file)).expect(1);
    run.says(&["no packet has a link type that this program reads"]);
    assert_eq!(run.numbers("left out"), [2, 105]);
}

/// More packets than a pipe and all the buffers hold, each of its own flow.
fn many(packets: u16, length: usize) -> Vec<u8> {
    let payload = |number| [ports(number, 1), vec![0; length]].concat();
    let packets: Vec<_> = (0..packets)
        .map(|number| ipv4(17, [A, B], 0, &payload(number)))
        .collect();
    LITTLE.pcap(MICROSECONDS, 101, &packets)
}

/// Waits until the program has ended, but not for ever.
#[cfg(unix)]
fn await_end(child: &mut Child) {
    for _ in 0..6000 {
        if child.try_wait().expect("a child").is_some() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("a child");
    panic!("the program does not end");
}

/// A signal ends a stream that has no end, and all that was read counts.
#[cfg(unix)]
#[test]
fn a_signal_shows_the_totals() {
    // At once, and when the reader has had the time to wait for more.
    for (signal, pause) in [("INT", 0), ("TERM", 0), ("INT", 300), ("TERM", 300)] {
        let args = ["--verify", "-j", "2"];
        let mut child = start(&[&["-"], &args[..]].concat(), Stdio::piped());
        let mut pipe = child.stdin.take().expect("a pipe");
        let file = many(10_000, 300);
        // When this is done, most of it was read, so somebody heeds signals.
        pipe.write_all(&file).expect("the program reads");
        thread::sleep(Duration::from_millis(pause));
        let kill = format!("kill -{signal} {}", child.id());
        let killed = Command::new("sh").args(["-c", &kill]).status();
        assert!(killed.expect("a shell").success());
        // The pipe stays open: nothing but the signal ends it.
        await_end(&mut child);
        let run = Run::of(child.wait_with_output().expect("the program ends"), &args);
        drop(pipe);
        let run = run.expect(0);
        assert!(run.err.is_empty(), "{}", run.err);
        let packets = run.numbers("packets")[0];
        assert!((1000..=10_000).contains(&packets), "{}", run.out);
        run.adds_up();
    }
}

/// A stream of more than the memory there is.
#[cfg(target_os = "linux")]
#[test]
fn a_stream_takes_no_more_memory_than_it_has() {
    // The keys of packets take longer than their reading, so the queue is full.
    let limit = "ulimit -v 150000 && exec \"$0\" - -j 1 --mode packets";
    let mut command = Command::new("sh");
    command.args(["-c", limit]).arg(program());
    // One arena: the allocator reserves address space for each, used or not.
    command.env("MALLOC_ARENA_MAX", "1").stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    let mut pipe = child.stdin.take().expect("a pipe");
    let file = many(20_000, 9_000);
    let (header, records) = file.split_at(24);
    pipe.write_all(header).expect("the program reads");
    let written = (0..3).try_for_each(|_| pipe.write_all(records));
    drop(pipe);
    let run = Run::of(child.wait_with_output().expect("the program ends"), &[]).expect(0);
    written.expect("the program reads");
    let [packets, firsts, ..] = run.table().1;
    assert_eq!(packets, 60_000);
    // Those that are missing are false positives.
    assert!((19_900..=20_000).contains(&firsts), "{}", run.out);
}

#[test]
fn tcpdump_is_understood() {
    let mut command = Command::new("tcpdump");
    command
        .arg("-r")
        .arg(data("loopback.pcap"))
        .args(["-w", "-"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut tcpdump) = command.spawn() else {
        eprintln!("SKIPPED: there is no tcpdump");
        return;
    };
    let pipe = tcpdump.stdout.take().expect("a pipe");
    let args = ["-", "--verify", "--window", "30", "-j", "2"];
    let mut command = Command::new(program());
    let output = command.args(args).stdin(pipe).output();
    let run = Run::of(output.expect("the program starts"), &args);
    assert!(tcpdump.wait().expect("tcpdump ends").success());
    run.expect(0).found(PACKETS, FLOWS);
}
