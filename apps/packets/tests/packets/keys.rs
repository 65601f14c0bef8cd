//! Keys: the packets of one flow, and the copies of one packet, have one.

use crate::captures::{A, B, LITTLE, MICROSECONDS, ethernet, fragment, ipv4, ipv6, ports, udp};
use crate::run::call;
use lockfree_cuckoo_packets::keys::{Key, Keys, Link, Mode};

const CUSTOMER: u16 = 0x8100;
const SERVICE: u16 = 0x88a8;
const OLD_SERVICE: u16 = 0x9100;

/// Returns the flow of a captured frame.
fn flow_of(link: Link, frame: &[u8]) -> Option<Key> {
    Keys::new(Mode::Flows).of_frame(link, frame)
}

fn flow(packet: &[u8]) -> Key {
    flow_of(Link::RawIp, packet).expect("the packet has a flow")
}

/// Returns the flow of a UDP packet within VLANs, each a tag protocol and its two bytes; and the
/// flow of its answer.
fn tagged(tags: &[(u16, u16)]) -> [Key; 2] {
    [([A, B], ports(1, 2)), ([B, A], ports(2, 1))].map(|(ends, ports)| {
        let frame = ethernet(tags, 0x0800, &ipv4(17, ends, 0, &ports));
        flow_of(Link::Ethernet, &frame).expect("the frame has a flow")
    })
}

#[test]
fn both_directions_are_one_flow() {
    let (there, back) = ([A, B], [B, A]);
    let v4 = |protocol, ends, from, to| ipv4(protocol, ends, 0, &ports(from, to));
    let udp6 = |ends, from, to| ipv6(17, ends, &ports(from, to));
    let icmp = |ends, kind, code, id| ipv4(1, ends, 0, &[kind, code, 0, 0, 0, id, 0, 1]);
    let icmp6 = |ends, kind, id| ipv6(58, ends, &[kind, 0, 0, 0, 0, id, 0, 1]);
    let hop_by_hop = [&[17, 0, 1, 4, 0, 0, 0, 0][..], &ports(1, 2)].concat();
    let later = |ends, field, from, to| ipv4(17, ends, field, &ports(from, to));
    // Each line has packets of one flow, other than those of the other lines.
    let mut flows = vec![
        vec![v4(6, there, 40000, 80), v4(6, back, 80, 40000)],
        // The ports go with their addresses.
        vec![v4(6, there, 80, 40000)],
        // Both endpoints on one host, as in a loopback capture.
        vec![v4(17, [A, A], 1, 2), v4(17, [A, A], 2, 1)],
        vec![v4(17, there, 1, 2), later(there, 0x2000, 1, 2)],
        vec![v4(6, there, 1, 2)],
        vec![v4(6, [A, A], 1, 2)],
        vec![v4(132, there, 1, 2)],
        // Without ports the addresses make the flow.
        vec![v4(47, there, 1, 2), v4(47, back, 3, 4)],
        // Later fragments have none.
        vec![later(there, 0x2010, 1, 2), later(back, 0x0020, 3, 4)],
        vec![fragment(9, 16, &ports(1, 2)), fragment(9, 32, &ports(1, 2))],
        // Extension headers are skipped.
        vec![
            udp6([1, 2], 1, 2),
            udp6([2, 1], 2, 1),
            fragment(9, 0, &ports(1, 2)),
            ipv6(0, [1, 2], &hop_by_hop),
        ],
        vec![ipv6(6, [1, 2], &ports(1, 2))],
        vec![ipv6(6, [1, 3], &ports(1, 2))],
        // An echo and its reply.
        vec![icmp(there, 8, 0, 5), icmp(back, 0, 0, 5)],
        vec![icmp(there, 8, 0, 6)],
        vec![icmp6([1, 2], 128, 5), icmp6([2, 1], 129, 5)],
        vec![icmp6([2, 1], 129, 9)],
        vec![icmp6([1, 2], 160, 5), icmp6([2, 1], 161, 5)],
        // Other messages have no identifier there: type and code decide.
        vec![icmp(there, 3, 3, 0), icmp(there, 3, 3, 8)],
        vec![icmp(there, 3, 1, 0)],
    ];
    for (request, reply) in [(13, 14), (15, 16), (17, 18), (42, 43)] {
        flows.push(vec![icmp(there, request, 0, 5), icmp(back, reply, 0, 5)]);
        flows.push(vec![icmp(back, reply, 0, 6)]);
    }
    let mut keys = [1, 2]
        .map(|number| Keys::new(Mode::Flows).made_up(number))
        .to_vec();
    assert_ne!(keys[0], keys[1]);
    for packets in &flows {
        let key = flow(&packets[0]);
        assert!(
            packets.iter().all(|packet| flow(packet) == key),
            "{packets:?}"
        );
        assert!(!keys.contains(&key), "{packets:?}");
        keys.push(key);
    }
    let filter = lockfree_cuckoo::CuckooFilter::with_capacity(16);
    let hashes = flows[0].iter().map(|packet| filter.hash_one(&flow(packet)));
    let hashes: Vec<u64> = hashes.collect();
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn cut_packets_have_the_flow_of_their_rest() {
    let whole = ipv4(6, [A, B], 0, &ports(1, 2));
    for length in 0..whole.len() {
        let cut = flow_of(Link::RawIp, &whole[..length]);
        assert_eq!(cut.is_some(), length >= 20);
        assert!(length > 20 || cut != Some(flow(&whole)));
        assert!(length < 24 || cut == Some(flow(&whole)));
    }
    let whole = ipv6(17, [1, 2], &ports(1, 2));
    for length in 0..whole.len() {
        let cut = flow_of(Link::RawIp, &whole[..length]);
        assert_eq!(cut.is_some(), length >= 40);
    }
    for number in [0, 1, 101, 113, 276] {
        let link = Link::from_number(number).expect("the link type is known");
        for length in 0..64 {
            assert_eq!(flow_of(link, &[0; 64][..length]), None);
        }
    }
}

#[test]
fn a_flow_stays_in_its_vlan() {
    // Each line has the same VLANs, other than those of the other lines. The protocol of a tag is
    // part of its notation, not of the VLAN. Identifier 0 is no VLAN, only a place for the
    // priority.
    let (zero, five, six) = ((CUSTOMER, 0xe000), (CUSTOMER, 5), (CUSTOMER, 6));
    let lines: &[&[&[(u16, u16)]]] = &[
        &[&[], &[zero]],
        &[
            &[five],
            &[(CUSTOMER, 0x2005)],
            &[(CUSTOMER, 0xf005)],
            &[(SERVICE, 5), zero],
            &[zero, five],
        ],
        &[&[six]],
        &[&[(SERVICE, 5), six], &[(OLD_SERVICE, 5), six]],
        &[&[(SERVICE, 6), five]],
        &[&[(SERVICE, 6), (SERVICE, 5), five]],
    ];
    let mut keys = Vec::new();
    for line in lines {
        let [key, back] = tagged(line[0]);
        assert_eq!(key, back);
        assert!(line.iter().all(|tags| tagged(tags) == [key; 2]), "{line:?}");
        assert!(!keys.contains(&key), "{line:?}");
        keys.push(key);
    }
    // A packet with too many tags has no flow.
    let frame = ethernet(&[five; 9], 0x0800, &udp(1));
    assert_eq!(flow_of(Link::Ethernet, &frame), None);
}

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

/// The key ignores the fields that routers change.
#[test]
fn ignores_fields_that_routers_change() {
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
            ipv4(17, [B, A], 0, &ports(1, 2)), // the other direction
        ],
    );
    // IP options: the same length in all, so that only the option differs.
    let routed = |hop: u8| {
        let mut packet = with(&packet, 0, &[0x46]);
        packet.splice(20..20, [7, 4, 4, hop]);
        with(&packet, 2, &[0, 44])
    };
    check(&[routed(1), routed(2)], &[packet]);

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
    let of = |id, offset| fragment(id, offset, &ports(1, 2));
    check(&[of(1, 5)], &[of(2, 5), of(1, 6)]);
}

#[test]
fn the_key_ignores_link_headers_and_tags() {
    let keys = Keys::new(Mode::Packets);
    let key = |link, frame: &[u8]| keys.of_frame(link, frame);
    let packet = udp(1);
    let raw = key(Link::RawIp, &packet).expect("a key");
    for tags in [&[][..], &[(CUSTOMER, 5)], &[(SERVICE, 5), (CUSTOMER, 6)]] {
        let frame = ethernet(tags, 0x0800, &packet);
        assert_eq!(key(Link::Ethernet, &frame), Some(raw));
        assert_eq!(key(Link::Ethernet, &with(&frame, 0, &[9; 12])), Some(raw));
    }

    // Without IP the key is made of the bytes behind the tags, and their EtherType.
    let other = |ether_type, last| {
        let frame = ethernet(&[], ether_type, &[1, 2, 3, last]);
        key(Link::Ethernet, &frame).expect("a key")
    };
    let tagged = ethernet(&[(CUSTOMER, 5)], 0x88cc, &[1, 2, 3, 4]);
    assert_eq!(key(Link::Ethernet, &tagged), Some(other(0x88cc, 4)));
    assert_ne!(other(0x88cc, 4), other(0x88cc, 5));
    assert_ne!(other(0x88cc, 4), other(0x88cd, 4));
    assert_eq!(key(Link::Ethernet, &[0; 13]), None);
    // The keys of two runs differ.
    let of_run = || Keys::new(Mode::Packets).of_frame(Link::RawIp, &packet);
    assert!(of_run().is_some() && of_run() != of_run());
}

#[test]
fn the_key_covers_more_than_the_headers() {
    // The first 256 bytes, enough for a flow, are equal.
    let long = |last| with(&ipv6(17, [1, 2], &[0; 1000]), 1039, &[last]);
    let file = LITTLE.pcap(MICROSECONDS, 101, &[long(1), long(2), long(1)]);
    call("--mode packets").on(&file).expect(0).found(3, 2);
}
