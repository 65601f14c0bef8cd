//! The readers in other languages, `examples/read_shared.c` and `examples/read_shared.py`: they
//! know nothing but the documented form.
//!
//! 1. They give the answers beside the golden memory, by the items and by their hashes.
//! 2. They find what is stored while its tokens hop from bucket to bucket and others come and go.
//! 3. They find it after a process was killed in the middle of a hop, and answer as the library.
//! 4. They say why they refuse memory.
//!
//! The program in C reads no semi-sorted layout. Without gcc, or without python3, the tests of that
//! program are skipped, with a message.

use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use lockfree_cuckoo::filter::Fixed;
use lockfree_cuckoo::layout::{Lanes, Layout, SemiSorted, Shape};
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{Filter, SharedFilter, SharedReader};
use model::geometry::{Class, Geometry, distinct};

use crate::golden::{self, bytes_of, lookups};
use crate::{memory, spawn};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Python,
}

/// Says that something is skipped: not through the harness, which would capture it.
fn skipped(what: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {what}");
}

/// The program in C, once it is compiled; `None` without gcc.
fn program_in_c() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("read_shared");
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
        gcc.arg(format!("{EXAMPLES}/read_shared.c"));
        let Ok(status) = gcc.arg("-o").arg(&new).status() else {
            skipped("a reader in C: there is no gcc");
            return None;
        };
        assert!(status.success(), "it does not compile");
        fs::rename(&new, &program).expect("its own");
        Some(program)
    };
    PROGRAM.get_or_init(compile).as_deref()
}

fn command(language: Language) -> Option<Command> {
    match language {
        Language::C => program_in_c().map(Command::new),
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
    let Ok(mut child) = command.spawn() else {
        skipped("a reader in Python: there is no python3");
        return None;
    };
    let mut input = child.stdin.take().expect("piped");
    // While its answers are read. A reader that fails does not read them, and says why.
    let writer = thread::spawn(move || drop(input.write_all(lines.as_bytes())));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it does not panic");
    Some(output)
}

/// The answers of a reader, one for each line.
fn answers(
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

fn lines_of(hashes: impl Iterator<Item = u64>) -> String {
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

    fn path(&self) -> PathBuf {
        let own = std::process::id();
        format!("/proc/{own}/fd/{}", self.filter.as_fd().as_raw_fd()).into()
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

/// While tokens hop from one bucket to the other and back, a reader finds each of them, every time.
/// So few hop that each does so very often.
fn finds_what_hops<L: Layout>(language: Language, lookups: usize) {
    let hopping = Hopping::<L>::new(3);
    let (filter, pairs) = (&hopping.filter, &hopping.pairs);
    let is_over = AtomicBool::new(false);
    let (answers, hops) = thread::scope(|scope| {
        let churn = scope.spawn(|| {
            let others = distinct(hopping.geometry, 64, 2);
            let mut hops = 0;
            while !is_over.load(Ordering::Relaxed) {
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
        });
        let hashes = pairs.iter().map(|pair| pair[0]).cycle().take(lookups);
        let answers = answers(language, &hopping.path(), &["--hashes"], lines_of(hashes));
        is_over.store(true, Ordering::Relaxed);
        (answers, churn.join().expect("it does not panic"))
    });
    let Some(answers) = answers else {
        return;
    };
    assert!(hops > 100, "hardly any hop");
    assert_eq!(answers.len(), lookups);
    let missed = answers.iter().filter(|is_in| !**is_in).count();
    assert_eq!(missed, 0, "of {lookups} in {}", Shape::of::<L>());
}

#[test]
fn c_finds_what_hops() {
    finds_what_hops::<Lanes<4, 16>>(Language::C, 1_000_000);
    finds_what_hops::<Lanes<2, 31>>(Language::C, 200_000);
}

/// On AArch64 the program does not claim it: see its head.
#[test]
#[cfg(target_arch = "x86_64")]
fn python_finds_what_hops() {
    finds_what_hops::<Lanes<4, 16>>(Language::Python, 20_000);
    finds_what_hops::<SemiSorted<4, 17>>(Language::Python, 5_000);
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
        if let Some(said) = answers(language, &hopping.path(), &["--hashes"], lines) {
            assert_eq!(said, expected, "{shape}");
        }
    }
    assert!(hopping.is_frozen(), "a reader has written");
}

#[test]
fn answers_are_those_of_the_library_after_a_death() {
    answers_for_the_dead::<Lanes<4, 16>>("4x16");
    answers_for_the_dead::<Lanes<8, 8>>("8x8");
    answers_for_the_dead::<Lanes<2, 31>>("2x31");
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
    let name = format!("refused-{}.lfcs", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
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
