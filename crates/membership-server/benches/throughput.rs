//! What the server answers a second, by its threads, and how long clients wait while snapshots are taken; and the
//! same with a mutex around each filter.
//!
//! `cargo bench --package membership-server`. Both servers are there all the time and take turns of half a second,
//! so that what else the machine does meets both; the figures are medians over the turns, and the ratio is the median
//! of the ratios of neighbouring turns.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

// The rig of the tests: a server, and requests as bytes.
#[allow(dead_code)]
#[path = "../tests/server/process.rs"]
mod process;
#[path = "../tests/server/wait.rs"]
mod wait;
#[allow(dead_code)]
#[path = "../tests/server/wire.rs"]
mod wire;

use process::Server;
use wire::request;

const TURN: Duration = Duration::from_millis(500);
const TURNS: usize = 9;
const CONNECTIONS: usize = 8;
const ITEMS: usize = 500_000;

/// A pipeline that is sent over and over, and how many items it has.
struct Work {
    name: &'static str,
    commands: usize,
    items: usize,
    /// The words of one command; the numbers of its items are counted on.
    command: fn(usize, usize) -> Vec<String>,
}

const WORKS: &[Work] = &[
    Work {
        name: "CF.EXISTS, 64 at a time",
        commands: 64,
        items: 1,
        command: |_, item| words("CF.EXISTS", item, 1),
    },
    Work {
        name: "CF.MEXISTS of 100 items, 8 at a time",
        commands: 8,
        items: 100,
        command: |_, item| words("CF.MEXISTS", item, 100),
    },
    Work {
        name: "CF.ADD and CF.DEL by turns, 64 at a time",
        commands: 64,
        items: 1,
        command: |connection, item| {
            // Items of its own, added before they are deleted.
            let own = ITEMS + connection * 1_000 + item / 2;
            words(if item % 2 == 0 { "CF.ADD" } else { "CF.DEL" }, own, 1)
        },
    },
];

fn words(name: &str, first: usize, items: usize) -> Vec<String> {
    let items = (first..first + items).map(|item| format!("item:{item}"));
    [name.to_owned(), "f".to_owned()]
        .into_iter()
        .chain(items)
        .collect()
}

fn start(threads: usize, more: &str) -> Bench {
    let options = format!("--max-pipeline 100000 --threads {threads} {more}");
    let bench = Bench(Server::start(&options));
    bench.fill();
    bench
}

/// A server that takes its turns.
struct Bench(Server);

impl Bench {
    fn fill(&self) {
        let mut client = self.0.client();
        for first in (0..ITEMS).step_by(1_000) {
            let mut words = words("CF.INSERT", first, 1_000);
            words.insert(2, "ITEMS".to_owned());
            assert!(!client.ask(&words).contains('-'), "an error reply");
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.0.address).expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    /// Items a second, by all connections together.
    fn turn(&self, work: &Work) -> f64 {
        let is_over = AtomicBool::new(false);
        let start = Instant::now();
        let items: usize = thread::scope(|scope| {
            let connections: Vec<_> = (0..CONNECTIONS)
                .map(|connection| {
                    let (mut stream, is_over) = (self.connect(), &is_over);
                    scope.spawn(move || {
                        // From all over what is in, so that lookups do not all hit one line of the cache.
                        let pipelines: Vec<Vec<u8>> = (0..64)
                            .map(|pipeline| {
                                let first = (pipeline * 7_919 * work.items) % (ITEMS / 2);
                                let first = if work.name.contains("DEL") { 0 } else { first };
                                (0..work.commands)
                                    .flat_map(|index| {
                                        let item = first + index * work.items.max(1);
                                        request(&(work.command)(connection, item))
                                    })
                                    .collect()
                            })
                            .collect();
                        let lines = work.commands * if work.items > 1 { work.items + 1 } else { 1 };
                        let mut items = 0;
                        for pipeline in pipelines.iter().cycle() {
                            if is_over.load(Ordering::Relaxed) {
                                break;
                            }
                            stream.write_all(pipeline).expect("sent");
                            read_lines(&mut stream, lines);
                            items += work.commands * work.items;
                        }
                        items
                    })
                })
                .collect();
            thread::sleep(TURN);
            is_over.store(true, Ordering::Relaxed);
            connections
                .into_iter()
                .map(|connection| connection.join().expect("a client"))
                .sum()
        });
        items as f64 / start.elapsed().as_secs_f64()
    }
}

fn read_lines(stream: &mut TcpStream, mut lines: usize) {
    let mut bytes = [0; 64 << 10];
    while lines > 0 {
        let read = match stream.read(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.expect("replies"),
        };
        assert!(read > 0, "the server ended");
        assert!(!bytes[..read].contains(&b'-'), "an error reply");
        lines -= bytes[..read].iter().filter(|&&byte| byte == b'\n').count();
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Microseconds that clients wait for the reply to one lookup while a large filter is saved over and over: the median,
/// the thousandth longest, and the longest.
fn waits(server: &Bench) -> [f64; 3] {
    let is_over = AtomicBool::new(false);
    let mut waits: Vec<f64> = thread::scope(|scope| {
        let saver = scope.spawn(|| {
            let mut stream = server.connect();
            while !is_over.load(Ordering::Relaxed) {
                stream.write_all(&request(&["SAVE"])).expect("sent");
                read_lines(&mut stream, 1);
            }
        });
        let clients: Vec<_> = (0..2)
            .map(|client| {
                let (mut stream, is_over) = (server.connect(), &is_over);
                scope.spawn(move || {
                    let mut waits = Vec::new();
                    for item in (client..).step_by(2) {
                        if is_over.load(Ordering::Relaxed) {
                            break;
                        }
                        let lookup = request(&["CF.EXISTS", "large", &item.to_string()]);
                        let start = Instant::now();
                        stream.write_all(&lookup).expect("sent");
                        read_lines(&mut stream, 1);
                        waits.push(start.elapsed().as_secs_f64() * 1e6);
                    }
                    waits
                })
            })
            .collect();
        thread::sleep(4 * TURN);
        is_over.store(true, Ordering::Relaxed);
        saver.join().expect("the saver");
        clients
            .into_iter()
            .flat_map(|client| client.join().expect("a client"))
            .collect()
    });
    waits.sort_by(f64::total_cmp);
    let last = waits.len() - 1;
    [waits[last / 2], waits[last - last / 1_000], waits[last]]
}

/// Starts a server with a filter of 160 MiB, most of them empty.
fn with_large_filter(name: &str, more: &str) -> Bench {
    let file = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    // What another run has left.
    let _ = std::fs::remove_file(&file);
    let server = start(
        2,
        &format!("--snapshot-interval 0 --snapshot {file} {more}"),
    );
    server.0.converse("CF.RESERVE large 80000000 -> +OK");
    server
}

fn main() {
    if std::env::args().all(|argument| argument != "waits") {
        throughput();
    }
    let free = with_large_filter("free.snapshot", "");
    let locked = with_large_filter("locked.snapshot", "--behind-a-mutex");
    println!(
        "\nMicroseconds until a lookup is answered while a filter of 160 MiB is saved over and over\n"
    );
    println!("| | median | 99.9 % | longest |");
    println!("|---|---|---|---|");
    let turns: Vec<_> = (0..TURNS).map(|_| (waits(&free), waits(&locked))).collect();
    let of = |turns: Vec<[f64; 3]>| {
        [0, 1, 2].map(|index| median(turns.iter().map(|turn| turn[index]).collect()))
    };
    for (name, turns) in [
        ("lock-free", turns.iter().map(|turn| turn.0).collect()),
        ("mutex", turns.iter().map(|turn| turn.1).collect()),
    ] {
        let [median, most, longest] = of(turns);
        println!("| {name} | {median:.0} | {most:.0} | {longest:.0} |");
    }
}

fn throughput() {
    let cores = thread::available_parallelism().map_or(1, |number| number.get());
    println!(
        "{cores} processors for the servers and their clients; {CONNECTIONS} connections; thousands of items a second\n"
    );
    println!("| work | server threads | lock-free | mutex | ratio |");
    println!("|---|---|---|---|---|");
    let most = 2 * cores;
    for threads in (0..)
        .map(|log| 1 << log)
        .take_while(|&threads| threads <= most)
    {
        let (free, locked) = (start(threads, ""), start(threads, "--behind-a-mutex"));
        for work in WORKS {
            // The first turn warms up.
            free.turn(work);
            locked.turn(work);
            let turns: Vec<_> = (0..TURNS)
                .map(|_| (free.turn(work), locked.turn(work)))
                .collect();
            println!(
                "| {} | {threads} | {:.0} | {:.0} | {:.2} |",
                work.name,
                median(turns.iter().map(|&(free, _)| free / 1e3).collect()),
                median(turns.iter().map(|&(_, locked)| locked / 1e3).collect()),
                median(turns.iter().map(|&(free, locked)| free / locked).collect()),
            );
        }
    }
}
