//! The tests of random schedules, which are built with `--cfg lockfree_cuckoo_shuttle`, and their mutants.
//!
//! They lack what those of the models for loom lack, as far as that breaks the protocol in one order of all
//! accesses, and a few pieces more; weakened orderings mean nothing here.

use crate::mutation::{Mutant, Suite};
use crate::pieces::piece;

pub(super) const SUITE: Suite = Suite {
    name: "shuttle",
    checks: "tests",
    unit: "schedules",
    command: "cargo suite shuttle",
    about: "SHUTTLE_ITERATIONS sets the number of schedules of each test; a mutant gets up to eight times as many.",
    package: "shuttle-tests",
    directory: "tests/shuttle",
    flags: "--cfg lockfree_cuckoo_shuttle",
    profile: "release",
    arguments: &[],
    mutants: MUTANTS,
};

const MUTANTS: &[Mutant] = &[
    Mutant {
        piece: piece("a miss is not validated"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
    },
    Mutant {
        piece: piece("a miss behind a frozen word is not validated"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
    },
    Mutant {
        piece: piece("a frozen word is read as a bucket"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
    },
    Mutant {
        piece: piece("a failed remove is not validated"),
        killer: "schedules::removal::an_owner_reads_its_own_writes_while_its_token_hops",
        message: "an own rider was lost",
    },
    Mutant {
        piece: piece("a count is not validated"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was miscounted",
    },
    Mutant {
        piece: piece("a relocation bumps nothing"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was",
    },
    Mutant {
        piece: piece("a relocation bumps before the installs"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was",
    },
    Mutant {
        piece: piece("a relocation bumps after the commit"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was",
    },
    Mutant {
        piece: piece("a remove that sees two tokens bumps nothing"),
        killer: "schedules::twins::a_class_that_is_never_empty_is_never_missed",
        message: "the class was never empty",
    },
    Mutant {
        piece: piece("a remove takes one of two tokens at once"),
        killer: "schedules::twins::a_class_that_is_never_empty_is_never_missed",
        message: "the class was never empty",
    },
    Mutant {
        piece: piece("a pending arrival is always present"),
        killer: "schedules::removal::an_owner_reads_its_own_writes_while_its_token_hops",
        message: "an own rider",
    },
    Mutant {
        piece: piece("a pending arrival is never present"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
    },
    Mutant {
        piece: piece("an arrival decided meanwhile goes unnoticed"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
    },
    Mutant {
        piece: piece("a lookup takes a stale reference for absence"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
    },
    Mutant {
        piece: piece("the number of a use is not checked"),
        killer: "schedules::starvation::one_descriptor_serves_six_threads",
        message: "",
    },
    Mutant {
        piece: piece("a relocation commits with one word frozen"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "",
    },
    Mutant {
        piece: piece("a remove does not look whether its exchange succeeded"),
        killer: "schedules::removal::a_token_that_hops_is_removed_exactly_once",
        message: "a rider was removed",
    },
    Mutant {
        piece: piece("an insert does not look whether its exchange succeeded"),
        killer: "schedules::histories::every_class_of_a_tiny_table_has_an_order",
        message: "",
    },
    Mutant {
        piece: piece("two threads count on one cell"),
        killer: "schedules::counting::no_item_is_counted_twice_or_not_at_all",
        message: "the count is off",
    },
    Mutant {
        piece: piece("a rival admission is no obstacle"),
        killer: "schedules::admission::exactly_one_of_six_is_told_true",
        message: "not exactly one",
    },
    Mutant {
        piece: piece("an admission does not ask its witness"),
        killer: "schedules::admission::exactly_one_of_six_is_told_true",
        message: "not exactly one",
    },
    Mutant {
        piece: piece("a relocation bumps between the installs"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was",
    },
    Mutant {
        piece: piece("a relocation that froze one word leaves it frozen"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "exceeded max_steps",
    },
    Mutant {
        piece: piece("a committed relocation leaves its source frozen"),
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "exceeded max_steps",
    },
    Mutant {
        piece: piece("an admission leaves its target frozen"),
        killer: "schedules::admission::at_most_one_is_told_true_among_movers",
        message: "exceeded max_steps",
    },
    Mutant {
        piece: piece("an equal token in a frozen witness does not count"),
        killer: "schedules::admission::a_winner_in_a_frozen_word_counts",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("a relocation gives no hint"),
        killer: "schedules::scan::holds_riders_that_hop",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("a relocation gives its hint after the commit"),
        killer: "schedules::scan::holds_the_only_token_that_hops",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("a remove that sees two tokens gives no hint"),
        killer: "schedules::scan::holds_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was not copied",
    },
    Mutant {
        piece: piece("a scan leaves pending relocations alone"),
        killer: "schedules::scan::holds_the_only_token_that_hops",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("a scan ends before it has read the table"),
        killer: "schedules::scan::holds_riders_that_hop",
        message: "a hopping token was not copied once",
    },
    Mutant {
        piece: piece("a split does not freeze its word"),
        killer: "schedules::doubling::riders_are_never_missed_while_the_table_doubles",
        message: "a rider was",
    },
    Mutant {
        piece: piece("a split writes its parts into empty buckets too"),
        killer: "schedules::doubling::riders_are_never_missed_while_the_table_doubles",
        message: "a rider was",
    },
    Mutant {
        piece: piece("a split bucket is gone before its parts are there"),
        killer: "schedules::doubling::riders_are_never_missed_while_the_table_doubles",
        message: "exceeded max_steps",
    },
    Mutant {
        piece: piece("a writer that meets a split aborts it"),
        killer: "schedules::doubling::riders_are_never_missed_while_the_table_doubles",
        message: "a rider was",
    },
    Mutant {
        piece: piece("a hop does not look at the parent of a bucket"),
        killer: "schedules::doubling::riders_are_never_missed_while_the_table_doubles",
        message: "a rider was",
    },
    Mutant {
        piece: piece("the hint moves on before the last words are gone"),
        killer: "schedules::growths::nothing_is_lost_in_ten_doublings",
        message: "",
    },
    Mutant {
        piece: piece("a lookup in a table that doubles is not validated"),
        killer: "schedules::doubling::riders_are_never_missed_while_the_table_doubles",
        message: "a rider was missed",
    },
    Mutant {
        piece: piece("a hop in a table that doubles bumps nothing"),
        killer: "schedules::doubling::riders_are_never_missed_while_the_table_doubles",
        message: "a rider was",
    },
    Mutant {
        piece: piece("a hop in a table that doubles bumps after its commit"),
        killer: "schedules::doubling::riders_are_never_missed_while_the_table_doubles",
        message: "a rider was",
    },
    Mutant {
        piece: piece("a remove takes the first token that covers the item"),
        killer: "schedules::doubling::owners_keep_what_they_have_while_the_table_doubles",
        message: "an own item was",
    },
    Mutant {
        piece: piece("an admission in a table that doubles does not ask its witness"),
        killer: "schedules::doubling::exactly_one_is_told_true_while_the_table_doubles",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("a rival admission in a table that doubles is no obstacle"),
        killer: "schedules::doubling::exactly_one_is_told_true_while_the_table_doubles",
        message: "not exactly one was told true",
    },
    Mutant {
        piece: piece("a scan takes a word that is gone for an empty bucket"),
        killer: "schedules::doubling::a_snapshot_holds_what_hops_while_the_table_doubles",
        message: "a rider was not copied once",
    },
    Mutant {
        piece: piece("a token that hops in a table that doubles gives no hint"),
        killer: "schedules::doubling::a_snapshot_holds_what_hops_while_the_table_doubles",
        message: "a rider was not copied once",
    },
    Mutant {
        piece: piece("the cursor moves on before the words are gone"),
        killer: "schedules::growths::a_growth_ends_however_late_others_begin_it",
        message: "",
    },
];
