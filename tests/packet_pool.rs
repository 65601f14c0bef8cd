//! Runs the `packet_pool` example on captures, whole and damaged, and checks
//! what it reports. The flow keys of the example are tested as well.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

#[path = "../examples/packet_pool/chance.rs"]
mod chance;
#[path = "../examples/packet_pool/flow.rs"]
mod flow;
#[path = "../examples/packet_pool/link.rs"]
mod link;

use flow::FlowKey;
use link::Link;

/// What is known of `loopback.pcap`, counted apart from the example.
const PACKETS: u64 = 2682;
const FLOWS: u64 = 500;

/// The packets that the example works on if nobody sets the passes.
const DEFAULT_WORK: u64 = 262_144;

/// Options for the tests where more than one pass shows no more.
const ONCE: [&str; 4] = ["-j", "2", "--repeat", "1"];

/// One run of the example.
struct Run {
    status: i32,
    out: String,
    err: String,
}

impl Run {
    fn new(args: &[&str]) -> Self {
        let output = Command::new(example())
            .args(args)
            .stdin(Stdio::null())
            .output()
            .expect("the example starts");
        let run = Self {
            status: output.status.code().expect("the example was not killed"),
            out: String::from_utf8(output.stdout).expect("the report is text"),
            err: String::from_utf8(output.stderr).expect("the errors are text"),
        };
        assert!(!run.err.contains("panicked"), "{args:?}: {}", run.err);
        assert!(!run.err.contains("check failed"), "{args:?}: {}", run.err);
        run
    }

    /// Runs on a file of these bytes.
    fn on(name: &str, bytes: &[u8], args: &[&str]) -> Self {
        let file = scratch(name, bytes);
        let path = file.to_str().expect("the path is text");
        let run = Self::new(&[&[path], args].concat());
        fs::remove_file(&file).expect("the file can be removed");
        run
    }

    fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}{}", self.out, self.err);
        self
    }

    /// Checks that the errors have one line, which holds all of these words.
    fn says(&self, words: &[&str]) {
        let lines = self.err.trim_end().lines().count();
        assert_eq!(lines, 1, "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} not in {:?}", self.err);
        }
    }

    /// The numbers of the line that starts with `label`.
    fn numbers(&self, label: &str) -> Vec<u64> {
        let line = self.out.lines().find(|line| {
            line.strip_prefix(label)
                .is_some_and(|rest| rest.starts_with(' '))
        });
        line.unwrap_or_else(|| panic!("no line {label:?} in {:?}", self.out))
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .collect()
    }

    /// The table: packets, seen first, duplicates, refused and no flow for each
    /// worker, and for all of them.
    fn table(&self) -> (Vec<[u64; 5]>, [u64; 5]) {
        let mut rows = Vec::new();
        for line in self.out.lines() {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap_or_default();
            let counts: Vec<u64> = words.map_while(|word| word.parse().ok()).take(5).collect();
            if let Ok(counts) = <[u64; 5]>::try_from(counts) {
                rows.push(counts);
                if name == "all" {
                    let all = rows.pop().expect("just pushed");
                    return (rows, all);
                }
            }
        }
        panic!("no table in {:?}", self.out)
    }

    /// Checks that all the counts of the report agree with each other.
    fn adds_up(&self) {
        let (rows, all) = self.table();
        for column in 0..5 {
            let sum: u64 = rows.iter().map(|row| row[column]).sum();
            assert_eq!(sum, all[column], "column {column} of {}", self.out);
        }
        for [packets, firsts, duplicates, refused, no_flow] in rows {
            assert_eq!(packets, firsts + duplicates + refused + no_flow);
        }
        let [passes, work] = self.numbers("passes")[..] else {
            panic!("no passes in {}", self.out);
        };
        assert_eq!(work, passes * self.numbers("packets")[0]);
        assert_eq!(all[0], work);
        let distinct = self.numbers("flows")[0];
        let [firsts, false_positives, refused, sum, exact] = self.numbers("sum")[..] else {
            panic!("no sum in {}", self.out);
        };
        assert_eq!(firsts, all[1]);
        assert_eq!(firsts + false_positives + refused, sum);
        assert_eq!((sum, exact), (distinct, distinct));
        assert_eq!(self.numbers("missing"), [0]);
        assert_eq!(self.numbers("load")[0], firsts);
    }

    /// Checks that the report has these packets and flows and adds up.
    fn found(self, packets: u64, flows: u64) -> Self {
        assert_eq!(self.numbers("packets")[0], packets, "{}", self.out);
        assert_eq!(self.numbers("flows")[0], flows, "{}", self.out);
        self.adds_up();
        self
    }
}

/// The example, which cargo builds next to the tests when it runs all of them.
fn example() -> &'static Path {
    static EXAMPLE: LazyLock<PathBuf> = LazyLock::new(|| {
        let test = std::env::current_exe().expect("the test knows its own path");
        let profile = test.parent().and_then(Path::parent);
        let profile = profile.expect("the test is in a folder of its profile");
        let name = format!("packet_pool{}", std::env::consts::EXE_SUFFIX);
        let path = profile.join("examples").join(name);
        if !path.exists() {
            build(profile);
        }
        assert!(path.exists(), "{} is missing", path.display());
        path
    });
    &EXAMPLE
}

/// Builds the example, which `cargo test --test packet_pool` leaves out.
fn build(profile: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--example", "packet_pool", "--manifest-path"]);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    if profile.ends_with("release") {
        command.arg("--release");
    }
    if let Some(target) = profile.parent() {
        command.arg("--target-dir").arg(target);
    }
    let status = command.status().expect("cargo starts");
    assert!(status.success(), "the example does not build");
}

fn scratch(name: &str, bytes: &[u8]) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    fs::write(&path, bytes).expect("the file can be written");
    path
}

fn data(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data");
    Path::new(folder).join(name)
}

/// The default capture as bytes.
fn loopback() -> Vec<u8> {
    fs::read(data("loopback.pcap")).expect("the capture is there")
}

/// The packets of the default capture, and where their records start.
fn packets(file: &[u8]) -> Vec<(usize, &[u8])> {
    let mut packets = Vec::new();
    let mut at = 24;
    while at < file.len() {
        let length = u32::from_le_bytes(file[at + 8..at + 12].try_into().expect("four bytes"));
        let end = at + 16 + length as usize;
        packets.push((at, &file[at + 16..end]));
        at = end;
    }
    assert_eq!(packets.len() as u64, PACKETS);
    packets
}

/// The IP packets of the default capture, without their Ethernet headers.
fn ip_packets(file: &[u8]) -> Vec<&[u8]> {
    packets(file)
        .iter()
        .map(|(_, frame)| &frame[14..])
        .collect()
}

/// Writes numbers in either byte order.
#[derive(Clone, Copy)]
struct Order {
    big: bool,
}

const LITTLE: Order = Order { big: false };
const BIG: Order = Order { big: true };

impl Order {
    fn u16(self, out: &mut Vec<u8>, value: u16) {
        out.extend(if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }

    fn u32(self, out: &mut Vec<u8>, value: u32) {
        out.extend(if self.big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        });
    }

    fn length(self, out: &mut Vec<u8>, value: usize) {
        self.u32(out, value.try_into().expect("a short length"));
    }

    /// A pcap file.
    fn pcap(self, magic: u32, link: u32, packets: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let mut file = Vec::new();
        self.u32(&mut file, magic);
        self.u16(&mut file, 2);
        self.u16(&mut file, 4);
        for field in [0, 0, 65535, link] {
            self.u32(&mut file, field);
        }
        for packet in packets {
            let packet = packet.as_ref();
            self.u32(&mut file, 1_700_000_000);
            self.u32(&mut file, 0);
            self.length(&mut file, packet.len());
            self.length(&mut file, packet.len());
            file.extend(packet);
        }
        file
    }

    /// A block of a pcapng file.
    fn block(self, file: &mut Vec<u8>, kind: u32, body: &[u8]) {
        let padding = body.len().next_multiple_of(4) - body.len();
        let total = body.len() + padding + 12;
        self.u32(file, kind);
        self.length(file, total);
        file.extend(body);
        file.extend(&[0; 3][..padding]);
        self.length(file, total);
    }

    /// A section of a pcapng file with two interfaces: the packets alternate
    /// between both, and every third one is in a simple packet block.
    fn pcapng(self, packets: &[&[u8]]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut section = Vec::new();
        self.u32(&mut section, 0x1a2b_3c4d);
        self.u16(&mut section, 1);
        self.u16(&mut section, 0);
        section.extend([0xff; 8]);
        self.block(&mut file, 0x0a0d_0d0a, &section);
        for _ in 0..2 {
            let mut interface = Vec::new();
            self.u16(&mut interface, 1);
            self.u16(&mut interface, 0);
            self.u32(&mut interface, 65535);
            self.block(&mut file, 1, &interface);
        }
        for (number, packet) in (0..).zip(packets) {
            let mut body = Vec::new();
            if number % 3 == 0 {
                self.length(&mut body, packet.len());
                body.extend(*packet);
                self.block(&mut file, 3, &body);
            } else {
                for field in [number % 2, 0, 0] {
                    self.u32(&mut body, field);
                }
                self.length(&mut body, packet.len());
                self.length(&mut body, packet.len());
                body.extend(*packet);
                self.block(&mut file, 6, &body);
            }
        }
        // A block of a kind that the program does not know is passed over.
        self.block(&mut file, 0x0bad, b"unknown");
        file
    }
}

const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;

#[test]
fn the_totals_do_not_depend_on_the_workers() {
    for workers in [1, 2, 8] {
        let run = Run::new(&["-j", &workers.to_string()])
            .expect(0)
            .found(PACKETS, FLOWS);
        assert_eq!(run.numbers("flows"), [FLOWS, 140, 219, 141, 0]);
        let (rows, all) = run.table();
        assert_eq!(rows.len(), workers);
        assert_eq!(all[0], 98 * PACKETS);
        assert_eq!(all[3..], [0, 0]);
        assert!(run.err.is_empty(), "{}", run.err);
    }
}

#[test]
fn two_workers_share_the_packets() {
    // Long enough for the system to run both, even on one processor.
    let args = ["-j", "2", "--repeat", "2000"];
    let run = Run::new(&args).expect(0).found(PACKETS, FLOWS);
    let (rows, _) = run.table();
    let busy = rows.iter().filter(|row| row[0] > 0).count();
    assert_eq!(busy, 2, "{}", run.out);
}

#[test]
fn small_captures_are_gone_through_more_often() {
    let file = loopback();
    let packet = ip_packets(&file)[0];
    let run = |packets: u64, args: &[&str]| {
        let packets = vec![&packet[..20]; packets.try_into().expect("a small number")];
        let file = LITTLE.pcap(MICROSECONDS, 101, &packets);
        Run::on("passes.pcap", &file, args).expect(0)
    };
    for (packets, passes) in [
        (0, 1),
        (1, DEFAULT_WORK),
        (100_000, 3),
        (DEFAULT_WORK - 1, 2),
        (DEFAULT_WORK, 1),
        (DEFAULT_WORK + 1, 1),
    ] {
        let run = run(packets, &[]).found(packets, packets.min(1));
        assert_eq!(run.numbers("passes")[0], passes);
    }
    let run = run(DEFAULT_WORK + 1, &["--repeat", "2"]);
    assert_eq!(run.found(DEFAULT_WORK + 1, 1).numbers("passes")[0], 2);
}

#[test]
fn more_passes_add_duplicates_only() {
    let run = Run::new(&["-j", "4", "--repeat", "50"])
        .expect(0)
        .found(PACKETS, FLOWS);
    assert_eq!(run.numbers("passes"), [50, 50 * PACKETS]);
    let (_, all) = run.table();
    assert_eq!(all[2], all[0] - all[1]);
}

#[test]
fn false_positives_are_about_as_many_as_expected() {
    // A filter as small as the flows allow, for a rate that shows.
    let run = Run::new(&["--capacity", "500"]);
    let line = run.out.lines().find(|line| line.starts_with("probes"));
    let words: Vec<&str> = line.expect("a line of probes").split_whitespace().collect();
    let before = |word| {
        let at = words.iter().position(|&other| other == word);
        words[at.expect("the word is there") - 1]
    };
    let seen: f64 = before("answered").parse().expect("a number");
    let expected: f64 = before("expected").parse().expect("a number");
    assert_eq!(words[1], "1000000");
    assert!(expected > 10.0, "{line:?}");
    // Far beyond what chance does: the spread is about the square root.
    let spread = 8.0 * expected.sqrt() + 8.0;
    assert!((seen - expected).abs() < spread, "{line:?}");
}

#[test]
fn only_more_than_chance_gives_is_too_many() {
    for (seen, expected) in [
        (0, 0.0),
        (10, 0.0),
        (0, 17.0),
        (17, 17.0),
        (30, 17.0),
        (51, 17.0),
        (170, 100.0),
    ] {
        assert!(!chance::too_many(seen, expected), "{seen} of {expected}");
    }
    for (seen, expected) in [
        (11, 0.0),
        (500, 0.004),
        (52, 17.0),
        (171, 100.0),
        (1_000_000, 17.0),
    ] {
        assert!(chance::too_many(seen, expected), "{seen} of {expected}");
    }
}

#[test]
fn the_variants_of_pcap_are_read() {
    let file = loopback();
    let frames: Vec<&[u8]> = packets(&file).iter().map(|packet| packet.1).collect();
    for (name, order) in [("le", LITTLE), ("be", BIG)] {
        // The second link type is Ethernet too, with flags in the upper bits.
        for (magic, link) in [(MICROSECONDS, 1), (NANOSECONDS, 0x2400_0001)] {
            let file = order.pcap(magic, link, &frames);
            let name = format!("{name}-{magic:x}.pcap");
            Run::on(&name, &file, &["-j", "2"])
                .expect(0)
                .found(PACKETS, FLOWS);
        }
    }
    // The "modified" variant has eight more bytes in front of each packet.
    let none: [&[u8]; 0] = [];
    let mut modified = LITTLE.pcap(0xa1b2_cd34, 1, &none);
    for (start, frame) in packets(&file) {
        modified.extend(&file[start..start + 16]);
        modified.extend([0; 8]);
        modified.extend(frame);
    }
    Run::on("modified.pcap", &modified, &["-j", "2"])
        .expect(0)
        .found(PACKETS, FLOWS);
}

#[test]
fn both_byte_orders_of_pcapng_are_read() {
    let file = loopback();
    let frames: Vec<&[u8]> = packets(&file).iter().map(|packet| packet.1).collect();
    for (name, order) in [("le.pcapng", LITTLE), ("be.pcapng", BIG)] {
        let run = Run::on(name, &order.pcapng(&frames), &["-j", "2"]);
        run.expect(0).found(PACKETS, FLOWS);
    }
    // Sections may differ in byte order, and each describes its interfaces.
    let (first, second) = frames.split_at(1000);
    let file = [LITTLE.pcapng(first), BIG.pcapng(second)].concat();
    Run::on("sections.pcapng", &file, &[])
        .expect(0)
        .found(PACKETS, FLOWS);
}

#[test]
fn a_cooked_capture_is_read() {
    let path = data("cooked.pcapng");
    let run = Run::new(&[path.to_str().expect("the path is text"), "-j", "2"]);
    let run = run.expect(0).found(108, 19);
    assert_eq!(run.numbers("flows"), [19, 6, 6, 7, 0]);
}

/// Makes the link header of an IPv4 packet, or of an IPv6 packet.
type Header = fn(bool) -> Vec<u8>;

#[test]
fn other_link_headers_give_the_same_flows() {
    let file = loopback();
    let framed = |header: Header| -> Vec<Vec<u8>> {
        let ip = ip_packets(&file);
        ip.iter()
            .map(|ip| [&header(ip[0] >> 4 == 6), *ip].concat())
            .collect()
    };
    let links: [(u32, Header); 6] = [
        (101, |_| Vec::new()),
        (0, |v6| vec![if v6 { 30 } else { 2 }, 0, 0, 0]),
        (108, |v6| vec![0, 0, 0, if v6 { 24 } else { 2 }]),
        (113, |v6| [&[0; 14], ether_type(v6)].concat()),
        (276, |v6| [ether_type(v6), &[0; 18]].concat()),
        // Ethernet with a VLAN tag.
        (1, |v6| {
            [&[0; 12][..], &[0x81, 0x00, 0x00, 0x07], ether_type(v6)].concat()
        }),
    ];
    for (link, header) in links {
        let file = LITTLE.pcap(MICROSECONDS, link, &framed(header));
        let run = Run::on(&format!("link-{link}.pcap"), &file, &["-j", "2"]);
        run.expect(0).found(PACKETS, FLOWS);
    }
}

fn ether_type(v6: bool) -> &'static [u8] {
    if v6 { &[0x86, 0xdd] } else { &[0x08, 0x00] }
}

#[test]
fn packets_of_unknown_link_types_are_left_out() {
    let file = LITTLE.pcap(MICROSECONDS, 105, &[[0; 60], [1; 60]]);
    let run = Run::on("link-105.pcap", &file, &[]).expect(1).found(0, 0);
    run.says(&["no packet has a link type that this program reads"]);
    assert_eq!(run.numbers("left out"), [2, 105]);
}

#[test]
fn packets_without_ip_have_no_flow() {
    let mut arp = [0; 42];
    arp[12..14].copy_from_slice(&[0x08, 0x06]);
    let file = BIG.pcap(MICROSECONDS, 1, &[&arp[..], &[0; 60], &[], &[0; 13]]);
    let run = Run::on("arp.pcap", &file, &ONCE).expect(0).found(4, 0);
    assert_eq!(run.table().1, [4, 0, 0, 0, 4]);
}

#[test]
fn a_capture_without_packets_is_no_error() {
    let none: [&[u8]; 0] = [];
    for (name, file) in [
        ("none.pcap", LITTLE.pcap(MICROSECONDS, 1, &none)),
        ("none.pcapng", LITTLE.pcapng(&none)),
    ] {
        Run::on(name, &file, &["-j", "3"]).expect(0).found(0, 0);
    }
}

#[test]
fn what_was_read_of_a_cut_pcap_is_reported() {
    let file = loopback();
    let starts: Vec<usize> = packets(&file).iter().map(|packet| packet.0).collect();
    for cut in 1..24 {
        let run = Run::on("cut-header.pcap", &file[..cut], &[]).expect(1);
        let words = if cut < 4 {
            "not a pcap"
        } else {
            "ends inside its own header"
        };
        run.says(&[words]);
        assert!(run.out.is_empty(), "{}", run.out);
    }
    let (second, middle, last) = (starts[1], starts[1500], starts[2681]);
    let cuts = [
        25,
        39,
        40,
        41,
        second - 1,
        second + 1,
        second + 15,
        second + 17,
    ];
    let late = [middle + 8, middle + 20, last + 1, file.len() - 1];
    for cut in cuts.into_iter().chain(late) {
        let whole = starts.iter().filter(|&&start| start < cut).count() - 1;
        let run = Run::on("cut.pcap", &file[..cut], &ONCE).expect(1);
        let record = format!("record {} at byte {}", whole + 1, starts[whole]);
        run.says(&["the file ends inside", &record]);
        assert_eq!(run.numbers("packets")[0], whole as u64);
        run.adds_up();
    }
    // A cut between two records cannot be told from a shorter capture.
    let run = Run::on("short.pcap", &file[..middle], &[]).expect(0);
    assert_eq!(run.numbers("packets"), [1500, middle as u64]);
}

#[test]
fn what_was_read_of_a_cut_pcapng_is_reported() {
    let file = loopback();
    let frames: Vec<&[u8]> = packets(&file)[..6].iter().map(|packet| packet.1).collect();
    let mut ends = Vec::new();
    for order in [LITTLE, BIG] {
        let whole = order.pcapng(&frames);
        ends.clear();
        let mut at = 0;
        while at < whole.len() {
            let field = whole[at + 4..at + 8].try_into().expect("four bytes");
            let length = if order.big {
                u32::from_be_bytes(field)
            } else {
                u32::from_le_bytes(field)
            };
            at += length as usize;
            ends.push(at);
        }
        for cut in (5..whole.len()).step_by(13) {
            let blocks = ends.iter().filter(|&&end| end <= cut).count();
            let run = Run::on("cut.pcapng", &whole[..cut], &ONCE);
            if blocks == 0 {
                run.expect(1).says(&["the file ends inside its own header"]);
            } else if ends.contains(&cut) {
                run.expect(0).adds_up();
            } else {
                let run = run.expect(1);
                run.says(&["the file ends inside", &format!("record {}", blocks + 1)]);
                // The section and its two interfaces come before the packets.
                let read = blocks.saturating_sub(3).min(frames.len());
                assert_eq!(run.numbers("packets")[0], read as u64);
                run.adds_up();
            }
        }
    }
}

#[test]
fn damaged_records_are_named() {
    let file = loopback();
    let (start, _) = packets(&file)[700];
    let mut damaged = file.clone();
    damaged[start + 8..start + 12].copy_from_slice(&[0xff; 4]);
    let run = Run::on("length.pcap", &damaged, &[]).expect(1);
    run.says(&["record 701", "is damaged", "more than any packet has"]);
    assert_eq!(run.numbers("packets")[0], 700);
    run.adds_up();

    let frames: Vec<&[u8]> = packets(&file)[..2].iter().map(|packet| packet.1).collect();
    let mut ng = LITTLE.pcapng(&frames);
    let tail = ng.split_off(28 + 20);
    // The second interface is taken out, and the second packet names it.
    let run = Run::on("interface.pcapng", &[&ng, &tail[20..]].concat(), &[]).expect(1);
    run.says(&[
        "record 4",
        "names an interface that the file does not describe",
    ]);
    assert_eq!(run.numbers("packets")[0], 1);

    // A packet that claims to be longer than its block.
    let mut ng = LITTLE.pcapng(&frames);
    let second = ng.len() - 20 - (32 + frames[1].len().next_multiple_of(4));
    ng[second + 20..second + 24].copy_from_slice(&5000_u32.to_le_bytes());
    let run = Run::on("inner.pcapng", &ng, &[]).expect(1);
    run.says(&["record 5", "the lengths in it do not fit together"]);
    assert_eq!(run.numbers("packets")[0], 1);
}

#[test]
fn flipped_bytes_never_crash_it() {
    let file = loopback();
    let frames: Vec<&[u8]> = packets(&file)[..40].iter().map(|packet| packet.1).collect();
    let files = [
        LITTLE.pcap(MICROSECONDS, 1, &frames),
        LITTLE.pcapng(&frames),
        BIG.pcapng(&frames),
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    for whole in &files {
        for _ in 0..15 {
            let mut file = whole.clone();
            for _ in 0..=random(8) {
                let at = random(file.len());
                file[at] = u8::try_from(random(256)).expect("below 256");
            }
            let run = Run::on("flipped", &file, &ONCE);
            assert!(run.status == 0 || run.status == 1, "{}", run.err);
            if !run.out.is_empty() {
                run.adds_up();
            }
        }
    }
}

#[test]
fn a_large_record_is_read() {
    let file = loopback();
    let mut frame = packets(&file)[0].1.to_vec();
    // More than the reader's buffer holds at first.
    frame.resize(3 << 20, 0);
    let frames = [&frame, packets(&file)[1].1, &frame];
    let run = Run::on("large.pcap", &LITTLE.pcap(MICROSECONDS, 1, &frames), &[]);
    run.expect(0).found(3, 1);
    let run = Run::on("large.pcapng", &LITTLE.pcapng(&frames), &[]);
    run.expect(0).found(3, 1);
}

#[test]
fn files_that_are_no_captures_are_refused() {
    let refused = |run: Run, words: &str| {
        let run = run.expect(1);
        run.says(&[words]);
        assert!(run.out.is_empty(), "{}", run.out);
    };
    let text = b"Dear diary,\ntoday I was not a capture file.\n";
    refused(Run::on("text", text, &[]), "not a pcap or pcapng file");
    refused(Run::on("gzip", &[0x1f, 0x8b, 8, 0], &[]), "gzip");
    refused(Run::on("empty", b"", &[]), "the file is empty");
    refused(
        Run::on("section", b"\n\r\r\nnot a section at all, no", &[]),
        "header",
    );
    refused(Run::new(&["no/such/file.pcap"]), "cannot read the file");
    let folder = env!("CARGO_MANIFEST_DIR");
    refused(Run::new(&[folder]), "this is a directory");
}

#[test]
fn bad_options_are_refused() {
    let most = usize::MAX.to_string();
    for args in [
        &["-j", "0"][..],
        &["-j", "100000"],
        &["--workers", "two"],
        &["--capacity", "0"],
        &["--capacity", &most],
        &["--capacity", "99999999999999999999999"],
        &["--repeat", "0"],
        &["--repeat", "4294967296"],
        &["--no-such-option"],
        &["one.pcap", "two.pcap"],
    ] {
        let run = Run::new(args).expect(2);
        assert!(run.out.is_empty(), "{args:?}: {}", run.out);
        assert!(!run.err.is_empty(), "{args:?}");
    }
    Run::new(&["--capacity", &most]).says(&["cannot make a filter", &most]);
}

#[test]
fn a_full_filter_refuses_and_goes_on() {
    for workers in ["1", "2", "8"] {
        let args = ["--capacity", "8", "-j", workers, "--repeat", "3"];
        let run = Run::new(&args).expect(3).found(PACKETS, FLOWS);
        let (_, all) = run.table();
        assert_eq!(all[0], 3 * PACKETS);
        let refused = run.numbers("sum")[2];
        assert!(refused > FLOWS / 2, "{}", run.out);
        assert!(all[3] >= 3 * refused, "{}", run.out);
        run.says(&[&format!("refused {refused} flows in {} packets", all[3])]);
    }
}

#[test]
fn help_explains_everything() {
    let run = Run::new(&["--help"]).expect(0);
    for word in [
        "--workers",
        "--capacity",
        "--repeat",
        "pcapng",
        "262144 packets",
        "What it shows",
        "throughput",
        "load factor",
        "Exit status",
        "refused",
    ] {
        assert!(run.out.contains(word), "{word:?} not in {}", run.out);
    }
}

/// An IPv4 packet; `fragment` is the field of flags and offset.
fn ipv4(protocol: u8, [from, to]: [[u8; 4]; 2], fragment: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    BIG.u16(
        &mut packet,
        u16::try_from(20 + payload.len()).expect("a short packet"),
    );
    packet.extend([0, 1]);
    BIG.u16(&mut packet, fragment);
    packet.extend([64, protocol, 0, 0]);
    packet.extend(from);
    packet.extend(to);
    packet.extend(payload);
    packet
}

/// An IPv6 packet between `2001:db8::from` and `2001:db8::to`.
fn ipv6(next: u8, [from, to]: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    BIG.u16(
        &mut packet,
        u16::try_from(payload.len()).expect("a short packet"),
    );
    packet.extend([next, 64]);
    for last in [from, to] {
        packet.extend([
            0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last,
        ]);
    }
    packet.extend(payload);
    packet
}

/// The start of a TCP or UDP header.
fn ports(from: u16, to: u16) -> Vec<u8> {
    let mut header = [from.to_be_bytes(), to.to_be_bytes()].concat();
    header.resize(20, 0);
    header
}

fn key(packet: &[u8]) -> FlowKey {
    Link::RawIp.flow_of(packet).expect("the packet has a flow")
}

const A: [u8; 4] = [192, 0, 2, 1];
const B: [u8; 4] = [198, 51, 100, 7];

#[test]
fn both_directions_are_one_flow() {
    let there = key(&ipv4(6, [A, B], 0, &ports(40000, 80)));
    let back = key(&ipv4(6, [B, A], 0, &ports(80, 40000)));
    assert_eq!(there, back);
    assert_eq!(there.protocol(), 6);
    let filter = lockfree_cuckoo::CuckooFilter::with_capacity(16);
    assert_eq!(filter.hash_one(&there), filter.hash_one(&back));

    let there = key(&ipv6(17, [1, 2], &ports(53, 5000)));
    assert_eq!(there, key(&ipv6(17, [2, 1], &ports(5000, 53))));

    // Both endpoints on one host, as in a loopback capture.
    let there = key(&ipv4(17, [A, A], 0, &ports(1, 2)));
    assert_eq!(there, key(&ipv4(17, [A, A], 0, &ports(2, 1))));
}

#[test]
fn different_flows_have_different_keys() {
    let keys = [
        key(&ipv4(6, [A, B], 0, &ports(1, 2))),
        // The ports go with their addresses.
        key(&ipv4(6, [A, B], 0, &ports(2, 1))),
        key(&ipv4(17, [A, B], 0, &ports(1, 2))),
        key(&ipv4(6, [A, A], 0, &ports(1, 2))),
        key(&ipv4(132, [A, B], 0, &ports(1, 2))),
        key(&ipv4(47, [A, B], 0, &ports(1, 2))),
        key(&ipv6(6, [1, 2], &ports(1, 2))),
        key(&ipv6(6, [1, 3], &ports(1, 2))),
        key(&ipv6(17, [1, 2], &ports(1, 2))),
        FlowKey::made_up(1),
        FlowKey::made_up(2),
    ];
    for (index, one) in keys.iter().enumerate() {
        for other in &keys[..index] {
            assert_ne!(one, other);
        }
    }
    // Without ports the addresses are the flow.
    let there = key(&ipv4(47, [A, B], 0, &ports(1, 2)));
    assert_eq!(there, key(&ipv4(47, [B, A], 0, &ports(3, 4))));
}

#[test]
fn an_echo_and_its_reply_are_one_flow() {
    let echo = |kind, id| [kind, 0, 0, 0, 0, id, 0, 1];
    let request = key(&ipv4(1, [A, B], 0, &echo(8, 5)));
    assert_eq!(request, key(&ipv4(1, [B, A], 0, &echo(0, 5))));
    assert_ne!(request, key(&ipv4(1, [A, B], 0, &echo(8, 6))));
    let request = key(&ipv6(58, [1, 2], &echo(128, 5)));
    assert_eq!(request, key(&ipv6(58, [2, 1], &echo(129, 5))));
    assert_ne!(request, key(&ipv6(58, [2, 1], &echo(129, 9))));

    // Elsewhere those bytes are no identifier, and type and code decide.
    let unreachable = |code, word| [3, code, 0, 0, 0, word, 0, 0];
    let port = key(&ipv4(1, [A, B], 0, &unreachable(3, 0)));
    assert_eq!(port, key(&ipv4(1, [A, B], 0, &unreachable(3, 8))));
    assert_ne!(port, key(&ipv4(1, [A, B], 0, &unreachable(1, 0))));
}

#[test]
fn later_fragments_have_no_ports() {
    let whole = key(&ipv4(17, [A, B], 0, &ports(1, 2)));
    let first = key(&ipv4(17, [A, B], 0x2000, &ports(1, 2)));
    let later = key(&ipv4(17, [A, B], 0x2010, &ports(1, 2)));
    let last = key(&ipv4(17, [B, A], 0x0020, &ports(3, 4)));
    assert_eq!(whole, first);
    assert_ne!(whole, later);
    assert_eq!(later, last);

    let fragment = |offset: u16| {
        let mut header = vec![17, 0];
        BIG.u16(&mut header, offset << 3);
        header.extend([0, 0, 0, 9]);
        key(&ipv6(44, [1, 2], &[header, ports(1, 2)].concat()))
    };
    assert_eq!(fragment(0), key(&ipv6(17, [1, 2], &ports(1, 2))));
    assert_ne!(fragment(0), fragment(16));
    assert_eq!(fragment(16), fragment(32));
}

#[test]
fn extension_headers_are_passed_over() {
    let hop_by_hop = [17, 0, 1, 4, 0, 0, 0, 0];
    let packet = ipv6(0, [1, 2], &[&hop_by_hop[..], &ports(1, 2)].concat());
    assert_eq!(key(&packet), key(&ipv6(17, [1, 2], &ports(1, 2))));
}

#[test]
fn cut_packets_have_the_flow_that_is_left() {
    let whole = ipv4(6, [A, B], 0, &ports(1, 2));
    for length in 0..20 {
        assert_eq!(Link::RawIp.flow_of(&whole[..length]), None);
    }
    let without_ports = key(&whole[..20]);
    for length in 24..whole.len() {
        assert_eq!(key(&whole[..length]), key(&whole));
    }
    assert_ne!(without_ports, key(&whole));

    let whole = ipv6(17, [1, 2], &ports(1, 2));
    for length in 0..whole.len() {
        let flow = Link::RawIp.flow_of(&whole[..length]);
        assert_eq!(flow.is_some(), length >= 40);
    }
    for number in [0, 1, 101, 113, 276] {
        let link = Link::from_number(number).expect("the link type is known");
        for length in 0..64 {
            assert_eq!(link.flow_of(&[0; 64][..length]), None);
        }
    }
}
