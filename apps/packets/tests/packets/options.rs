//! Options: the command line, and the sweep.

use crate::captures::loopback;
use crate::run::call;

#[test]
fn refuses_bad_options() {
    let most = usize::MAX.to_string();
    let bad = "-j 0; -j 100000; --workers two; --capacity 0; --capacity 99999999999999999999999; --rate 0; --rate 1; \
               --rate 1e-10; --rate nan; --rate few; --repeat 0; --repeat 4294967296; --mode bytes; --window 0; \
               --window nan; --window inf; --window 1e300; --window soon; --made-up 0; \
               --made-up 10 file.pcap; --sweep --window 1; --print xml; --print text --repeat 2; --write; \
               --write file.pcap --repeat 2; --growing --growing; --growing --window 1; --no-such-option; \
               one.pcap two.pcap";
    for args in bad.split("; ") {
        let run = call(args).expect(2);
        assert!(run.out.is_empty(), "{args:?}: {}", run.out);
        assert!(!run.err.is_empty(), "{args:?}");
    }
    // A negative number is a wrong value, not an unknown option.
    for (args, words) in [
        (
            "--window -1",
            "'-1' for '--window <SECONDS>': it must be between",
        ),
        ("-j -1", "'-1' for '--workers <N>'"),
        (
            "--capacity -5",
            "'-5' for '--capacity <KEYS>': it must be a number of keys, 1 at least",
        ),
        ("--repeat -1", "'-1' for '--repeat <N>'"),
        ("--made-up -1", "'-1' for '--made-up <FLOWS>'"),
        ("--rate -1", "'-1' for '--rate <RATE>'"),
    ] {
        let run = call(args).expect(2);
        assert!(
            run.err.contains(&format!("invalid value {words}")),
            "{}",
            run.err
        );
    }
    let run = call("--capacity").with(&most).expect(2);
    run.only_says(&["cannot make a filter", &most]);
}

#[test]
fn help_explains_everything() {
    let run = call("--help").expect(0);
    let words = "--workers --capacity --rate --repeat pcapng --mode --window --verify --print --write --growing gzip \
                 --sweep fragment signal refused";
    let phrases = ["tcpdump -U -w -", "Output of --verify", "Exit status"];
    for word in words.split(' ').chain(phrases) {
        assert!(run.out.contains(word), "{word:?} not in {}", run.out);
    }
}

#[test]
fn the_sweep_measures() {
    let run = call("--sweep --repeat 1 -j 2").plain().expect(0);
    for row in ["      1 ", "      2 "] {
        let line = run.out.lines().find(|line| line.starts_with(row));
        let figures = line.expect("a row").split_whitespace().skip(1);
        let figures = figures.map(|figure| figure.parse().expect("a number"));
        let figures: Vec<f64> = figures.collect();
        assert_eq!(figures.len(), 5, "{}", run.out);
        assert!(figures.iter().all(|&figure| figure > 0.0), "{}", run.out);
    }
    let none = call("--sweep").plain().on(&loopback()[..24]).expect(1);
    none.says(&["nothing to measure"]);
}

/// A generated capture has the requested flows.
#[test]
fn generates_the_requested_flows() {
    for flows in [1, 4095, 10_000] {
        let run = call(&format!("--made-up {flows} --repeat 1")).expect(0);
        run.adds_up();
        assert_eq!(run.distinct(), flows);
    }
}
