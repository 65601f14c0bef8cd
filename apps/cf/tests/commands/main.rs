//! The commands: run on a server that is a map of filters. The tests of the server and of the
//! module cover what RedisBloom has too.

mod server;

use std::time::Duration;

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, GrowingCuckooFilter, RotatingCuckooFilter, filter::Kind,
};
use lockfree_cuckoo_cf::{COMMANDS, Command, Dump, Error, Filter, Loading, Reply, Window, usage};
use server::{RULES, Server};

/// Returns the words of a line.
fn words(line: &str) -> Vec<&[u8]> {
    line.split(' ').map(str::as_bytes).collect()
}

fn ask(server: &mut Server, line: &str) -> Result<Reply, Error> {
    let words = words(line);
    server.answer(words[0], &words[1..])
}

fn refused(server: &mut Server, line: &str) -> String {
    ask(server, line).expect_err(line).to_string()
}

/// Returns the chunk behind an iterator, and the next iterator; nothing at the end.
fn scan(server: &mut Server, iterator: i64) -> Option<(i64, Vec<u8>)> {
    let line = format!("CF.SCANDUMP f {iterator}");
    let Ok(Reply::Array(parts)) = ask(server, &line) else {
        panic!("{line} is refused");
    };
    match <[Reply; 2]>::try_from(parts).expect("two") {
        [Reply::Integer(next), Reply::Bulk(bytes)] => Some((next, bytes)),
        end => {
            assert_eq!(end, [Reply::Integer(0), Reply::Nil]);
            None
        }
    }
}

/// Loads a chunk as `g`.
fn load(server: &mut Server, iterator: i64, bytes: &[u8]) -> Result<Reply, String> {
    let iterator = iterator.to_string();
    let arguments = [b"g".as_slice(), iterator.as_bytes(), bytes];
    let reply = server.answer(b"CF.LOADCHUNK", &arguments);
    reply.map_err(|error| error.to_string())
}

#[test]
fn names_are_sorted_and_found_in_any_case() {
    assert!(COMMANDS.is_sorted_by(|one, next| one.name < next.name));
    for spec in &COMMANDS {
        let found = lockfree_cuckoo_cf::find(spec.name.to_ascii_lowercase().as_bytes());
        assert_eq!(found, Some(spec));
    }
    assert_eq!(lockfree_cuckoo_cf::find(b"CF.NONE"), None);
    assert_eq!(lockfree_cuckoo_cf::find(b""), None);
}

/// Commands take the announced number of arguments.
#[test]
fn numbers_of_arguments_are_as_announced() {
    for spec in &COMMANDS {
        let arity = usage::arity(&spec.arguments());
        for given in 0..8_usize {
            let arguments = vec![b"1".as_slice(); given];
            let fits = usage::check_number(spec.name, arity, 1 + given).is_ok();
            match spec.parse(&arguments, &RULES) {
                Err(Error::WrongNumber(name)) => {
                    assert_eq!(name, spec.name);
                    // An option without its value is missing an argument too, and one option can be
                    // too many.
                    let has_options = matches!(spec.name, "CF.RESERVE" | "CF.ROTATE");
                    assert!(!fits || has_options, "{name} of {given}");
                }
                _ => assert!(fits, "{} of {given}", spec.name),
            }
        }
    }
}

#[test]
fn errors_name_wrong_arguments() {
    let server = &mut Server::new();
    let wrong = "\
        CF.RESERVE f -9223372036854775808 -> Capacity must be at least (BucketSize * 2)
        CF.RESERVE f 3 ERROR 0.1 -> Capacity must be at least (BucketSize * 2)
        CF.RESERVE f 10 ERROR 1 -> ERROR: value must be a number from 0.000000001 to less than 1
        CF.RESERVE f 10 ERROR 0 -> ERROR: value must be a number from 0.000000001 to less than 1
        CF.RESERVE f 10 ERROR 0.0000000009 -> ERROR: value must be a number from 0.000000001 to less than 1
        CF.RESERVE f 10 ERROR nan -> ERROR: value must be a number from 0.000000001 to less than 1
        CF.RESERVE f 10 ERROR x -> ERROR: value must be a number from 0.000000001 to less than 1
        CF.RESERVE f 10 ERROR 0.01 BUCKETSIZE 2 -> BUCKETSIZE and ERROR exclude each other: a filter of a given error rate chooses its bucket size
        CF.RESERVE f 10 ERROR 1e-9 EXPANSION 2 -> ERROR: a filter that grows has a rate of 0.000126 when it is full for the first time, which is more than 0.000000001: set a higher one, or EXPANSION 0
        CF.RESERVE f 10 ERROR -> wrong number of arguments for 'cf.reserve' command
        CF.RESERVE f 10 COLOUR 7 -> Unknown argument received
        CF.RESERVE f 10 WINDOW 0 -> WINDOW: value must be a number of seconds from 0.1 to 1000000000
        CF.RESERVE f 10 WINDOW -5 -> WINDOW: value must be a number of seconds from 0.1 to 1000000000
        CF.RESERVE f 10 WINDOW 0.0999 -> WINDOW: value must be a number of seconds from 0.1 to 1000000000
        CF.RESERVE f 10 WINDOW 1000000001 -> WINDOW: value must be a number of seconds from 0.1 to 1000000000
        CF.RESERVE f 10 WINDOW NaN -> WINDOW: value must be a number of seconds from 0.1 to 1000000000
        CF.RESERVE f 10 WINDOW inf -> WINDOW: value must be a number of seconds from 0.1 to 1000000000
        CF.RESERVE f 10 WINDOW 1e300 -> WINDOW: value must be a number of seconds from 0.1 to 1000000000
        CF.RESERVE f 10 WINDOW ten -> WINDOW: value must be a number of seconds from 0.1 to 1000000000
        CF.RESERVE f 10 WINDOW 10 GENERATIONS 1 -> GENERATIONS: value must be an integer between 2 and 15, inclusive.
        CF.RESERVE f 10 WINDOW 10 GENERATIONS 16 -> GENERATIONS: value must be an integer between 2 and 15, inclusive.
        CF.RESERVE f 10 WINDOW 10 GENERATIONS 1000 -> GENERATIONS: value must be an integer between 2 and 15, inclusive.
        CF.RESERVE f 10 WINDOW 10 GENERATIONS x -> Couldn't parse GENERATIONS
        CF.RESERVE f 10 GENERATIONS 3 -> GENERATIONS: only a filter with a WINDOW has generations
        CF.RESERVE f 10 WINDOW 10 EXPANSION 2 -> WINDOW and EXPANSION exclude each other: a filter with a window does not grow
        CF.RESERVE f 10 WINDOW 10 BUCKETSIZE 2 ERROR 0.1 -> BUCKETSIZE and ERROR exclude each other: a filter of a given error rate chooses its bucket size
        CF.RESERVE f 3 WINDOW 10 -> Capacity must be at least (BucketSize * 2): 4 items for each period
        CF.RESERVE f 15 WINDOW 10 BUCKETSIZE 8 -> Capacity must be at least (BucketSize * 2): 16 items for each period
        CF.RESERVE f -1 WINDOW 10 GENERATIONS 5 -> Capacity must be at least (BucketSize * 2): 4 items for each period
        CF.RESERVE f x WINDOW 10 -> Bad capacity
        CF.RESERVE f 100000000000000000 WINDOW 10 GENERATIONS 5 -> Insufficient memory to create filter: a capacity of 100000000000000000 items is too large: at most 281474976710656 are possible
        CF.RESERVE f 10 WINDOW -> wrong number of arguments for 'cf.reserve' command
        CF.RESERVE f 100000000000000000 WINDOW 10 -> Insufficient memory to create filter: a capacity of 100000000000000000 items is too large: at most 281474976710656 are possible
        CF.RESERVE f 1000000 WINDOW 10 -> Insufficient memory to create filter: what is left is 1048576 bytes, and this filter needs MANY
        CF.REFRESH f a -> not found
        CF.REFRESH f a LONG -> 65 bytes are too many: an item or a key can have at most 64
        CF.ROTATE f -> not found
        CF.ROTATE f 0 -> rotation: value must be an integer between 1 and 9223372036854775807, inclusive.
        CF.ROTATE f x -> Couldn't parse rotation
        CF.LOADCHUNK f -1 abc -> Invalid position
        CF.LOADCHUNK f 2 abc -> Invalid position
        CF.RESERVE LONG 10 -> 65 bytes are too many: an item or a key can have at most 64
        CF.ADD LONG a -> 65 bytes are too many: an item or a key can have at most 64
        CF.ADDNX f LONG -> 65 bytes are too many: an item or a key can have at most 64
        CF.INSERT f ITEMS a LONG -> 65 bytes are too many: an item or a key can have at most 64
        CF.LOADCHUNK LONG 3 abc -> 65 bytes are too many: an item or a key can have at most 64";
    for (line, expected) in replies(wrong) {
        let line = line.replace("LONG", &"x".repeat(RULES.longest + 1));
        let refused = refused(server, &line);
        match expected.strip_suffix("MANY") {
            Some(expected) => assert!(refused.starts_with(expected), "{line}: {refused}"),
            None => assert_eq!(refused, expected, "{line}"),
        }
        assert!(server.filters.is_empty(), "{line}");
    }
}

/// Returns the request and the reply of each line of a text.
fn replies(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().map(str::trim);
    lines.map(|line| line.split_once(" -> ").expect("a reply"))
}

fn described(server: &mut Server, key: &str, name: &str) -> i64 {
    let Ok(Reply::Map(info)) = ask(server, &format!("CF.INFO {key}")) else {
        panic!("no description");
    };
    let found = info.iter().find(|(field, _)| *field == name);
    found.expect(name).1
}

/// The README's table of the layouts of filters that do not grow.
const BUCKET_SIZES: [(usize, i64, &str); 9] = [
    (1, 2, "Lanes<2, 31>"),
    (2, 2, "Lanes<2, 31>"),
    (3, 3, "Lanes<3, 21>"),
    (4, 4, "Lanes<4, 16>"),
    (5, 5, "Lanes<5, 12>"),
    (6, 6, "Lanes<6, 10>"),
    (7, 8, "Lanes<8, 8>"),
    (8, 8, "Lanes<8, 8>"),
    (255, 8, "Lanes<8, 8>"),
];

#[test]
fn a_filter_has_its_bucket_size() {
    for (given, slots, layout) in BUCKET_SIZES {
        for (expansion, slots, layout) in [(0, slots, layout), (2, 4, "Lanes<4, 16>")] {
            let server = &mut Server::new();
            let reserve = format!("CF.RESERVE f 1000 BUCKETSIZE {given} EXPANSION {expansion}");
            ask(server, &reserve).expect(&reserve);
            assert_eq!(server.filter("f").shape().to_string(), layout, "{reserve}");
            assert_eq!(described(server, "f", "Bucket size"), slots, "{reserve}");
            let buckets = described(server, "f", "Number of buckets");
            let all = server.filter("f").slots() as i64;
            assert_eq!(all, slots * buckets, "{reserve}");
            // Two buckets full of copies.
            let copies = (0..20).map(|_| ask(server, "CF.ADD f a"));
            let copies = copies.filter(Result::is_ok).count() as i64;
            assert_eq!(copies, 2 * slots, "{reserve}");
        }
    }
}

#[test]
fn a_filter_keeps_its_error_rate() {
    let mut last = 0;
    for rate in [0.1, 0.03, 1e-3, 1e-5, 1e-9] {
        let server = &mut Server::new();
        let reserve = format!("CF.RESERVE f 10000 EXPANSION 0 error {rate}");
        ask(server, &reserve).expect("possible");
        let items: Vec<String> = (0..10_000).map(|item| item.to_string()).collect();
        ask(server, &format!("CF.INSERT f ITEMS {}", items.join(" "))).expect("room");
        let filter = server.filter("f");
        assert_eq!(filter.items(), 10_000);
        assert!(filter.false_positive_rate() <= rate, "{filter:?}");
        // A lower rate takes more memory.
        assert!(filter.memory_usage() > last, "{filter:?}");
        last = filter.memory_usage();
    }
}

/// Checks that each doubling adds as much to the rate as the first table had.
#[test]
fn an_error_rate_ends_growth() {
    for (rate, doublings) in [(0.000_13, 0), (0.000_4, 2), (0.001, 6)] {
        let (server, copy) = (&mut Server::new(), &mut Server::new());
        ask(server, &format!("CF.RESERVE f 10 EXPANSION 2 ERROR {rate}")).expect("possible");
        let start = server.filter("f").slots();
        let refused = (0..100_000).find_map(|item| ask(server, &format!("CF.ADD f {item}")).err());
        let refused = refused.expect("a limit").to_string();
        assert!(refused.starts_with("Filter is full: "), "{refused}");
        let filter = server.filter("f");
        let slots = filter.slots();
        assert_eq!(slots, start << doublings);
        assert!(filter.false_positive_rate() <= rate, "{filter:?}");
        // It is stored with the filter.
        let mut iterator = 0;
        while let Some((next, bytes)) = scan(server, iterator) {
            load(copy, next, &bytes).expect("a chunk");
            iterator = next;
        }
        let mut more = (0..1_000).map(|item| ask(copy, &format!("CF.ADD g more{item}")));
        assert!(more.any(|reply| reply.is_err()), "it is full too");
        assert_eq!(copy.filter("g").slots(), slots);
    }
}

/// Checks the commands without a clock, so that nothing rotates by itself.
#[test]
fn a_window_answers_like_any_other_filter() {
    let server = &mut Server::new();
    let script = "\
        CF.RESERVE f 1000 WINDOW 3600.5 GENERATIONS 3 EXPANSION 0 -> Done
        CF.ADDNX f a -> Boolean(true)
        CF.ADDNX f a -> Boolean(false)
        CF.REFRESH f a b b -> Array([Boolean(false), Boolean(true), Boolean(false)])
        CF.ROTATE f -> Integer(1)
        CF.ADDNX f a -> Boolean(false)
        CF.REFRESH f a -> Array([Boolean(false)])
        CF.COUNT f a -> Integer(2)
        CF.MEXISTS f a b c -> Array([Boolean(true), Boolean(true), Boolean(false)])
        CF.ROTATE f 1 -> Integer(1)
        CF.ROTATE f 2 -> Integer(2)
        CF.ROTATE f 2 -> Integer(2)
        CF.ROTATE f -> Integer(3)
        CF.MEXISTS f a b -> Array([Boolean(true), Boolean(false)])
        CF.DEL f a -> Boolean(true)
        CF.DEL f a -> Boolean(false)
        CF.INSERT f ITEMS x x -> Array([Boolean(true), Boolean(true)])
        CF.INSERTNX f NOCREATE ITEMS x y -> Array([Integer(0), Integer(1)])
        CF.COMPACT f -> Done";
    for (line, expected) in replies(script) {
        let reply = ask(server, line).expect(line);
        assert_eq!(format!("{reply:?}"), expected, "{line}");
    }
    for (name, expected) in [
        ("Number of items inserted", 3),
        ("Number of items deleted", 1),
        ("Number of filters", 3),
        ("Expansion rate", 0),
        ("Window", 3_600_500),
        ("Number of generations", 3),
        ("Number of rotations", 3),
    ] {
        assert_eq!(described(server, "f", name), expected, "{name}");
    }
    assert!((0..3_600_500).contains(&described(server, "f", "Age of the youngest generation")));
    let error = refused(server, "CF.ROTATE f 5");
    assert_eq!(
        error,
        "rotation 5 is not the next one: the filter has rotated 3 times"
    );
    assert_eq!(described(server, "f", "Number of rotations"), 3);
}

#[test]
fn only_a_window_rotates_and_refreshes() {
    for kind in ["EXPANSION 0", "EXPANSION 2"] {
        let server = &mut Server::new();
        ask(server, &format!("CF.RESERVE f 1000 {kind}")).expect("room");
        ask(server, "CF.ADD f a").expect("room");
        let before = server.stored("f");
        for line in ["CF.ROTATE f", "CF.ROTATE f 1", "CF.REFRESH f a b"] {
            let error = refused(server, line);
            let words =
                "the filter has no window: make one with CF.RESERVE key capacity WINDOW seconds";
            assert_eq!(error, words, "{line}");
        }
        assert_eq!(server.stored("f"), before);
        let Ok(Reply::Map(info)) = ask(server, "CF.INFO f") else {
            panic!("no description");
        };
        assert_eq!(info.len(), 8, "of a window nothing is said");
    }
}

/// Checks that the youngest generation holds the capacity, which is that of a filter of the library
/// that is built for as many items and generations, and that a refusal loses nothing.
#[test]
fn a_full_window_refuses_until_it_rotates() {
    for generations in [2, 5] {
        let server = &mut Server::new();
        let reserve = format!("CF.RESERVE f 1000 WINDOW 60 GENERATIONS {generations}");
        ask(server, &reserve).expect("room");
        let library = RotatingCuckooFilter::builder().capacity(1_000);
        let library = library.generations(generations).build().expect("memory");
        assert_eq!(server.filter("f").slots(), library.slots());
        let mut item = 0;
        for rotation in 0..3 * generations {
            let first = item;
            let error = loop {
                match ask(server, &format!("CF.ADDNX f {item}")) {
                    Ok(_) => item += 1,
                    Err(error) => break error,
                }
            };
            assert_eq!(
                error.line(),
                "Filter is full: its youngest generation has no room, which is made for 1000 items of one period. \
                 Nothing that it knows is lost. Reserve a larger capacity, or forget the oldest items with CF.ROTATE"
            );
            assert!(item - first >= 1_000, "{}", item - first);
            let refused = ask(server, &format!("CF.REFRESH f {item} {first}")).expect("a window");
            assert_eq!(
                refused,
                Reply::Array(vec![Reply::Integer(-1), Reply::Boolean(false)])
            );
            let known = first..item;
            assert!(
                known
                    .clone()
                    .all(|item| server.filter("f").contains(item.to_string().as_bytes()))
            );
            let rotated = ask(server, "CF.ROTATE f").expect("a window");
            assert_eq!(rotated, Reply::Integer(rotation as i64 + 1));
            ask(server, &format!("CF.ADD f {item}")).expect("room again");
            item += 1;
        }
    }
}

/// A filter has the capacity of its first insert.
#[test]
fn the_first_insert_sets_the_capacity() {
    let server = &mut Server::new();
    ask(server, "CF.INSERT f CAPACITY 7 ITEMS a").expect("room");
    assert_eq!(server.filter("f").settings().capacity, 7);
}

#[test]
fn reads_change_nothing() {
    for spec in COMMANDS.iter().filter(|spec| !spec.writes) {
        let server = &mut Server::new();
        ask(server, "CF.INSERT f ITEMS a b").expect("room");
        let before = server.stored("f");
        let arguments: &[&[u8]] = match spec.name {
            "CF.DEBUG" | "CF.INFO" => &[b"f"],
            "CF.SCANDUMP" => &[b"f", b"0"],
            _ => &[b"f", b"a"],
        };
        let reply = server.answer(spec.name.as_bytes(), arguments);
        reply.expect(spec.name);
        assert_eq!(server.stored("f"), before, "{}", spec.name);
    }
}

#[test]
fn a_dump_loads_as_the_same_filter() {
    for layout in [
        "BUCKETSIZE 2",
        "BUCKETSIZE 4",
        "BUCKETSIZE 8",
        "ERROR 0.005",
        "ERROR 0.0002",
    ] {
        for kind in ["EXPANSION 0", "EXPANSION 2", "WINDOW 7200 GENERATIONS 3"] {
            let (from, to) = (&mut Server::new(), &mut Server::new());
            let reserve = format!("CF.RESERVE f 10000 {layout} {kind}");
            ask(from, &reserve).expect("room");
            ask(from, "CF.INSERT f ITEMS a b c").expect("room");
            ask(from, "CF.DEL f c").expect("a filter");
            if kind.starts_with("WINDOW") {
                ask(from, "CF.ROTATE f").expect("a window");
            }
            let before = from.stored("f");
            let (mut iterator, mut chunks) = (0, 0);
            while let Some((next, bytes)) = scan(from, iterator) {
                // The dump stays as the filter was at first.
                ask(from, &format!("CF.ADD f late{iterator}")).expect("room");
                assert!(to.filters.is_empty() && bytes.len() <= server::MAX_REQUEST / 2);
                assert_eq!(load(to, next, &bytes), Ok(Reply::Done));
                (iterator, chunks) = (next, chunks + 1);
            }
            assert!(chunks >= 3, "{chunks} chunks");
            assert_eq!(to.stored("g"), before);
            assert_eq!([from.lent(), to.lent()], [0; 2]);
            let (original, copy) = (from.filter("f"), to.filter("g"));
            assert_eq!(copy.settings(), original.settings());
            assert_eq!(copy.shape(), original.shape());
            assert!([b"a", b"b"].iter().all(|item| copy.contains(*item)));
        }
    }
}

/// Filters of the library of every kind, some of them of another layout, and their windows.
fn of_the_library() -> Vec<(DynFilter, Option<Window>)> {
    let window = |generations| Window::new(Duration::from_secs(60), generations);
    let growing = GrowingCuckooFilter::with_capacity(100);
    let rotating = RotatingCuckooFilter::builder().capacity(900);
    let three = rotating.generations(3).build_smallest(0.01);
    let fixed = CuckooFilter::builder().capacity(900);
    vec![
        (CuckooFilter::with_capacity(900).into(), None),
        (fixed.build_smallest(0.05).expect("possible"), None),
        (growing.into(), None),
        (RotatingCuckooFilter::with_capacity(900).into(), window(2)),
        (three.expect("possible"), window(3)),
    ]
}

/// A filter of the library goes to a server and comes back.
///
/// Its dump is loaded, and that of the server read: with an age that has not become less.
#[test]
fn filters_go_to_a_server_and_come_back() {
    const AGE: Duration = Duration::from_secs(7);
    for (filter, window) in of_the_library() {
        for item in 0..700_u64 {
            let hash = filter.hasher().hash_bytes(&item.to_le_bytes());
            filter.insert_hash(hash).expect("room");
            if let Some(rotating) = filter.rotating().filter(|_| item == 350) {
                rotating.rotate().expect("alone");
            }
        }
        let before = filter.to_bytes().expect("quiet");
        let server = &mut Server::new();
        let mut chunk = [0; 512];
        let mut dump = Dump::of(&filter, window, AGE).expect("it fits");
        let total = dump.bytes();
        let mut chunks = 0;
        while let Some((iterator, bytes)) = dump.next_chunk(&mut chunk).expect("quiet") {
            assert_eq!(load(server, iterator, &chunk[..bytes]), Ok(Reply::Done));
            chunks += 1;
        }
        assert_eq!(chunks, total.div_ceil(512));
        for item in 0..700_u64 {
            let reply = server.answer(b"CF.EXISTS", &[b"g", &item.to_le_bytes()]);
            assert_eq!(reply.expect("a filter"), Reply::Boolean(true));
        }
        let settings = server.filter("g").settings();
        assert_eq!(settings.window, window);
        assert_eq!(settings.capacity, filter.capacity());
        assert_eq!(settings.grows(), filter.kind() == Kind::Growing);

        let loaded = server.filters.remove(b"g".as_slice()).expect("it");
        server.filters.insert(b"f".to_vec(), loaded);
        let (mut iterator, mut dump) = (0, Vec::new());
        while let Some((next, bytes)) = scan(server, iterator) {
            dump.extend(bytes);
            iterator = next;
        }
        let back = Filter::of_dump(&mut dump.as_slice(), usize::MAX).expect("a dump");
        assert_eq!(back.settings().window, window);
        let age = window.map(|_| AGE);
        assert!(back.age() >= age && back.age().is_some() == age.is_some());
        assert!(back.age() < Some(10 * AGE));
        assert_eq!(back.into_library().to_bytes().expect("quiet"), before);
    }
}

#[test]
fn a_window_goes_with_a_filter_that_rotates() {
    let wrong = |filter: &DynFilter, window| {
        let error = Dump::of(filter, window, Duration::ZERO).expect_err("another window");
        assert!(matches!(error, Error::OtherWindow), "{error}");
    };
    for (filter, window) in of_the_library() {
        match window {
            None => wrong(&filter, Window::new(Duration::from_secs(60), 2)),
            Some(window) => {
                wrong(&filter, None);
                wrong(&filter, Window::new(window.length(), 4));
            }
        }
    }
}

/// Reads a documented form that is built by hand.
#[test]
fn reads_the_documented_form() {
    let filter = lockfree_cuckoo::CuckooFilter::builder()
        .capacity(8)
        .seed(1)
        .build()
        .expect("memory");
    filter.insert(b"a".as_slice()).expect("room");
    let stored = filter.to_bytes().expect("quiet");
    let mut entry = [0; 36];
    (entry[2], entry[4], entry[12]) = (20, 8, 5);
    let dump = |entry: [u8; 36]| {
        let mut dump = b"LFCDUMP1".to_vec();
        dump.extend((8 + 8 + 36 + 4 + stored.len() as u64).to_le_bytes());
        dump.extend(entry);
        dump.extend(crc32fast::hash(&dump).to_le_bytes());
        dump.extend(&stored);
        dump
    };
    let server = &mut Server::new();
    // An impossible expansion, number of deletions, or window, or an age without a window.
    for (at, wrong) in [(0, 3), (0, 5), (19, 0xff), (20, 1), (27, 0xff), (28, 1)] {
        let mut entry = entry;
        entry[at] = wrong;
        let dump = dump(entry);
        let refused = load(server, dump.len() as i64, &dump).expect_err("wrong");
        assert!(
            refused.ends_with("the description of the filter is not valid"),
            "{refused}"
        );
    }
    // A window that grows.
    let mut other = entry;
    (other[0], other[25]) = (2, 1);
    let other = dump(other);
    let refused = load(server, other.len() as i64, &other).expect_err("wrong");
    assert!(
        refused.ends_with("the description of the filter is not valid"),
        "{refused}"
    );
    // A window of 18 minutes, but no generations.
    let mut other = entry;
    other[25] = 1;
    let other = dump(other);
    let refused = load(server, other.len() as i64, &other).expect_err("of another kind");
    assert!(
        refused.ends_with("it is a filter of another kind"),
        "{refused}"
    );
    let dump = dump(entry);
    // Another version.
    let mut old = dump.clone();
    old[7] = b'2';
    assert_eq!(
        load(server, old.len() as i64, &old),
        Err("Couldn't load chunk! it does not begin like a dump of this server".to_owned())
    );
    load(server, dump.len() as i64, &dump).expect("a dump");
    let read = server.filter("g");
    assert!(read.contains(b"a") && !read.contains(b"b"));
    assert_eq!((read.items(), read.deleted()), (1, 5));
    assert_eq!(read.settings().capacity, 8);
    assert_eq!(described(server, "g", "Bucket size"), 4);
}

#[test]
fn a_damaged_dump_makes_no_filter() {
    let server = &mut Server::new();
    ask(server, "CF.RESERVE f 5000").expect("room");
    ask(server, "CF.ADD f a").expect("room");
    let (first, bytes) = scan(server, 0).expect("a chunk");
    let (second, next) = scan(server, first).expect("a chunk");
    for (iterator, chunk, reply) in [
        (second, &next[..], Err("the first chunk is missing")),
        (
            3,
            b"abc",
            Err("it does not begin like a dump of this server"),
        ),
        (first, &bytes, Ok(Reply::Done)),
        (
            second + 1,
            &next,
            Err("it is not the next chunk; the first chunk begins anew"),
        ),
    ] {
        let expected = reply.map_err(|words| format!("Couldn't load chunk! {words}"));
        assert_eq!(load(server, iterator, chunk), expected);
    }
    assert!(server.lent() > 0, "dumps under way borrow memory");
    // The last chunk can come again.
    let mut chunks = vec![(first, bytes)];
    while let Some(chunk) = scan(server, chunks[chunks.len() - 1].0) {
        chunks.push(chunk);
    }
    let (last, others) = chunks[1..].split_last().expect("several");
    for (iterator, bytes) in others {
        assert_eq!(load(server, *iterator, bytes), Ok(Reply::Done));
    }
    let mut wrong = last.1.clone();
    wrong[0] ^= 1;
    assert!(load(server, last.0, &wrong).is_err());
    assert!(!server.filters.contains_key(b"g".as_slice()));
    assert_eq!(load(server, last.0, &last.1), Ok(Reply::Done));
    assert!(server.filter("g").contains(b"a"));
    // No memory is lent for more.
    server.memory = 0;
    assert_eq!(refused(server, "CF.SCANDUMP f 0"), NO_MEMORY);
}

const NO_MEMORY: &str = "no memory for dumps is left";

/// Checks that there must be memory for a dump, which is a copy, and for a filter beside its dump.
#[test]
fn dumps_borrow_their_memory() {
    let server = &mut Server::new();
    ask(server, "CF.RESERVE f 20000").expect("room");
    ask(server, "CF.ADD f a").expect("room");
    let bytes = server.filter("f").memory_usage();
    for times in [0.5, 1.5] {
        server.memory = (times * bytes as f64) as usize;
        assert_eq!(refused(server, "CF.SCANDUMP f 0"), NO_MEMORY, "{times}");
        assert_eq!(server.lent(), 0, "{times}");
    }
    server.memory = bytes * 9 / 4;
    // If a client begins again, it still has one dump.
    for _ in 0..3 {
        assert!(scan(server, 0).is_some());
        assert!(server.lent() > 0 && server.lent() < 2 * bytes);
    }
    let (iterator, first) = scan(server, 0).expect("a chunk");
    // A load is refused at once, or not at all.
    let other = &mut Server::new();
    for times in [0.5, 1.5] {
        other.memory = (times * bytes as f64) as usize;
        assert_eq!(
            load(other, iterator, &first),
            Err(NO_MEMORY.to_owned()),
            "{times}"
        );
        assert_eq!(other.lent(), 0, "{times}");
    }
    other.memory = bytes * 9 / 4;
    assert!(load(other, iterator, &first).is_ok());
    // The filter is gone, and its dump with it.
    assert!(server.lent() > 0);
    server.filters.clear();
    server.forget_old();
    assert_eq!(server.lent(), 0);
}

#[test]
fn operations_count_their_items() {
    for (line, expected) in [
        ("CF.ADD f a", 1),
        ("CF.INSERT f ITEMS a b c", 3),
        ("CF.MEXISTS f a b", 2),
        ("CF.INFO f", 0),
    ] {
        let words = words(line);
        let spec = lockfree_cuckoo_cf::find(words[0]).expect("a command");
        let call = spec.parse(&words[1..], &RULES).expect(line);
        let Command::Use(operation) = call.command else {
            panic!("{line} works on one filter");
        };
        assert_eq!(operation.items(), expected, "{line}");
    }
}

/// A value of another type is not found, or an error.
///
/// Checks the replies of a module to commands on a string.
#[test]
fn values_of_other_types() {
    let expected = "\
        CF.EXISTS s a -> Boolean(false)
        CF.MEXISTS s a b -> Array([Boolean(false), Boolean(false)])
        CF.COUNT s a -> Integer(0)
        CF.DEL s a -> Not found
        CF.COMPACT s -> Cuckoo filter was not found
        CF.REFRESH s a -> WRONGTYPE
        CF.ROTATE s -> WRONGTYPE
        CF.ADD s a -> WRONGTYPE
        CF.ADDNX s a -> WRONGTYPE
        CF.INSERT s ITEMS a -> WRONGTYPE
        CF.INSERTNX s NOCREATE ITEMS a -> WRONGTYPE
        CF.INFO s -> WRONGTYPE
        CF.DEBUG s -> WRONGTYPE
        CF.RESERVE s 100 -> WRONGTYPE
        CF.SCANDUMP s 0 -> WRONGTYPE
        CF.LOADCHUNK s 3 abc -> WRONGTYPE";
    let wrong = "WRONGTYPE Operation against a key holding the wrong kind of value";
    for (line, expected) in replies(expected) {
        let words = words(line);
        let spec = lockfree_cuckoo_cf::find(words[0]).expect("a command");
        let call = spec.parse(&words[1..], &RULES).expect(line);
        let reply = match call.command.on_other_type() {
            Ok(reply) => format!("{reply:?}"),
            Err(error) => error.line().replace(wrong, "WRONGTYPE"),
        };
        assert_eq!(reply, expected, "{line}");
    }
}

/// A dump ends as in RedisBloom, and is never cut short.
#[test]
fn a_dump_ends_as_in_redisbloom() {
    let server = &mut Server::new();
    ask(server, "CF.RESERVE f 5000").expect("room");
    assert_eq!(scan(server, 0), None, "it is empty");
    ask(server, "CF.ADD f a").expect("room");
    let (first, _) = scan(server, 0).expect("a chunk");
    // Larger than any, of this dump, of the filter, and of all dumps.
    let behind = first | 0xff_ffff_ffff;
    for iterator in [behind, 1 << 30, i64::MAX] {
        assert_eq!(scan(server, iterator), None, "{iterator}");
    }
    // Iterators of a dump that is over, of a later one, and of none.
    for iterator in [first, first + (1 << 40), 7, -1, i64::MIN] {
        let line = format!("CF.SCANDUMP f {iterator}");
        assert_eq!(refused(server, &line), "Invalid position", "{iterator}");
    }
}

/// Loads a dump as a rewritten log does, half of which is a value of its own.
#[test]
fn loads_a_dump_of_a_filter_at_rest() {
    let server = &mut Server::new();
    ask(server, "CF.RESERVE f 10000 EXPANSION 2").expect("room");
    ask(server, "CF.INSERT f ITEMS a b c").expect("room");
    ask(server, "CF.DEL f c").expect("a filter");
    let filter = server.filter("f");
    let wrong = |words: &str| format!("Couldn't load chunk! {words}");
    for size in [64, 1_000, 4_096, 1 << 20] {
        let (mut dump, mut chunk) = (filter.dump(), vec![0; size]);
        let mut next_chunk = |chunk: &mut [u8]| dump.next_chunk(chunk).expect("no thread writes");
        let (end, bytes) = next_chunk(&mut chunk).expect("a chunk");
        assert_eq!(usize::try_from(end), Ok(bytes));
        let mut loading = Loading::begin(&chunk[..bytes]).expect("the beginning");
        while let Some((end, bytes)) = next_chunk(&mut chunk) {
            // Saved and loaded in between.
            loading = Loading::begin(loading.bytes()).expect("the same");
            let end = usize::try_from(end).expect("positive");
            let error = loading.take(end + 1, &chunk[..bytes], 1 << 20);
            let words = wrong("it is not the next chunk; the first chunk begins anew");
            assert_eq!(error.expect_err("a gap").line(), words);
            let filter = loading.take(end, &chunk[..bytes], 1 << 20);
            let is_whole = filter.expect("the next one").is_some();
            assert_eq!(is_whole, loading.bytes().len() == loading.total());
        }
        let error = loading.take(loading.total() + 1, b"x", 1 << 20);
        let words = wrong("it is longer than the dump");
        assert_eq!(error.expect_err("too long").line(), words);
        let copy = loading.filter(1 << 20).expect("valid").expect("a filter");
        assert_eq!(copy.settings(), filter.settings());
        assert_eq!((copy.items(), copy.deleted()), (2, 1));
        assert!(copy.dump().whole().expect("room") == server.stored("f"));
    }
}
