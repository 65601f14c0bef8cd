//! Looks: a colour and a marker for each series, the same in all charts.

use plotters::style::RGBColor;

/// The look of a line: its colour, and the outline of its markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look(pub(crate) RGBColor, pub(crate) &'static [(i32, i32)]);

#[rustfmt::skip]
const CIRCLE: &[(i32, i32)] = &[(-2, -4), (2, -4), (4, -2), (4, 2), (2, 4), (-2, 4), (-4, 2), (-4, -2)];
const DIAMOND: &[(i32, i32)] = &[(0, -6), (6, 0), (0, 6), (-6, 0)];
const SQUARE: &[(i32, i32)] = &[(-4, -4), (4, -4), (4, 4), (-4, 4)];
const TRIANGLE: &[(i32, i32)] = &[(0, -6), (6, 5), (-6, 5)];

/// The look of each contender: the colours of Okabe and Ito, which colour-blind people can tell
/// apart, and darker ones. Those of one hue have different markers. Contenders in one chart have
/// different looks. The limit is no contender.
const LOOKS: [(&[&str], Look); 15] = [
    (
        &["filter", "CF 4 x 16"],
        Look(RGBColor(0, 114, 178), CIRCLE),
    ),
    (
        &["growing", "ss-CF 4 x 17"],
        Look(RGBColor(86, 180, 233), DIAMOND),
    ),
    (
        &["atomic-cuckoo-filter"],
        Look(RGBColor(213, 94, 0), SQUARE),
    ),
    (
        &["dashmap", "counting Bloom"],
        Look(RGBColor(204, 121, 167), TRIANGLE),
    ),
    (&["papaya", "Bloom"], Look(RGBColor(0, 158, 115), CIRCLE)),
    (
        &["qfilter-rwlock", "quotient"],
        Look(RGBColor(230, 159, 0), DIAMOND),
    ),
    (
        &["cuckoofilter-rwlock", "ss-CF 5 x 14"],
        Look(RGBColor(128, 56, 0), TRIANGLE),
    ),
    (
        &["fastbloom", "blocked Bloom"],
        Look(RGBColor(0, 84, 61), SQUARE),
    ),
    (
        &["scalable-rwlock", "d-left counting"],
        Look(RGBColor(122, 40, 92), CIRCLE),
    ),
    (&["scc-index"], Look(RGBColor(140, 128, 20), SQUARE)),
    (&["cuckoo-clock"], Look(RGBColor(20, 40, 110), TRIANGLE)),
    (
        &["hashbrown-rwlock", "CF 5 x 12"],
        Look(RGBColor(170, 20, 40), DIAMOND),
    ),
    (
        &["hashbrown-shards"],
        Look(RGBColor(104, 70, 176), TRIANGLE),
    ),
    (&["growable-rwlock"], Look(RGBColor(45, 45, 45), DIAMOND)),
    (&["limit"], Look(RGBColor(120, 120, 120), SQUARE)),
];

/// Returns the looks of the series of a chart. A name that is not in the list gets a look that is
/// unique in this chart, as long as there is one.
pub(crate) fn of(names: &[&str]) -> Vec<Look> {
    let known = |name: &&str| Some(LOOKS.iter().find(|known| known.0.contains(name))?.1);
    let taken: Vec<Look> = names.iter().filter_map(known).collect();
    let all = LOOKS.iter().map(|known| known.1);
    let free = all.clone().filter(|look| !taken.contains(look));
    let mut free = free.chain(all.cycle());
    let looks = names.iter().map(|name| known(name).or_else(|| free.next()));
    looks.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_look_of_its_own() {
        for (nth, (names, look)) in LOOKS.into_iter().enumerate() {
            for name in names {
                let mut before = LOOKS[..nth].iter();
                assert!(before.all(|other| !other.0.contains(name) && other.1 != look));
                assert_eq!(of(&["unheard of", name, "other"])[1], look);
            }
        }
    }

    #[test]
    fn unknown_names_get_looks_of_their_own() {
        let looks = of(&["one", "filter", "other", "limit"]);
        for (nth, look) in looks.iter().enumerate() {
            assert!(!looks[..nth].contains(look));
        }
        // There may be more names than looks.
        assert_eq!(of(&["many"; 40]).len(), 40);
    }
}
