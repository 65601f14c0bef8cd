//! How much room the filters have.

use crate::files::{LITTLE, MICROSECONDS, loopback};
use crate::frames::{A, B, ipv4, ports};
use crate::run::{Run, scratch, start};
use crate::{FLOWS, PACKETS};
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// The keys that the filter of a report has room for.
fn room(run: &Run) -> u64 {
    run.numbers("filter")[0]
}

#[test]
fn a_filter_that_grows_takes_all_keys() {
    for args in [
        &["-j", "1"][..],
        &["-j", "8"],
        &["-j", "4", "--window", "0.3", "--repeat", "5"],
        &["-j", "2", "--mode", "packets", "--repeat", "1"],
    ] {
        let growing = ["--growing", "--capacity", "20"];
        let run = Run::new(&[args, &growing].concat()).expect(0);
        run.adds_up();
        assert_eq!(run.table().1[3], 0, "{}", run.out);
        assert!(run.out.contains("it grows"), "{}", run.out);
    }
    // The same room refuses keys if it is fixed.
    let run = Run::new(&["--capacity", "20"]).expect(3);
    run.says(&["raise --capacity, or use --growing"]);
}

/// The bytes of a filter, as the report says.
fn bytes_of_filter(run: &Run) -> u64 {
    let (_, rest) = run.out.split_once(" slots in ").expect("a filter");
    let (bytes, _) = rest.split_once(" bytes").expect("its bytes");
    bytes.parse().expect("a number")
}

/// The exact check knows how many wrong answers the layout explains.
#[test]
fn a_rate_decides_what_the_filters_take() {
    for args in [
        &["-j", "2"][..],
        &["-j", "2", "--window", "0.3", "--repeat", "5"],
    ] {
        let roomy = ["--made-up", "20000"];
        let args = [args, &roomy].concat();
        let mut last = 0;
        for rate in ["0.1", "0.003", "1e-4", "5e-8"] {
            let run = Run::new(&[&args[..], &["--rate", rate]].concat()).expect(0);
            run.adds_up();
            let bytes = bytes_of_filter(&run);
            assert!(bytes > last, "{args:?} {rate}: {}", run.out);
            last = bytes;
        }
    }
}

/// It decides how far a filter grows, and nothing else.
#[test]
fn a_rate_ends_the_growth_of_filters() {
    let window: &[&str] = &["--window", "0.3", "--repeat", "5"];
    for (window, least, more) in [
        (&[][..], "0.000126", "0.002"),
        (window, "0.000252", "0.004"),
    ] {
        let growing = ["-j", "2", "--growing", "--made-up", "20000"];
        let with = |capacity: &str, rate: &str| {
            let more = ["--capacity", capacity, "--rate", rate];
            Run::new(&[&growing[..], window, &more].concat())
        };
        let run = with("20", "1e-4").expect(2);
        run.says(&[&format!(
            "raise --rate to {least} at least, or give --capacity"
        )]);
        let run = with("20", least).expect(3);
        run.says(&[
            "the filter refused the keys of ",
            "raise --rate, or --capacity",
        ]);
        let run = with("20", more).expect(0);
        run.adds_up();
        let (low, high) = (
            with("40000", least).expect(0),
            with("40000", "0.1").expect(0),
        );
        assert_eq!(bytes_of_filter(&low), bytes_of_filter(&high));
    }
}

/// A capture of a packet for each of so many UDP flows, and the bytes of one record.
fn flows(count: u32, payload: usize) -> (Vec<u8>, usize) {
    let packet = ipv4(17, [A, B], 0, &[ports(0, 0), vec![0; payload]].concat());
    let mut file = LITTLE.pcap(MICROSECONDS, 101, &[&packet]);
    let record = file.split_off(24);
    for number in 0..count {
        let at = file.len();
        file.extend(&record);
        // The lower half of the source address, and the source port.
        let [a, b, c, d] = number.to_be_bytes();
        file[at + 16 + 14..at + 16 + 16].copy_from_slice(&[a, b]);
        file[at + 16 + 20..at + 16 + 22].copy_from_slice(&[c, d]);
    }
    (file, record.len())
}

#[test]
fn a_pipe_may_have_any_number_of_keys() {
    let flows_in_pipe = 1_500_000;
    let (file, _) = flows(flows_in_pipe, 0);
    let mut child = start(&["-", "-j", "2"], Stdio::piped());
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&file).expect("the program reads");
    drop(pipe);
    let run = Run::of(child.wait_with_output().expect("the program ends"), &[]).expect(0);
    let [packets, firsts, _, refused, _] = run.table().1;
    assert_eq!((packets, refused), (flows_in_pipe.into(), 0));
    assert!(
        firsts > u64::from(flows_in_pipe) * 999 / 1000,
        "{}",
        run.out
    );
    assert!(room(&run) > 1_500_000);
}

#[test]
fn a_large_file_is_counted_first() {
    // Just beyond what is held in memory, so no passes are told.
    let count = 8_000;
    let (file, _) = flows(count, 9_000 - 40);
    let path = scratch("large.pcap", &file);
    let text = path.to_str().expect("the path is text");
    let run = Run::new(&[text, "-j", "2"])
        .expect(0)
        .found(count.into(), count.into());
    assert!(!run.out.contains("\npasses"), "{}", run.out);
    assert!((8_000..100_000).contains(&room(&run)), "{}", run.out);
    assert!(!run.out.contains("it grows"), "{}", run.out);
    // The packets have one time, so all are of one window.
    let run = Run::new(&[text, "-j", "2", "--window", "1"]).expect(0);
    assert!(room(&run) >= 8_000, "{}", run.out);
    fs::remove_file(path).expect("the file can be removed");
}

#[test]
fn what_the_caller_says_is_what_a_pipe_gets() {
    let with = |args: &[&str]| {
        let mut child = start(
            &[&["-", "-j", "2", "--verify"], args].concat(),
            Stdio::piped(),
        );
        let mut pipe = child.stdin.take().expect("a pipe");
        let _ = pipe.write_all(&loopback());
        drop(pipe);
        Run::of(child.wait_with_output().expect("the program ends"), args)
    };
    let run = with(&["--capacity", "20"]).expect(3);
    assert!(run.table().1[3] > 0, "{}", run.out);
    let run = with(&["--capacity", "20", "--growing"]).expect(0);
    // It may hold some more than it has room for by the rule.
    assert!((FLOWS / 2..PACKETS).contains(&room(&run)), "{}", run.out);
    run.found(PACKETS, FLOWS);
    let run = with(&["--growing", "--window", "0.2"]).expect(0);
    run.adds_up();
}
