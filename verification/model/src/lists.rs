//! The layouts of the crate as types: one list for all tests of every layout. The types are looked
//! up where a macro is called.

/// Passes the layouts without values to the macro of this name: lines of a name, a colon, the type
/// and a semicolon.
#[macro_export]
macro_rules! layouts_without_values {
    ($call:ident) => {
        $call! {
            eight_by_eight: Lanes<8, 8>;
            six_by_ten: Lanes<6, 10>;
            five_by_twelve: Lanes<5, 12>;
            four_by_sixteen: Lanes<4, 16>;
            three_by_twenty_one: Lanes<3, 21>;
            two_by_thirty_one: Lanes<2, 31>;
            semi_sorted_four_by_seventeen: SemiSorted<4, 17>;
            semi_sorted_five_by_fourteen: SemiSorted<5, 14>;
            semi_sorted_six_by_twelve: SemiSorted<6, 12>;
        }
    };
}

/// Does the same for those with values.
#[macro_export]
macro_rules! layouts_with_values {
    ($call:ident) => {
        $call! {
            four_by_twelve_and_four: Lanes<4, 12, 4>;
            three_by_thirteen_and_eight: Lanes<3, 13, 8>;
            two_by_sixteen_and_fifteen: Lanes<2, 16, 15>;
        }
    };
}

/// Returns an array of the results of a function for each layout, with values or without.
#[macro_export]
macro_rules! of_every_layout {
    ($function:ident $(, $argument:expr)*) => {
        $crate::of_every_layout! { @ $function ($($argument),*):
            Lanes<8, 8>, Lanes<6, 10>, Lanes<5, 12>, Lanes<4, 16>, Lanes<3, 21>, Lanes<2, 31>,
            SemiSorted<4, 17>, SemiSorted<5, 14>, SemiSorted<6, 12>,
            Lanes<4, 12, 4>, Lanes<3, 13, 8>, Lanes<2, 16, 15>
        }
    };
    (@ $function:ident $arguments:tt: $($layout:ty),*) => {
        [$($function::<$layout> $arguments),*]
    };
}
