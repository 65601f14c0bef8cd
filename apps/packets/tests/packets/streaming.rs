//! Streams: captures that come through a pipe, as in `tcpdump -w - | lockfree-cuckoo-packets -`.

use crate::captures::{A, B, BIG, LITTLE, MICROSECONDS, data, frames, ipv4, loopback, ports};
use crate::run::{Run, call, program};
use crate::{FLOWS, PACKETS};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

#[test]
fn a_slow_pipe_is_not_the_end() {
    let file = loopback();
    let frames = &frames(&file)[..40];
    for file in [LITTLE.pcap(MICROSECONDS, 1, frames), BIG.pcapng(frames)] {
        let run = call("- -j 2").feed(|pipe| {
            // Send every byte of the headers alone, then pieces that cut the records.
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

/// Makes a capture of more packets than a pipe and all the buffers hold, each of its own flow.
fn many(packets: u16, length: usize) -> Vec<u8> {
    let payload = |number| [ports(number, 1), vec![0; length]].concat();
    let packets = (0..packets).map(|number| ipv4(17, [A, B], 0, &payload(number)));
    LITTLE.pcap(MICROSECONDS, 101, &packets.collect::<Vec<_>>())
}

/// Sends a signal, and waits a limited time until the program has ended.
#[cfg(unix)]
pub(crate) fn signal(signal: &str, mut child: Child) -> Run {
    let kill = format!("kill -{signal} {}", child.id());
    let killed = Command::new("sh").args(["-c", &kill]).status();
    assert!(killed.expect("a shell").success());
    for _ in 0..6000 {
        if child.try_wait().expect("a child").is_some() {
            return Run::of(child.wait_with_output().expect("the program ends"));
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("a child");
    panic!("the program does not end");
}

/// Checks that a signal ends an endless stream, and that everything read before counts.
#[cfg(unix)]
#[test]
fn a_signal_shows_the_totals() {
    // At once, and when the reader has had the time to wait for more.
    for (name, pause) in [("INT", 0), ("TERM", 0), ("INT", 300), ("TERM", 300)] {
        let mut child = call("- -j 2").start();
        let mut pipe = child.stdin.take().expect("a pipe");
        // Then most of it was read, so the program handles signals already.
        pipe.write_all(&many(10_000, 300))
            .expect("the program reads");
        thread::sleep(Duration::from_millis(pause));
        // The pipe stays open: only the signal ends the run.
        let run = signal(name, child).expect(0);
        drop(pipe);
        assert!(run.err.is_empty(), "{}", run.err);
        let packets = run.numbers("packets")[0];
        assert!((1000..=10_000).contains(&packets), "{}", run.out);
        run.adds_up();
    }
}

/// Returns a shell command that gives the program little memory.
#[cfg(target_os = "linux")]
pub(crate) fn limited(args: &str) -> Command {
    let mut command = Command::new("sh");
    let limit = format!("ulimit -v 150000 && exec \"$0\" {args}");
    command.args(["-c", &limit]).arg(program());
    // One arena: the allocator reserves address space for each, used or not.
    command.env("MALLOC_ARENA_MAX", "1").stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Streams more data than there is memory.
#[cfg(target_os = "linux")]
#[test]
fn a_stream_takes_bounded_memory() {
    // The keys of packets take longer than their reading, so the queue is full.
    let mut child = limited("- -j 1 --mode packets").spawn().expect("a shell");
    let mut pipe = child.stdin.take().expect("a pipe");
    let file = many(20_000, 9_000);
    let (header, records) = file.split_at(24);
    pipe.write_all(header).expect("the program reads");
    let written = (0..3).try_for_each(|_| pipe.write_all(records));
    drop(pipe);
    let run = Run::of(child.wait_with_output().expect("the program ends")).expect(0);
    written.expect("the program reads");
    let [packets, firsts, ..] = run.all();
    assert_eq!(packets, 60_000);
    // The missing ones are false positives.
    assert!((19_900..=20_000).contains(&firsts), "{}", run.out);
}

#[test]
fn reads_the_output_of_tcpdump() {
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
    let output = call("- --window 30 -j 2").command().stdin(pipe).output();
    let run = Run::of(output.expect("the program starts"));
    assert!(tcpdump.wait().expect("tcpdump ends").success());
    run.expect(0).found(PACKETS, FLOWS);
}
