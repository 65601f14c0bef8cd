//! Lanes beside the bit strings that they stand for.

use super::*;
use proptest::prelude::*;

/// A token as what it means: a head, and the bits of its tail.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    head: u16,
    tail: Vec<bool>,
}

/// `0b101` with three bits is true, false, true.
fn bits(number: u16, count: u32) -> Vec<bool> {
    (0..count).rev().map(|bit| number >> bit & 1 == 1).collect()
}

fn decoded(lane: u16, depth: Depth) -> Token {
    let (head, low) = (lane >> 10, bits(lane & 0x3ff, 10));
    let tail = match depth {
        Depth::First => low,
        Depth::Deeper => {
            let mark = low.iter().rposition(|&bit| bit).expect("a mark");
            low[..mark].to_vec()
        }
    };
    Token { head, tail }
}

fn head() -> impl Strategy<Value = u16> {
    prop_oneof![1u16..3, 1u16..64]
}

/// A lane that a table may hold.
fn lane(depth: Depth) -> impl Strategy<Value = u16> {
    let low = match depth {
        Depth::First => (0u16..1024).boxed(),
        Depth::Deeper => prop_oneof![1u16..1024, (0u32..10).prop_map(|bit| 1 << bit)].boxed(),
    };
    (head(), low).prop_map(|(head, low)| head << 10 | low)
}

fn depth() -> impl Strategy<Value = Depth> {
    prop_oneof![Just(Depth::First), Just(Depth::Deeper)]
}

fn word(lanes: [u16; 4]) -> u64 {
    let place = |(at, &lane): (usize, &u16)| u64::from(lane) << (16 * at);
    lanes.iter().enumerate().map(place).sum()
}

/// Whether a look at two words tells that both are buckets, and then, whether a lane covers the item.
fn tells(sight: Sight, words: [u64; 2], covering: u32) -> bool {
    let sure = words.into_iter().all(|word| word >> 48 != 0);
    sight.is_sure() == sure && (!sure || sight.found() == (covering != 0))
}

proptest! {
    #[test]
    fn heads_are_never_0(hash: u64) {
        let head = Head::of_hash(hash);
        let bits = (hash >> 10 & 63) as u16;
        prop_assert_eq!(head.bits(), bits.max(1) << 10);
        prop_assert_eq!(head.fingerprint().bits(), u32::from(bits.max(1)));
        prop_assert_eq!(Head::of_fingerprint(head.fingerprint()), head);
        prop_assert_eq!(Head::of_lane(head.bits() | hash as u16 & 0x3ff), head);
    }

    #[test]
    fn a_new_lane_has_the_next_bits(hash: u64, next in 0u16..1024) {
        let head = Head::of_hash(hash);
        for depth in [Depth::First, Depth::Deeper] {
            let lane = depth.lane(head, next);
            let full = depth.full_tail();
            let token = Token { head: head.bits() >> 10, tail: bits(next >> (10 - full), full) };
            prop_assert_eq!(decoded(lane, depth), token);
            prop_assert_eq!(depth.tail(lane), full);
        }
    }

    #[test]
    fn a_split_takes_the_first_bit_and_leaves_the_rest(
        (depth, lane) in depth().prop_flat_map(|depth| (Just(depth), lane(depth))),
    ) {
        let before = decoded(lane, depth);
        prop_assert_eq!(depth.tail(lane) as usize, before.tail.len());
        if let Some((&first, rest)) = before.tail.split_first() {
            let (bit, after) = depth.split(lane);
            prop_assert_eq!(bit, first);
            let rest = Token { head: before.head, tail: rest.to_vec() };
            prop_assert_eq!(decoded(after, Depth::Deeper), rest);
        }
    }

    #[test]
    fn lanes_are_nested_if_one_begins_the_other(
        (depth, a, b) in depth().prop_flat_map(|depth| (Just(depth), lane(depth), lane(depth))),
        like: bool,
        cut in 0u32..10,
    ) {
        // Often the beginning of the other one.
        let b = match depth {
            Depth::Deeper if like => a & !((1 << cut) - 1) | 1 << cut,
            Depth::First if like => a,
            _ => b,
        };
        let (one, other) = (decoded(a, depth), decoded(b, depth));
        let begins = one.tail.starts_with(&other.tail) || other.tail.starts_with(&one.tail);
        let nested = one.head == other.head && begins;
        let marks = Marks::of(depth);
        for at in 0..4 {
            let mut lanes = [0; 4];
            lanes[at] = b;
            prop_assert_eq!(marks.nested(a, word(lanes)), (u32::from(nested) * 3) << (2 * at));
            prop_assert_eq!(Marks::of(depth).is_full(a), depth.tail(a) == depth.full_tail());
        }
    }

    #[test]
    fn a_lane_covers_what_begins_with_it(
        (depth, mut lanes) in depth()
            .prop_flat_map(|depth| (Just(depth), prop::array::uniform8(lane(depth)))),
        vacant in prop::array::uniform8(any::<bool>()),
        like in 0usize..8,
        others: u16,
        hash: u64,
    ) {
        // An item that one of the tokens covers, or another one.
        let near = lanes[like];
        let item = if hash & 1 == 0 {
            let unknown = 10 - depth.tail(near);
            depth.lane(Head::of_lane(near), near & !((1 << unknown) - 1) | others & ((1 << unknown) - 1))
        } else {
            depth.lane(Head::of_hash(hash), others)
        };
        let wanted = decoded(item, depth);
        lanes.iter_mut().zip(vacant).filter(|(_, vacant)| *vacant).for_each(|(lane, _)| *lane = 0);
        let expected: u32 = (0..8)
            .filter(|&at| lanes[at] != 0)
            .filter(|&at| {
                let token = decoded(lanes[at], depth);
                token.head == wanted.head && wanted.tail.starts_with(&token.tail)
            })
            .map(|at| 3 << (2 * at))
            .sum();
        let [first, second] = [0, 4].map(|at| word(core::array::from_fn(|lane| lanes[at + lane])));
        prop_assert_eq!(depth.covering(item, first, second), expected);
        let without_vectors = words::covering(&Marks::of(depth), item, 0, first, second);
        prop_assert_eq!(without_vectors, expected);
        // Together, and each beside a word of the other depth that has nothing to cover.
        let (marks, other) = (Marks::of(depth), Marks::of(if depth == Depth::First { Depth::Deeper } else { Depth::First }));
        let alone = [marks.look(item, first, second), words::look(&marks, item, first, second)];
        for sight in alone {
            prop_assert!(tells(sight, [first, second], expected));
        }
        for (wanted, of, expected) in [
            ([(&marks, item), (&marks, item)], [first, second], expected),
            ([(&other, 0xffff), (&marks, item)], [1 << 48, second], expected & 0xff00),
            ([(&marks, item), (&other, 0xffff)], [first, 1 << 48], expected & 0xff),
        ] {
            for sight in [Marks::look_each(wanted, of), words::look_each(wanted, of)] {
                prop_assert!(tells(sight, of, expected));
            }
        }
    }
}
