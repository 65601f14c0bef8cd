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

// A (2,4) table can reach 0.9803 at most. Large tables with the default search budget reach 0.96 to 0.975, and inserts
// become slow near that load. The margin of a single range keeps nine items out of one pair of buckets in tables of 8
// and 16.
fitted! {
    Lanes<8, 8>, 8: 0.975, 0.985, 5.0, 3.0;
    Lanes<6, 10>, 6: 0.97, 0.98, 5.0, 3.0;
    Lanes<5, 12>, 5: 0.965, 0.975, 5.0, 3.0;
    Lanes<4, 16>, 4: 0.955, 0.97, 5.0, 3.0;
    Lanes<3, 21>, 3: 0.93, 0.945, 5.0, 3.0;
    Lanes<2, 31>, 2: 0.86, 0.88, 5.0, 3.0;
    SemiSorted<4, 17>, 4: 0.955, 0.97, 5.0, 3.0;
    SemiSorted<5, 14>, 5: 0.965, 0.975, 5.0, 3.0;
    SemiSorted<6, 12>, 6: 0.97, 0.98, 5.0, 3.0;
    Lanes<4, 12, 4>, 4: 0.955, 0.97, 5.0, 3.0;
    Lanes<3, 13, 8>, 3: 0.93, 0.945, 5.0, 3.0;
    Lanes<2, 16, 15>, 2: 0.86, 0.88, 5.0, 3.0;
}

impl WithValues for Lanes<4, 12, 4> {}
impl WithValues for Lanes<3, 13, 8> {}
impl WithValues for Lanes<2, 16, 15> {}
