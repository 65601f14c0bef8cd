//! Golden memory: the whole memory of two small filters, with lookups, for readers that others
//! write.
//!
//! 1. A filter that is made in the same way today has the same bytes, all of them.
//! 2. The memory with frozen words is that filter with changes under way, each as an owner that was
//!    killed left it. It follows from the documented form, by the model alone.
//! 3. The library gives the answers that are in the files beside them, without and with recovery.
//!
//! Other programs give the same answers: see [`languages`](crate::languages).

use std::fs;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

use lockfree_cuckoo::filter::Fixed;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{CuckooFilter, RandomState, SharedFilter, SharedReader};
use model::geometry::Geometry;
use model::layout::Layout;

/// The names of the files.
pub(crate) const NAMES: [&str; 2] = ["plain", "frozen"];

const SEED: u64 = 0x0123_4567_89ab_cdef;
const ITEMS: usize = 260;
const LAYOUT: Layout = Layout::of(4, 16);

/// Three ranges of 32 buckets, each of which has room: no insert relocates, so that not even the
/// number of a thread decides about any byte.
const GEOMETRY: Geometry = Geometry::with_buckets(LAYOUT, 96);

/// Where the parts of this memory begin, as the page on the format says.
const DESCRIPTORS: usize = 12_672;
const WORDS: usize = 81_920;

const PENDING: u64 = 0;
const COMMITTED: u64 = 1;
const ABORTED: u64 = 2;

/// A process that had the first seat, and is dead in each copy of the memory.
const OWNER: u64 = 1 << 10;

/// The path of a file of golden memory.
pub(crate) fn path(name: &str, extension: &str) -> PathBuf {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/shared");
    Path::new(directory).join(name).with_extension(extension)
}

/// All bytes of a filter.
pub(crate) fn bytes_of(filter: &impl AsFd) -> Vec<u8> {
    let path = format!("/proc/self/fd/{}", filter.as_fd().as_raw_fd());
    fs::read(path).expect("its own")
}

fn hash(item: &str) -> u64 {
    RandomState::with_seed(SEED).hash_bytes(item.as_bytes())
}

fn items() -> impl Iterator<Item = String> {
    (0..ITEMS).map(|number| format!("item {number}"))
}

/// The filter of the first file.
fn made() -> SharedFilter {
    let builder = CuckooFilter::builder().buckets(96).seed(SEED);
    let filter = builder.build_shared().expect("memory");
    items().for_each(|item| filter.insert_hash(hash(&item)).expect("room"));
    // A second copy comes and goes. A remove that sees two in different buckets bumps a stripe.
    for item in items().step_by(10) {
        filter.insert_hash(hash(&item)).expect("room");
        assert!(filter.remove_hash(hash(&item)));
    }
    filter
}

/// What is in a word of a change under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// What it was.
    Before,
    Frozen,
    /// What it becomes.
    After,
}
use State::{After, Before, Frozen};

/// A hop: whether its source is the lower word, whether it places a token, its status, and what is
/// in the two words. The lower word is frozen first, the source is written back first by its owner,
/// and others write back either.
const HOPS: [(bool, bool, u64, State, State); 13] = [
    (true, false, PENDING, Frozen, Frozen),
    (false, false, PENDING, Frozen, Frozen),
    (true, true, PENDING, Frozen, Frozen),
    (true, true, PENDING, Frozen, Before),
    (false, false, PENDING, Before, Frozen),
    (true, false, COMMITTED, Frozen, Frozen),
    (false, true, COMMITTED, Frozen, Frozen),
    (true, false, COMMITTED, After, Frozen),
    (true, true, COMMITTED, Frozen, After),
    (false, true, COMMITTED, After, Frozen),
    (true, false, ABORTED, Frozen, Frozen),
    (false, true, ABORTED, Frozen, Before),
    (true, false, ABORTED, Before, Frozen),
];

/// Memory in which changes are under way.
struct Frost {
    bytes: Vec<u8>,
    /// The buckets that a change has already.
    used: Vec<usize>,
    changes: usize,
    /// The items that changes would place, or have placed, and whether they are stored.
    placed: Vec<(String, bool)>,
}

impl Frost {
    fn number(&self, at: usize) -> u64 {
        let bytes = self.bytes[at..at + 8].try_into().expect("eight");
        u64::from_le_bytes(bytes)
    }

    fn set(&mut self, at: usize, number: u64) {
        self.bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }

    fn word(&self, bucket: usize) -> u64 {
        self.number(WORDS + 8 * bucket)
    }

    fn is_free(&self, bucket: usize) -> bool {
        !self.used.contains(&bucket)
    }

    /// An item that is not stored and could be in this bucket, with its token and other bucket.
    fn newcomer(&mut self, bucket: usize, is_stored: bool) -> (u64, usize) {
        let (item, class) = (0..)
            .map(|number| format!("placed {number}"))
            .map(|item| (GEOMETRY.class(hash(&item)), item))
            .map(|(class, item)| (item, class))
            .find(|&(ref item, class)| {
                let pair = [class.low, class.high];
                let is_there = pair.iter().any(|&at| self.plain_has(at, class.fingerprint));
                let is_new = self.placed.iter().all(|(placed, _)| placed != item);
                pair.contains(&bucket) && !is_there && is_new
            })
            .expect("there are many items");
        self.placed.push((item, is_stored));
        let token = LAYOUT.token(class.fingerprint, 0);
        (u64::from(token), class.low + class.high - bucket)
    }

    /// Whether a bucket that is not frozen has a fingerprint.
    fn plain_has(&self, bucket: usize, fingerprint: u32) -> bool {
        let word = self.word(bucket);
        !LAYOUT.is_reference(word) && LAYOUT.contains(word, fingerprint)
    }

    /// Writes the descriptor of the next change. Returns the reference to it.
    fn publish(&mut self, status: u64, fields: [u64; 5]) -> u64 {
        // Numbers of all sizes, of uses that are more than a reference has bits for.
        let number = 1_022 - 60 * self.changes;
        let uses = 5 << 38 | (self.changes as u64 + 7);
        self.changes += 1;
        let all = [uses << 2 | status, OWNER].into_iter().chain(fields);
        for (field, value) in all.enumerate() {
            self.set(DESCRIPTORS + 64 * number + 8 * field, value);
        }
        LAYOUT.reference(number, uses)
    }

    fn hop(
        &mut self,
        (upward, places, status, source, destination): (bool, bool, u64, State, State),
    ) {
        let (from, to, moved) = (0..GEOMETRY.buckets)
            .filter(|&from| self.is_free(from))
            .flat_map(|from| {
                LAYOUT
                    .tokens(self.word(from))
                    .map(move |token| (from, token))
            })
            .map(|(from, token)| (from, GEOMETRY.alternate(from, token), token))
            .find(|&(from, to, _)| {
                self.is_free(to) && (from < to) == upward && LAYOUT.has_room(self.word(to))
            })
            .expect("a token that can hop");
        let old = [self.word(from), self.word(to)];
        self.used.extend([from, to]);
        let placed = places.then(|| self.newcomer(from, status == COMMITTED).0 as u32);
        let new = [
            match placed {
                Some(placed) => LAYOUT.replacing(old[0], moved, placed),
                None => LAYOUT.without_token(old[0], moved),
            },
            LAYOUT.with(old[1], moved),
        ];
        let tokens = u64::from(moved) | u64::from(placed.unwrap_or(0)) << 32;
        let fields = [tokens, from as u64, to as u64, old[0], old[1]];
        let reference = self.publish(status, fields);
        for (end, state) in [source, destination].into_iter().enumerate() {
            let word = match state {
                Before => old[end],
                Frozen => reference,
                After => new[end].expect("possible"),
            };
            self.set(WORDS + 8 * [from, to][end], word);
        }
    }

    /// A token that is placed where there is room.
    fn admission(&mut self, status: u64) {
        let target = (0..GEOMETRY.buckets)
            .find(|&bucket| self.is_free(bucket) && LAYOUT.has_room(self.word(bucket)))
            .expect("room");
        self.used.push(target);
        let old = self.word(target);
        let (placed, witness) = self.newcomer(target, status == COMMITTED);
        let fields = [placed << 32, target as u64, witness as u64, old, 0];
        let reference = self.publish(status, fields);
        self.set(WORDS + 8 * target, reference);
    }
}

/// The memory with frozen words.
fn frozen(plain: Vec<u8>) -> Frost {
    let mut frost = Frost {
        bytes: plain,
        used: Vec::new(),
        changes: 0,
        placed: Vec::new(),
    };
    HOPS.into_iter().for_each(|hop| frost.hop(hop));
    [PENDING, COMMITTED, ABORTED]
        .into_iter()
        .for_each(|status| frost.admission(status));
    frost
}

/// The lookups for a memory: a line each, with the item, its hash, and the answer.
fn lines(placed: &[(String, bool)]) -> String {
    // False positives are in no way different for a reader: three of them.
    let filter = made();
    let false_positives = (0..)
        .map(|number| format!("absent {number}"))
        .filter(|item| filter.contains_hash(hash(item)))
        .take(3);
    let absent = (0..100).map(|number| format!("absent {number}"));
    let absent = absent.filter(|item| !filter.contains_hash(hash(item)));
    let all = items().chain(false_positives).map(|item| (item, true));
    all.chain(absent.map(|item| (item, false)))
        .chain(placed.iter().cloned())
        .map(|(item, is_in)| {
            let answer = if is_in { "yes" } else { "no" };
            format!("{item}\t{:016x}\t{answer}\n", hash(&item))
        })
        .collect()
}

/// An item, its hash, and the answer.
pub(crate) type Lookup = (String, u64, bool);

/// The lookups in the file beside a memory.
pub(crate) fn lookups(name: &str) -> Vec<Lookup> {
    let lines = fs::read_to_string(path(name, "tsv")).expect("it is in the repository");
    let lookup = |line: &str| {
        let mut parts = line.split('\t');
        let mut part = || parts.next().expect("three parts").to_owned();
        let (item, hash, answer) = (part(), part(), part());
        let hash = u64::from_str_radix(&hash, 16).expect("hexadecimal");
        (item, hash, answer == "yes")
    };
    lines.lines().map(lookup).collect()
}

fn golden(name: &str) -> Vec<u8> {
    fs::read(path(name, "lfcs")).expect("it is in the repository")
}

/// The same calls give the same memory, and the changes under way are those that the page says.
#[test]
fn memory_is_as_ever() {
    let plain = bytes_of(&made());
    assert!(
        plain == golden("plain"),
        "the memory of a filter has changed"
    );
    assert_eq!(
        lines(&[]),
        fs::read_to_string(path("plain", "tsv")).expect("there")
    );
    let frost = frozen(plain);
    assert!(
        frost.bytes == golden("frozen"),
        "the frozen words have changed"
    );
    let beside = fs::read_to_string(path("frozen", "tsv")).expect("there");
    assert_eq!(lines(&frost.placed), beside);
}

/// The library gives the answers: a reader as the memory is, and a process that recovers.
#[test]
fn library_answers() {
    for name in NAMES {
        let reader = SharedReader::<Fixed>::open(path(name, "lfcs")).expect("a filter");
        for (item, hash, is_in) in lookups(name) {
            assert_eq!(reader.hasher().hash_bytes(item.as_bytes()), hash, "{item}");
            assert_eq!(reader.contains_hash(hash), is_in, "{name}: {item}");
        }
        assert!(golden(name) == fs::read(path(name, "lfcs")).expect("there"));
        // A process that writes, in a copy.
        let file = format!("{name}-{}.lfcs", std::process::id());
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
        fs::write(&copy, golden(name)).expect("a place to write to");
        let filter = SharedFilter::<Fixed>::open(&copy).expect("a filter");
        fs::remove_file(&copy).expect("its name");
        assert_eq!(filter.recover(), 0, "opening it has recovered");
        assert_eq!(filter.claimed(), 0);
        // The admission that was pending is decided, and nothing stands in its way.
        let admitted = usize::from(name == "frozen");
        let mut changed = 0;
        for (item, hash, is_in) in lookups(name) {
            changed += usize::from(filter.contains_hash(hash) != is_in);
            assert!(!is_in || filter.contains_hash(hash), "{name}: {item}");
        }
        assert_eq!(changed, admitted, "{name}");
        let placed = lookups(name).into_iter();
        let placed = placed.filter(|(item, _, is_in)| item.starts_with("placed") && *is_in);
        let held = filter.snapshot().expect("no one scans").len();
        assert_eq!(held, ITEMS + placed.count() + admitted, "{name}");
    }
}

/// Writes the golden memory that is missing. Files that are there are never written: what is in
/// them must not change within one version of the form.
#[test]
#[ignore = "it writes the files that the other tests rely on"]
fn write_golden_memory() {
    let plain = bytes_of(&made());
    let frost = frozen(plain.clone());
    for (name, bytes, lines) in [
        ("plain", plain, lines(&[])),
        ("frozen", frost.bytes, lines(&frost.placed)),
    ] {
        if !path(name, "lfcs").exists() {
            fs::write(path(name, "tsv"), lines).expect("a place to write to");
            fs::write(path(name, "lfcs"), bytes).expect("a place to write to");
        }
    }
}
