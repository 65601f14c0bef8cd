//! The look of each series: the same in all charts.

use plotters::style::RGBColor;

/// How a line is drawn: its colour, and the outline of its markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look(pub(crate) RGBColor, pub(crate) &'static [(i32, i32)]);

#[rustfmt::skip]
const CIRCLE: &[(i32, i32)] = &[(-2, -4), (2, -4), (4, -2), (4, 2), (2, 4), (-2, 4), (-4, 2), (-4, -2)];
const DIAMOND: &[(i32, i32)] = &[(0, -6), (6, 0), (0, 6), (-6, 0)];
const SQUARE: &[(i32, i32)] = &[(-4, -4), (4, -4), (4, 4), (-4, 4)];
const TRIANGLE: &[(i32, i32)] = &[(0, -6), (6, 5), (-6, 5)];

/// Which look is whose: the colours of Okabe and Ito, which the colour-blind can tell apart, and darker ones. Those of one hue
/// have different markers. Contenders that are in one chart have different looks. The limit is no contender.
const LOOKS: [(&str, Look); 14] = [
    ("filter", Look(RGBColor(0, 114, 178), CIRCLE)),
    ("growing", Look(RGBColor(86, 180, 233), DIAMOND)),
    ("atomic-cuckoo-filter", Look(RGBColor(213, 94, 0), SQUARE)),
    ("dashmap", Look(RGBColor(204, 121, 167), TRIANGLE)),
    ("papaya", Look(RGBColor(0, 158, 115), CIRCLE)),
    ("qfilter-rwlock", Look(RGBColor(230, 159, 0), DIAMOND)),
    ("cuckoofilter-rwlock", Look(RGBColor(128, 56, 0), TRIANGLE)),
    ("fastbloom", Look(RGBColor(0, 84, 61), SQUARE)),
    ("scalable-rwlock", Look(RGBColor(122, 40, 92), CIRCLE)),
    ("scc-index", Look(RGBColor(140, 128, 20), SQUARE)),
    ("scc-set", Look(RGBColor(20, 40, 110), TRIANGLE)),
    ("hashbrown-rwlock", Look(RGBColor(170, 20, 40), DIAMOND)),
    ("growable-rwlock", Look(RGBColor(45, 45, 45), DIAMOND)),
    ("limit", Look(RGBColor(120, 120, 120), SQUARE)),
];

/// The looks of the series of a chart. A name that is not in the list gets one that no other has in this chart, as long as
/// there is one.
pub(crate) fn of(names: &[&str]) -> Vec<Look> {
    let known = |name: &&str| Some(LOOKS.iter().find(|known| known.0 == *name)?.1);
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
    fn a_name_has_one_look_wherever_it_is_and_shares_it_with_no_other() {
        for (nth, (name, look)) in LOOKS.into_iter().enumerate() {
            let mut before = LOOKS[..nth].iter();
            assert!(before.all(|other| other.0 != name && other.1 != look));
            assert_eq!(of(&["unheard of", name, "filter"])[1], look);
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
