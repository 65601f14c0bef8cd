//! The layers: what checks the filter, and how it is run.

/// One check: a program with a log of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(crate) name: &'static str,
    /// What it can find that the others cannot.
    pub(crate) finds: &'static str,
    /// The program and its arguments.
    pub(crate) command: &'static str,
    /// What follows in the set that takes its time, and in the one that does not.
    pub(crate) long: &'static str,
    pub(crate) short: &'static str,
    /// Whether it needs the build in which a thread can be stopped.
    pub(crate) stops_threads: bool,
    /// What is in the lines of its output that say what ran; the last of those in which it is.
    pub(crate) says: &'static [&'static str],
}

const SUMS_OF_A_SUITE: &[&str] = &[" tests passed, ", " mutants killed, "];

/// In the order in which they run: what fails soonest comes first.
pub(crate) const LAYERS: [Layer; 14] = [
    Layer {
        name: "states",
        finds: "any interleaving of a small program that breaks the protocol, with any number of thread switches",
        command: "cargo run --quiet --release --locked --package protocol-checker --",
        long: "--long",
        short: "",
        // Else the machine is held to the crate call by call only.
        stops_threads: true,
        says: &[
            "written races: ",
            "written races in other layouts: ",
            "written races, deaths: ",
            "random, ",
            "values, random, ",
            "conformance: ",
            "conformance of values: ",
            "lockstep: ",
            "lockstep of values: ",
            "lockstep mutants: ",
            "mutants: ",
        ],
    },
    Layer {
        name: "growing",
        finds: "any interleaving of a small program that breaks a filter which doubles in place",
        command: "cargo run --quiet --release --locked --package protocol-checker -- --growing",
        long: "--long",
        short: "",
        stops_threads: false,
        says: &[
            "M1 mutants: ",
            "M1 written races: ",
            "M1 written races, deaths: ",
            "M1 random, ",
            "M2 random, ",
            "M3 random, ",
            "M4 random, ",
            "M5 random, ",
            "M6 random, ",
            "M7 random, ",
        ],
    },
    suite(
        "shuttle",
        "schedules of many threads, with long paths of relocations, that break the code",
        "cargo suite shuttle",
        "tests",
    ),
    suite(
        "steps",
        "an access at which another call can overtake a call and break it, in races with few stops",
        "cargo suite steps",
        "tests",
    ),
    stress(
        "histories",
        "results of calls on real threads that no order of the calls explains",
        "histories --seconds 600",
        "histories",
        &[" calls in all"],
    ),
    stress(
        "faults",
        "a step at which the death of a thread blocks another thread, or costs more than one descriptor",
        "faults --seconds 300",
        "faults --seconds 10",
        &[
            "faults: pairs: ",
            "faults: overlaps: ",
            "faults: several at once: ",
        ],
    ),
    stress(
        "stalls",
        "waiting, measured from outside: how many operations threads complete while some of them are stopped",
        "stalls --seconds 120",
        "stalls --seconds 10",
        &[
            "stalls: operations",
            "stalls: lockfree-cuckoo ",
            "stalls: lockfree-cuckoo, doubling ",
            "stalls: hashbrown in a Mutex ",
        ],
    ),
    stress(
        "soak",
        "faults that show only after a while: a wrong count, a leak, a lost item",
        "soak",
        "soak --seconds 10",
        &[" stretches, "],
    ),
    stress(
        "lives",
        "the same of a filter that doubles, from a few buckets to its last level and back to nothing",
        "lives --seconds 3600",
        "lives --seconds 8",
        &[" lives, "],
    ),
    suite(
        "models",
        "schedules and effects of weak memory that break a small race",
        "cargo suite loom tests",
        "",
    ),
    suite(
        "mutants",
        "models that do not fail when a piece of the protocol is removed",
        "cargo suite loom mutants",
        "",
    ),
    suite(
        "ordinary",
        "ordinary tests that do not fail when a piece of the crate is removed",
        "cargo suite ordinary mutants",
        "",
    ),
    Layer {
        says: &["sanitizers: "],
        long: "--long",
        ..suite(
            "sanitizers",
            "data races, misused memory and leaks",
            ".ci/sanitizers",
            "",
        )
    },
    Layer {
        says: &["fuzzing: "],
        long: "600",
        ..suite(
            "fuzzing",
            "sequences of calls, and stored bytes, that break an invariant",
            ".ci/fuzz",
            "10",
        )
    },
];

const fn suite(
    name: &'static str,
    finds: &'static str,
    command: &'static str,
    short: &'static str,
) -> Layer {
    Layer {
        name,
        finds,
        command,
        long: "",
        short,
        stops_threads: false,
        says: SUMS_OF_A_SUITE,
    }
}

const fn stress(
    name: &'static str,
    finds: &'static str,
    long: &'static str,
    short: &'static str,
    says: &'static [&'static str],
) -> Layer {
    Layer {
        name,
        finds,
        command: "cargo run --quiet --release --locked --package stress-tests --",
        long,
        short,
        stops_threads: true,
        says,
    }
}
