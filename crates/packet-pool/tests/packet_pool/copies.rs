//! What is a copy of a packet, and what is another packet.

use crate::files::{BIG, LITTLE, MICROSECONDS};
use crate::frames::{A, B, ethernet, ipv4, ipv6, ports};
use crate::run::Run;
use packet_pool::keys::{Key, Keys, Link, Mode};

/// Changes some bytes of a packet.
fn with(packet: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet[at..at + bytes.len()].copy_from_slice(bytes);
    packet
}

/// Checks which of the packets have the key of the first.
fn check(copies: &[Vec<u8>], others: &[Vec<u8>]) {
    let keys = Keys::new(Mode::Packets);
    let key = |packet: &[u8]| keys.of_frame(Link::RawIp, packet).expect("a key");
    let first = key(&copies[0]);
    for (number, copy) in copies.iter().enumerate() {
        assert_eq!(key(copy), first, "copy {number}");
    }
    for (number, other) in others.iter().enumerate() {
        assert_ne!(key(other), first, "other {number}");
    }
}

#[test]
fn routers_change_what_is_not_in_the_key() {
    let packet = ipv4(17, [A, B], 0, &ports(1, 2));
    check(
        &[
            packet.clone(),
            with(&packet, 8, &[63]),          // TTL
            with(&packet, 10, &[0xab, 0xcd]), // header checksum
            with(&packet, 1, &[0xb8]),        // DSCP
            [&packet[..], &[0; 6]].concat(),  // padding
        ],
        &[
            with(&packet, 4, &[7, 7]), // identification
            with(&packet, 6, &[0x20]), // more fragments
            with(&packet, 7, &[9]),    // fragment offset
            with(&packet, 9, &[6]),    // protocol
            with(&packet, 12, &[9]),   // addresses
            with(&packet, 19, &[9]),
            with(&packet, 20, &[9]), // port
            with(&packet, 39, &[9]), // last byte
            packet[..39].to_vec(),   // captured shorter
            ipv4(17, [A, B], 0, &ports(1, 2)[..19]),
            ipv4(17, [B, A], 0, &ports(1, 2)), // no direction is like the other
        ],
    );
}

#[test]
fn ip_options_are_not_in_the_key() {
    let plain = ipv4(17, [A, B], 0, &ports(1, 2));
    // The same length in all, so that only the option differs.
    let routed = |hop: u8| {
        let mut packet = with(&plain, 0, &[0x46]);
        packet.splice(20..20, [7, 4, 4, hop]);
        with(&packet, 2, &[0, 44])
    };
    check(&[routed(1), routed(2)], &[plain]);
}

#[test]
fn the_same_for_ipv6() {
    let packet = ipv6(17, [1, 2], &ports(1, 2));
    check(
        &[
            packet.clone(),
            with(&packet, 7, &[63]),                     // hop limit
            with(&packet, 0, &[0x6b, 0x80, 0x12, 0x34]), // traffic class, flow label
            [&packet[..], &[0; 6]].concat(),
        ],
        &[
            with(&packet, 23, &[9]),
            with(&packet, 39, &[9]),
            with(&packet, 40, &[9]),
            with(&packet, 59, &[9]),
            ipv6(6, [1, 2], &ports(1, 2)),
            ipv6(17, [1, 2], &ports(1, 2)[..19]),
        ],
    );
    let hop_by_hop = |option: u8| {
        let header = [17, 0, 0x3e, 4, option, 0, 0, 0];
        ipv6(0, [1, 2], &[&header[..], &ports(1, 2)].concat())
    };
    check(&[hop_by_hop(1), hop_by_hop(2)], &[packet]);
    let fragment = |id: u8, offset: u16| {
        let mut header = vec![17, 0];
        BIG.u16(&mut header, offset << 3);
        header.extend([0, 0, 0, id]);
        ipv6(44, [1, 2], &[header, ports(1, 2)].concat())
    };
    check(&[fragment(1, 5)], &[fragment(2, 5), fragment(1, 6)]);
}

#[test]
fn link_headers_and_tags_are_not_in_the_key() {
    let keys = Keys::new(Mode::Packets);
    let key = |link, frame: &[u8]| keys.of_frame(link, frame);
    let packet = ipv4(17, [A, B], 0, &ports(1, 2));
    let raw = key(Link::RawIp, &packet).expect("a key");
    for tags in [&[][..], &[(0x8100, 5)], &[(0x88a8, 5), (0x8100, 6)]] {
        let frame = ethernet(tags, 0x0800, &packet);
        assert_eq!(key(Link::Ethernet, &frame), Some(raw));
        assert_eq!(key(Link::Ethernet, &with(&frame, 0, &[9; 12])), Some(raw));
    }

    // Without IP it is what follows the tags, and says what it is.
    let other = |ether_type, last| {
        let frame = ethernet(&[], ether_type, &[1, 2, 3, last]);
        key(Link::Ethernet, &frame).expect("a key")
    };
    let tagged = ethernet(&[(0x8100, 5)], 0x88cc, &[1, 2, 3, 4]);
    assert_eq!(key(Link::Ethernet, &tagged), Some(other(0x88cc, 4)));
    assert_ne!(other(0x88cc, 4), other(0x88cc, 5));
    assert_ne!(other(0x88cc, 4), other(0x88cd, 4));
    assert_eq!(key(Link::Ethernet, &[0; 13]), None);
}

#[test]
fn keys_of_two_runs_differ() {
    let packet = ipv4(17, [A, B], 0, &ports(1, 2));
    let key = || Keys::new(Mode::Packets).of_frame(Link::RawIp, &packet);
    assert!(matches!((key(), key()), (Some(Key::Packet(a)), Some(Key::Packet(b))) if a != b));
}

#[test]
fn copies_are_found_in_a_capture() {
    // Each packet before and behind a router, and one flow of all of them.
    let packets: Vec<_> = (0..500_u16)
        .flat_map(|number| {
            let packet = with(&ipv4(17, [A, B], 0, &ports(1, 2)), 4, &number.to_be_bytes());
            let mirrored = ethernet(&[(0x8100, 5)], 0x0800, &with(&packet, 8, &[63]));
            [ethernet(&[], 0x0800, &packet), mirrored]
        })
        .collect();
    let file = LITTLE.pcap(MICROSECONDS, 1, &packets);
    for workers in ["1", "2", "5"] {
        let args = ["--mode", "packets", "-j", workers];
        let run = Run::on("copies.pcap", &file, &args).expect(0);
        run.found(1000, 500);
    }
    // Behind the first 256 bytes, too, of which a flow needs no more.
    let long = |last| {
        [ipv6(17, [1, 2], &[0; 1000]), vec![0; 3]]
            .concat()
            .into_iter()
            .enumerate()
            .map(|(at, byte)| if at == 1039 { last } else { byte })
            .collect::<Vec<u8>>()
    };
    let file = LITTLE.pcap(MICROSECONDS, 101, &[long(1), long(2), long(1)]);
    Run::on("long.pcap", &file, &["--mode", "packets"])
        .expect(0)
        .found(3, 2);
}
