//! The layouts as values, for programs that choose one at run time, and the loads that their tables
//! reach.

use core::fmt;

use crate::kernel::layout::lanes::Lanes;
use crate::kernel::layout::semi_sorted::SemiSorted;
use crate::kernel::layout::words::{Calibrated, LoadLimits};
use crate::kernel::layout::{Layout, WithValues};
use crate::kernel::search::sizes::{long_nodes, short_nodes};

/// A [`Layout`] as a value: its numbers.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::layout::{SemiSorted, Shape};
///
/// let shape = Shape::of::<SemiSorted<4, 17>>();
/// assert_eq!((shape.slots(), shape.fingerprint_bits()), (4, 17));
/// assert_eq!(shape.to_string(), "SemiSorted<4, 17>");
/// assert!(Shape::ALL.contains(&shape));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    slots: u8,
    fingerprint_bits: u8,
    value_bits: u8,
}

/// A function to call with a layout that is known only at run time.
pub(crate) trait ForLayout {
    type Output;

    fn call<L: Layout>(self) -> Self::Output;
}

macro_rules! layouts {
    ($($layout:ty, $slots:literal: $highest:literal, $large:literal, $share:literal, $range:literal;)*) => {
        impl Shape {
            /// All layouts: first those without values, from the most slots to the fewest. To find
            /// one by its text: `Shape::ALL.iter().find(|shape| shape.to_string() == text)`.
            pub const ALL: &'static [Self] = &[$(Self::of::<$layout>()),*];

            /// Calls `function` for the layout of this shape.
            pub(crate) fn call<F: ForLayout>(self, function: F) -> F::Output {
                $(if self == Self::of::<$layout>() {
                    return function.call::<$layout>();
                })*
                unreachable!("a shape is one of these")
            }
        }

        $(impl Calibrated for $layout {
            type ShortSearch<T: Copy + fmt::Debug> = [T; short_nodes($slots)];
            type LongSearch<T: Copy + fmt::Debug> = [T; long_nodes($slots)];
            const LOAD_LIMITS: LoadLimits = LoadLimits {
                highest_load: $highest,
                large_table_load: $large,
                share_margin: $share,
                range_margin: $range,
            };
        })*
    };
}

// Each layout with its slots and its `LOAD_LIMITS`, from
// `cargo run --release -p lockfree-cuckoo-benches --bin fit`. The slots alone determine how many
// items a table holds, so layouts with equal slots come out alike; each was measured separately.
//
// The highest load is the one at which an insert costs the same as in 4 x 16 at 0.955, which is 1.5
// to 2.5 points below the first refusal of large tables.
layouts! {
    Lanes<8, 8>, 8: 0.984, 0.992, 5.0, 2.5;
    Lanes<6, 10>, 6: 0.975, 0.985, 4.0, 1.5;
    SemiSorted<6, 12>, 6: 0.975, 0.985, 4.0, 1.5;
    Lanes<5, 12>, 5: 0.968, 0.98, 4.4, 2.0;
    SemiSorted<5, 14>, 5: 0.968, 0.98, 4.4, 2.0;
    Lanes<4, 16>, 4: 0.955, 0.97, 5.0, 3.0;
    SemiSorted<4, 17>, 4: 0.955, 0.97, 4.8, 2.0;
    Lanes<3, 21>, 3: 0.93, 0.942, 4.0, 2.0;
    Lanes<2, 31>, 2: 0.865, 0.877, 5.0, 2.5;
    Lanes<4, 12, 4>, 4: 0.955, 0.97, 4.8, 2.0;
    Lanes<3, 13, 8>, 3: 0.93, 0.942, 4.0, 2.0;
    Lanes<2, 16, 15>, 2: 0.865, 0.877, 5.0, 2.5;
}

// The slots and the bits of a value share one byte of a stored filter.
const _: () = {
    let mut index = 0;
    while index < Shape::ALL.len() {
        assert!(Shape::ALL[index].slots < 16 && Shape::ALL[index].value_bits < 16);
        index += 1;
    }
};

impl Shape {
    /// The shape of a layout.
    #[must_use]
    pub const fn of<L: Layout>() -> Self {
        Self {
            slots: L::SLOTS as u8,
            fingerprint_bits: L::FINGERPRINT_BITS as u8,
            value_bits: L::VALUE_BITS as u8,
        }
    }

    /// The shape with these numbers, if there is one.
    pub(crate) fn with(slots: u8, fingerprint_bits: u8, value_bits: u8) -> Option<Self> {
        let wanted = Self {
            slots,
            fingerprint_bits,
            value_bits,
        };
        Self::ALL.iter().copied().find(|&shape| shape == wanted)
    }

    /// Slots of a bucket.
    #[must_use]
    pub const fn slots(self) -> usize {
        self.slots as usize
    }

    /// Bits of a fingerprint.
    #[must_use]
    pub const fn fingerprint_bits(self) -> u32 {
        self.fingerprint_bits as u32
    }

    /// Bits of a value that is stored beside each fingerprint; 0 for most layouts.
    #[must_use]
    pub const fn value_bits(self) -> u32 {
        self.value_bits as u32
    }

    /// Whether it is a [`SemiSorted`] layout: its slots have more bits than the word.
    #[must_use]
    pub const fn is_semi_sorted(self) -> bool {
        self.slots() as u32 * (self.fingerprint_bits() + self.value_bits()) > u64::BITS
    }
}

/// The name of the type.
impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (slots, bits) = (self.slots, self.fingerprint_bits);
        match self.value_bits {
            0 if self.is_semi_sorted() => write!(out, "SemiSorted<{slots}, {bits}>"),
            0 => write!(out, "Lanes<{slots}, {bits}>"),
            value => write!(out, "Lanes<{slots}, {bits}, {value}>"),
        }
    }
}

/// The name of the type.
impl fmt::Debug for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl WithValues for Lanes<4, 12, 4> {}
impl WithValues for Lanes<3, 13, 8> {}
impl WithValues for Lanes<2, 16, 15> {}
