//! What is one flow, and what is not.

use crate::files::BIG;
use crate::frames::{A, B, ethernet, ipv4, ipv6, ports};
use packet_pool::keys::{FlowKey, Key, Keys, Link, Mode};

/// The flow of a captured frame.
fn flow_of(link: Link, frame: &[u8]) -> Option<FlowKey> {
    Keys::new(Mode::Flows).of_frame(link, frame).map(flow)
}

fn flow(key: Key) -> FlowKey {
    match key {
        Key::Flow(flow) => flow,
        Key::Packet(_) => panic!("the keys are flows"),
    }
}

fn key(packet: &[u8]) -> FlowKey {
    flow_of(Link::RawIp, packet).expect("the packet has a flow")
}

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
        flow(Keys::new(Mode::Flows).made_up(1)),
        flow(Keys::new(Mode::Flows).made_up(2)),
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
        assert_eq!(flow_of(Link::RawIp, &whole[..length]), None);
    }
    let without_ports = key(&whole[..20]);
    for length in 24..whole.len() {
        assert_eq!(key(&whole[..length]), key(&whole));
    }
    assert_ne!(without_ports, key(&whole));

    let whole = ipv6(17, [1, 2], &ports(1, 2));
    for length in 0..whole.len() {
        let flow = flow_of(Link::RawIp, &whole[..length]);
        assert_eq!(flow.is_some(), length >= 40);
    }
    for number in [0, 1, 101, 113, 276] {
        let link = Link::from_number(number).expect("the link type is known");
        for length in 0..64 {
            assert_eq!(flow_of(link, &[0; 64][..length]), None);
        }
    }
}

/// The flow of a UDP packet within VLANs, each a tag protocol and its two bytes.
fn tagged(tags: &[(u16, u16)], back: bool) -> FlowKey {
    let packet = if back {
        ipv4(17, [B, A], 0, &ports(2, 1))
    } else {
        ipv4(17, [A, B], 0, &ports(1, 2))
    };
    let frame = ethernet(tags, 0x0800, &packet);
    flow_of(Link::Ethernet, &frame).expect("the frame has a flow")
}

const CUSTOMER: u16 = 0x8100;
const SERVICE: u16 = 0x88a8;
const OLD_SERVICE: u16 = 0x9100;

#[test]
fn a_flow_stays_in_its_vlan() {
    let keys = [
        tagged(&[], false),
        tagged(&[(CUSTOMER, 5)], false),
        tagged(&[(CUSTOMER, 6)], false),
        tagged(&[(SERVICE, 5), (CUSTOMER, 6)], false),
        tagged(&[(SERVICE, 6), (CUSTOMER, 5)], false),
        tagged(&[(SERVICE, 6), (SERVICE, 5), (CUSTOMER, 5)], false),
    ];
    for (index, one) in keys.iter().enumerate() {
        for other in &keys[..index] {
            assert_ne!(one, other);
        }
    }
    for tags in [&[(CUSTOMER, 5)][..], &[(SERVICE, 5), (CUSTOMER, 6)]] {
        assert_eq!(tagged(tags, false), tagged(tags, true));
    }
    // The protocol of the tag is how it is written, not where it leads.
    let (new, old) = (
        [(SERVICE, 5), (CUSTOMER, 6)],
        [(OLD_SERVICE, 5), (CUSTOMER, 6)],
    );
    assert_eq!(tagged(&new, false), tagged(&old, false));
}

#[test]
fn priorities_of_vlan_tags_make_no_flows() {
    let plain = tagged(&[(CUSTOMER, 5)], false);
    for priority in 1..16 {
        assert_eq!(tagged(&[(CUSTOMER, priority << 12 | 5)], false), plain);
    }
    // Identifier 0 is no VLAN, only a place for the priority.
    let (zero, five) = ((CUSTOMER, 0xe000), (CUSTOMER, 5));
    assert_eq!(tagged(&[zero], false), tagged(&[], false));
    assert_eq!(tagged(&[(SERVICE, 5), zero], false), plain);
    assert_eq!(tagged(&[zero, five], false), plain);
}

#[test]
fn more_tags_than_anybody_uses_are_no_flow() {
    let packet = ipv4(17, [A, B], 0, &ports(1, 2));
    let frame = ethernet(&[(CUSTOMER, 5); 9], 0x0800, &packet);
    assert_eq!(flow_of(Link::Ethernet, &frame), None);
}

#[test]
fn other_requests_and_replies_are_one_flow() {
    let message = |kind, id| [kind, 0, 0, 0, 0, id, 0, 1];
    for (request, reply) in [(13, 14), (15, 16), (17, 18), (42, 43)] {
        let there = key(&ipv4(1, [A, B], 0, &message(request, 5)));
        assert_eq!(there, key(&ipv4(1, [B, A], 0, &message(reply, 5))));
        assert_ne!(there, key(&ipv4(1, [B, A], 0, &message(reply, 6))));
    }
    let there = key(&ipv6(58, [1, 2], &message(160, 5)));
    assert_eq!(there, key(&ipv6(58, [2, 1], &message(161, 5))));
}
