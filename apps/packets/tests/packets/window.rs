//! Windows: when keys are forgotten.

use crate::PACKETS;
use crate::captures::{BIG, LITTLE, MICROSECONDS, NANOSECONDS, udp_frame};
use crate::run::{Run, call};
use crate::streaming;

/// Makes a capture in milliseconds of packets of flows at seconds.
fn capture(packets: &[(u32, u16)]) -> Vec<u8> {
    let packets = packets.iter();
    let packets = packets.map(|&(second, number)| (second * 1000, udp_frame(number)));
    LITTLE.pcap_at(MICROSECONDS, 1, &packets.collect::<Vec<_>>())
}

/// Returns the number of new flows, with a window of ten seconds and one worker.
fn news(packets: &[(u32, u16)]) -> u64 {
    let run = call("--window 10 -j 1").on(&capture(packets)).expect(0);
    run.adds_up();
    // No packet is late.
    assert_eq!(run.numbers("rotations")[1], 0, "{}", run.out);
    run.all()[1]
}

#[test]
fn a_flow_ages_out_unless_it_is_active() {
    assert_eq!(news(&[(0, 1), (25, 1)]), 2);
    assert_eq!(news(&[(0, 1), (5, 1), (19, 2), (29, 1)]), 3);
    assert_eq!(news(&[(0, 1), (1_000_000, 1), (2_000_000, 1)]), 3);
    let active: Vec<_> = (0..50).map(|turn| (turn * 9, 1)).collect();
    assert_eq!(news(&active), 1);
    // Even if only another flow has packets in between.
    let two: Vec<_> = (0..100).map(|turn| (turn * 5, turn as u16 % 2)).collect();
    assert_eq!(news(&two), 2);
    // The second packet of flow 2 is late, and keeps it known in the next period.
    assert_eq!(news(&[(0, 1), (9, 2), (12, 1), (8, 2), (25, 2)]), 2);
    // Without a window nothing is forgotten.
    let file = capture(&[(0, 1), (1_000_000, 1)]);
    call("").on(&file).expect(0).found(2, 1);
}

/// A flow is known for one window, and forgotten after two.
#[test]
fn a_flow_is_known_for_one_window() {
    for phase in [0, 1, 5, 9] {
        // The first packet sets the clock; the flow comes at the phase.
        for gap in [0, 1, 9, 10, 20, 21, 29, 30, 31] {
            let packets = [(0, 7), (phase, 1), (phase + gap, 1)];
            let firsts = if gap <= 10 { 2 } else { 3 };
            assert_eq!(news(&packets), firsts, "{phase} {gap}");
        }
    }
}

#[test]
fn reads_times_in_all_formats() {
    let packets = [(0, 1), (5_000, 1), (26_000, 1), (35_999, 1), (36_001, 1)]
        .map(|(time, number)| (time, udp_frame(number)));
    for file in [
        LITTLE.pcap_at(MICROSECONDS, 1, &packets),
        BIG.pcap_at(MICROSECONDS, 1, &packets),
        LITTLE.pcap_at(NANOSECONDS, 1, &packets),
        LITTLE.pcapng_at(6, 1_000, &packets),
        BIG.pcapng_at(9, 1_000_000, &packets),
        LITTLE.pcapng_at(3, 1, &packets),
    ] {
        let run = call("--window 10 -j 1").on(&file).expect(0);
        assert_eq!(run.found(5, 2).numbers("rotations"), [3, 0]);
    }
}

#[test]
fn looks_for_copies_within_the_window() {
    let file = capture(&[(0, 1), (0, 1), (3, 1), (3, 1)]);
    let run = call("--mode packets --window 1 -j 1").on(&file).expect(0);
    run.found(4, 2);
    call("--mode packets").on(&file).expect(0).found(4, 1);
}

#[test]
fn many_workers_rotate_at_once() {
    // Rotations all the time, and threads that the system stops anywhere.
    let filter = |args: &str| {
        let run = call("--window 0.01").with(args).expect(0);
        run.adds_up();
        let late = "judged after a later rotation";
        assert!(run.out.contains(late), "{}", run.out);
        (run.numbers("rotations")[0], run.numbers("filter"))
    };
    let (few, memory) = filter("-j 2 --repeat 1");
    for workers in [2, 8] {
        let (rotations, _) = filter(&format!("-j {workers} --repeat 20"));
        assert!(rotations > 1000 && rotations > 10 * few, "{rotations}");
    }
    // The memory does not grow with the periods.
    assert_eq!(filter("-j 2 --repeat 20").1, memory);
}

#[test]
fn a_pause_forgets_everything_at_once() {
    // Billions of periods, two of which count.
    let file = capture(&[(0, 1), (4_000_000, 1)]);
    let run = call("--window 0.000001 -j 1").on(&file).expect(0);
    assert_eq!(run.found(2, 2).numbers("rotations"), [2, 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn many_periods_need_little_memory() {
    // Every packet is a period of its own, and so are those between.
    let mut command = streaming::limited("--window 0.000001 --repeat 40 -j 1");
    let run = Run::of(command.output().expect("a shell")).expect(0);
    assert_eq!(run.all()[0], 40 * PACKETS);
}

/// A small filter forgets too early, and says so.
#[test]
fn a_small_filter_says_what_it_forgot() {
    // Two periods have as many flows, and others take the room in the third.
    let old = (0..200).map(|number| (0, number));
    let new = (1000..1200).map(|number| (10, number));
    let again = (0..200).map(|number| (11, number));
    let packets: Vec<_> = old.chain(new).chain(again).collect();
    let run = call("--window 10 --capacity 100 -j 1")
        .on(&capture(&packets))
        .expect(3);
    run.adds_up();
    run.says(&["refused the keys of", "forget too early"]);
    run.says(&["raise --capacity)"]);
}
