//! The layouts that there are, and how full their tables get.

use super::arena::Slots;
use super::fit::{Fit, Fitted};
use super::{Lanes, SemiSorted, WithValues};

macro_rules! fitted {
    ($($layout:ty, $slots:literal: $highest:literal, $large:literal, $share:literal, $range:literal;)*) => {$(
        impl Fitted for $layout {
            type Arenas = Slots<$slots>;
            const FIT: Fit = Fit {
                highest_load: $highest,
                large_table_load: $large,
                share_margin: $share,
                range_margin: $range,
            };
        }
    )*};
}

// By `cargo run --release -p lockfree-cuckoo-benches --bin fit`. A table of one layout takes as many items as its slots
// let it, so layouts of equal slots come out alike; each was filled for itself.
//
// The highest load is the one at which an insert costs as much as in 4 x 16 at 0.955, which is 1.5 to 2.5 points below
// the first refusal of large tables.
fitted! {
    Lanes<8, 8>, 8: 0.984, 0.992, 5.0, 2.5;
    Lanes<6, 10>, 6: 0.975, 0.985, 4.0, 1.5;
    Lanes<5, 12>, 5: 0.968, 0.98, 4.4, 2.0;
    Lanes<4, 16>, 4: 0.955, 0.97, 5.0, 3.0;
    Lanes<3, 21>, 3: 0.93, 0.942, 4.0, 2.0;
    Lanes<2, 31>, 2: 0.865, 0.877, 5.0, 2.5;
    SemiSorted<4, 17>, 4: 0.955, 0.97, 4.8, 2.0;
    SemiSorted<5, 14>, 5: 0.968, 0.98, 4.4, 2.0;
    SemiSorted<6, 12>, 6: 0.975, 0.985, 4.0, 1.5;
    Lanes<4, 12, 4>, 4: 0.955, 0.97, 4.8, 2.0;
    Lanes<3, 13, 8>, 3: 0.93, 0.942, 4.0, 2.0;
    Lanes<2, 16, 15>, 2: 0.865, 0.877, 5.0, 2.5;
}

impl WithValues for Lanes<4, 12, 4> {}
impl WithValues for Lanes<3, 13, 8> {}
impl WithValues for Lanes<2, 16, 15> {}
