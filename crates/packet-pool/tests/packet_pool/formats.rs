//! The formats of captures, and their link types.

use crate::files::{BIG, LITTLE, MICROSECONDS, NANOSECONDS, data, ip_packets, loopback, packets};
use crate::frames::{ethernet, ipv4, ipv6, ports};
use crate::run::Run;
use crate::{FLOWS, ONCE, PACKETS};

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

/// Three packets, there, back and there, of every kind of flow.
#[test]
fn every_protocol_is_known_in_every_vlan() {
    let message = |kind: u8| vec![kind, 0, 0, 0, 0, 7, 0, 1];
    let mut frames = Vec::new();
    for tags in [&[][..], &[(0x8100, 5)], &[(0x88a8, 5), (0x8100, 6)]] {
        let mut flow = |v4: u8, v6: u8, [there, back]: [Vec<u8>; 2]| {
            for (ends, payload) in [([1, 2], &there), ([2, 1], &back), ([1, 2], &there)] {
                let addresses = ends.map(|end| [192, 0, 2, end]);
                frames.push(ethernet(tags, 0x0800, &ipv4(v4, addresses, 0, payload)));
                if v6 != 0 {
                    frames.push(ethernet(tags, 0x86dd, &ipv6(v6, ends, payload)));
                }
            }
        };
        for protocol in [6, 17, 132] {
            flow(protocol, protocol, [ports(4000, 80), ports(80, 4000)]);
        }
        flow(1, 0, [message(8), message(0)]);
        flow(58, 58, [message(128), message(129)]);
    }
    let file = LITTLE.pcap(MICROSECONDS, 1, &frames);
    for workers in ["1", "3"] {
        let run = Run::on("protocols.pcap", &file, &["-j", workers]).expect(0);
        // ICMPv6 over IPv4 is strange, and has its flow as well.
        let run = run.found(81, 27);
        assert_eq!(run.numbers("flows"), [27, 6, 6, 9, 6]);
    }
}
