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
use std::ops::Range;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use lockfree_cuckoo::filter::Fixed;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{CuckooFilter, RandomState, SharedFilter, SharedReader};
use model::geometry::Geometry;
use model::layout::Layout;

use crate::languages::file;
use crate::path_of;

/// The names of the files.
pub(crate) const NAMES: [&str; 2] = ["plain", "frozen"];

const SEED: u64 = 0x0123_4567_89ab_cdef;
const ITEMS: usize = 150;
const LAYOUT: Layout = Layout::of(4, 16);

/// Three ranges of 32 buckets, each of which has room: no insert relocates, so that not even the
/// number of a thread decides about any byte.
const GEOMETRY: Geometry = Geometry::with_buckets(LAYOUT, 96);

/// Where the parts of this memory begin, as the page on the format says.
const STRIPES: usize = 8_448;
const DESCRIPTORS: usize = 8_576;
const WORDS: usize = 77_824;

const BOOT: Range<usize> = 2_056..2_072;

const PENDING: u64 = 0;
const COMMITTED: u64 = 1;
const ABORTED: u64 = 2;

/// The first process, which is dead in each copy of the memory.
const OWNER: u64 = 1_023;

/// The path of a file of golden memory.
pub(crate) fn path(name: &str, extension: &str) -> PathBuf {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/shared");
    Path::new(directory).join(name).with_extension(extension)
}

/// A number of the memory.
pub(crate) fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"))
}

pub(crate) fn set(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

/// All bytes of a filter.
pub(crate) fn bytes_of(filter: &impl AsFd) -> Vec<u8> {
    fs::read(path_of(filter)).expect("its own")
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

/// Its bytes, but for the boot: golden memory has none, and is the same after each.
fn made_in_no_boot() -> Vec<u8> {
    let mut bytes = bytes_of(&made());
    bytes[BOOT].fill(0);
    bytes
}

/// What is in a word of a change under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// What it was.
    Before,
    Frozen,
    /// What it becomes.
    After,
    /// Of a destination: what it becomes, but the token was removed since.
    Removed,
}
use State::{After, Before, Frozen, Removed};

/// A hop: whether its source is the lower word, whether it places a token, its status, and what is
/// in the two words. The lower word is frozen first, the source is written back first by its owner,
/// and others write back either.
const HOPS: [(bool, bool, u64, State, State); 14] = [
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
    (true, false, COMMITTED, Frozen, Removed),
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
    /// The items that were removed behind a hop.
    removed: Vec<String>,
}

impl Frost {
    fn number(&self, at: usize) -> u64 {
        number(&self.bytes, at)
    }

    fn set(&mut self, at: usize, number: u64) {
        set(&mut self.bytes, at, number);
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
                Removed => {
                    let class = GEOMETRY.class_in(to, moved);
                    let gone = items().filter(|item| GEOMETRY.class(hash(item)) == class);
                    self.removed.extend(gone);
                    old[1]
                }
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

/// Memory in which no change is under way yet.
fn frost(bytes: Vec<u8>) -> Frost {
    Frost {
        bytes,
        used: Vec::new(),
        changes: 0,
        placed: Vec::new(),
        removed: Vec::new(),
    }
}

/// The memory with frozen words.
fn frozen(plain: Vec<u8>) -> Frost {
    let mut frost = frost(plain);
    HOPS.into_iter().for_each(|hop| frost.hop(hop));
    [PENDING, COMMITTED, ABORTED]
        .into_iter()
        .for_each(|status| frost.admission(status));
    frost
}

/// A hop of a token, as the memory after each step of it.
pub(crate) struct Steps {
    /// A hash of the token for each order of its buckets.
    pub(crate) hashes: [u64; 2],
    /// The first is before the hop, and the last is the next use of the descriptor.
    pub(crate) memory: Vec<Vec<u8>>,
}

/// A hop from the lower bucket of a token to the higher one, or the other way.
pub(crate) fn steps_of_a_hop(is_upward: bool) -> Steps {
    let mut frost = frost(made_in_no_boot());
    let mut memory = vec![frost.bytes.clone()];
    frost.hop((is_upward, false, PENDING, Frozen, Frozen));
    let descriptor = DESCRIPTORS + 64 * 1_022;
    let [tokens, from, to, old_source, old_destination] =
        [2, 3, 4, 5, 6].map(|field| frost.number(descriptor + 8 * field));
    let (moved, from, to) = (tokens as u32, from as usize, to as usize);
    let reference = frost.word(from);
    let source = LAYOUT
        .without_token(old_source, moved)
        .expect("it is there");
    let destination = LAYOUT.with(old_destination, moved).expect("room");
    let control = frost.number(descriptor);
    let word = |bucket| WORDS + 8 * bucket;
    let stripe = STRIPES + 8 * (moved as usize % 8);
    // Back to where only the descriptor is written.
    frost.set(word(from), old_source);
    frost.set(word(to), old_destination);
    memory.push(frost.bytes.clone());
    let bumped = frost.number(stripe) + 2;
    for (at, number) in [
        (word(from.min(to)), reference),
        (word(from.max(to)), reference),
        (stripe, bumped),
        (descriptor, control | COMMITTED),
        (word(from), source),
        (word(to), destination),
        (descriptor, control + 4),
        (descriptor + 8 * 2, 0xffff),
        (descriptor + 8 * 3, to as u64),
        (descriptor + 8 * 4, from as u64),
        (descriptor + 8 * 5, 0),
        (descriptor + 8 * 6, 0),
    ] {
        frost.set(at, number);
        memory.push(frost.bytes.clone());
    }
    Steps {
        hashes: GEOMETRY.both_orders(GEOMETRY.class_in(from, moved)),
        memory,
    }
}

/// The lookups for a memory: a line each, with the item, its hash, and the answer.
fn lines(placed: &[(String, bool)], removed: &[String]) -> String {
    // False positives are in no way different for a reader: three of them.
    let filter = made();
    let false_positives = (0..)
        .map(|number| format!("absent {number}"))
        .filter(|item| filter.contains_hash(hash(item)))
        .take(3);
    let absent = (0..100).map(|number| format!("absent {number}"));
    let absent = absent.filter(|item| !filter.contains_hash(hash(item)));
    let all = items().map(|item| (!removed.contains(&item), item));
    let all = all.chain(false_positives.map(|item| (true, item)));
    let all = all.map(|(is_in, item)| (item, is_in));
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

/// The same, as if it had been made since the machine started.
pub(crate) fn golden_since_the_start(name: &str) -> Vec<u8> {
    let mut bytes = golden(name);
    bytes[BOOT].copy_from_slice(&bytes_of(&made())[BOOT]);
    bytes
}

/// The same calls give the same memory, and the changes under way are those that the page says.
#[test]
fn memory_is_as_ever() {
    let plain = made_in_no_boot();
    let descriptors = &plain[DESCRIPTORS..][..64 * 1_023];
    assert!(
        descriptors.iter().all(|&byte| byte == 0),
        "an insert relocates"
    );
    assert!(
        plain == golden("plain"),
        "the memory of a filter has changed"
    );
    assert_eq!(
        lines(&[], &[]),
        fs::read_to_string(path("plain", "tsv")).expect("there")
    );
    let frost = frozen(plain);
    assert!(
        frost.bytes == golden("frozen"),
        "the frozen words have changed"
    );
    let beside = fs::read_to_string(path("frozen", "tsv")).expect("there");
    assert_eq!(lines(&frost.placed, &frost.removed), beside);
}

/// The library gives the answers: a reader as the memory is, and a process that recovers.
#[test]
fn library_answers() {
    for name in NAMES {
        let bytes = golden_since_the_start(name);
        let copy = file(name);
        fs::write(&copy, &bytes).expect("a place to write to");
        let reader = SharedReader::<Fixed>::open(&copy).expect("a filter");
        for (item, hash, is_in) in lookups(name) {
            assert_eq!(reader.hasher().hash_bytes(item.as_bytes()), hash, "{item}");
            assert_eq!(reader.contains_hash(hash), is_in, "{name}: {item}");
        }
        assert!(fs::read(&copy).expect("there") == bytes, "a reader writes");
        // A process that writes.
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
        let held = filter.snapshot().expect("no one scans").len();
        let stored = lookups(name).into_iter();
        let stored = stored.filter(|(item, _, is_in)| *is_in && !item.starts_with("absent"));
        assert_eq!(held, stored.count() + admitted, "{name}");
    }
}

/// Writes the golden memory that is missing. Files that are there are never written: what is in
/// them must not change within one version of the form.
#[test]
#[ignore = "it writes the files that the other tests rely on"]
fn write_golden_memory() {
    let plain = made_in_no_boot();
    let frost = frozen(plain.clone());
    for (name, bytes, lines) in [
        ("plain", plain, lines(&[], &[])),
        ("frozen", frost.bytes, lines(&frost.placed, &frost.removed)),
    ] {
        if !path(name, "lfcs").exists() {
            fs::write(path(name, "tsv"), lines).expect("a place to write to");
            fs::write(path(name, "lfcs"), bytes).expect("a place to write to");
        }
    }
}
