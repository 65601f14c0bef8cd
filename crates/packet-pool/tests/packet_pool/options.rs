//! The command line.

use crate::run::Run;

#[test]
fn bad_options_are_refused() {
    let most = usize::MAX.to_string();
    for args in [
        &["-j", "0"][..],
        &["-j", "100000"],
        &["--workers", "two"],
        &["--capacity", "0"],
        &["--capacity", &most],
        &["--capacity", "99999999999999999999999"],
        &["--rate", "0"],
        &["--rate", "1"],
        &["--rate", "1e-10"],
        &["--rate", "nan"],
        &["--rate", "few"],
        &["--repeat", "0"],
        &["--repeat", "4294967296"],
        &["--mode", "bytes"],
        &["--window", "0"],
        &["--window", "-1"],
        &["--window", "nan"],
        &["--window", "inf"],
        &["--window", "1e300"],
        &["--window", "soon"],
        &["--made-up", "0"],
        &["--made-up", "10", "file.pcap"],
        &["--svg", "file.svg"], // not with --verify
        &["--sweep"],
        &["--print", "xml"],
        &["--print", "text", "--repeat", "2"],
        &["--write"],
        &["--write", "file.pcap", "--repeat", "2"],
        &["--growing", "--growing"],
        &["--no-such-option"],
        &["one.pcap", "two.pcap"],
    ] {
        let run = Run::new(args).expect(2);
        assert!(run.out.is_empty(), "{args:?}: {}", run.out);
        assert!(!run.err.is_empty(), "{args:?}");
    }
    Run::new(&["--capacity", &most]).says(&["cannot make a filter", &most]);
}

#[test]
fn help_explains_everything() {
    let run = Run::new(&["--help"]).expect(0);
    for word in [
        "--workers",
        "--capacity",
        "--rate",
        "--repeat",
        "pcapng",
        "262144",
        "--mode",
        "--window",
        "--verify",
        "--print",
        "--write",
        "--growing",
        "gzip",
        "--sweep",
        "--svg",
        "tcpdump -w -",
        "fragment",
        "signal",
        "What it shows",
        "throughput",
        "load factor",
        "Exit status",
        "refused",
    ] {
        assert!(run.out.contains(word), "{word:?} not in {}", run.out);
    }
}
