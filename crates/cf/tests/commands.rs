//! The commands, as a server with a map of filters does them.

mod server;

use cf::{Answer, COMMANDS, Error, Reply, Spec};
use server::{RULES, Server};

fn spec(name: &str) -> &'static Spec {
    cf::find(name.as_bytes()).expect("a command")
}

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
        for given in 0..8_usize {
            let arguments = vec![b"1".as_slice(); given];
            let fits = match usize::try_from(spec.arity) {
                Ok(exactly) => given + 1 == exactly,
                Err(_) => given + 1 >= spec.arity.unsigned_abs().try_into().expect("small"),
            };
            let parsed = spec.parse(&arguments, &RULES);
            match parsed {
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

const BAD_RATE: &str = "ERROR: value must be a number from 0.000000001 to less than 1";

#[test]
fn wrong_arguments_are_named() {
    let server = &mut Server::new();
    let long = "x".repeat(RULES.longest + 1);
    let too_long = "65 bytes are too many: an item or a key can have at most 64";
    for (line, expected) in [
        (
            "CF.RESERVE f 0",
            "capacity: value must be an integer between 1 and 9223372036854775807, inclusive",
        ),
        (
            "CF.RESERVE f 10 BUCKETSIZE 256",
            "BUCKETSIZE: value must be an integer between 1 and 255, inclusive",
        ),
        (
            "CF.RESERVE f 10 EXPANSION x",
            "EXPANSION: value must be an integer between 0 and 32768, inclusive",
        ),
        ("CF.RESERVE f 10 ERROR 1", BAD_RATE),
        ("CF.RESERVE f 10 ERROR 0", BAD_RATE),
        ("CF.RESERVE f 10 ERROR 0.0000000009", BAD_RATE),
        ("CF.RESERVE f 10 ERROR nan", BAD_RATE),
        ("CF.RESERVE f 10 ERROR x", BAD_RATE),
        (
            "CF.RESERVE f 10 ERROR 0.01 BUCKETSIZE 2",
            "BUCKETSIZE and ERROR exclude each other: a filter of a given error rate chooses its bucket size",
        ),
        (
            "CF.RESERVE f 10 ERROR 1e-9 EXPANSION 2",
            "a false-positive rate of 1e-9 is too low for every layout: the lowest, that of `Lanes<2, 31>`, is 1.49e-8 with \
             8 full segments; set a higher one",
        ),
        (
            "CF.RESERVE f 10 ERROR",
            "wrong number of arguments for 'cf.reserve' command",
        ),
        ("CF.RESERVE f 10 COLOUR 7", "Unknown argument received"),
        (
            "CF.RESERVE f 10 EXPANSION",
            "wrong number of arguments for 'cf.reserve' command",
        ),
        ("CF.INSERT f COLOUR 7 ITEMS a", "Unknown argument received"),
        (
            "CF.INSERTNX f NOCREATE ITEMS",
            "wrong number of arguments for 'cf.insertnx' command",
        ),
        (
            "CF.INSERT f CAPACITY 0 ITEMS a",
            "CAPACITY: value must be an integer between 1 and 9223372036854775807, inclusive",
        ),
        ("CF.SCANDUMP f x", "Invalid position"),
        ("CF.LOADCHUNK f x abc", "Invalid position"),
        ("CF.LOADCHUNK f -1 abc", "Invalid position"),
        ("CF.LOADCHUNK f 2 abc", "Invalid position"),
        (&format!("CF.RESERVE {long} 10"), too_long),
        (&format!("CF.ADD {long} a"), too_long),
        (&format!("CF.ADDNX f {long}"), too_long),
        (&format!("CF.INSERT f ITEMS a {long}"), too_long),
        (&format!("CF.LOADCHUNK {long} 3 abc"), too_long),
    ] {
        assert_eq!(refused(server, line), expected, "{line}");
        assert!(server.filters.is_empty(), "{line}");
    }
}

#[test]
fn items_are_added_found_counted_and_deleted() {
    use Answer::{No, Yes};
    use Reply::{Count, Each, Numbers, Whether};
    let server = &mut Server::new();
    for (line, expected) in [
        ("CF.EXISTS f a", Whether(false)),
        ("CF.MEXISTS f a b", Each(vec![No, No])),
        ("CF.COUNT f a", Count(0)),
        ("CF.ADD f a", Whether(true)),
        ("CF.ADD f a", Whether(true)),
        ("CF.ADDNX f a", Whether(false)),
        ("CF.ADDNX f b", Whether(true)),
        ("CF.COUNT f a", Count(2)),
        ("CF.INSERT f ITEMS a c", Each(vec![Yes, Yes])),
        (
            "CF.INSERTNX f NOCREATE CAPACITY 9 ITEMS a d d",
            Numbers(vec![No, Yes, No]),
        ),
        ("CF.MEXISTS f a z d", Each(vec![Yes, No, Yes])),
        ("CF.DEL f a", Whether(true)),
        ("CF.COUNT f a", Count(2)),
        ("CF.DEL f z", Whether(false)),
        ("CF.INSERT g CAPACITY 7 ITEMS a", Each(vec![Yes])),
        ("CF.COMPACT f", Reply::Done),
    ] {
        assert_eq!(ask(server, line).expect(line), expected, "{line}");
    }
    assert_eq!(server.filters[b"g".as_slice()].settings().capacity, 7);
    for (line, expected) in [
        ("CF.DEL none a", "Not found"),
        ("CF.INFO none", "not found"),
        ("CF.SCANDUMP none 0", "not found"),
        ("CF.COMPACT none", "Cuckoo filter was not found"),
        ("CF.INSERT none NOCREATE ITEMS a", "not found"),
        ("CF.RESERVE f 10", "item exists"),
        ("CF.LOADCHUNK f 3 abc", "item exists"),
        ("CF.LOADCHUNK f 2 abc", "Invalid position"),
    ] {
        assert_eq!(refused(server, line), expected, "{line}");
    }
    assert_eq!(server.filters.len(), 2);
}

#[test]
fn a_filter_is_described() {
    let server = &mut Server::new();
    for line in [
        "CF.RESERVE f 1000 MAXITERATIONS 30 EXPANSION 3",
        "CF.INSERT f ITEMS a b c",
        "CF.DEL f b",
    ] {
        ask(server, line).expect(line);
    }
    let Ok(Reply::Info(info)) = ask(server, "CF.INFO f") else {
        panic!("no description");
    };
    let memory = server.filters[b"f".as_slice()].memory_usage() as u64;
    assert_eq!(info[0], ("Size", memory));
    let expected = [
        ("Number of buckets", 384),
        ("Number of filters", 1),
        ("Number of items inserted", 2),
        ("Number of items deleted", 1),
        ("Bucket size", 4),
        ("Expansion rate", 4),
        ("Max iterations", 30),
    ];
    assert_eq!(info[1..], expected);
}

fn described(server: &mut Server, name: &str) -> u64 {
    let Ok(Reply::Info(info)) = ask(server, "CF.INFO f") else {
        panic!("no description");
    };
    let found = info.iter().find(|(field, _)| *field == name);
    found.expect(name).1
}

#[test]
fn a_bucket_size_is_what_the_filter_has() {
    for expansion in [0, 2] {
        for (given, slots) in [
            (1, 2),
            (2, 2),
            (3, 3),
            (4, 4),
            (5, 5),
            (6, 6),
            (7, 8),
            (8, 8),
            (255, 8),
        ] {
            let server = &mut Server::new();
            let reserve = format!("CF.RESERVE f 1000 BUCKETSIZE {given} EXPANSION {expansion}");
            ask(server, &reserve).expect(&reserve);
            assert_eq!(described(server, "Bucket size"), slots, "{reserve}");
            let filter = &server.filters[b"f".as_slice()];
            let (all, buckets) = (
                filter.slots() as u64,
                described(server, "Number of buckets"),
            );
            assert_eq!(all, slots * buckets, "{reserve}");
            // Two buckets full of copies.
            let copies = (0..20).map(|_| ask(server, "CF.ADD f a"));
            assert_eq!(
                copies.filter(Result::is_ok).count() as u64,
                2 * slots,
                "{reserve}"
            );
        }
    }
}

#[test]
fn an_error_rate_is_kept() {
    let mut last = 0;
    for (rate, most) in [
        ("0.1", 0.1),
        ("0.03", 0.03),
        ("1e-3", 1e-3),
        ("1e-5", 1e-5),
        ("1e-9", 1e-9),
    ] {
        let server = &mut Server::new();
        ask(
            server,
            &format!("CF.RESERVE f 10000 EXPANSION 0 error {rate}"),
        )
        .expect("possible");
        let items: Vec<String> = (0..10_000).map(|item| item.to_string()).collect();
        ask(server, &format!("CF.INSERT f ITEMS {}", items.join(" "))).expect("room");
        let filter = &server.filters[b"f".as_slice()];
        assert_eq!(filter.items(), 10_000);
        assert!(filter.false_positive_rate() <= most, "{filter:?}");
        // What is lower is not cheaper.
        assert!(filter.memory_usage() > last, "{filter:?}");
        last = filter.memory_usage();
    }
    // One that grows ends its growth there.
    let server = &mut Server::new();
    ask(server, "CF.RESERVE f 10 EXPANSION 2 ERROR 1.6e-8").expect("possible");
    let refused = (0..100_000).find_map(|item| ask(server, &format!("CF.ADD f {item}")).err());
    let refused = refused.expect("a limit").to_string();
    assert!(refused.starts_with("Filter is full: "), "{refused}");
    let filter = &server.filters[b"f".as_slice()];
    assert!(
        filter.segments() == 8 && filter.false_positive_rate() <= 1.6e-8,
        "{filter:?}"
    );
}

#[test]
fn a_full_filter_refuses_single_items_and_loses_none() {
    let server = &mut Server::new();
    ask(server, "CF.RESERVE f 100 EXPANSION 0").expect("room");
    let items: Vec<String> = (0..400).map(|item| item.to_string()).collect();
    let Ok(Reply::Each(answers)) = ask(server, &format!("CF.INSERT f ITEMS {}", items.join(" ")))
    else {
        panic!("no answers");
    };
    assert_eq!(answers.len(), items.len());
    let of = |answer| answers.iter().filter(|&&other| other == answer).count();
    assert!(of(Answer::Yes) >= 100 && of(Answer::Refused) > 100);
    assert_eq!(of(Answer::No), 0);
    assert_eq!(server.filters[b"f".as_slice()].items(), of(Answer::Yes));
    for (item, answer) in items.iter().zip(answers) {
        if answer == Answer::Yes {
            let deleted = ask(server, &format!("CF.DEL f {item}"));
            assert_eq!(deleted.expect("a filter"), Reply::Whether(true), "{item}");
        }
    }
    assert_eq!(server.filters[b"f".as_slice()].items(), 0);
    let errors: Vec<_> = (0..400)
        .filter_map(|item| ask(server, &format!("CF.ADD f {item}")).err())
        .collect();
    assert!(!errors.is_empty());
    assert!(errors.iter().all(|error| matches!(error, Error::Full)));
}

#[test]
fn what_only_reads_changes_nothing() {
    for spec in COMMANDS.iter().filter(|spec| !spec.writes) {
        let server = &mut Server::new();
        ask(server, "CF.INSERT f ITEMS a b").expect("room");
        let before = server.stored(b"f");
        let arguments: &[&[u8]] = match spec.name {
            "CF.INFO" => &[b"f"],
            "CF.SCANDUMP" => &[b"f", b"0"],
            _ => &[b"f", b"a"],
        };
        let reply = server.answer(spec.name.as_bytes(), arguments);
        reply.expect(spec.name);
        assert_eq!(server.stored(b"f"), before, "{}", spec.name);
    }
}

#[test]
fn a_dump_becomes_the_same_filter_elsewhere() {
    let layouts = [
        "BUCKETSIZE 2",
        "BUCKETSIZE 4",
        "BUCKETSIZE 8",
        "ERROR 0.005",
        "ERROR 0.00007",
    ];
    let with_expansion = |layout| [0, 2].map(|expansion| format!("{layout} EXPANSION {expansion}"));
    for options in layouts.into_iter().flat_map(with_expansion) {
        let (from, to) = (&mut Server::new(), &mut Server::new());
        ask(from, &format!("CF.RESERVE f 10000 {options}")).expect("room");
        ask(from, "CF.INSERT f ITEMS a b c").expect("room");
        ask(from, "CF.DEL f c").expect("a filter");
        let before = from.stored(b"f");
        let (mut iterator, mut chunks) = (0, 0);
        loop {
            let scan = ask(from, &format!("CF.SCANDUMP f {iterator}"));
            let Ok(Reply::Chunk(chunk)) = scan else {
                panic!("{scan:?}");
            };
            // It is the filter as it was at first.
            ask(from, &format!("CF.ADD f late{iterator}")).expect("room");
            let Some((next, bytes)) = chunk else {
                break;
            };
            iterator = next;
            chunks += 1;
            assert!(to.filters.is_empty() && bytes.len() <= server::MAX_REQUEST / 2);
            let place = next.to_string();
            let arguments = [b"copy".as_slice(), place.as_bytes(), &bytes];
            assert_eq!(
                to.answer(b"CF.LOADCHUNK", &arguments).expect("a chunk"),
                Reply::Done
            );
        }
        assert!(chunks >= 3, "{chunks} chunks");
        assert_eq!(to.stored(b"copy"), before);
        assert_eq!([from.lent(), to.lent()], [0; 2]);
        let [original, copy] = [
            &from.filters[b"f".as_slice()],
            &to.filters[b"copy".as_slice()],
        ];
        assert_eq!(copy.settings(), original.settings());
        assert_eq!(copy.shape(), original.shape());
        assert!([b"a", b"b"].iter().all(|item| copy.contains(*item)));
    }
}

/// What a server wrote that knew one layout only: ten bytes for a capacity of 8, of which the seed was 1.
#[test]
fn a_dump_of_the_only_layout_that_there_was_is_read() {
    let mut filter = lockfree_cuckoo::CuckooFilter::builder()
        .capacity(8)
        .seed(1)
        .build()
        .expect("memory");
    filter.insert(b"a".as_slice()).expect("room");
    let stored = filter.to_bytes();
    let mut dump = b"LFCDUMP2".to_vec();
    dump.extend((8 + 8 + 21 + 4 + stored.len() as u64).to_le_bytes());
    dump.extend([
        1, 0, 0, 20, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0,
    ]);
    dump.extend(crc32fast::hash(&dump).to_le_bytes());
    dump.extend(stored);
    let server = &mut Server::new();
    let place = dump.len().to_string();
    let arguments = [b"f".as_slice(), place.as_bytes(), &dump];
    server.answer(b"CF.LOADCHUNK", &arguments).expect("a dump");
    let read = &server.filters[b"f".as_slice()];
    assert!(read.contains(b"a") && !read.contains(b"b"));
    assert_eq!(
        (read.items(), read.deleted(), read.settings().capacity),
        (1, 5, 8)
    );
    assert_eq!(described(server, "Bucket size"), 4);
}

#[test]
fn a_dump_that_goes_wrong_makes_no_filter() {
    let server = &mut Server::new();
    ask(server, "CF.RESERVE f 5000").expect("room");
    let Ok(Reply::Chunk(Some((first, bytes)))) = ask(server, "CF.SCANDUMP f 0") else {
        panic!("no chunk");
    };
    let Ok(Reply::Chunk(Some((second, next)))) = ask(server, &format!("CF.SCANDUMP f {first}"))
    else {
        panic!("no chunk");
    };
    let load = |server: &mut Server, iterator: i64, bytes: &[u8]| {
        let iterator = iterator.to_string();
        let arguments = [b"g".as_slice(), iterator.as_bytes(), bytes];
        let refused = server.answer(b"CF.LOADCHUNK", &arguments);
        refused.map_err(|error| error.to_string())
    };
    let wrong = |words: &str| Err(format!("Couldn't load chunk! {words}"));
    assert_eq!(
        load(server, second, &next),
        wrong("the first chunk is missing")
    );
    assert_eq!(
        load(server, 3, b"abc"),
        wrong("it does not begin like a dump of this server")
    );
    assert_eq!(load(server, first, &bytes), Ok(Reply::Done));
    assert_eq!(
        load(server, second + 1, &next),
        wrong("it is not the next chunk")
    );
    assert!(server.lent() > 0, "dumps under way borrow memory");
    // No memory is lent for more.
    server.memory = 0;
    assert_eq!(
        refused(server, "CF.SCANDUMP f 0"),
        "no memory for dumps is left"
    );
    assert!(!server.filters.contains_key(b"g".as_slice()));
}

#[test]
fn operations_know_how_many_items_they_are_about() {
    for (name, arguments, expected) in [
        ("CF.ADD", "f a", 1),
        ("CF.INSERT", "f ITEMS a b c", 3),
        ("CF.MEXISTS", "f a b", 2),
        ("CF.INFO", "f", 0),
    ] {
        let arguments = words(arguments);
        let call = spec(name).parse(&arguments, &RULES).expect(name);
        let cf::Command::Use(operation) = call.command else {
            panic!("{name} works on one filter");
        };
        assert_eq!(operation.items(), expected, "{name}");
    }
}
