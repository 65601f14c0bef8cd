//! The look of each series: the same in all charts.

use plotters::style::RGBColor;

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) colour: RGBColor,
    /// The outline of its markers.
    pub(crate) marker: Marker,
}

/// Corners around a point.
pub(crate) type Marker = &'static [(i32, i32)];

const CIRCLE: Marker = &[
    (-2, -4),
    (2, -4),
    (4, -2),
    (4, 2),
    (2, 4),
    (-2, 4),
    (-4, 2),
    (-4, -2),
];
const DIAMOND: Marker = &[(0, -6), (6, 0), (0, 6), (-6, 0)];
const SQUARE: Marker = &[(-4, -4), (4, -4), (4, 4), (-4, 4)];
const TRIANGLE: Marker = &[(0, -6), (6, 5), (-6, 5)];

/// The colours of Okabe and Ito, which the colour-blind can tell apart, and darker ones. Those of one hue have different
/// markers.
const BLUE: Look = look(0, 114, 178, CIRCLE);
const SKY: Look = look(86, 180, 233, DIAMOND);
const VERMILION: Look = look(213, 94, 0, SQUARE);
const PURPLE: Look = look(204, 121, 167, TRIANGLE);
const GREEN: Look = look(0, 158, 115, CIRCLE);
const ORANGE: Look = look(230, 159, 0, DIAMOND);
const BROWN: Look = look(128, 56, 0, TRIANGLE);
const DARK_GREEN: Look = look(0, 84, 61, SQUARE);
const DARK_PURPLE: Look = look(122, 40, 92, CIRCLE);
const OLIVE: Look = look(140, 128, 20, SQUARE);
const NAVY: Look = look(20, 40, 110, TRIANGLE);
const RED: Look = look(170, 20, 40, DIAMOND);
const TEAL: Look = look(60, 150, 160, TRIANGLE);
const SALMON: Look = look(240, 150, 120, CIRCLE);
const VIOLET: Look = look(130, 110, 210, SQUARE);
const BLACK: Look = look(45, 45, 45, DIAMOND);
/// For what is no contender.
const GREY: Look = look(120, 120, 120, SQUARE);

/// Which look is whose. Contenders that are in one chart have different ones; names that mean the same share one.
const LOOKS: [(Look, &[&str]); 17] = [
    (BLUE, &["filter"]),
    (SKY, &["growing", "filter, single calls"]),
    (
        VERMILION,
        &["atomic-cuckoo-filter", "set, a lock per batch"],
    ),
    (PURPLE, &["dashmap", "set, a lock per packet"]),
    (GREEN, &["papaya"]),
    (ORANGE, &["qfilter-rwlock"]),
    (BROWN, &["cuckoofilter-rwlock"]),
    (DARK_GREEN, &["fastbloom"]),
    (DARK_PURPLE, &["scalable-rwlock"]),
    (OLIVE, &["scc-index"]),
    (NAVY, &["scc-set"]),
    (RED, &["hashbrown-rwlock"]),
    (TEAL, &["cuckoofilter-mutex"]),
    (SALMON, &["cuckoofilter-64"]),
    (VIOLET, &["sbbf-rs-safe"]),
    (BLACK, &["growable-rwlock"]),
    (GREY, &["limit", "headers only (limit)"]),
];

const fn look(red: u8, green: u8, blue: u8, marker: Marker) -> Look {
    Look {
        colour: RGBColor(red, green, blue),
        marker,
    }
}

/// The looks of the series of a chart. A name that is not in the list gets one that no other has in this chart, as long
/// as there is one.
pub(crate) fn of(names: &[&str]) -> Vec<Look> {
    let known = |name: &str| LOOKS.iter().find(|(_, all)| all.contains(&name));
    let taken: Vec<Look> = names
        .iter()
        .filter_map(|name| known(name))
        .map(|known| known.0)
        .collect();
    let free = LOOKS
        .iter()
        .map(|known| known.0)
        .filter(|look| !taken.contains(look));
    let all = LOOKS.iter().map(|known| known.0);
    let mut free = free.chain(all.cycle());
    let look = |name: &&str| known(name).map(|known| known.0).or_else(|| free.next());
    names.iter().filter_map(look).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_looks_are_alike() {
        for (number, (one, _)) in LOOKS.iter().enumerate() {
            let before = &LOOKS[..number];
            assert!(before.iter().all(|(other, _)| other.colour != one.colour));
        }
    }

    #[test]
    fn a_name_has_one_look_wherever_it_is() {
        let names: Vec<&str> = LOOKS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        for (nth, &name) in names.iter().enumerate() {
            assert!(!names[..nth].contains(&name), "{name}");
            let alone = of(&[name]);
            assert_eq!(of(&["unheard of", name, "filter"])[1], alone[0]);
        }
    }

    #[test]
    fn names_that_are_not_known_get_looks_of_their_own() {
        let looks = of(&["one", "filter", "other", "limit"]);
        for (nth, look) in looks.iter().enumerate() {
            assert!(!looks[..nth].contains(look));
        }
        // However many there are.
        assert_eq!(of(&["many"; 40]).len(), 40);
    }
}
