//! The commands, as a server with a map of filters does them. What RedisBloom has too is asked through the doors of the
//! server and of the module, by the cases of their tests.

mod server;

use cf::{COMMANDS, Command, Error, Loading, Reply, usage};
use server::{RULES, Server};

/// The words of a line.
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

/// The chunk behind an iterator, and the next iterator; nothing at the end.
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
        let found = cf::find(spec.name.to_ascii_lowercase().as_bytes());
        assert_eq!(found, Some(spec));
    }
    assert_eq!(cf::find(b"CF.NONE"), None);
    assert_eq!(cf::find(b""), None);
}

#[test]
fn the_number_of_arguments_is_the_one_that_is_announced() {
    for spec in &COMMANDS {
        let arity = usage::arity(&spec.arguments());
        for given in 0..8_usize {
            let arguments = vec![b"1".as_slice(); given];
            let fits = usage::check_number(spec.name, arity, 1 + given).is_ok();
            match spec.parse(&arguments, &RULES) {
                Err(Error::WrongNumber(name)) => {
                    assert_eq!(name, spec.name);
                    // An option without its value is missing an argument, too.
                    assert!(!fits || spec.name == "CF.RESERVE", "{name} of {given}");
                }
                _ => assert!(fits, "{} of {given}", spec.name),
            }
        }
    }
}

#[test]
fn wrong_arguments_are_named() {
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
        CF.LOADCHUNK f -1 abc -> Invalid position
        CF.LOADCHUNK f 2 abc -> Invalid position
        CF.RESERVE LONG 10 -> 65 bytes are too many: an item or a key can have at most 64
        CF.ADD LONG a -> 65 bytes are too many: an item or a key can have at most 64
        CF.ADDNX f LONG -> 65 bytes are too many: an item or a key can have at most 64
        CF.INSERT f ITEMS a LONG -> 65 bytes are too many: an item or a key can have at most 64
        CF.LOADCHUNK LONG 3 abc -> 65 bytes are too many: an item or a key can have at most 64";
    for (line, expected) in replies(wrong) {
        let line = line.replace("LONG", &"x".repeat(RULES.longest + 1));
        assert_eq!(refused(server, &line), expected, "{line}");
        assert!(server.filters.is_empty(), "{line}");
    }
}

/// What is asked in each line of a text, and the reply.
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

/// What the README says of the layouts of filters that do not grow.
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
fn a_bucket_size_is_what_the_filter_has() {
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
fn an_error_rate_is_kept() {
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
        // What is lower is not cheaper.
        assert!(filter.memory_usage() > last, "{filter:?}");
        last = filter.memory_usage();
    }
}

/// Each doubling adds as much to the rate as the first table had.
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

#[test]
fn a_filter_is_made_for_as_many_as_its_first_items_say() {
    let server = &mut Server::new();
    ask(server, "CF.INSERT f CAPACITY 7 ITEMS a").expect("room");
    assert_eq!(server.filter("f").settings().capacity, 7);
}

#[test]
fn what_only_reads_changes_nothing() {
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
fn a_dump_becomes_the_same_filter_elsewhere() {
    for layout in [
        "BUCKETSIZE 2",
        "BUCKETSIZE 4",
        "BUCKETSIZE 8",
        "ERROR 0.005",
        "ERROR 0.0002",
    ] {
        for expansion in [0, 2] {
            let (from, to) = (&mut Server::new(), &mut Server::new());
            let reserve = format!("CF.RESERVE f 10000 {layout} EXPANSION {expansion}");
            ask(from, &reserve).expect("room");
            ask(from, "CF.INSERT f ITEMS a b c").expect("room");
            ask(from, "CF.DEL f c").expect("a filter");
            let before = from.stored("f");
            let (mut iterator, mut chunks) = (0, 0);
            while let Some((next, bytes)) = scan(from, iterator) {
                // It is the filter as it was at first.
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

/// The form that is documented, by hand.
#[test]
fn a_dump_is_read_as_it_is_documented() {
    let filter = lockfree_cuckoo::CuckooFilter::builder()
        .capacity(8)
        .seed(1)
        .build()
        .expect("memory");
    filter.insert(b"a".as_slice()).expect("room");
    let stored = filter.to_bytes().expect("quiet");
    let entry = [0, 0, 20, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0];
    let dump = |entry: [u8; 20]| {
        let mut dump = b"LFCDUMP2".to_vec();
        dump.extend((8 + 8 + 20 + 4 + stored.len() as u64).to_le_bytes());
        dump.extend(entry);
        dump.extend(crc32fast::hash(&dump).to_le_bytes());
        dump.extend(&stored);
        dump
    };
    let server = &mut Server::new();
    // Neither such an expansion nor so many deletions.
    for (at, wrong) in [(0, 3), (0, 5), (19, 0xff)] {
        let mut entry = entry;
        entry[at] = wrong;
        let dump = dump(entry);
        let refused = load(server, dump.len() as i64, &dump).expect_err("wrong");
        assert!(
            refused.ends_with("the description of the filter is not valid"),
            "{refused}"
        );
    }
    let dump = dump(entry);
    load(server, dump.len() as i64, &dump).expect("a dump");
    let read = server.filter("g");
    assert!(read.contains(b"a") && !read.contains(b"b"));
    assert_eq!((read.items(), read.deleted()), (1, 5));
    assert_eq!(read.settings().capacity, 8);
    assert_eq!(described(server, "g", "Bucket size"), 4);
}

#[test]
fn a_dump_that_goes_wrong_makes_no_filter() {
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

/// A dump is made of a copy, and a filter beside its dump: there must be memory for both.
#[test]
fn dumps_borrow_what_they_take() {
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
    // The same client begins anew, and has one dump.
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
fn operations_know_how_many_items_they_are_about() {
    for (line, expected) in [
        ("CF.ADD f a", 1),
        ("CF.INSERT f ITEMS a b c", 3),
        ("CF.MEXISTS f a b", 2),
        ("CF.INFO f", 0),
    ] {
        let words = words(line);
        let spec = cf::find(words[0]).expect("a command");
        let call = spec.parse(&words[1..], &RULES).expect(line);
        let Command::Use(operation) = call.command else {
            panic!("{line} works on one filter");
        };
        assert_eq!(operation.items(), expected, "{line}");
    }
}

/// What a module replies where a key has a string.
#[test]
fn a_value_of_another_type_is_not_found_or_an_error() {
    let expected = "\
        CF.EXISTS s a -> Boolean(false)
        CF.MEXISTS s a b -> Array([Boolean(false), Boolean(false)])
        CF.COUNT s a -> Integer(0)
        CF.DEL s a -> Not found
        CF.COMPACT s -> Cuckoo filter was not found
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
        let spec = cf::find(words[0]).expect("a command");
        let call = spec.parse(&words[1..], &RULES).expect(line);
        let reply = match call.command.on_other_type() {
            Ok(reply) => format!("{reply:?}"),
            Err(error) => error.line().replace(wrong, "WRONGTYPE"),
        };
        assert_eq!(reply, expected, "{line}");
    }
}

#[test]
fn a_dump_ends_where_redisbloom_ends_it_and_is_never_cut_short() {
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
    // Of a dump that is over, or is yet to begin, or was never given out.
    for iterator in [first, first + (1 << 40), 7, -1, i64::MIN] {
        let line = format!("CF.SCANDUMP f {iterator}");
        assert_eq!(refused(server, &line), "Invalid position", "{iterator}");
    }
}

/// A log is rewritten like this, and a half of it is a value of its own.
#[test]
fn a_dump_of_a_filter_at_rest_is_loaded_chunk_by_chunk() {
    let server = &mut Server::new();
    ask(server, "CF.RESERVE f 10000 EXPANSION 2").expect("room");
    ask(server, "CF.INSERT f ITEMS a b c").expect("room");
    ask(server, "CF.DEL f c").expect("a filter");
    let filter = server.filter("f");
    let wrong = |words: &str| format!("Couldn't load chunk! {words}");
    for size in [64, 1_000, 4_096, 1 << 20] {
        let (mut dump, mut chunk) = (filter.dump(), vec![0; size]);
        let mut next_chunk = |chunk: &mut [u8]| dump.next_chunk(chunk).expect("nobody writes");
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
