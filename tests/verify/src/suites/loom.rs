//! The models for loom, which are built with `--cfg loom`, and their mutants.
//!
//! A model is worth what its mutants show. Each mutant names the piece, the test that kills it and what that
//! test says.

use crate::mutation::{Mutant, Suite};
use crate::pieces::piece;

pub(super) const SUITE: Suite = Suite {
    name: "loom",
    checks: "models",
    unit: "executions",
    command: "cargo loom",
    about: "LOOM_MAX_PREEMPTIONS sets the preemption bound of all models; unless told, it is 2,
and 1 for the largest.",
    package: "loom-tests",
    directory: "loom-tests",
    flags: "--cfg loom --cfg crossbeam_loom",
    profile: "loom",
    arguments: &["--features", "loom"],
    mutants: MUTANTS,
};

const MUTANTS: &[Mutant] = &[
    Mutant {
        piece: piece("a miss is not validated"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a miss behind a frozen word is not validated"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a frozen word is read as a bucket"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a failed remove is not validated"),
        killer: "removal::takes_a_token_that_hops",
        message: "a stored token was not found",
    },
    Mutant {
        piece: piece("a count is not validated"),
        killer: "lookup::counts_a_token_that_hops",
        message: "a token was not counted",
    },
    Mutant {
        piece: piece("a relocation bumps nothing"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a relocation bumps before the installs"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a relocation bumps after the commit"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a remove that sees two tokens bumps nothing"),
        killer: "lookup::sees_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was missed",
    },
    Mutant {
        piece: piece("a remove takes one of two tokens at once"),
        killer: "lookup::sees_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was missed",
    },
    Mutant {
        piece: piece("a pending arrival is always present"),
        killer: "removal::takes_a_token_that_hops",
        message: "a removed token was seen",
    },
    Mutant {
        piece: piece("a pending arrival is never present"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("an arrival decided meanwhile goes unnoticed"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a lookup takes a stale reference for absence"),
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "a token at rest was missed",
    },
    Mutant {
        piece: piece("the number of a use is not checked"),
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "a token at rest was missed",
    },
    Mutant {
        piece: piece("no Acquire fence after the fields"),
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "a token at rest was missed",
    },
    Mutant {
        piece: piece("no Release fence before the fields"),
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "a token at rest was missed",
    },
    Mutant {
        piece: piece("a claim is Relaxed"),
        killer: "descriptor::two_owners_share_a_descriptor_over_unrelated_buckets",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("the release of a claim is Relaxed"),
        killer: "descriptor::two_owners_share_a_descriptor_over_unrelated_buckets",
        // The number goes back, and a reference that no use answers to is loaded again for ever.
        message: "exceeded maximum number of branches",
    },
    Mutant {
        piece: piece("the last hop opens a slot for anybody"),
        killer: "insertion::an_opened_slot_belongs_to_the_insert_that_opened_it",
        message: "the slot that an insert opened was taken",
    },
    Mutant {
        piece: piece("attempts are not bounded"),
        killer: "death::a_dead_kick_loses_nothing",
        message: "exceeded maximum number of branches",
    },
    Mutant {
        piece: piece("a relocation commits with one word frozen"),
        killer: "removal::takes_a_token_that_hops",
        message: "a removed token",
    },
    Mutant {
        piece: piece("a remove does not look whether its exchange succeeded"),
        killer: "removal::two_share_one_token",
        message: "one token was removed",
    },
    Mutant {
        piece: piece("an insert does not look whether its exchange succeeded"),
        killer: "insertion::plain_inserts_share_a_bucket",
        message: "an inserted item is not found",
    },
    Mutant {
        piece: piece("two threads count on one cell"),
        killer: "insertion::plain_inserts_share_a_bucket",
        message: "the count is off",
    },
    Mutant {
        piece: piece("the witness is read by a plain load"),
        killer: "admission::two_race_for_an_absent_item",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("a rival admission is no obstacle"),
        killer: "admission::two_race_for_an_absent_item",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("an admission does not ask its witness"),
        killer: "admission::two_race_for_an_absent_item",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("the version is read Relaxed"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a bump releases nothing"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("words are read Relaxed"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("loads of words are not in the one order"),
        killer: "order::two_items_inserted_and_looked_for_crosswise",
        message: "each of two inserts was missed",
    },
    Mutant {
        piece: piece("frozen words are read Relaxed"),
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "",
    },
    Mutant {
        piece: piece("exchanges of words are not in the one order"),
        killer: "order::two_removes_and_two_admissions_of_one_class",
        message: "both were told that a removed item is present",
    },
    Mutant {
        piece: piece("an exchange of a word publishes nothing"),
        killer: "lookup::a_hit_publishes_what_came_before_the_insert",
        message: "Causality violation",
    },
    Mutant {
        piece: piece("a commit publishes nothing"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("the control is read Relaxed"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("the number of a use is published Relaxed"),
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "exceeded maximum number of branches",
    },
    Mutant {
        piece: piece("a relocation bumps between the installs"),
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a remove bumps after its exchange"),
        killer: "lookup::sees_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was missed",
    },
    Mutant {
        piece: piece("a relocation that froze one word leaves it frozen"),
        killer: "insertion::removes_take_both_victims_of_two_hops",
        message: "exceeded maximum number of branches",
    },
    Mutant {
        piece: piece("a committed relocation leaves its source frozen"),
        killer: "descriptor::two_owners_share_a_descriptor_over_unrelated_buckets",
        message: "exceeded maximum number of branches",
    },
    Mutant {
        piece: piece("an admission leaves its target frozen"),
        killer: "descriptor::a_descriptor_admits_twice",
        message: "exceeded maximum number of branches",
    },
    Mutant {
        piece: piece("an equal token in a frozen witness does not count"),
        killer: "admission::an_equal_token_in_a_frozen_witness_counts",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("a relocation gives no hint"),
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("a relocation gives its hint after the commit"),
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("a remove that sees two tokens gives no hint"),
        killer: "snapshot::holds_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was not copied",
    },
    Mutant {
        piece: piece("a scan leaves pending relocations alone"),
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("chunks trust words that a token has left"),
        killer: "chunks::hold_a_token_that_hops_beside_one_that_comes",
        message: "a hopping token was not stored once",
    },
    Mutant {
        piece: piece("chunks leave pending relocations alone"),
        killer: "chunks::hold_a_token_that_hops_beside_one_that_comes",
        message: "a hopping token was not stored once",
    },
    Mutant {
        piece: piece("a scan is announced without Acquire"),
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("a scan ends before it has read the table"),
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("the log is emptied after the announcement"),
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("hints that found no room are ignored"),
        killer: "snapshot::holds_more_than_the_log_does",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("an emptying does not freeze its word"),
        killer: "rotation::a_late_emptying_does_no_harm",
        message: "was wiped",
    },
    Mutant {
        piece: piece("an emptying does not look for a rotation"),
        killer: "rotation::a_late_emptying_does_no_harm",
        message: "was wiped",
    },
    Mutant {
        piece: piece("an emptying asks before it freezes its word"),
        killer: "rotation::a_late_emptying_does_no_harm",
        message: "was wiped",
    },
    Mutant {
        piece: piece("a token that hops behind a pass escapes it"),
        killer: "rotation::what_a_late_relocation_moves_does_not_come_back",
        message: "came back",
    },
    Mutant {
        piece: piece("a spare is clean without a pass"),
        killer: "rotation::a_dead_rotator_is_overtaken",
        message: "lost or made",
    },
    Mutant {
        piece: piece("a late insert does not soil the spare"),
        killer: "rotation::what_a_late_insert_brings_does_not_come_back",
        message: "came back",
    },
    Mutant {
        piece: piece("a soil leaves the mark"),
        killer: "rotation::what_a_late_insert_brings_does_not_come_back",
        message: "came back",
    },
    Mutant {
        piece: piece("soils are not counted"),
        killer: "rotation::what_a_late_insert_brings_does_not_come_back",
        message: "came back",
    },
    Mutant {
        piece: piece("a rotation of another number is made"),
        killer: "rotation::a_rotation_that_two_ask_for_is_made_once",
        message: "not exactly one rotated",
    },
    Mutant {
        piece: piece("the state is read Relaxed"),
        killer: "rotation::a_table_that_is_used_again_is_seen_empty",
        message: "a forgotten item was found",
    },
    Mutant {
        piece: piece("the state is not in the one order"),
        killer: "rotation::what_a_late_insert_brings_does_not_come_back",
        message: "came back",
    },
    Mutant {
        piece: piece("a rotation publishes nothing"),
        killer: "rotation::a_table_that_is_used_again_is_seen_empty",
        message: "a forgotten item was found",
    },
    Mutant {
        piece: piece("a lookup begins with the young generation"),
        killer: "rotation::an_item_that_is_refreshed_is_not_missed",
        message: "a refreshed item was missed",
    },
    Mutant {
        piece: piece("a lookup trusts a state that has changed"),
        killer: "rotation::an_item_that_is_refreshed_behind_a_rotation_is_not_missed",
        message: "a refreshed item was missed",
    },
    Mutant {
        piece: piece("a remove trusts a state that has changed"),
        killer: "rotation::an_item_that_is_refreshed_behind_a_rotation_is_removed",
        message: "a stored item was not removed",
    },
    Mutant {
        piece: piece("a count trusts a state that has changed"),
        killer: "rotation::an_item_that_is_refreshed_behind_a_rotation_is_counted",
        message: "a refreshed item was missed",
    },
    Mutant {
        piece: piece("an admission does not look for a rotation"),
        killer: "rotation::one_of_two_admissions_wins_at_a_rotation",
        message: "not exactly one",
    },
    Mutant {
        piece: piece("an admission reads the older generations like a lookup"),
        killer: "rotation::one_of_two_admissions_wins_at_a_rotation",
        message: "not exactly one",
    },
    Mutant {
        piece: piece("an admission does not ask the older generations"),
        killer: "rotation::one_of_two_admissions_wins_at_a_rotation",
        message: "not exactly one",
    },
    Mutant {
        piece: piece("a refresh forgets what the older generations said"),
        killer: "rotation::an_item_is_new_to_one_of_two_that_refresh_it_at_a_rotation",
        message: "not exactly one",
    },
    Mutant {
        piece: piece("others decide an admission in a generation"),
        killer: "rotation::one_of_two_admissions_wins_at_a_rotation",
        message: "not exactly one",
    },
    Mutant {
        piece: piece("a token of another value is no twin"),
        killer: "values::a_class_is_never_missed_while_one_of_its_values_goes",
        message: "the class was missed",
    },
    Mutant {
        piece: piece("a lookup of a value is not validated"),
        killer: "values::a_hop_takes_the_value_along",
        message: "a stored value was missed",
    },
    Mutant {
        piece: piece("a token that arrives has no value"),
        killer: "values::a_hop_takes_the_value_along",
        message: "a stored value was missed",
    },
    Mutant {
        piece: piece("a token is found by its fingerprint alone"),
        killer: "values::a_value_is_replaced_or_removed",
        message: "assertion failed: replaced != removed",
    },
    Mutant {
        piece: piece("a unique insert takes a present item for its own"),
        killer: "values::of_two_that_add_one_item_one_gives_its_value",
        message: "None and None",
    },
    Mutant {
        piece: piece("a scan forgets values"),
        killer: "values::a_snapshot_has_the_value_of_a_token_that_hops",
        message: "[0]",
    },
    Mutant {
        piece: piece("a tag in one of two words goes unnoticed"),
        killer: "layouts::two_slots::a_lookup_sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a code is read as a bucket"),
        killer: "layouts::semi_sorted::a_lookup_sees_a_token_that_hops",
        message: "a hopping token was missed",
    },
    Mutant {
        piece: piece("a split does not freeze its word"),
        killer: "doubling::an_insert_is_not_lost_while_the_table_doubles",
        message: "an item was lost or made",
    },
    Mutant {
        piece: piece("a hop does not look at the parent of a bucket"),
        killer: "doubling::a_token_that_hops_to_a_bucket_that_is_split_is_found",
        message: "was missed",
    },
    Mutant {
        piece: piece("a lookup in a table that doubles is not validated"),
        killer: "doubling::a_token_that_hops_past_a_lookup_is_found",
        message: "a stored item was missed",
    },
    Mutant {
        piece: piece("a lookup in the midst of a growth is not validated"),
        killer: "doubling::a_token_that_hops_in_front_of_the_sweep_is_found",
        message: "a stored item was missed",
    },
    Mutant {
        piece: piece("a lookup takes what is not where the sweep left it for empty"),
        killer: "doubling::a_stored_item_is_found_while_the_table_doubles",
        message: "a stored item was missed",
    },
    Mutant {
        piece: piece("a hop in a table that doubles bumps nothing"),
        killer: "doubling::a_token_that_hops_past_a_lookup_is_found",
        message: "a stored item was missed",
    },
    Mutant {
        piece: piece("a remove by one exchange takes a shorter token without validation"),
        killer: "doubling::a_remove_takes_the_longest_token_though_it_hops",
        message: "the token of another item was taken",
    },
    Mutant {
        piece: piece("the hint is read Relaxed"),
        killer: "doubling::a_stored_item_is_found_while_the_table_doubles",
        message: "",
    },
    Mutant {
        piece: piece("an admission reads other tables like a lookup"),
        killer: "tables::one_of_two_admissions_wins_while_a_table_is_added",
        message: "not exactly one",
    },
    Mutant {
        piece: piece("an admission asks its own table only"),
        killer: "tables::one_of_two_admissions_wins_while_a_table_is_added",
        message: "not exactly one",
    },
    Mutant {
        piece: piece("a remove begins with the coarsest table"),
        killer: "tables::a_remove_takes_nothing_that_another_item_needs",
        message: "another item",
    },
    Mutant {
        piece: piece("a scan heeds no hints of the parts of a bucket"),
        killer: "doubling::a_copy_has_what_hops_while_words_are_split",
        message: "a copy misses what is in",
    },
];
