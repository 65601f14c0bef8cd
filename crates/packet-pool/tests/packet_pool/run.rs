//! Runs the program, and reads its report.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// One run of the program.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// Runs with the exact check.
    pub(crate) fn new(args: &[&str]) -> Self {
        Self::plain(&[args, &["--verify"]].concat())
    }

    pub(crate) fn plain(args: &[&str]) -> Self {
        let mut command = Command::new(program());
        let output = command.args(args).stdin(Stdio::null()).output();
        Self::of(output.expect("the program starts"), args)
    }

    pub(crate) fn of(output: Output, args: &[&str]) -> Self {
        let run = Self {
            status: output.status.code().expect("the program was not killed"),
            out: String::from_utf8(output.stdout).expect("the report is text"),
            err: String::from_utf8(output.stderr).expect("the errors are text"),
        };
        assert!(!run.err.contains("panicked"), "{args:?}: {}", run.err);
        assert!(!run.err.contains("check failed"), "{args:?}: {}", run.err);
        run
    }

    /// Runs with the report on standard error: gives what was on standard output, and the run as if it had not been
    /// there. All lines that begin with the name of the program are errors.
    pub(crate) fn beside(args: &[&str]) -> (Vec<u8>, Self) {
        let mut command = Command::new(program());
        let output = command.args(args).stdin(Stdio::null()).output();
        Self::beside_of(output.expect("the program starts"))
    }

    pub(crate) fn beside_of(output: Output) -> (Vec<u8>, Self) {
        let text = String::from_utf8(output.stderr).expect("the report is text");
        assert!(!text.contains("panicked"), "{text}");
        let lines = |errors| {
            let of_kind = |line: &&str| line.starts_with("packet-pool: ") == errors;
            let lines = text.split_inclusive('\n').filter(of_kind);
            lines.collect::<String>()
        };
        let run = Self {
            status: output.status.code().expect("the program was not killed"),
            out: lines(false),
            err: lines(true),
        };
        (output.stdout, run)
    }

    /// Runs on a file of these bytes.
    pub(crate) fn on(name: &str, bytes: &[u8], args: &[&str]) -> Self {
        let file = scratch(name, bytes);
        let path = file.to_str().expect("the path is text");
        let run = Self::new(&[&[path], args].concat());
        fs::remove_file(&file).expect("the file can be removed");
        run
    }

    pub(crate) fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}{}", self.out, self.err);
        self
    }

    /// Checks that the errors have one line, which holds all of these words.
    pub(crate) fn says(&self, words: &[&str]) {
        let lines = self.err.trim_end().lines().count();
        assert_eq!(lines, 1, "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} not in {:?}", self.err);
        }
    }

    /// The numbers of the line that starts with `label`.
    pub(crate) fn numbers(&self, label: &str) -> Vec<u64> {
        let line = self.out.lines().find(|line| {
            line.strip_prefix(label)
                .is_some_and(|rest| rest.starts_with(' '))
        });
        line.unwrap_or_else(|| panic!("no line {label:?} in {:?}", self.out))
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .collect()
    }

    /// The table: packets, seen first, duplicates, refused and no flow for each
    /// worker, and for all of them.
    pub(crate) fn table(&self) -> (Vec<[u64; 5]>, [u64; 5]) {
        let mut rows = Vec::new();
        for line in self.out.lines() {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap_or_default();
            let counts: Vec<u64> = words.map_while(|word| word.parse().ok()).take(5).collect();
            if let Ok(counts) = <[u64; 5]>::try_from(counts) {
                rows.push(counts);
                if name == "all" {
                    let all = rows.pop().expect("just pushed");
                    return (rows, all);
                }
            }
        }
        panic!("no table in {:?}", self.out)
    }

    /// Checks that all the counts of the report agree with each other.
    pub(crate) fn adds_up(&self) {
        let (rows, all) = self.table();
        for column in 0..5 {
            let sum: u64 = rows.iter().map(|row| row[column]).sum();
            assert_eq!(sum, all[column], "column {column} of {}", self.out);
        }
        for [packets, firsts, duplicates, refused, no_flow] in rows {
            assert_eq!(packets, firsts + duplicates + refused + no_flow);
        }
        let packets = self.numbers("packets")[0];
        if self.out.contains("\npasses ") {
            let [passes, work] = self.numbers("passes")[..] else {
                panic!("no passes in {}", self.out);
            };
            assert_eq!(work, passes * packets);
            assert_eq!(all[0], work);
        } else {
            assert_eq!(all[0], packets);
        }
        let distinct = self.distinct();
        let [firsts, false_positives, refused, sum, exact] = self.numbers("sum")[..] else {
            panic!("no sum in {}", self.out);
        };
        // With a window, filters that grow may tell some more, in two periods.
        let rotating = self.out.contains("\nrotations ");
        let twice = match self.out.contains("both sides of a rotation") {
            true => self.numbers("rotations")[1],
            false => 0,
        };
        assert_eq!(firsts + twice, all[1]);
        assert_eq!(firsts + false_positives + refused, sum);
        assert_eq!((sum, exact), (distinct, distinct));
        assert_eq!(self.numbers("missing"), [0]);
        if !rotating {
            assert_eq!(self.numbers("load")[0], firsts);
        }
    }

    /// The distinct flows, or packets.
    pub(crate) fn distinct(&self) -> u64 {
        let label = if self.out.contains("\nunique ") {
            "unique"
        } else {
            "flows"
        };
        self.numbers(label)[0]
    }

    /// Checks that the report has these packets and flows and adds up.
    pub(crate) fn found(self, packets: u64, flows: u64) -> Self {
        assert_eq!(self.numbers("packets")[0], packets, "{}", self.out);
        assert_eq!(self.distinct(), flows, "{}", self.out);
        self.adds_up();
        self
    }
}

/// Starts the program, with pipes for what it writes.
pub(crate) fn start(args: &[&str], stdin: Stdio) -> Child {
    let mut command = Command::new(program());
    command.args(args).stdin(stdin);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_packet-pool"))
}

pub(crate) fn scratch(name: &str, bytes: &[u8]) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    fs::write(&path, bytes).expect("the file can be written");
    path
}
