//! Commands: checks the module beside the cases of the server, in both versions of the protocol, on
//! each engine.

use crate::engine::{Engine, module, on_each, says};
use crate::fetch::KINDS;
use crate::wire::request;

/// Requests that the cases of the server do not have. Behind `|` is the reply in the newer version
/// of the protocol, if that differs.
const DIALOGUE: &str = "\
    CF.RESERVE f 1000 EXPANSION 2 SEED 7 -> +OK
    CF.INSERT f ITEMS a b c d -> *4 :1 :1 :1 :1 | *4 #t #t #t #t
    CF.ADDNX f e -> :1 | #t
    CF.INSERTNX f ITEMS a g g -> *3 :0 :1 :0
    CF.DEL f a -> :1 | #t
    CF.COMPACT f -> +OK
    CF.INFO f -> *16 +Size :~ +Number of buckets :512 ~ +Expansion rate :2 +Max iterations :20 | %8 +Size :~
    CF.DEBUG f -> $~bktsize:4 buckets:512 items:5 deletes:1 filters:1 max_iterations:20 expansion:2
    CF.LOADCHUNK f 3 abc -> -ERR item exists
    CF.LOADCHUNK g 3 abc -> -Couldn't load chunk! ~
    EXISTS g -> :0
    CF.INSERT g CAPACITY 100 ITEMS x -> *1 :1 | *1 #t
    CF.ADD h x -> :1 | #t
    TYPE h -> +lfcuckoof
    CF.ADD f -> -ERR wrong number of arguments for 'cf.add' command
    CF.ADDNX f a b -> -ERR wrong number of arguments for 'cf.addnx' command
    CF.RESERVE i 10 SEED x -> -ERR SEED: ~
    COMMAND DOCS cf.reserve -> ~ $5 token $5 ERROR ~ $5 token $4 SEED ~
    CF.RESERVE i 10 ERROR 0.001 SEED 3 -> +OK
    CF.RESERVE j 10 BUCKETSIZE 256 -> -BUCKETSIZE: value must be an integer between ~
    CF.RESERVE j 10 MAXITERATIONS 65536 -> -MAXITERATIONS: value must be an integer between ~
    CF.RESERVE j 10 EXPANSION 32769 -> -EXPANSION: value must be an integer between ~
    SET s 1 -> +OK
    CF.EXISTS s a -> :0 | #f
    GET f -> -WRONGTYPE ~";

#[test]
fn every_command_works_on_each_engine() {
    on_each(|_, engine| {
        for is_resp3 in [false, true] {
            engine.says("FLUSHALL", "+OK");
            let mut client = engine.client();
            if is_resp3 {
                client.say("HELLO 3");
            }
            for line in DIALOGUE.lines() {
                let (request, expected) = line.split_once(" -> ").expect(line);
                let (older, newer) = expected.split_once(" | ").unwrap_or((expected, expected));
                says(&mut client, request, if is_resp3 { newer } else { older });
            }
        }
    });
}

#[test]
fn a_dump_loads_as_the_same_filter() {
    on_each(|kind, engine| {
        let mut client = engine.client();
        says(&mut client, "CF.RESERVE f 1000000", "+OK");
        for item in 0..100 {
            says(&mut client, &format!("CF.ADD f {item}"), ":1");
        }
        let chunks = client.dump("f", |_| {});
        assert!(chunks.len() > 1, "{kind:?}");
        for (at, chunk) in chunks.iter().enumerate() {
            assert_eq!(client.load("g", chunk), "+OK\r\n");
            let is_last = at + 1 == chunks.len();
            let expected = if is_last {
                ":1"
            } else {
                "-ERR the filter is not whole~"
            };
            says(&mut client, "CF.EXISTS g 7", expected);
        }
        assert!(engine.dump("f") == engine.dump("g"));
        // In the newer protocol a null has its own form.
        says(&mut client, "CF.ADD h a", ":1");
        client.say("HELLO 3");
        client.send(&request(&["CF.SCANDUMP", "h", "0"]));
        let reply = client.reply_bytes();
        let first = String::from_utf8_lossy(&reply[..40]).into_owned();
        let iterator = first.lines().nth(1).expect("a number");
        let line = format!("CF.SCANDUMP h {}", iterator.trim_start_matches(':'));
        assert_eq!(client.say(&line), "*2\r\n:0\r\n_\r\n");
    });
}

#[test]
fn the_operator_can_choose_another_prefix() {
    for kind in KINDS {
        let module = module();
        let path = module.to_str().expect("a path");
        let options = ["--appendonly", "yes", "--loadmodule", path, "prefix", "LF"];
        let Some(engine) = Engine::start_with(kind, &options) else {
            continue;
        };
        engine.says("LF.ADDNX f a", ":1");
        engine.says("CF.ADD f a", "-ERR unknown command~");
        let before = engine.dump("f");
        engine.says("DEBUG LOADAOF", "+OK");
        assert_eq!(engine.dump("f"), before);
        engine.rewrite_log();
        engine.says("DEBUG LOADAOF", "+OK");
        assert_eq!(engine.dump("f"), before);
        engine.check();
    }
}
