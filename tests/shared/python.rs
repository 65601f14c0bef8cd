//! A reader in Python, which knows nothing but what the page on the format documents.

use std::io;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Child, Command, Stdio};

use crew::Crew;
use lockfree_cuckoo::filter::Dyn;
use lockfree_cuckoo::layout::Shape;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{CuckooFilter, SharedFilter};

const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/read_shared.py");

/// Starts the reader; `None` without Python.
fn reader(filter: &impl AsFd) -> Option<Child> {
    let memory = filter.as_fd().as_raw_fd();
    let memory = format!("/proc/{}/fd/{memory}", std::process::id());
    let mut command = Command::new("python3");
    command.args([READER, "--hashes", &memory]);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let child = pipes.spawn().ok();
    if child.is_none() {
        // Not through the harness, which would capture it.
        let _ = writeln!(
            io::stderr(),
            "SKIPPED: a reader in Python: there is no python3"
        );
    }
    child
}

/// Whether it finds each of these hashes.
fn answers(mut reader: Child, hashes: &[u64]) -> Vec<bool> {
    let lines: String = hashes.iter().map(|hash| format!("{hash:016x}\n")).collect();
    let mut input = reader.stdin.take().expect("piped");
    // It answers while it reads. One that fails does not read them all, and prints why.
    let writer = std::thread::spawn(move || _ = input.write_all(lines.as_bytes()));
    let output = reader.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    assert!(output.status.success(), "it fails");
    let said = String::from_utf8(output.stdout).expect("text");
    said.lines().map(|line| line == "yes").collect()
}

/// The answers of the library, in each layout.
#[test]
fn it_answers_as_the_library() {
    for &shape in Shape::ALL {
        let builder = CuckooFilter::builder().capacity(500).seed(7);
        let filter: SharedFilter<Dyn> = builder.build_shared_shape(shape).expect("memory");
        let hashes: Vec<u64> = (0..1_000).map(model::mix).collect();
        for &hash in &hashes[..500] {
            filter.insert_hash(hash).expect("room");
        }
        let Some(reader) = reader(&filter) else {
            return;
        };
        let expected: Vec<bool> = hashes.iter().map(|&h| filter.contains_hash(h)).collect();
        assert_eq!(answers(reader, &hashes), expected, "{shape}");
    }
}

/// A hash of the same class, whose first candidate is the other one, in a table of 2^5 buckets: as
/// the page on the format says.
fn twin(hash: u64) -> u64 {
    let spread = (hash & 0xffff).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63;
    hash ^ spread >> 59 << 59
}

/// It misses no item that hops from word to word while it looks.
#[test]
fn it_misses_no_item_that_hops() {
    let builder = CuckooFilter::builder().buckets(1 << 5).seed(7);
    let filter = builder.build_shared().expect("memory");
    let hashes: Vec<u64> = (0..40).map(model::mix).collect();
    for &hash in &hashes {
        filter.insert_hash(hash).expect("room");
    }
    let asked: Vec<u64> = hashes.iter().copied().cycle().take(100_000).collect();
    let (found, hops) = Crew::run(
        1,
        |_, _| reader(&filter).map(|reader| answers(reader, &asked)),
        1,
        |crew, _| {
            let mut hops = 0;
            while crew.at_work() {
                for &hash in &hashes {
                    // One way, and back.
                    hops += u64::from(filter.relocate_hash(hash));
                    hops += u64::from(filter.relocate_hash(twin(hash)));
                }
            }
            hops
        },
    );
    assert!(hops.iter().sum::<u64>() > 1_000, "{hops:?} hops");
    for found in found.into_iter().flatten() {
        assert_eq!(found.len(), asked.len());
        let missed = found.iter().filter(|&&found| !found).count();
        assert_eq!(missed, 0, "of {}", asked.len());
    }
}
