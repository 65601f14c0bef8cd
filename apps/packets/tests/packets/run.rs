//! Runs: call the program, and read its report.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file of a test, which is removed with this.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let file = Self::absent();
        fs::write(&file.0, bytes).expect("the file can be written");
        file
    }

    /// Returns the name of a file that does not exist yet.
    pub(crate) fn absent() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            "{}-{}.pcap",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        fs::read(&self.0).expect("the file is there")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A call of the program with the exact check.
pub(crate) struct Call {
    args: Vec<OsString>,
    verifies: bool,
    file: Option<Scratch>,
}

/// Makes a call with these arguments, divided by spaces.
pub(crate) fn call(args: &str) -> Call {
    Call {
        args: args.split_whitespace().map(OsString::from).collect(),
        verifies: true,
        file: None,
    }
}

impl Call {
    /// Reads a file of these bytes.
    pub(crate) fn on(mut self, bytes: &[u8]) -> Self {
        let file = Scratch::new(bytes);
        self.args.insert(0, file.path().into());
        self.file = Some(file);
        self
    }

    /// Adds one argument.
    pub(crate) fn path(mut self, path: &Path) -> Self {
        self.args.push(path.into());
        self
    }

    /// Adds arguments, divided by spaces.
    pub(crate) fn with(mut self, args: &str) -> Self {
        self.args
            .extend(args.split_whitespace().map(OsString::from));
        self
    }

    /// Removes the exact check.
    pub(crate) fn plain(mut self) -> Self {
        self.verifies = false;
        self
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(program());
        command
            .args(&self.args)
            .args(self.verifies.then_some("--verify"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts the program, with pipes for all that it reads and writes.
    pub(crate) fn start(&self) -> Child {
        let child = self.command().stdin(Stdio::piped()).spawn();
        child.expect("the program starts")
    }

    /// Runs it on a pipe that this function writes into. The program may end before all of it is
    /// written.
    pub(crate) fn feed(self, write: impl FnOnce(&mut ChildStdin) -> io::Result<()>) -> Run {
        let mut child = self.start();
        let mut pipe = child.stdin.take().expect("a pipe");
        let _ = write(&mut pipe);
        drop(pipe);
        Run::of(child.wait_with_output().expect("the program ends"))
    }

    /// Runs it on a pipe with these bytes.
    pub(crate) fn pipe(self, bytes: &[u8]) -> Run {
        self.feed(|pipe| pipe.write_all(bytes))
    }

    pub(crate) fn run(self) -> Run {
        Run::of(
            self.command()
                .stdin(Stdio::null())
                .output()
                .expect("the program starts"),
        )
    }

    pub(crate) fn expect(self, status: i32) -> Run {
        self.run().expect(status)
    }
}

pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lockfree-cuckoo-packets"))
}

/// The outcome of a call.
pub(crate) struct Run {
    pub(crate) status: i32,
    /// The report, or other text on standard output.
    pub(crate) out: String,
    /// The text on standard error.
    pub(crate) err: String,
    /// The bytes on standard output, if the report was not there.
    pub(crate) printed: Vec<u8>,
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let text = String::from_utf8(output.stderr).expect("the errors are text");
        assert!(
            !text.contains("panicked") && !text.contains("check failed"),
            "{text}"
        );
        let status = output.status.code().expect("the program was not killed");
        if !text.starts_with("capture ") {
            return Self {
                status,
                out: String::from_utf8(output.stdout).expect("the report is text"),
                err: text,
                printed: Vec::new(),
            };
        }
        let (err, out): (Vec<&str>, Vec<&str>) = text
            .split_inclusive('\n')
            .partition(|line| line.starts_with("lockfree-cuckoo-packets: "));
        Self {
            status,
            out: out.concat(),
            err: err.concat(),
            printed: output.stdout,
        }
    }

    pub(crate) fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}{}", self.out, self.err);
        self
    }

    /// Checks that the errors have one line, which holds all of these words.
    pub(crate) fn says(&self, words: &[&str]) {
        assert_eq!(self.err.trim_end().lines().count(), 1, "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} not in {:?}", self.err);
        }
    }

    /// Checks that there is only this error.
    pub(crate) fn only_says(&self, words: &[&str]) {
        self.says(words);
        assert!(self.out.is_empty(), "{}", self.out);
    }

    /// Returns the numbers of the line that starts with `label`.
    pub(crate) fn numbers(&self, label: &str) -> Vec<u64> {
        let label = format!("{label} ");
        let line = self.out.lines().find(|line| line.starts_with(&label));
        line.unwrap_or_else(|| panic!("no line {label:?} in {:?}", self.out))
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .collect()
    }

    /// Returns the table: packets, seen first, duplicates, refused and no flow for each worker, and
    /// for all of them.
    pub(crate) fn table(&self) -> (Vec<[u64; 5]>, [u64; 5]) {
        let mut rows = Vec::new();
        for line in self.out.lines() {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap_or_default();
            let counts: Vec<u64> = words.map_while(|word| word.parse().ok()).take(5).collect();
            match <[u64; 5]>::try_from(counts) {
                Ok(counts) if name == "all" => return (rows, counts),
                Ok(counts) => rows.push(counts),
                Err(_) => {}
            }
        }
        panic!("no table in {:?}", self.out)
    }

    /// Returns the line of the table for all workers.
    pub(crate) fn all(&self) -> [u64; 5] {
        self.table().1
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
            let passes = self.numbers("passes");
            assert_eq!(passes, [passes[0], passes[0] * packets]);
            assert_eq!(all[0], passes[1]);
        } else {
            assert_eq!(all[0], packets);
        }
        let distinct = self.distinct();
        let sum = self.numbers("sum");
        assert_eq!(sum[0], all[1]);
        assert_eq!(sum[3..], [distinct, distinct]);
        assert_eq!(sum[..3].iter().sum::<u64>(), distinct);
        assert_eq!(self.numbers("missing"), [0]);
        if !self.out.contains("\nrotations ") {
            assert_eq!(self.numbers("load")[0], all[1]);
        }
    }

    /// Returns the number of distinct flows, or packets.
    pub(crate) fn distinct(&self) -> u64 {
        let of_packets = self.out.contains("\nunique ");
        self.numbers(if of_packets { "unique" } else { "flows" })[0]
    }

    /// Checks that the report has these packets and flows and adds up.
    pub(crate) fn found(self, packets: u64, flows: u64) -> Self {
        assert_eq!(self.numbers("packets")[0], packets, "{}", self.out);
        assert_eq!(self.distinct(), flows, "{}", self.out);
        self.adds_up();
        self
    }
}
