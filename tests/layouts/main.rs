//! What must hold of every layout of a bucket, each property in a room of its own.

#![allow(
    clippy::disallowed_types,
    reason = "the tests look at the crate from outside; the model checker is not involved"
)]

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod golden;
mod lives;
mod loads;
mod oracle;
mod rates;
mod threads;

use lockfree_cuckoo::{Lanes, SemiSorted};

/// The tests of one layout: each calls the function of its name, in that room.
macro_rules! tests {
    ($layout:ty: $($room:ident { $($test:ident)* })*) => {$(
        mod $room {
            use super::super::*;

            $(
                #[test]
                fn $test() {
                    crate::$room::$test::<$layout>();
                }
            )*
        }
    )*};
}

macro_rules! each_layout {
    ($($name:ident: $layout:ty;)*) => {
        /// Calls a function for each layout.
        macro_rules! of_each_layout {
            ($call:ident) => {{ $($call::<$layout>();)* }};
        }
        pub(crate) use of_each_layout;
        $(
        mod $name {
            tests! { $layout:
                oracle {
                    agrees_with_the_oracle_on_hashes_built_to_collide
                    is_full_exactly_when_no_placement_exists
                    agrees_with_the_oracle_on_numbers_under_the_default_hasher
                    agrees_with_the_oracle_on_strings_under_another_hasher
                    agrees_with_the_oracle_at_any_capacity
                    finds_the_only_vacant_slot_at_the_end_of_a_chain
                }
                threads {
                    hot_tables_conserve_every_class
                    residents_are_never_missed_at_high_load
                    a_hopping_token_is_never_missed
                    a_token_swapped_for_an_equal_one_is_never_missed
                    racing_threads_add_and_take_each_token_once
                }
                rates {
                    the_rate_is_the_one_that_the_filter_tells
                    every_part_of_a_fingerprint_counts
                }
                loads {
                    the_first_refusal_comes_at_the_load_of_the_table
                    a_filter_takes_what_it_is_sized_for
                }
                golden {
                    stored_filters_are_read_for_ever
                }
                damage {
                    a_cut_or_a_flipped_bit_is_found
                    with_repaired_checksums_it_is_an_error_or_a_filter_that_works
                    a_word_is_a_bucket_or_an_error
                }
                lives {
                    of_a_fixed_filter
                    of_a_filter_that_rotates
                }
            }
        }
        )*
    };
}

model::layouts_without_values!(each_layout);
