//! The layouts of the crate: one list of those without values, and one of those with them. The types
//! are looked up where a macro is called.

/// Passes the layouts without values to a macro, after what follows its name: lines of a name, a
/// colon, the type and a semicolon.
#[macro_export]
macro_rules! layouts_without_values {
    ($call:ident $(, $($first:tt)*)?) => {
        $crate::layouts_without_values! { [$call] $($($first)*)? }
    };
    ([$($call:tt)+] $($first:tt)*) => {
        $($call)+! {
            $($first)*
            four_by_sixteen: Lanes<4, 16>;
            eight_by_eight: Lanes<8, 8>;
            six_by_ten: Lanes<6, 10>;
            five_by_twelve: Lanes<5, 12>;
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
    ($call:ident $(, $($first:tt)*)?) => {
        $crate::layouts_with_values! { [$call] $($($first)*)? }
    };
    ([$($call:tt)+] $($first:tt)*) => {
        $($call)+! {
            $($first)*
            four_by_twelve_and_four: Lanes<4, 12, 4>;
            three_by_thirteen_and_eight: Lanes<3, 13, 8>;
            two_by_sixteen_and_fifteen: Lanes<2, 16, 15>;
        }
    };
}

/// Returns an array of the results of a function for each layout, with values or without.
#[macro_export]
macro_rules! of_every_layout {
    (@plain $function:ident $arguments:tt $($plain:tt)*) => {
        $crate::layouts_with_values!(
            [$crate::of_every_layout] @all $function $arguments $($plain)*
        )
    };
    (@all $function:ident $arguments:tt $($name:ident: $layout:ty;)*) => {
        [$($function::<$layout> $arguments),*]
    };
    ($function:ident $(, $argument:expr)*) => {
        $crate::layouts_without_values!(
            [$crate::of_every_layout] @plain $function ($($argument),*)
        )
    };
}
