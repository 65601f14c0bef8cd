//! The races of stopped threads, which are built with `--cfg lockfree_cuckoo_steps`, and their mutants.

use crate::mutation::{Mutant, Suite};
use crate::pieces::piece;

pub(super) const SUITE: Suite = Suite {
    name: "steps",
    checks: "tests",
    unit: "scenes",
    command: "cargo suite steps",
    about: "A scene is one race with its stops at certain accesses.",
    package: "step-tests",
    directory: "tests/steps",
    flags: "--cfg lockfree_cuckoo_steps",
    profile: "release",
    arguments: &[],
    mutants: MUTANTS,
};

const MUTANTS: &[Mutant] = &[
    Mutant {
        piece: piece("a refusal does not look for room again"),
        killer: "stops::refusals::an_insert_is_refused_only_if_there_was_no_room_at_its_last_look",
        message: "a full pair, access",
    },
    Mutant {
        piece: piece("an insert looks for a frozen word only in its first bucket"),
        killer: "stops::references::a_frozen_word_with_a_vacant_lane_is_no_bucket_with_room",
        message: "a call has no end",
    },
    Mutant {
        piece: piece("a relocation freezes its source first"),
        killer: "stops::relocations::of_two_hops_over_the_same_words_one_succeeds",
        message: "both hops failed",
    },
    Mutant {
        piece: piece("a call within a call takes its thread's descriptor again"),
        killer: "stops::relocations::a_hop_within_a_hop_has_another_descriptor",
        message: "a hop was disturbed from within",
    },
    Mutant {
        piece: piece("hints of other groups count in a scan by groups"),
        killer: "stops::snapshots::a_note_for_an_earlier_pass_adds_no_token",
        message: "was not copied once",
    },
    Mutant {
        piece: piece("a group has every stripe"),
        killer: "stops::snapshots::a_log_that_runs_full_is_followed_by_passes_that_copy_each_token_once",
        // The copy has no room for so many.
        message: "passes have room for the hints",
    },
    Mutant {
        piece: piece("the end of a scan resets the versions"),
        killer: "stops::versions::the_end_of_a_scan_hides_no_hop_from_a_lookup",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("an emptying does not freeze its word"),
        killer: "stops::rotations::a_late_rotation_does_no_harm",
        message: "forgotten too early",
    },
    Mutant {
        piece: piece("a token that hops behind a pass escapes it"),
        killer: "stops::rotations::a_late_relocation_in_a_pass_lets_no_token_escape",
        message: "it came back",
    },
    Mutant {
        piece: piece("a late insert does not soil the spare"),
        killer: "stops::rotations::a_late_insert_in_a_pass_does_not_come_back",
        message: "it came back",
    },
    Mutant {
        piece: piece("a lookup trusts a state that has changed"),
        killer: "stops::rotations::an_item_that_is_refreshed_is_found_by_a_late_call",
        message: "it was missed",
    },
    Mutant {
        piece: piece("an admission does not look for a rotation"),
        killer: "stops::rotations::of_a_late_admission_and_another_one_wins_in_a_life",
        message: "it came back",
    },
    Mutant {
        piece: piece("a late insert tries once to soil the spare"),
        killer: "stops::rotations::a_late_insert_that_outlasts_a_pass_does_not_come_back",
        message: "it came back",
    },
    Mutant {
        piece: piece("a rotation that was made fails if the spare cannot be emptied"),
        killer: "stops::refused_rotations::a_refused_rotation_changes_nothing_and_succeeds_when_descriptors_are_taken_back",
        message: "it needs no descriptor",
    },
    Mutant {
        piece: piece("clear leaves the spare as it is"),
        killer: "stops::refused_rotations::a_refused_rotation_changes_nothing_and_succeeds_when_descriptors_are_taken_back",
        message: "it came back",
    },
    Mutant {
        piece: piece("what dead threads hold of the spare is not taken back"),
        killer: "stops::refused_rotations::a_refused_rotation_changes_nothing_and_succeeds_when_descriptors_are_taken_back",
        message: "to_bytes, access",
    },
    Mutant {
        piece: piece("a rotation is noticed only if another table is the young one"),
        killer: "stops::rotations::an_item_that_is_refreshed_is_found_by_a_late_call",
        message: "it was missed",
    },
    Mutant {
        piece: piece("an admission asks its witness before the older generations"),
        killer: "stops::rotating_admissions::older_generations_are_asked_before_the_witness",
        message: "two were told true",
    },
    Mutant {
        piece: piece("a miss in an older generation is not validated"),
        killer: "stops::rotating_admissions::a_miss_in_an_older_generation_is_validated",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("an admission looks for a rotation before it asks the older generations"),
        killer: "stops::rotations::an_item_that_is_refreshed_is_not_new_to_a_late_admission",
        message: "not one was told true",
    },
    Mutant {
        piece: piece("a split writes its parts into empty buckets too"),
        killer: "stops::splits::parts_do_not_come_over_what_others_have_written",
        message: "an item was lost or made",
    },
    Mutant {
        piece: piece("a split bucket is gone before its parts are there"),
        killer: "stops::splits::a_word_that_is_being_split_changes_only_for_the_whole_of_it",
        message: "a call has no end",
    },
    Mutant {
        piece: piece("a writer that meets a split aborts it"),
        killer: "stops::splits::a_word_that_is_being_split_changes_only_for_the_whole_of_it",
        message: "an item was lost or made",
    },
    Mutant {
        piece: piece("the hint moves on before the last words are gone"),
        killer: "stops::splits::calls_that_growth_overtakes_are_as_good_as_others",
        message: "a call has no end",
    },
    Mutant {
        piece: piece("the cursor moves on before the words are gone"),
        killer: "stops::splits::calls_that_growth_overtakes_are_as_good_as_others",
        message: "a call has no end",
    },
    Mutant {
        piece: piece("the cursor passes words that others have taken"),
        killer: "stops::growths::words_that_are_taken_are_not_passed_before_they_are_split",
        message: "a call has no end",
    },
    Mutant {
        piece: piece("nobody splits what another has taken"),
        killer: "stops::growths::a_growth_does_not_wait_for_one_that_has_stopped",
        message: "is done",
    },
    Mutant {
        piece: piece("all split the words at the cursor"),
        killer: "stops::growths::inserts_split_different_words",
        message: "the growth goes on",
    },
    Mutant {
        piece: piece("a growth that stands still counts as one that goes on"),
        killer: "stops::exhausted::an_insert_ends_when_dead_threads_have_all_descriptors",
        message: "a call has no end",
    },
    Mutant {
        piece: piece("memory is given back at once"),
        killer: "stops::giving_back::nobody_writes_to_what_was_given_back",
        message: "an item was lost or made",
    },
    Mutant {
        piece: piece("who ends a split is not pinned"),
        killer: "stops::giving_back::nobody_writes_to_what_was_given_back",
        message: "an item was lost or made",
    },
    Mutant {
        piece: piece("an absent word of the first level is an empty bucket for ever"),
        killer: "stops::giving_back::a_lookup_passes_the_first_words_of_a_later_table",
        message: "a stored item was missed",
    },
    Mutant {
        piece: piece("who opens an absent word is not pinned"),
        killer: "stops::giving_back::an_insert_is_not_lost_in_the_first_words_of_a_later_table",
        message: "an item was lost or made",
    },
    Mutant {
        piece: piece("a remove takes a shorter token without validation"),
        killer: "stops::nested::a_remove_takes_the_longest_token_though_it_hops",
        message: "the token of another item was taken",
    },
    Mutant {
        piece: piece("a remove that sees a nested token bumps nothing"),
        killer: "stops::nested::a_lookup_misses_no_item_of_which_a_longer_token_goes",
        message: "was missed",
    },
    Mutant {
        piece: piece("a hop in a table that doubles bumps after its commit"),
        killer: "stops::copies::a_copy_has_what_hops_at_each_step",
        message: "not copied once",
    },
    Mutant {
        piece: piece("a scan takes a word that is gone for an empty bucket"),
        killer: "stops::copies::a_copy_has_what_is_in_while_words_are_split",
        message: "not copied once",
    },
    Mutant {
        piece: piece("a scan heeds no hints of the parts of a bucket"),
        killer: "stops::copies::a_copy_has_what_hops_while_words_are_split",
        message: "not copied once",
    },
    Mutant {
        piece: piece("a token that hops in a table that doubles gives no hint"),
        killer: "stops::copies::a_copy_has_what_hops",
        message: "not copied once",
    },
    Mutant {
        piece: piece("a scan does not validate what it reads for a hint in a table that doubles"),
        killer: "stops::copies::a_copy_has_what_hops_and_hops_back",
        message: "not copied once",
    },
    Mutant {
        piece: piece("a table is added behind whatever there is"),
        killer: "stops::growths::of_two_that_add_a_table_one_does",
        message: "two tables were added",
    },
    Mutant {
        piece: piece("an admission in a table that doubles does not ask its witness"),
        killer: "stops::doubling_admissions::of_two_that_add_an_item_one_is_told_so",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("an admission does not go down to the parts of its witness"),
        killer: "stops::doubling_admissions::of_two_that_add_an_item_over_two_levels_one_is_told_so",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("a rival admission in a table that doubles is no obstacle"),
        killer: "stops::doubling_admissions::of_two_that_add_an_item_one_is_told_so",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("an admission asks its own table only"),
        killer: "stops::doubling_admissions::of_two_that_add_an_item_in_two_tables_one_is_told_so",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("a remove compares the lengths of tails"),
        killer: "stops::nested::the_longer_of_two_tokens_is_told_by_all_of_its_prefix",
        message: "was taken",
    },
    Mutant {
        piece: piece("a lookup does not ask whether the hop that it has met is still under way"),
        killer: "stops::arrivals::a_lookup_that_sees_a_hop_begin_sees_it_end",
        message: "a hopping item was missed",
    },
    Mutant {
        piece: piece("a remove takes the upper of two levels for the deeper one"),
        killer: "stops::nested::a_remove_asks_for_the_longest_token_that_the_deeper_of_two_levels_can_have",
        message: "the token of another item was taken",
    },
    Mutant {
        piece: piece("an insert that is refused does not ask whether others have made room"),
        killer: "stops::growths::an_insert_is_not_refused_when_others_have_made_room",
        message: "refused, though there is room",
    },
    Mutant {
        piece: piece("another table's miss is not validated"),
        killer: "stops::doubling_admissions::of_two_that_add_an_item_in_two_tables_one_is_told_so_though_it_hops",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("an admission goes on in a table that is not the finest any more"),
        killer: "stops::doubling_admissions::an_admission_does_not_go_on_in_a_table_that_is_not_the_finest_any_more",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("a lookup in two tables begins with the coarser one"),
        killer: "stops::walks::a_lookup_misses_no_item_that_is_never_out",
        message: "an item that is never out was missed",
    },
    Mutant {
        piece: piece("a lookup in all tables begins with the coarsest"),
        killer: "stops::walks::a_lookup_misses_no_item_that_is_never_out",
        message: "an item that is never out was missed",
    },
    Mutant {
        piece: piece("a remove begins with the coarsest table"),
        killer: "stops::walks::a_remove_takes_the_token_of_the_finer_table",
        message: "the token of another item was taken",
    },
    Mutant {
        piece: piece("a count begins with the coarsest table"),
        killer: "stops::walks::a_count_misses_no_item_that_is_never_out",
        message: "an item that is never out was missed",
    },
    Mutant {
        piece: piece("a snapshot begins with the coarsest table"),
        killer: "stops::walks::a_copy_misses_no_item_that_is_never_out",
        message: "an item that is never out was missed",
    },
    Mutant {
        piece: piece("removes split no words"),
        killer: "stops::growths::removes_split_different_words",
        message: "the growth goes on",
    },
    Mutant {
        piece: piece("descriptors are used again while words refer to them"),
        killer: "stops::alone::each_returns_and_nothing_is_lost",
        message: "a call has no end",
    },
    Mutant {
        piece: piece("descriptors of dead threads stay lost"),
        killer: "stops::exhausted::a_call_that_has_the_filter_alone_takes_all_descriptors_back",
        message: "not all descriptors are back",
    },
];
