//! The readers in other languages, `examples/read_shared.c` and `examples/read_shared.py`: they
//! know nothing but the documented form.
//!
//! 1. They give the answers beside the golden memory, by the items and by their hashes.
//! 2. They find what is stored while its tokens hop from bucket to bucket and others come and go.
//! 3. They find it after a process was killed in the middle of a hop, and answer as the library.
//! 4. They find a token, at whatever load they stop while that hops, from any step of it to any
//!    later one.
//! 5. They say why they refuse memory.
//!
//! The program in C reads no semi-sorted layout. Without gcc, or without python3, the tests of that
//! program are skipped, with a message.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crew::Crew;
use lockfree_cuckoo::filter::Fixed;
use lockfree_cuckoo::layout::{Lanes, Layout, SemiSorted, Shape};
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{Filter, SharedFilter, SharedReader};
use model::geometry::{Class, Geometry, distinct};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use crate::golden::{self, bytes_of, lookups};
use crate::{memory, path_of, spawn};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    /// The same program, which takes a while for each load of shared memory. The others have no
    /// time for a whole hop between two of its loads.
    SlowC,
    Python,
}

/// What became of a program; `None` if there is no such program, with a message.
fn unless_missing<T>(what: &str, started: io::Result<T>) -> Option<T> {
    match started {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Not through the harness, which would capture it.
            let _ = writeln!(io::stderr(), "SKIPPED: a reader: there is no {what}");
            None
        }
        started => Some(started.expect("it starts")),
    }
}

/// The program in C, once it is compiled; `None` without gcc.
fn program_in_c(is_slow: bool) -> Option<PathBuf> {
    static PROGRAMS: [OnceLock<Option<PathBuf>>; 2] = [const { OnceLock::new() }; 2];
    let compile = || {
        let name = ["read_shared", "read_shared_slow"][usize::from(is_slow)];
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // Another process may be running it, or compiling it too.
        let new = program.with_extension(std::process::id().to_string());
        let mut gcc = Command::new("gcc");
        gcc.args([
            "-std=c11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
        ]);
        if is_slow {
            let loads = concat!(env!("CARGO_MANIFEST_DIR"), "/shared/slow_loads.h");
            gcc.args(["-include", loads]);
        }
        gcc.arg(format!("{EXAMPLES}/read_shared.c"));
        let status = unless_missing("gcc", gcc.arg("-o").arg(&new).status())?;
        assert!(status.success(), "it does not compile");
        fs::rename(&new, &program).expect("its own");
        Some(program)
    };
    PROGRAMS[usize::from(is_slow)].get_or_init(compile).clone()
}

fn command(language: Language) -> Option<Command> {
    match language {
        Language::C => program_in_c(false).map(Command::new),
        Language::SlowC => program_in_c(true).map(Command::new),
        Language::Python => {
            let mut python = Command::new("python3");
            // Without files of its own beside the examples.
            python.arg("-B").arg(format!("{EXAMPLES}/read_shared.py"));
            Some(python)
        }
    }
}

/// What a reader says to these lines; `None` if there is no such program.
fn run(language: Language, filter: &Path, options: &[&str], lines: String) -> Option<Output> {
    let mut command = command(language)?;
    command.args(options).arg(filter).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = unless_missing("python3", command.spawn())?;
    let mut input = child.stdin.take().expect("piped");
    // While its answers are read. A reader that fails does not read them, and says why.
    let writer = thread::spawn(move || drop(input.write_all(lines.as_bytes())));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it does not panic");
    Some(output)
}

/// The answers of a reader, one for each line.
pub(crate) fn answers(
    language: Language,
    filter: &Path,
    options: &[&str],
    lines: String,
) -> Option<Vec<bool>> {
    let output = run(language, filter, options, lines)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", filter.display());
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let answer = |line: &str| match line {
        "yes" => true,
        "no" => false,
        line => panic!("no answer: {line}"),
    };
    Some(said.lines().map(answer).collect())
}

pub(crate) fn lines_of(hashes: impl Iterator<Item = u64>) -> String {
    hashes.map(|hash| format!("{hash:016x}\n")).collect()
}

fn gives_the_golden_answers(language: Language) {
    for name in golden::NAMES {
        let lookups = lookups(name);
        let items = lookups
            .iter()
            .map(|(item, ..)| format!("{item}\n"))
            .collect();
        let hashes = lines_of(lookups.iter().map(|&(_, hash, _)| hash));
        for (options, lines) in [(&[][..], items), (&["--hashes"][..], hashes)] {
            let path = golden::path(name, "lfcs");
            let Some(answers) = answers(language, &path, options, lines) else {
                return;
            };
            assert_eq!(answers.len(), lookups.len());
            for ((item, _, is_in), answer) in lookups.iter().zip(answers) {
                assert_eq!(answer, *is_in, "{name} {options:?}: {item}");
            }
        }
    }
}

#[test]
fn c_gives_the_golden_answers() {
    gives_the_golden_answers(Language::C);
}

#[test]
fn python_gives_the_golden_answers() {
    gives_the_golden_answers(Language::Python);
}

/// A filter for tokens that hop, and the two hashes of each of their classes: one for each bucket.
struct Hopping<L: Layout> {
    filter: SharedFilter<Fixed<L>>,
    geometry: Geometry,
    pairs: Vec<[u64; 2]>,
}

const BUCKETS: usize = 96;

fn geometry_of<L: Layout>() -> Geometry {
    let shape = Shape::of::<L>();
    let (slots, bits) = (shape.slots(), shape.fingerprint_bits());
    let layout = match shape.value_bits() {
        0 => model::layout::Layout::of(slots, bits),
        values => model::layout::Layout::with_values(slots, bits, values),
    };
    Geometry::with_buckets(layout, BUCKETS)
}

/// The first hashes are of tokens that hop. All others never change.
fn hashes_of(geometry: Geometry, hops: usize) -> (Vec<[u64; 2]>, Vec<u64>) {
    let all = distinct(geometry, geometry.slots() / 2, 1);
    let classes = all.iter().map(|&hash| geometry.class(hash));
    let pairs = classes.map(|class: Class| geometry.both_orders(class));
    (pairs.take(hops).collect(), all)
}

impl<L: Layout> Hopping<L> {
    /// Half full, and the first tokens hop.
    fn new(hops: usize) -> Self {
        let geometry = geometry_of::<L>();
        let (pairs, all) = hashes_of(geometry, hops);
        let builder = Filter::<Fixed<L>>::builder().buckets(BUCKETS).seed(7);
        let filter = builder.build_shared().expect("memory");
        for hash in all {
            filter.insert_hash(hash).expect("room");
        }
        Self {
            filter,
            geometry,
            pairs,
        }
    }

    /// Whether a word of the memory is frozen.
    fn is_frozen(&self) -> bool {
        let bytes = bytes_of(&self.filter);
        // They are in the last page, from its beginning.
        let words = &bytes[bytes.len() - 4096..][..8 * BUCKETS];
        words
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("eight")))
            .any(|word| self.geometry.layout.is_reference(word))
    }
}

/// Makes each token hop to its other bucket.
fn hop<L: Layout>(filter: &SharedFilter<Fixed<L>>, pairs: &[[u64; 2]]) -> usize {
    let hops = pairs
        .iter()
        .filter(|pair| pair.iter().any(|&hash| filter.relocate_hash(hash)));
    hops.count()
}

/// While tokens hop from one bucket to the other and back, a reader finds each of them, and what is
/// beside them, every time. So few hop that each does so very often.
fn finds_what_hops<L: Layout>(language: Language, lookups: usize) {
    let hopping = Hopping::<L>::new(3);
    let (filter, pairs) = (&hopping.filter, &hopping.pairs);
    // Also what is beside them. No stripe tells a lookup of it that its word was frozen meanwhile.
    let (_, stored) = hashes_of(hopping.geometry, 0);
    let ends = |hash: u64| {
        let class = hopping.geometry.class(hash);
        [class.low, class.high]
    };
    let hopped: Vec<usize> = pairs.iter().flat_map(|pair| ends(pair[0])).collect();
    let is_near = |hash: &u64| ends(*hash).iter().any(|end| hopped.contains(end));
    let beside: Vec<u64> = stored.into_iter().filter(is_near).collect();
    // Each that hops after each that does not.
    let looked_up: Vec<u64> = (beside.iter())
        .flat_map(|&beside| pairs.iter().flat_map(move |pair| [pair[0], beside]))
        .collect();
    let others = distinct(hopping.geometry, 64, 2);
    let (answers, hops) = Crew::run(
        1,
        |_, _| {
            let hashes = looked_up.iter().copied().cycle().take(lookups);
            answers(
                language,
                &path_of(&hopping.filter),
                &["--hashes"],
                lines_of(hashes),
            )
        },
        1,
        |crew, _| {
            let mut hops = 0;
            while crew.at_work() {
                for &other in &others {
                    hops += hop(filter, pairs);
                    // What is there by a collision stays.
                    if filter.insert_unique_hash(other).expect("room") {
                        hops += hop(filter, pairs);
                        filter.remove_hash(other);
                    }
                }
            }
            hops
        },
    );
    let (Some(answers), hops) = (answers.into_iter().flatten().next(), hops[0]) else {
        return;
    };
    assert!(hops > 100, "hardly any hop");
    assert_eq!(answers.len(), lookups);
    let missed = answers.iter().filter(|is_in| !**is_in).count();
    assert_eq!(missed, 0, "of {lookups} in {}", Shape::of::<L>());
}

#[test]
fn c_finds_what_hops() {
    finds_what_hops::<Lanes<4, 16>>(Language::C, 200_000);
    finds_what_hops::<Lanes<4, 16>>(Language::SlowC, 100_000);
    finds_what_hops::<Lanes<2, 31>>(Language::SlowC, 50_000);
}

/// On AArch64 the program does not claim it: see its head.
#[test]
#[cfg(target_arch = "x86_64")]
fn python_finds_what_hops() {
    finds_what_hops::<Lanes<4, 16>>(Language::Python, 20_000);
    finds_what_hops::<SemiSorted<4, 17>>(Language::Python, 5_000);
}

/// The program in C stops before a load, and goes on when the memory has gone on by any number of
/// steps. It finds each of these hashes. Returns how often it has stopped; `None` without gcc.
pub(crate) fn c_stops(memory: &[Vec<u8>], hashes: &[u64]) -> Option<usize> {
    let program = program_in_c(true)?;
    let path = file("stopped");
    let mut stops = 0;
    for &hash in hashes {
        for (from, to) in pairs_of(memory.len()) {
            let missed = (1..).find_map(|load| {
                assert!(load < 50, "it begins again for ever");
                fs::write(&path, &memory[from]).expect("a place to write to");
                let go_on = || write_changes(&path, &memory[from], &memory[to]);
                let (has_stopped, found) = run_and_stop(&program, &path, hash, load, go_on);
                stops += usize::from(has_stopped);
                // As long as there are loads.
                (!found || !has_stopped).then_some((load, !found))
            });
            let (load, missed) = missed.expect("it ends");
            assert!(!missed, "load {load}, from step {from} to step {to}");
        }
    }
    let _ = fs::remove_file(&path);
    Some(stops)
}

/// The same in Python, where the memory itself changes before a load.
pub(crate) fn python_stops(memory: &[Vec<u8>], hashes: &[u64]) -> Option<usize> {
    let (first, all) = (file("first"), file("steps"));
    fs::write(&first, &memory[0]).expect("a place to write to");
    fs::write(&all, memory.concat()).expect("a place to write to");
    let mut python = Command::new("python3");
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/shared/stopping.py");
    python.args(["-B", program, EXAMPLES]).args([&first, &all]);
    python.args(hashes.iter().map(|hash| format!("{hash:x}")));
    let output = unless_missing("python3", python.output())?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let _ = [first, all].map(fs::remove_file);
    let stops = String::from_utf8_lossy(&output.stdout);
    Some(stops.trim().parse().expect("a number"))
}

#[test]
fn c_finds_what_hops_while_it_stops() {
    for steps in [true, false].map(golden::steps_of_a_hop) {
        let stops = c_stops(&steps.memory, &steps.hashes);
        assert!(stops.is_none_or(|stops| stops > 500), "it hardly stops");
    }
}

#[test]
fn python_finds_what_hops_while_it_stops() {
    for steps in [true, false].map(golden::steps_of_a_hop) {
        let stops = python_stops(&steps.memory, &steps.hashes);
        assert!(stops.is_none_or(|stops| stops > 500), "it hardly stops");
    }
}

/// The path of a file of this call alone.
pub(crate) fn file(name: &str) -> PathBuf {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = format!("{name}-{}-{number}.lfcs", std::process::id());
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// All pairs of a number and a higher one.
fn pairs_of(numbers: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..numbers).flat_map(move |from| (from + 1..numbers).map(move |to| (from, to)))
}

/// Writes those words of a file that are different, as a process does that has it mapped.
fn write_changes(path: &Path, before: &[u8], after: &[u8]) {
    let file = File::options().write(true).open(path).expect("its own");
    let words = before.chunks(8).zip(after.chunks(8)).enumerate();
    for (number, (old, new)) in words {
        if old != new {
            file.write_all_at(new, 8 * number as u64).expect("within");
        }
    }
}

/// Runs the slow program for one hash, and `go_on` when it stops before a load. Returns whether it
/// has stopped, and its answer.
fn run_and_stop(
    program: &Path,
    filter: &Path,
    hash: u64,
    load: usize,
    go_on: impl FnOnce(),
) -> (bool, bool) {
    let mut command = Command::new(program);
    command.arg("--hashes").arg(filter);
    command.env("STOP_AT", load.to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it is compiled");
    let line = format!("{hash:x}\n");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(line.as_bytes()).expect("it reads");
    drop(input);
    let id = Pid::from_raw(child.id() as i32);
    let or_its_end = WaitPidFlag::WSTOPPED | WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
    let status = waitid(Id::Pid(id), or_its_end).expect("a child");
    let has_stopped = matches!(status, WaitStatus::Stopped(..));
    if has_stopped {
        go_on();
        kill(id, Signal::SIGCONT).expect("it waits");
    }
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "it fails");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(said == "yes\n" || said == "no\n", "{said}");
    (has_stopped, said == "yes\n")
}

/// Makes tokens hop in the memory of the parent, until it is killed.
pub(crate) fn hop_until_killed(shape: &str) {
    fn endlessly<L: Layout>() {
        let filter = SharedFilter::<Fixed<L>>::attach(memory()).expect("a filter");
        let (pairs, _) = hashes_of(geometry_of::<L>(), usize::MAX);
        loop {
            hop(&filter, &pairs);
        }
    }
    match shape {
        "4x16" => endlessly::<Lanes<4, 16>>(),
        "8x8" => endlessly::<Lanes<8, 8>>(),
        "2x31" => endlessly::<Lanes<2, 31>>(),
        "4x12+4" => endlessly::<Lanes<4, 12, 4>>(),
        "3x13+8" => endlessly::<Lanes<3, 13, 8>>(),
        "4x17" => endlessly::<SemiSorted<4, 17>>(),
        shape => panic!("no {shape}"),
    }
}

/// A process is killed while tokens hop, until words are left frozen. The readers answer as the
/// library does, which finds all that is stored.
fn answers_for_the_dead<L: Layout>(shape: &str) {
    let hopping = Hopping::<L>::new(usize::MAX);
    for _ in 0..100 {
        let mut victim = spawn(&format!("hop {shape}"), &hopping.filter);
        thread::sleep(Duration::from_millis(50));
        victim.kill().expect("it lives");
        victim.wait().expect("it is dead");
        if hopping.is_frozen() {
            break;
        }
    }
    assert!(hopping.is_frozen(), "no death left a word frozen");
    let (_, stored) = hashes_of(hopping.geometry, 0);
    let absent = distinct(hopping.geometry, 1_000, 3);
    let reader = SharedReader::<Fixed<L>>::attach(&hopping.filter).expect("the same memory");
    let all: Vec<u64> = stored.iter().chain(&absent).copied().collect();
    let expected: Vec<bool> = all.iter().map(|&hash| reader.contains_hash(hash)).collect();
    assert!(expected[..stored.len()].iter().all(|is_in| *is_in), "lost");
    for language in [Language::C, Language::Python] {
        if language == Language::C && Shape::of::<L>().is_semi_sorted() {
            continue;
        }
        let lines = lines_of(all.iter().copied());
        if let Some(said) = answers(language, &path_of(&hopping.filter), &["--hashes"], lines) {
            let wrong = said.iter().zip(&expected).filter(|(a, b)| a != b).count();
            assert_eq!((said.len(), wrong), (all.len(), 0), "{shape}");
        }
    }
    assert!(hopping.is_frozen(), "a reader has written");
}

#[test]
fn answers_are_those_of_the_library_after_a_death() {
    answers_for_the_dead::<Lanes<4, 16>>("4x16");
    answers_for_the_dead::<Lanes<8, 8>>("8x8");
    answers_for_the_dead::<Lanes<2, 31>>("2x31");
    answers_for_the_dead::<Lanes<4, 12, 4>>("4x12+4");
    answers_for_the_dead::<Lanes<3, 13, 8>>("3x13+8");
    answers_for_the_dead::<SemiSorted<4, 17>>("4x17");
}

/// What is no filter, or is damaged, is refused with a reason.
#[test]
fn other_memory_is_refused() {
    let good = fs::read(golden::path("plain", "lfcs")).expect("it is in the repository");
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    let semi_sorted = Hopping::<SemiSorted<4, 17>>::new(0);
    let cases = [
        (Vec::new(), "not a filter"),
        (changed(4), "not a filter"),
        (changed(8), "not version 1"),
        (changed(40), "the header is damaged"),
        (changed(70), "the sizes are damaged"),
        (changed(112), "the sizes are damaged"),
        (changed(124), "the sizes are damaged"),
        (good[..good.len() - 1].to_vec(), "size in its header"),
        (bytes_of(&semi_sorted.filter), "semi-sorted"),
    ];
    let path = file("refused");
    for language in [Language::C, Language::Python] {
        for (bytes, reason) in &cases {
            if language == Language::Python && *reason == "semi-sorted" {
                continue;
            }
            fs::write(&path, bytes).expect("a place to write to");
            let Some(output) = run(language, &path, &[], "item 1\n".to_owned()) else {
                break;
            };
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && output.stdout.is_empty());
            assert!(said.contains(reason), "{said} is not: {reason}");
        }
    }
    let _ = fs::remove_file(&path);
}
