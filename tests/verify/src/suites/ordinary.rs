//! The ordinary tests that must kill a mutant.
//!
//! What only a rare schedule brings to light is left to the other suites.

use crate::mutation::{Mutant, Suite};
use crate::pieces::piece;

pub(super) const SUITE: Suite = Suite {
    name: "ordinary",
    checks: "tests",
    unit: "",
    command: "cargo suite ordinary",
    about: "The tests are some of those of `cargo test`.",
    package: "lockfree-cuckoo",
    directory: ".",
    flags: "",
    profile: "test",
    arguments: &[],
    mutants: MUTANTS,
};

const MUTANTS: &[Mutant] = &[
    Mutant {
        piece: piece("thread numbers are taken without looking who has them"),
        killer: "lib::sync::real::hosted::tests::no_two_leases_are_for_one_number",
        message: "two threads have one number",
    },
    Mutant {
        piece: piece("a thread that ends keeps the number that it gives back"),
        killer: "lib::sync::real::hosted::tests::a_thread_that_ends_has_a_shared_number",
        message: "it keeps number",
    },
    Mutant {
        piece: piece("a claim takes other threads' own descriptors"),
        killer: "lib::tokens::descriptor::tests::a_thread_gets_no_descriptor_twice_and_none_of_another_thread",
        message: "another thread's",
    },
    Mutant {
        piece: piece("threads of one number own one descriptor"),
        killer: "lib::tokens::descriptor::tests::a_number_that_threads_share_owns_no_descriptor",
        message: "255 of 64",
    },
    Mutant {
        piece: piece("descriptors that are added have the numbers of others"),
        killer: "lib::tokens::descriptor::tests::a_reference_is_to_the_descriptor_that_was_claimed",
        message: "left == right",
    },
    Mutant {
        piece: piece("cells that are added take the place of those before"),
        killer: "lib::counted::counter::tests::nothing_is_lost_while_cells_are_added",
        message: "left == right",
    },
    Mutant {
        piece: piece("a scanner that gets no memory keeps the right to scan"),
        killer: "memory::building::without_memory_the_right_to_scan_is_given_back::fixed",
        message: "after allocation 0",
    },
    Mutant {
        piece: piece("an added table begins with shorter tokens than those of the table before"),
        killer: "growing::oracle::a_remove_takes_no_token_of_a_coarser_table_before_a_finer_one",
        message: "a stored item was missed",
    },
    Mutant {
        piece: piece("a short search begins with the second candidate"),
        killer: "filters::replay::a_fixed_filter_is_the_same_for_ever",
        message: "left == right",
    },
    Mutant {
        piece: piece("a long search begins with the top slot"),
        killer: "filters::replay::a_fixed_filter_is_the_same_for_ever",
        message: "left == right",
    },
    Mutant {
        piece: piece("threads that empty one table abort each other"),
        killer: "lib::tokens::emptying::tests::the_emptying_of_another_thread_is_committed",
        message: "left == right",
    },
    Mutant {
        piece: piece("who empties a table counts nothing"),
        killer: "rotating::lives::an_item_is_in_for_as_many_rotations_as_there_are_generations",
        message: "what is forgotten is not counted",
    },
    Mutant {
        piece: piece("a walk begins with the young generation"),
        killer: "rotating::lives::a_remove_takes_the_oldest_copy",
        message: "the younger copy was taken",
    },
    Mutant {
        piece: piece("what remains is that of all generations"),
        killer: "rotating::lives::a_full_young_generation_refuses_and_a_rotation_makes_room",
        message: "left == right",
    },
    Mutant {
        piece: piece("a snapshot of a rotating filter trusts a state that has changed"),
        killer: "lib::engine::rotating::tests::a_snapshot_is_void_if_there_was_a_rotation",
        message: "a refreshed item was not copied",
    },
    Mutant {
        piece: piece("the emptying of another thread is committed without permission"),
        killer: "lib::tokens::emptying::tests::without_permission_it_is_aborted",
        message: "left == right",
    },
    Mutant {
        piece: piece("a refresh gives up if an older generation has the item"),
        killer: "rotating::lives::a_refreshed_item_lives_from_the_last_time",
        message: "it is in",
    },
    Mutant {
        piece: piece("a refresh does not look at the young generation alone"),
        killer: "rotating::lives::a_refreshed_item_lives_from_the_last_time",
        message: "left == right",
    },
    Mutant {
        piece: piece("a search goes one bucket over its budget"),
        killer: "lib::tokens::path::tests::a_search_examines_as_many_buckets_as_it_may",
        message: "one more than allowed",
    },
    Mutant {
        piece: piece("a search has room for half the nodes"),
        killer: "lib::tokens::path::tests::a_search_has_room_for_all_nodes_of_a_table_that_it_remembers",
        message: "none from node",
    },
    Mutant {
        piece: piece("permission to help is asked before another emptying is met"),
        killer: "lib::tokens::emptying::tests::permission_for_the_emptying_of_another_thread_is_asked_after_it_is_met",
        message: "left == right",
    },
    Mutant {
        piece: piece("a snapshot of a rotating filter begins with the young generation"),
        killer: "lib::engine::rotating::tests::a_snapshot_copies_the_young_generation_last",
        message: "a refreshed item was not copied",
    },
    Mutant {
        piece: piece("a rotation leaves the spare to the next one"),
        killer: "lib::engine::rotating::tests::a_rotation_leaves_a_clean_spare",
        message: "the next rotation has to empty it",
    },
    Mutant {
        piece: piece("a scan counts tokens only"),
        killer: "lib::tokens::scan::tests::a_class_gets_the_tokens_that_were_found",
        message: "it had",
    },
    Mutant {
        piece: piece("an insert that needs a path loses its value"),
        killer: "values::four_by_twelve_and_four::a_full_filter_keeps_its_values",
        message: "a value was lost",
    },
    Mutant {
        piece: piece("a slot that is cleared leaves a gap"),
        killer: "lib::layout::conformance::two_by_thirty_one::changes_words_alike",
        message: "without",
    },
    Mutant {
        piece: piece("bits beyond the lanes are part of a bucket"),
        killer: "lib::layout::conformance::two_by_thirty_one::tells_every_code_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("a tag in one of two words goes unnoticed"),
        killer: "lib::layout::conformance::three_by_twenty_one::tells_every_code_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("a reference keeps its tag"),
        killer: "lib::layout::conformance::six_by_ten::names_descriptors_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("a low part in the other bucket goes unnoticed"),
        killer: "lib::layout::conformance::semi_sorted_six_by_twelve::compares_words_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("equal nibbles are in the order in which they came"),
        killer: "lib::layout::conformance::semi_sorted_four_by_seventeen::changes_words_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("the last code is a reference"),
        killer: "lib::layout::conformance::semi_sorted_five_by_fourteen::tells_every_code_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("a list out of order is a bucket"),
        killer: "lib::layout::conformance::semi_sorted_six_by_twelve::tells_words_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("an equal low part is a match"),
        killer: "lib::layout::conformance::semi_sorted_four_by_seventeen::compares_words_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("a lowest part of 0 is room"),
        killer: "lib::layout::conformance::semi_sorted_four_by_seventeen::changes_words_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("a code is read as a bucket"),
        killer: "lib::layout::conformance::semi_sorted_four_by_seventeen::tells_every_code_alike",
        message: "left == right",
    },
    Mutant {
        piece: piece("the largest nibble is found by one too many"),
        killer: "lib::layout::conformance::semi_sorted_five_by_fourteen::tells_every_code_alike",
        message: "",
    },
    Mutant {
        piece: piece("a remove takes the first token that covers the item"),
        killer: "lib::tokens::doubling::tests::items_with_nested_prefixes_are_not_taken_for_each_other",
        message: "table.contains(item)",
    },
    Mutant {
        piece: piece("a split takes both sides for the first"),
        killer: "lib::table::doubling::class::tests::a_token_goes_where_its_item_goes",
        message: "assertion failed",
    },
    Mutant {
        piece: piece("a scan that growth disturbs does not end"),
        killer: "lib::tokens::doubling::scan::tests::a_scan_that_growth_disturbs_ends",
        message: "a scan is on",
    },
    Mutant {
        piece: piece("a copy is not split where the table is"),
        killer: "lib::tokens::doubling::scan::tests::a_copy_is_exact_at_each_stage",
        message: "nobody disturbs it",
    },
    Mutant {
        piece: piece("a full region of a copy is not split"),
        killer: "lib::tokens::doubling::scan::tests::a_full_region_of_a_copy_is_split",
        message: "no room for",
    },
    Mutant {
        piece: piece("what a dead thread has taken to split it stays taken"),
        killer: "lib::tokens::doubling::tests::a_table_goes_on_as_its_copy_does",
        message: "left == right",
    },
    Mutant {
        piece: piece("chunks go on when another doubling has begun"),
        killer: "growing::saving::splits_between_chunks_do_no_harm",
        message: "left == right",
    },
    Mutant {
        piece: piece("a stored bucket that the sweep has passed need not be split"),
        killer: "growing::damage::what_cannot_be_while_a_table_is_growing_is_an_error",
        message: "the sweep has passed",
    },
    Mutant {
        piece: piece("the scan of a dead thread keeps others from scanning"),
        killer: "lib::tokens::doubling::scan::tests::the_scan_of_a_dead_thread_is_ended",
        message: "no other scan can begin",
    },
    Mutant {
        piece: piece("the stripes tell of a dead thread's scan for ever"),
        killer: "lib::tokens::doubling::scan::tests::the_scan_of_a_dead_thread_is_ended",
        message: "the stripes tell of a scan",
    },
    Mutant {
        piece: piece("memory that is abandoned when the rest has gone back is forgotten"),
        killer: "lib::table::doubling::blocks::tests::what_is_abandoned_when_the_rest_has_gone_back_is_not_forgotten",
        message: "it is forgotten",
    },
    Mutant {
        piece: piece("a ninth copy makes it grow"),
        killer: "growing::copies::a_ninth_copy_is_refused_and_nothing_grows",
        message: "copies made it grow",
    },
    Mutant {
        piece: piece("a table full of copies doubles, however large it is"),
        killer: "growing::copies::few_keys_with_many_copies_never_make_it_grow_without_end",
        message: "keys: ",
    },
    Mutant {
        piece: piece("the table to come does not count for the rate"),
        killer: "growing::limits::the_rate_of_false_positives_is_a_limit",
        message: "at 0.0",
    },
    Mutant {
        piece: piece("the memory may be twice what is allowed"),
        killer: "growing::limits::memory_is_a_limit",
        message: "filter.memory_usage() <= most",
    },
    Mutant {
        piece: piece("the rate is that of the finest table"),
        killer: "growing::measures::the_rate_is_the_one_that_is_measured",
        message: "and not",
    },
];
