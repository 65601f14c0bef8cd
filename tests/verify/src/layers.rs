//! The layers: what checks the filter, and how it is run.

/// One check: a program with a log of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(crate) name: &'static str,
    /// What it can find that the others cannot.
    pub(crate) finds: &'static str,
    pub(crate) program: &'static str,
    pub(crate) arguments: &'static [&'static str],
    /// What follows the arguments in the set that takes its time, and in the one that does not.
    pub(crate) long: &'static [&'static str],
    pub(crate) short: &'static [&'static str],
    /// A build of its own: the directory under `target`, and the `RUSTFLAGS` that choose it.
    pub(crate) build: Option<(&'static str, &'static str)>,
    /// What is in the lines of its output that say what ran; the last of those in which it is.
    pub(crate) says: &'static [&'static str],
}

const STRESS: &[&str] = &[
    "run",
    "--quiet",
    "--release",
    "--locked",
    "--package",
    "stress-tests",
    "--",
];

const STEPS: Option<(&str, &str)> = Some(("steps", "--cfg lockfree_cuckoo_steps"));

/// In the order in which they run: what fails soonest comes first.
pub(crate) const LAYERS: &[Layer] = &[
    Layer {
        name: "states",
        finds: "any interleaving of a small program that breaks the protocol, however many switches it takes",
        program: "cargo",
        arguments: &[
            "run",
            "--quiet",
            "--release",
            "--locked",
            "--package",
            "protocol-checker",
            "--",
        ],
        long: &["--long"],
        short: &[],
        // Else the machine is held to the crate call by call only.
        build: STEPS,
        says: &[
            "written races: ",
            "deaths in races: ",
            "random, ",
            "conformance: ",
            "lockstep: ",
            "mutants: ",
        ],
    },
    Layer {
        name: "shuttle",
        finds: "schedules of many threads with long paths that break the code",
        program: "cargo",
        arguments: &[
            "run",
            "--quiet",
            "--locked",
            "--package",
            "shuttle-tests",
            "--",
        ],
        long: &[],
        short: &["tests"],
        build: None,
        says: &[" tests passed, ", " mutants killed, "],
    },
    Layer {
        name: "histories",
        finds: "answers to real threads that no order of their calls explains",
        program: "cargo",
        arguments: STRESS,
        long: &["histories", "--seconds", "600"],
        short: &["histories"],
        build: STEPS,
        says: &[" calls in all"],
    },
    Layer {
        name: "faults",
        finds: "a step at which the end of a thread stops another, or loses more than a descriptor",
        program: "cargo",
        arguments: STRESS,
        long: &["faults", "--seconds", "300"],
        short: &["faults", "--seconds", "10"],
        build: STEPS,
        says: &[
            "faults: pairs: ",
            "faults: overlaps: ",
            "faults: several at once: ",
        ],
    },
    Layer {
        name: "stalls",
        finds: "waiting, seen from outside: operations that many threads complete while some are stopped",
        program: "cargo",
        arguments: STRESS,
        long: &["stalls", "--seconds", "120"],
        short: &["stalls", "--seconds", "10"],
        build: STEPS,
        says: &[
            "stalls: operations",
            "stalls: lockfree-cuckoo ",
            "stalls: hashbrown in a Mutex ",
        ],
    },
    Layer {
        name: "soak",
        finds: "what goes wrong only after a while: a drift of the count, a leak, a lost item",
        program: "cargo",
        arguments: STRESS,
        long: &["soak"],
        short: &["soak", "--seconds", "10"],
        build: STEPS,
        says: &[" stretches, "],
    },
    Layer {
        name: "models",
        finds: "schedules and outcomes of weak memory that break a small race",
        program: "cargo",
        arguments: &["loom", "models"],
        long: &[],
        short: &[],
        build: None,
        says: &[" models passed, "],
    },
    Layer {
        name: "mutants",
        finds: "models that would not notice",
        program: "cargo",
        arguments: &["loom", "mutants"],
        long: &[],
        short: &[],
        build: None,
        says: &[" mutants killed, "],
    },
    Layer {
        name: "growing",
        finds: "tests of the filter that grows that would not notice",
        program: "cargo",
        arguments: &[
            "run",
            "--quiet",
            "--locked",
            "--package",
            "mutation",
            "--",
            "mutants",
        ],
        long: &[],
        short: &[],
        build: None,
        says: &[" mutants killed, "],
    },
    Layer {
        name: "sanitizers",
        finds: "data races, misused memory and leaks",
        program: ".ci/sanitizers",
        arguments: &[],
        long: &["--long"],
        short: &[],
        build: None,
        says: &["sanitizers: "],
    },
    Layer {
        name: "fuzzing",
        finds: "sequences of calls, and stored bytes, that break an invariant",
        program: ".ci/fuzz",
        arguments: &[],
        long: &["600"],
        short: &["10"],
        build: None,
        says: &["fuzzing: "],
    },
];
