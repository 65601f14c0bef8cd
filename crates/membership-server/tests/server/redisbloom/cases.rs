//! What RedisBloom's own tests of cuckoo filters ask: `tests/flow/test_cuckoo.py` and `test_resp3.py` of its repository,
//! whose names these have.

use super::{Case, Trial};
use cf::{Reply, Rules, Settings, Value};

pub(super) const ALL: [Case; 20] = [
    ("count", count),
    ("setnx", setnx),
    ("insert", insert),
    ("exists", exists),
    ("mem_usage", mem_usage),
    ("max_iterations", max_iterations),
    ("num_deletes", num_deletes),
    ("compact", compact),
    ("max_expansions", max_expansions),
    ("bucket_size", bucket_size),
    ("expansion", expansion),
    ("expansion_0", expansion_0),
    ("info", info),
    ("params", params),
    ("reserve_limits", reserve_limits),
    ("resp3", resp3),
    // And these are our own questions.
    ("debug", debug),
    ("error_lines", error_lines),
    ("option_twice", option_twice),
    ("other_types", other_types),
];

const TOO_SMALL: &str = "-Capacity must be at least (BucketSize * 2)";

fn count(trial: &mut Trial) {
    trial.both("CF.RESERVE cf", "-~wrong number~");
    trial.both("CF.RESERVE cf str", "-~apacity~");
    trial.both("CF.RESERVE cf 1000", "+OK");
    trial.both("CF.RESERVE cf 1000", "-ERR item exists");
    trial.both("CF.RESERVE tooSmall 1", TOO_SMALL);
    for command in ["CF.INSERT", "CF.INSERTNX"] {
        trial.both(&format!("{command} cf CAPACITY -1 ITEMS k0"), "-~");
        let small = format!("{command} cf CAPACITY 3 ITEMS k0");
        trial.both(&small, TOO_SMALL);
    }
    trial.both("CF.EXISTS cf k1", ":0");
    trial.both("CF.ADD cf k1", ":1");
    trial.both("CF.ADD cf k1", ":1");
    trial.both("CF.EXISTS cf k1", ":1");
    trial.both("CF.COUNT cf k1", ":2");
    trial.both("CF.DEL cf k1", ":1");
    trial.both("CF.COUNT cf k1", ":1");
    trial.both("CF.DEL cf k1", ":1");
    trial.both("CF.COUNT cf k1", ":0");
    trial.both("CF.DEL cf k1", ":0");
    trial.both("CF.DEL cf", "-~wrong number~");
    trial.both("CF.DEL bf k1", "-~Not found");
    trial.each(0..100, "CF.ADD nums {}", ":1");
    trial.each(0..100, "CF.EXISTS nums {}", ":1");
}

fn setnx(trial: &mut Trial) {
    trial.both("CF.ADDNX cf k1", ":1");
    trial.both("CF.ADDNX cf k1", ":0");
    trial.both("CF.COUNT cf k1", ":1");
    trial.both("CF.ADD cf k1", ":1");
    trial.both("CF.COUNT cf k1", ":2");
}

fn insert(trial: &mut Trial) {
    trial.both("CF.ADD f1 foo", ":1");
    trial.both("CF.ADD f1", "-~wrong number~");
    trial.both("CF.INSERT f2 ITEMS foo", "*1\n:1");
    trial.both("CF.INSERT cf", "-~wrong number~");
    trial.both("CF.INSERTNX f1 items foo", "*1\n:0");
    trial.both("CF.INSERT f3 CAPACITY 10000 ITEMS foo", "*1\n:1");
    trial.both("CF.INSERT f3 NOCREATE CAPACITY", "-~");
    trial.both("CF.INSERT f3 NOCREATE CAPACITY str", "-~");
    let unknown = "-~Unknown argument received";
    trial.both("CF.INSERT f3 NOCREATE DONTEXIST", unknown);
    trial.both("CF.INSERT f3 NOCREATE ITEMS", "-~wrong number~");
    trial.both("CF.INFO f3", "~Number of items inserted\n:1\n~");
    let replies = "*3\n:0\n:1\n:1";
    trial.both("CF.INSERTNX f3 ITEMS foo bar baz", replies);
    trial.both("CF.INSERT f4 nocreate items foo", "-ERR not found");
    trial.both("CF.INSERT f4 items foo", "*1\n:1");
    trial.both("CF.INSERT f4 nocreate items foo", "*1\n:1");
}

fn exists(trial: &mut Trial) {
    trial.both("CF.INSERT f1 ITEMS foo bar baz", "*3\n:1\n:1\n:1");
    trial.both("CF.MEXISTS f1 foo bar baz", "*3\n:1\n:1\n:1");
    trial.both("CF.EXISTS nonexist-key blah", ":0");
    trial.both("CF.MEXISTS nonexist-key blah", "*1\n:0");
    for request in ["CF.MEXISTS key", "CF.MEXISTS", "CF.EXISTS key", "CF.EXISTS"] {
        trial.both(request, "-~wrong number~");
    }
}

fn mem_usage(trial: &mut Trial) {
    trial.both("CF.RESERVE cf 1000", "+OK");
    trial.both("MEMORY USAGE cf", ":~");
    trial.both("CF.INSERT cf nocreate items foo", "*1\n:1");
    trial.both("MEMORY USAGE cf", ":~");
}

fn max_iterations(trial: &mut Trial) {
    trial.both("CF.RESERVE a 10 MAXITERATIONS 10", "+OK");
    trial.both("CF.INFO a", "~Max iterations\n:10");
    trial.both("CF.RESERVE b 10", "+OK");
    trial.both("CF.INFO b", "~Max iterations\n:20");
    trial.both("CF.RESERVE c 10 MAXITERATIONS string", "-~MAXITERATIONS~");
}

fn num_deletes(trial: &mut Trial) {
    trial.both("CF.ADD nums Redis", ":1");
    trial.both("CF.DEL nums Redis", ":1");
    trial.both("CF.INFO nums", "~Number of items deleted\n:1\n~");
}

fn compact(trial: &mut Trial) {
    trial.both("CF.RESERVE cf 8 MAXITERATIONS 50", "+OK");
    trial.each(0..100, "CF.ADD cf {}", ":1");
    trial.each(0..100, "CF.EXISTS cf {}", ":1");
    trial.both("CF.COMPACT cf", "+OK");
    trial.each(0..100, "CF.EXISTS cf {}", ":1");
    trial.both("CF.COMPACT a", "-~Cuckoo filter was not found");
    trial.both("CF.COMPACT a b", "-~wrong number~");
}

fn max_expansions(trial: &mut Trial) {
    trial.both("CF.RESERVE cf 4", "+OK");
    trial.each(0..124, "CF.ADD cf {}", ":1");
    let reached = "-Maximum expansions reached";
    trial.differ("CF.ADD cf 2048", reached, ":1");
}

fn bucket_size(trial: &mut Trial) {
    trial.both("CF.RESERVE a 64 BUCKETSIZE 1", "+OK");
    trial.both("CF.RESERVE b 64 BUCKETSIZE 2", "+OK");
    let options = "BUCKETSIZE 4 MAXITERATIONS 500";
    trial.both(&format!("CF.RESERVE c 256 {options}"), "+OK");
    for (key, redisbloom) in [("a", 1), ("b", 2), ("c", 4)] {
        trial.each(0..1000, &format!("CF.ADD {key} {{}}"), ":1");
        trial.each(0..1000, &format!("CF.EXISTS {key} {{}}"), ":1");
        let size = |size| format!("~Bucket size\n:{size}\n~");
        trial.differ(&format!("CF.INFO {key}"), &size(redisbloom), &size(4));
    }
    trial.both("CF.RESERVE err 10 BUCKETSIZE", "-~");
    trial.both("CF.RESERVE err 10 BUCKETSIZE string", "-~BUCKETSIZE~");
}

fn expansion(trial: &mut Trial) {
    trial.both("CF.RESERVE a 64 EXPANSION 1", "+OK");
    trial.both("CF.RESERVE b 64 EXPANSION 2", "+OK");
    let options = "EXPANSION 4 MAXITERATIONS 500";
    trial.both(&format!("CF.RESERVE c 64 {options}"), "+OK");
    for (key, rate) in [("a", 1), ("b", 2), ("c", 4)] {
        trial.each(0..1000, &format!("CF.ADD {key} {{}}"), ":1");
        trial.each(0..1000, &format!("CF.EXISTS {key} {{}}"), ":1");
        let rate = format!("~Expansion rate\n:{rate}\n~");
        trial.both(&format!("CF.INFO {key}"), &rate);
    }
    trial.both("CF.RESERVE err 10 EXPANSION", "-~wrong number~");
    trial.both("CF.RESERVE err 10 EXPANSION string", "-~EXPANSION~");
}

fn expansion_0(trial: &mut Trial) {
    trial.both("CF.RESERVE a 4 EXPANSION 0", "+OK");
    trial.each(1..5, "CF.ADD a {}", ":1");
    let refused = "*2\n:-1\n:-1";
    trial.differ("CF.INSERT a ITEMS 5 6", refused, "*2\n:1\n:1");
    // There is room for more than was asked for, but not for everything.
    let many: Vec<String> = (7..1000).map(|item| item.to_string()).collect();
    let many = format!("CF.INSERT a ITEMS {}", many.join(" "));
    trial.both(&many, "~:-1~");
    trial.both("CF.ADD a 1000", "-~Filter is full");
}

fn info(trial: &mut Trial) {
    let expected = |size, bucket_size| {
        format!(
            "*16\n+Size\n:{size}\n+Number of buckets\n:512\n+Number of filters\n:1\n\
             +Number of items inserted\n:0\n+Number of items deleted\n:0\n\
             +Bucket size\n:{bucket_size}\n+Expansion rate\n:1\n+Max iterations\n:20"
        )
    };
    trial.both("CF.RESERVE a 1000", "+OK");
    let (redisbloom, this) = (expected("1080", 2), expected("~", 4));
    trial.differ("CF.INFO a", &redisbloom, &this);
    trial.both("CF.INFO bf", "-ERR not found");
    trial.both("CF.INFO", "-~wrong number~");
}

fn params(trial: &mut Trial) {
    for request in [
        "CF.RESERVE",
        "CF.RESERVE err",
        "CF.RESERVE err 10 EXPANSION -1",
        "CF.RESERVE err 10 BUCKETSIZE 0",
        "CF.RESERVE err 10 BUCKETSIZE -1",
        "CF.RESERVE err 10 MAXITERATIONS 0",
        "CF.RESERVE err 10 MAXITERATIONS -1",
    ] {
        trial.both(request, "-~");
    }
    trial.both("CF.RESERVE err 1000", "+OK");
    for command in ["ADD", "ADDNX", "DEL", "EXISTS", "MEXISTS", "COUNT"] {
        trial.both(&format!("CF.{command}"), "-~wrong number~");
        trial.both(&format!("CF.{command} err"), "-~wrong number~");
    }
    for command in ["INSERT", "INSERTNX"] {
        for arguments in ["", " err", " err element"] {
            trial.both(&format!("CF.{command}{arguments}"), "-~wrong number~");
        }
    }
    for request in [
        "CF.INFO",
        "CF.LOADCHUNK err",
        "CF.LOADCHUNK err iterator",
        "CF.SCANDUMP err",
    ] {
        trial.both(request, "-~wrong number~");
    }
}

fn reserve_limits(trial: &mut Trial) {
    for (option, value) in [
        ("BUCKETSIZE", "33554432"),
        ("MAXITERATIONS", "165536"),
        ("EXPANSION", "327695"),
    ] {
        let bounds = format!("-~{option}: value must be an integer between ~");
        trial.both(&format!("CF.RESERVE cf 100 {option} {value}"), &bounds);
    }
    let options = "BUCKETSIZE 255 MAXITERATIONS 65535 EXPANSION 32768";
    let large = format!("CF.RESERVE cf 67108864 {options}");
    trial.differ(&large, "+OK", "-ERR~(--max-growth)~");
    let insufficient = "-ERR Insufficient memory to create filter~";
    trial.both("CF.RESERVE huge 9223372036854775807", insufficient);
}

fn resp3(trial: &mut Trial) {
    trial.speak_resp3();
    trial.both("CF.RESERVE a 9 EXPANSION 0", "+OK");
    trial.both("CF.ADD a 3", "#t");
    trial.both("CF.ADD a 4", "#t");
    trial.both("CF.ADDNX a 4", "#f");
    trial.both("CF.ADDNX a 9", "#t");
    trial.both("CF.INSERT a ITEMS 4 5", "*2\n#t\n#t");
    trial.both("CF.INSERTNX a ITEMS 4 6", "*2\n:0\n:1");
    trial.both("CF.DEL a 3", "#t");
    trial.both("CF.DEL a 3", "#f");
    trial.both("CF.EXISTS a 3", "#f");
    trial.both("CF.EXISTS a 4", "#t");
    trial.both("CF.MEXISTS a 4 3", "*2\n#t\n#f");
    trial.both("CF.COUNT a 3", ":0");
    trial.both("CF.COUNT a 4", ":2");
    let items = "~Number of items inserted\n:5\n+Number of items deleted\n:1\n~";
    trial.both("CF.INFO a", &format!("%8\n+Size\n{items}"));
    trial.both("CF.EXISTS none 4", "#f");
    trial.both("CF.MEXISTS none 4", "*1\n#f");
    trial.both("CF.COUNT none 4", ":0");
}

fn debug(trial: &mut Trial) {
    trial.both(
        "CF.RESERVE a 64 BUCKETSIZE 4 MAXITERATIONS 30 EXPANSION 2",
        "+OK",
    );
    trial.both("CF.INSERT a ITEMS 1 2 3", "*3\n:1\n:1\n:1");
    trial.both("CF.DEL a 1", ":1");
    let line = "~\nbktsize:4 buckets:~ items:2 deletes:1 filters:1 max_iterations:30 expansion:2";
    trial.both("CF.DEBUG a", line);
    trial.both("CF.DEBUG none", "-ERR not found");
    trial.both("CF.DEBUG", "-~wrong number~");
    trial.both("CF.DEBUG a b", "-~wrong number~");
}

/// Each to the letter.
fn error_lines(trial: &mut Trial) {
    for capacity in ["x", "+10", "010", "9223372036854775808"] {
        trial.both(&format!("CF.RESERVE a {capacity}"), "-Bad capacity");
        let insert = format!("CF.INSERT a CAPACITY {capacity} ITEMS i");
        trial.both(&insert, "-Bad capacity");
    }
    for arguments in ["0", "-1", "3", "9 BUCKETSIZE 5", "1 BUCKETSIZE 1"] {
        trial.both(&format!("CF.RESERVE a {arguments}"), TOO_SMALL);
    }
    for (option, least, most) in [
        ("BUCKETSIZE", 1, 255),
        ("MAXITERATIONS", 1, 65_535),
        ("EXPANSION", 0, 32_768),
    ] {
        let reserve = |value: &str| format!("CF.RESERVE a 10 {option} {value}");
        trial.both(&reserve("x"), &format!("-Couldn't parse {option}"));
        let bounds =
            format!("-{option}: value must be an integer between {least} and {most}, inclusive.");
        for value in [least - 1, most + 1] {
            trial.both(&reserve(&value.to_string()), &bounds);
        }
    }
    trial.both("CF.INSERT a NOCREATE XYZ i", "-Unknown argument received");
    trial.both("CF.INSERT a NOCREATE ITEMS i", "-ERR not found");
    trial.both("CF.DEL a i", "-Not found");
    trial.both("CF.INFO a", "-ERR not found");
    trial.both("CF.COMPACT a", "-Cuckoo filter was not found");
    trial.both("CF.SCANDUMP a 0", "-ERR not found");
    trial.both("CF.SCANDUMP a -1", "-Invalid position");
    trial.both("CF.LOADCHUNK a x abc", "-Invalid position");
    trial.both("CF.RESERVE b 10 BUCKETSIZE 2 EXPANSION 0", "+OK");
    trial.both("CF.RESERVE b 10", "-ERR item exists");
    trial.both("CF.SCANDUMP b x", "-Invalid position");
    trial.both("CF.SCANDUMP b -1", "-Invalid position");
    let many: Vec<String> = (0..1000).map(|item| item.to_string()).collect();
    trial.both(&format!("CF.INSERT b ITEMS {}", many.join(" ")), "~:-1~");
    trial.both("CF.ADD b 1000", "-Filter is full");
    trial.both("CF.ADDNX b 1001", "-Filter is full");
}

fn option_twice(trial: &mut Trial) {
    trial.both("CF.RESERVE a 64 MAXITERATIONS 5 MAXITERATIONS x", "+OK");
    trial.both("CF.INFO a", "~Max iterations\n:5");
}

/// This server has no other type. What a module would reply is asked of the commands.
fn other_types(trial: &mut Trial) {
    if !trial.is_redisbloom {
        return;
    }
    let rules = Rules {
        defaults: Settings::new(1_000, true),
        longest: 100,
    };
    trial.both("SET s x", "+OK");
    for request in [
        "CF.ADD s a",
        "CF.ADDNX s a",
        "CF.COMPACT s",
        "CF.COUNT s a",
        "CF.DEBUG s",
        "CF.DEL s a",
        "CF.EXISTS s a",
        "CF.INFO s",
        "CF.INSERT s ITEMS a",
        "CF.INSERTNX s NOCREATE ITEMS a",
        "CF.LOADCHUNK s 3 abc",
        "CF.MEXISTS s a b",
        "CF.RESERVE s 100",
        "CF.SCANDUMP s 0",
    ] {
        let words: Vec<&[u8]> = request.split(' ').map(str::as_bytes).collect();
        let spec = cf::find(words[0]).expect("a command");
        let call = spec.parse(&words[1..], &rules).expect("right arguments");
        let expected = match call.command.on_other_type() {
            Ok(reply) => resp2(reply),
            Err(error) => format!("-{}", error.line()),
        };
        trial.both(request, &expected);
    }
}

/// Of replies that look items up.
fn resp2(reply: Reply) -> String {
    fn of(value: Value) -> String {
        match value {
            Value::Integer(number) => format!(":{number}"),
            Value::Boolean(is_so) => format!(":{}", u8::from(is_so)),
            Value::Array(values) => {
                let parts: Vec<String> = values.into_iter().map(of).collect();
                format!("*{}\n{}", parts.len(), parts.join("\n"))
            }
            other => panic!("{other:?}"),
        }
    }
    of(reply.into())
}
