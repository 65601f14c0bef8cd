//! Room: how many keys the filter of a run takes.

use crate::captures::{A, B, LITTLE, MICROSECONDS, ipv4, loopback, ports};
use crate::run::{Run, Scratch, call};
use crate::{FLOWS, PACKETS};

/// Returns the keys that the filter of a report has room for, and its bytes.
fn room(run: &Run) -> [u64; 2] {
    let numbers = run.numbers("filter");
    [numbers[0], numbers[2]]
}

#[test]
fn a_growing_filter_takes_all_keys() {
    for args in ["-j 1", "-j 8", "-j 2 --mode packets --repeat 1"] {
        let run = call("--growing --capacity 20").with(args).expect(0);
        run.adds_up();
        assert_eq!(run.all()[3], 0, "{}", run.out);
        assert!(run.out.contains("it grows"), "{}", run.out);
    }
    // A fixed filter of the same size refuses keys.
    call("--capacity 20")
        .expect(3)
        .says(&["raise --capacity, or use --growing"]);
}

/// Checks that the exact check knows the rate of wrong answers of the layout.
#[test]
fn a_rate_sets_the_memory_of_a_filter() {
    for args in ["", "--window 0.3 --repeat 5"] {
        let mut last = 0;
        for rate in ["0.1", "0.003", "1e-4", "5e-8"] {
            let call = call(&format!("-j 2 --made-up 20000 --rate {rate} {args}"));
            let run = call.expect(0);
            run.adds_up();
            let [_, bytes] = room(&run);
            assert!(bytes > last, "{args:?} {rate}: {}", run.out);
            last = bytes;
        }
    }
}

/// Checks that a rate limits the growth of a filter, and nothing else.
#[test]
fn a_rate_ends_the_growth_of_a_filter() {
    let with = |args: &str| call("-j 2 --growing --made-up 20000").with(args);
    let run = with("--capacity 20 --rate 1e-4").expect(2);
    run.says(&["raise --rate to 0.000126 at least, or give --capacity"]);
    let run = with("--capacity 20 --rate 0.000126").expect(3);
    run.says(&[
        "the filter refused the keys of ",
        "raise --rate, or --capacity",
    ]);
    with("--capacity 20 --rate 0.002").expect(0).adds_up();
    let roomy = with("--capacity 40000 --rate 0.000126").expect(0);
    let [low, high] = [roomy, with("--capacity 40000 --rate 0.1").expect(0)];
    assert_eq!(room(&low), room(&high));
}

/// Makes a capture of a packet for each of this many UDP flows.
fn flows(count: u32, payload: usize) -> Vec<u8> {
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
    file
}

#[test]
fn a_pipe_may_have_any_number_of_keys() {
    let file = flows(1_500_000, 0);
    for args in ["- -j 2", "- -j 2 --window 1"] {
        let run = call(args).plain().pipe(&file).expect(0);
        let [packets, firsts, _, refused, _] = run.all();
        assert_eq!((packets, refused), (1_500_000, 0));
        assert!(firsts > 1_498_500, "{}", run.out);
        assert!(room(&run)[0] > 1_500_000);
        assert_eq!(run.out.contains("it grows"), !args.contains("window"));
    }
}

#[test]
fn counts_a_large_file_first() {
    // Just larger than the files that are held in memory, so the report has no passes.
    let file = Scratch::new(&flows(8_000, 9_000 - 40));
    let run = call("-j 2").path(file.path()).expect(0).found(8_000, 8_000);
    assert!(!run.out.contains("\npasses"), "{}", run.out);
    assert!((8_000..100_000).contains(&room(&run)[0]), "{}", run.out);
    assert!(!run.out.contains("it grows"), "{}", run.out);
    // The packets have one time, so all are of one window.
    let run = call("-j 2 --window 1").path(file.path()).expect(0);
    assert!((8_000..100_000).contains(&room(&run)[0]), "{}", run.out);
}

#[test]
fn a_pipe_gets_the_requested_capacity() {
    let with = |args: &str| call("- -j 2 --capacity 20").with(args).pipe(&loopback());
    for args in ["", "--window 60"] {
        let run = with(args).expect(3);
        assert!(run.all()[3] > 0, "{}", run.out);
    }
    let run = with("--growing").expect(0);
    // It may hold some more than it has room for by the rule.
    assert!((FLOWS / 2..PACKETS).contains(&room(&run)[0]), "{}", run.out);
    run.found(PACKETS, FLOWS);
}

/// False positives are about as many as expected.
#[test]
fn false_positives_are_as_expected() {
    // A filter as small as the flows allow, for a rate that shows.
    let run = call("--capacity 500").run();
    let line = run.out.lines().find(|line| line.starts_with("probes"));
    let words: Vec<&str> = line.expect("a line of probes").split_whitespace().collect();
    let before = |word| -> f64 {
        let at = words.iter().position(|&other| other == word);
        words[at.expect("the word is there") - 1]
            .parse()
            .expect("a number")
    };
    let (seen, expected) = (before("answered"), before("expected"));
    assert_eq!(words[1], "262144");
    assert!(expected > 10.0, "{line:?}");
    // Far beyond what chance does: the spread is about the square root.
    let spread = 8.0 * expected.sqrt() + 8.0;
    assert!((seen - expected).abs() < spread, "{line:?}");
}

#[test]
fn a_full_filter_refuses_and_goes_on() {
    for workers in [1, 2, 8] {
        let run = call(&format!("--capacity 8 --repeat 3 -j {workers}")).expect(3);
        let run = run.found(PACKETS, FLOWS);
        let all = run.all();
        assert_eq!(all[0], 3 * PACKETS);
        let refused = run.numbers("sum")[2];
        assert!(refused > FLOWS / 2, "{}", run.out);
        assert!(all[3] >= 3 * refused, "{}", run.out);
        run.says(&[&format!("refused the keys of {} packets", all[3])]);
    }
}
