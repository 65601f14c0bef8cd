//! Windows: what is forgotten, and when.

use crate::PACKETS;
use crate::files::{BIG, LITTLE, MICROSECONDS, NANOSECONDS, data};
use crate::frames::{A, B, ethernet, ipv4, ports};
use crate::run::{Run, program};
use std::process::Command;

/// An Ethernet frame of the flow with this number.
fn flow(number: u16) -> Vec<u8> {
    ethernet(&[], 0x0800, &ipv4(17, [A, B], 0, &ports(number, 53)))
}

/// Packets of flows at seconds, as a capture in milliseconds.
fn capture(packets: &[(u32, u16)]) -> Vec<u8> {
    let packets: Vec<_> = packets
        .iter()
        .map(|&(second, number)| (second * 1000, flow(number)))
        .collect();
    LITTLE.pcap_at(MICROSECONDS, 1, &packets)
}

/// How often a flow is new, with a window of ten seconds and one worker.
fn news(name: &str, packets: &[(u32, u16)]) -> u64 {
    let run = Run::on(name, &capture(packets), &["--window", "10", "-j", "1"]).expect(0);
    run.adds_up();
    // None is late, and with filters that grow it is the same.
    assert_eq!(run.numbers("rotations")[1], 0, "{}", run.out);
    let growing = ["--window", "10", "-j", "1", "--growing", "--capacity", "1"];
    let other = Run::on(name, &capture(packets), &growing).expect(0);
    other.adds_up();
    assert_eq!(other.numbers("rotations"), run.numbers("rotations"));
    assert_eq!(other.table().1, run.table().1);
    run.table().1[1]
}

#[test]
fn a_flow_ages_out() {
    assert_eq!(news("age.pcap", &[(0, 1), (25, 1)]), 2);
    assert_eq!(news("age.pcap", &[(0, 1), (5, 1), (19, 2), (29, 1)]), 3);
    assert_eq!(
        news("age.pcap", &[(0, 1), (1_000_000, 1), (2_000_000, 1)]),
        3
    );
}

#[test]
fn an_active_flow_does_not() {
    let packets: Vec<_> = (0..50).map(|turn| (turn * 9, 1)).collect();
    assert_eq!(news("active.pcap", &packets), 1);
    // Not even if another flow is all there is in between.
    let packets: Vec<_> = (0..100).map(|turn| (turn * 5, turn as u16 % 2)).collect();
    assert_eq!(news("active.pcap", &packets), 2);
}

#[test]
fn known_for_one_window_and_forgotten_after_two() {
    for phase in [0, 1, 5, 9] {
        // The first packet sets the clock; the flow comes at the phase.
        for gap in [0, 1, 9, 10] {
            let packets = [(0, 7), (phase, 1), (phase + gap, 1)];
            assert_eq!(news("known.pcap", &packets), 2, "{phase} {gap}");
        }
        for gap in [20, 21, 29, 30, 31] {
            let packets = [(0, 7), (phase, 1), (phase + gap, 1)];
            assert_eq!(news("known.pcap", &packets), 3, "{phase} {gap}");
        }
    }
}

#[test]
fn without_a_window_nothing_is_forgotten() {
    let file = capture(&[(0, 1), (1_000_000, 1)]);
    Run::on("ever.pcap", &file, &[]).expect(0).found(2, 1);
}

#[test]
fn late_packets_count_as_present() {
    // The second one of flow 2 is late, and keeps it known in the next period.
    let packets = [(0, 1), (9, 2), (12, 1), (8, 2), (25, 2)];
    assert_eq!(news("late.pcap", &packets), 2);
}

#[test]
fn times_are_read_in_all_formats() {
    let packets: Vec<_> = [(0, 1), (5_000, 1), (26_000, 1), (35_999, 1), (36_001, 1)]
        .map(|(time, number)| (time, flow(number)))
        .to_vec();
    let files = [
        LITTLE.pcap_at(MICROSECONDS, 1, &packets),
        BIG.pcap_at(MICROSECONDS, 1, &packets),
        LITTLE.pcap_at(NANOSECONDS, 1, &packets),
        LITTLE.pcapng_at(6, 1_000, &packets),
        BIG.pcapng_at(9, 1_000_000, &packets),
        LITTLE.pcapng_at(3, 1, &packets),
    ];
    for (number, file) in files.iter().enumerate() {
        let run = Run::on("times", file, &["--window", "10", "-j", "1"]).expect(0);
        assert_eq!(run.found(5, 2).numbers("rotations")[0], 3, "{number}");
    }
}

#[test]
fn copies_are_looked_for_within_the_window() {
    let file = capture(&[(0, 1), (0, 1), (3, 1), (3, 1)]);
    let run = Run::on(
        "resent.pcap",
        &file,
        &["--mode", "packets", "--window", "1", "-j", "1"],
    );
    run.expect(0).found(4, 2);
    let run = Run::on("resent.pcap", &file, &["--mode", "packets"]);
    run.expect(0).found(4, 1);
}

#[test]
fn many_workers_rotate_at_once() {
    // Rotations all the time, and threads that the system stops anywhere.
    for workers in ["2", "8"] {
        for growing in [&[][..], &["--growing"]] {
            let args = ["--window", "0.01", "--repeat", "20", "-j", workers];
            let run = Run::new(&[&args, growing].concat()).expect(0);
            run.adds_up();
            assert!(run.numbers("rotations")[0] > 1000, "{}", run.out);
            let says = |words| run.out.contains(words);
            assert_eq!(says("new on both sides of a rotation"), !growing.is_empty());
            assert_eq!(says("judged after a later rotation"), growing.is_empty());
        }
    }
    let path = data("loopback.pcap");
    let path = path.to_str().expect("the path is text");
    let run = Run::new(&[path, "--window", "0.5", "-j", "2"]).expect(0);
    run.adds_up();
}

#[test]
fn a_pause_forgets_everything_at_once() {
    // Millions of millions of periods, of which there are two.
    let args = ["--window", "0.000001", "-j", "1"];
    let run = Run::on("pause.pcap", &capture(&[(0, 1), (4_000_000, 1)]), &args).expect(0);
    assert_eq!(run.found(2, 2).numbers("rotations"), [2, 0]);
}

#[test]
fn memory_does_not_grow_with_the_periods() {
    let filter = |passes| {
        let run = Run::new(&["--window", "0.01", "--repeat", passes, "-j", "2"]).expect(0);
        run.adds_up();
        run.numbers("filter")
    };
    assert_eq!(filter("1"), filter("20"));
}

/// A run that is given so little memory that filters have to go, or to be used again.
#[cfg(target_os = "linux")]
#[test]
fn many_periods_need_little_memory() {
    // Every packet is a period of its own, and so are those between. One worker: what another one had in hand while
    // it stands still would rightly stay.
    for growing in ["", "--growing --capacity 1"] {
        let args = "--window 0.000001 --repeat 40 -j 1";
        let limit = format!("ulimit -v 150000 && exec \"$0\" {args} {growing}");
        let mut command = Command::new("sh");
        command.args(["-c", &limit]).arg(program());
        command.env("MALLOC_ARENA_MAX", "1");
        let run = Run::of(command.output().expect("a shell"), &[]).expect(0);
        assert_eq!(run.table().1[0], 40 * PACKETS);
    }
}

#[test]
fn a_small_filter_forgets_too_early_and_says_so() {
    // As many flows in two periods, and others that take the room in the third.
    let old = (0..200).map(|number| (0, number));
    let new = (1000..1200).map(|number| (10, number));
    let again = (0..200).map(|number| (11, number));
    let packets: Vec<_> = old.chain(new).chain(again).collect();
    let args = ["--window", "10", "--capacity", "100", "-j", "1"];
    let run = Run::on("small.pcap", &capture(&packets), &args).expect(3);
    run.adds_up();
    run.says(&["refused the keys of", "forget too early", "--capacity"]);
}
