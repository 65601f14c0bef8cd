//! Cluster: three primaries and three replicas lose no acknowledged write when slots move or nodes
//! die.

mod client;
mod windows;

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::download::runs;
use crate::engine::{Engine, says};
use crate::fetch::{self, Kind};
use crate::history::Random;
use crate::wait::wait;
use client::ClusterClient;

const KEYS: usize = 24;

/// The acknowledged items, in those that a replica has for sure, and others.
#[derive(Default)]
struct Written {
    safe: Vec<(String, String)>,
    /// The items since the last WAIT.
    young: Vec<(String, String)>,
}

impl Written {
    fn all(self) -> Vec<(String, String)> {
        [self.safe, self.young].concat()
    }
}

struct Cluster {
    engines: Vec<Engine>,
    /// The items that were added to windows, and the number of checks in their time.
    windows: Mutex<(Vec<windows::Added>, usize)>,
}

impl Cluster {
    fn start() -> Option<Self> {
        let cli = fetch::valkey_cli()?;
        let options = "--cluster-enabled yes --cluster-node-timeout 2000 --cluster-config-file nodes \
                       --repl-backlog-size 64mb";
        let options: Vec<_> = options.split_whitespace().collect();
        let engines: Option<Vec<_>> = (0..6)
            .map(|_| Engine::start(Kind::Valkey9, &options))
            .collect();
        let engines = engines?;
        let mut create = Command::new(cli);
        create.args(["--cluster", "create"]);
        create.args(engines.iter().map(|engine| engine.address.to_string()));
        create.args(["--cluster-replicas", "1", "--cluster-yes"]);
        let output = create.output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        let cluster = Self {
            engines,
            windows: Mutex::default(),
        };
        cluster.wait_until_ready(6);
        Some(cluster)
    }

    fn alive(&self, dead: Option<usize>) -> impl Iterator<Item = &Engine> {
        let all = self.engines.iter().enumerate();
        all.filter(move |(at, _)| Some(*at) != dead)
            .map(|(_, engine)| engine)
    }

    /// Waits until this many nodes agree, and this many of all are primaries or linked to theirs.
    fn wait_until_ready(&self, nodes: usize) {
        wait("the cluster", || {
            let is_linked = |engine: &Engine| {
                is_primary(engine) || engine.info("master_link_status").as_deref() == Some("up")
            };
            let all = self.engines.iter();
            let ready = all.filter(|engine| agrees(engine) && is_linked(engine));
            (ready.count() == nodes).then_some(())
        });
    }

    fn id(&self, at: usize) -> String {
        let reply = self.engines[at].ask("CLUSTER MYID");
        reply.lines().nth(1).expect("an id").to_owned()
    }

    /// Returns the present primaries.
    fn primaries(&self, dead: Option<usize>) -> Vec<usize> {
        let all = 0..self.engines.len();
        all.filter(|&at| Some(at) != dead && is_primary(&self.engines[at]))
            .collect()
    }

    /// Moves slots in one step, and waits for its end.
    fn migrate(&self, from: usize, to: usize, slots: (usize, usize)) {
        let ((first, last), to) = (slots, self.id(to));
        let from = &self.engines[from];
        let line = format!("CLUSTER MIGRATESLOTS SLOTSRANGE {first} {last} NODE {to}");
        from.says(&line, "+OK");
        wait("the slots", || {
            let jobs = from.ask("CLUSTER GETSLOTMIGRATIONS").to_lowercase();
            assert!(!jobs.contains("failed"), "{jobs}");
            let mut states = "connecting snapshot stream failover pause auth wait clean".split(' ');
            let is_over = !states.any(|state| jobs.contains(&format!("\r\n{state}")));
            (is_over && jobs.contains("success")).then_some(())
        });
    }

    /// Moves slots one by one, by DUMP and RESTORE.
    fn reshard(&self, from: usize, to: usize, slots: usize) {
        let cli = fetch::valkey_cli().expect("it was there");
        // The command refuses to begin while nodes have not heard yet of the last move.
        wait("the slots", || {
            let address = self.engines[from].address.to_string();
            let (from, to, slots) = (self.id(from), self.id(to), slots.to_string());
            let mut command = Command::new(&cli);
            command.args(["--cluster", "reshard", &address, "--cluster-yes"]);
            command.args(["--cluster-from", &from, "--cluster-to", &to]);
            command.args(["--cluster-slots", &slots]);
            runs(&mut command).then_some(())
        });
    }

    /// Checks that each primary and its replicas have the same data, bit for bit.
    fn check_equality(&self, dead: Option<usize>) {
        for at in self.primaries(dead) {
            let primary = &self.engines[at];
            let keys = primary.ask("KEYS *");
            let keys: Vec<_> = keys.lines().filter(|line| line.starts_with('k')).collect();
            for replica in self.alive(dead) {
                if replica.info("master_port").as_deref() != Some(&primary.port()) {
                    continue;
                }
                let (windows, others): (Vec<_>, Vec<_>) =
                    keys.iter().partition(|key| key.starts_with("kw"));
                for key in windows {
                    assert!(crate::windows::has_the_same(primary, replica, key), "{key}");
                }
                primary.wait_for_replica(replica);
                for key in others {
                    let mut client = replica.client();
                    says(&mut client, "READONLY", "+OK");
                    client.send(&crate::wire::request(&["DUMP", key]));
                    assert!(client.reply_bytes() == primary.dump(key), "{key} differs");
                }
            }
        }
    }
}

fn agrees(engine: &Engine) -> bool {
    engine.ask("CLUSTER INFO").contains("cluster_state:ok")
}

fn is_primary(engine: &Engine) -> bool {
    engine.info("role").as_deref() == Some("master")
}

/// State that writers share with the threads that start them.
#[derive(Default)]
struct Progress {
    end: AtomicBool,
    /// The number of waits for replicas.
    waits: AtomicUsize,
}

/// Adds items of its own until it is told to end.
fn write(start: std::net::SocketAddr, number: usize, progress: &Progress) -> Written {
    let mut client = ClusterClient::new(start);
    let mut written = Written::default();
    let mut random = Random::new(number as u64 + 77);
    let mut count = 0;
    while !progress.end.load(Ordering::Relaxed) {
        let key = format!("k{}", random.below(KEYS));
        let item = format!("{number}-{count}");
        count += 1;
        let reply = client.ask(&key, &["CF.ADD", &key, &item]);
        if reply == ":1\r\n" {
            written.young.push((key, item));
        }
        if count % 100 == 0 {
            // All of them are looked up at the end, several times.
            thread::sleep(Duration::from_millis(30));
            if client.wait_for_replicas() {
                written.safe.append(&mut written.young);
            } else {
                // Some of them may be lost with a node.
                written.young.clear();
            }
            progress.waits.fetch_add(1, Ordering::Relaxed);
        }
    }
    written
}

/// A guard that ends the writers, also on a panic.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs writers during an action. Returns what they wrote.
fn while_writing(cluster: &Cluster, first: usize, what: impl FnOnce()) -> Vec<Written> {
    let progress = Progress::default();
    let start = cluster.engines[5].address;
    thread::scope(|scope| {
        let writers: Vec<_> = (first..first + 2)
            .map(|number| {
                let progress = &progress;
                scope.spawn(move || write(start, number, progress))
            })
            .collect();
        let windows = scope.spawn(|| windows::write(start, first, &progress));
        let ends = End(&progress.end);
        // Even on a busy machine each writer has some safe items.
        let waits = || progress.waits.load(Ordering::Relaxed);
        wait("the writers", || (waits() >= 6).then_some(()));
        what();
        let before = waits();
        wait("the writers", || (waits() >= before + 3).then_some(()));
        drop(ends);
        let (added, looked) = windows.join().expect("a writer");
        let mut windows = cluster.windows.lock().expect("no thread panics with it");
        windows.0.extend(added);
        windows.1 += looked;
        writers
            .into_iter()
            .map(|writer| writer.join().expect("a writer"))
            .collect()
    })
}

fn check(cluster: &Cluster, items: &[(String, String)], what: &str) {
    let mut client = ClusterClient::new(cluster.engines[5].address);
    for (key, item) in items {
        let reply = client.ask(key, &["CF.EXISTS", key, item]);
        assert_eq!(reply, ":1\r\n", "{what}: {key} misses {item}");
    }
}

#[test]
fn loses_no_acknowledged_write() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let mut all = Vec::new();
    // A filter that moves in several chunks.
    let first = &cluster.engines[cluster.primaries(None)[0]];
    let slot = |key: &str| first.number_in(&format!("CLUSTER KEYSLOT {key}"), ":");
    let mut keys = (0..).map(|number| format!("klarge{number}"));
    let large = keys.find(|key| slot(key) < 4_000).expect("one of them");
    first.says(&format!("CF.RESERVE {large} 12000000"), "+OK");
    first.says(&format!("CF.ADD {large} a"), ":1");
    all.push((large, "a".to_owned()));
    windows::reserve(first.address);
    // The other nodes must accept what one node has accepted.
    for engine in &cluster.engines {
        engine.set("cf.max-filter-bytes", "1mb");
    }
    // Slots move both ways, by both methods. No node dies, so nothing at all is lost.
    let primaries = cluster.primaries(None);
    let (from, to) = (primaries[0], primaries[1]);
    let written = while_writing(&cluster, 0, || {
        cluster.migrate(from, to, (0, 4_000));
        cluster.migrate(to, from, (0, 4_000));
        cluster.reshard(from, to, 300);
        cluster.reshard(to, from, 300);
    });
    for written in written {
        let all_of_it = written.all();
        assert!(all_of_it.len() > 200, "few were written");
        all.extend(all_of_it);
    }
    check(&cluster, &all, "slots moved");
    cluster.check_equality(None);

    // A primary dies: the items that a replica had acknowledged are there.
    let victim = from;
    let mut after = Vec::new();
    let written = while_writing(&cluster, 10, || {
        cluster.engines[victim].kill();
        wait("the failover", || {
            let ready = cluster.alive(Some(victim)).filter(|engine| agrees(engine));
            (ready.count() == 5 && cluster.primaries(Some(victim)).len() == 3).then_some(())
        });
    });
    after.extend(written.into_iter().flat_map(|written| written.safe));
    // At least the items between two WAITs, even on a busy machine.
    assert!(after.len() >= 100, "{}", after.len());
    check(&cluster, &after, "a primary died");
    check(&cluster, &all, "a primary died, after others");

    // It comes back empty, as a replica, during many inserts: a full synchronization.
    let written = while_writing(&cluster, 20, || {
        cluster.engines[victim].start_again();
        cluster.wait_until_ready(6);
    });
    all.extend(written.into_iter().flat_map(Written::all));
    all.append(&mut after);
    check(&cluster, &all, "a replica came back");
    cluster.check_equality(None);

    // It takes over by hand.
    let written = while_writing(&cluster, 30, || {
        let victim = &cluster.engines[victim];
        victim.says("CLUSTER FAILOVER", "+OK");
        wait("the failover", || is_primary(victim).then_some(()));
    });
    all.extend(written.into_iter().flat_map(Written::all));
    check(&cluster, &all, "a failover by hand");
    cluster.check_equality(None);
    let (added, looked) = &*cluster.windows.lock().expect("no thread panics with it");
    assert!(
        added.len() > 500 && *looked > 100,
        "{} {looked}",
        added.len()
    );
    windows::all_are_forgotten(cluster.engines[5].address, added);
    cluster.check_equality(None);
    for engine in &cluster.engines {
        engine.check();
    }
}
