//! Whole captures: totals, passes and workers.

use crate::files::{LITTLE, MICROSECONDS, ip_packets, loopback};
use crate::run::Run;
use crate::{DEFAULT_WORK, FLOWS, PACKETS};

#[test]
fn the_totals_do_not_depend_on_the_workers() {
    for workers in [1, 2, 8] {
        let run = Run::new(&["-j", &workers.to_string()])
            .expect(0)
            .found(PACKETS, FLOWS);
        assert_eq!(run.numbers("flows"), [FLOWS, 140, 219, 141, 0]);
        let (rows, all) = run.table();
        assert_eq!(rows.len(), workers);
        assert_eq!(all[0], 98 * PACKETS);
        assert_eq!(all[3..], [0, 0]);
        assert!(run.err.is_empty(), "{}", run.err);
    }
}

#[test]
fn two_workers_share_the_packets() {
    // Long enough for the system to run both, even on one processor.
    let args = ["-j", "2", "--repeat", "400"];
    let run = Run::new(&args).expect(0).found(PACKETS, FLOWS);
    let (rows, _) = run.table();
    let busy = rows.iter().filter(|row| row[0] > 0).count();
    assert_eq!(busy, 2, "{}", run.out);
}

#[test]
fn small_captures_are_gone_through_more_often() {
    let file = loopback();
    let packet = ip_packets(&file)[0];
    let run = |packets: u64, args: &[&str]| {
        let packets = vec![&packet[..20]; packets.try_into().expect("a small number")];
        let file = LITTLE.pcap(MICROSECONDS, 101, &packets);
        Run::on("passes.pcap", &file, args).expect(0)
    };
    for (packets, passes) in [
        (0, 1),
        (1, DEFAULT_WORK),
        (100_000, 3),
        (DEFAULT_WORK - 1, 2),
        (DEFAULT_WORK, 1),
        (DEFAULT_WORK + 1, 1),
    ] {
        let run = run(packets, &[]).found(packets, packets.min(1));
        assert_eq!(run.numbers("passes")[0], passes);
    }
    let run = run(DEFAULT_WORK + 1, &["--repeat", "2"]);
    assert_eq!(run.found(DEFAULT_WORK + 1, 1).numbers("passes")[0], 2);
}

#[test]
fn more_passes_add_duplicates_only() {
    let run = Run::new(&["-j", "4", "--repeat", "50"])
        .expect(0)
        .found(PACKETS, FLOWS);
    assert_eq!(run.numbers("passes"), [50, 50 * PACKETS]);
    let (_, all) = run.table();
    assert_eq!(all[2], all[0] - all[1]);
}

#[test]
fn false_positives_are_about_as_many_as_expected() {
    // A filter as small as the flows allow, for a rate that shows.
    let run = Run::new(&["--capacity", "500"]);
    let line = run.out.lines().find(|line| line.starts_with("probes"));
    let words: Vec<&str> = line.expect("a line of probes").split_whitespace().collect();
    let before = |word| {
        let at = words.iter().position(|&other| other == word);
        words[at.expect("the word is there") - 1]
    };
    let seen: f64 = before("answered").parse().expect("a number");
    let expected: f64 = before("expected").parse().expect("a number");
    assert_eq!(words[1], "262144");
    assert!(expected > 10.0, "{line:?}");
    // Far beyond what chance does: the spread is about the square root.
    let spread = 8.0 * expected.sqrt() + 8.0;
    assert!((seen - expected).abs() < spread, "{line:?}");
}

#[test]
fn a_full_filter_refuses_and_goes_on() {
    for workers in ["1", "2", "8"] {
        let args = ["--capacity", "8", "-j", workers, "--repeat", "3"];
        let run = Run::new(&args).expect(3).found(PACKETS, FLOWS);
        let (_, all) = run.table();
        assert_eq!(all[0], 3 * PACKETS);
        let refused = run.numbers("sum")[2];
        assert!(refused > FLOWS / 2, "{}", run.out);
        assert!(all[3] >= 3 * refused, "{}", run.out);
        run.says(&[&format!("refused the keys of {} packets", all[3])]);
    }
}
