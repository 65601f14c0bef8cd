//! The ordinary tests of filters that grow, and their mutants.
//!
//! What only a rare schedule brings to light is left to the models.

use crate::mutation::{Mutant, Suite};
use crate::pieces::piece;

pub(super) const SUITE: Suite = Suite {
    name: "growing",
    checks: "tests",
    unit: "",
    command: "cargo suite growing",
    about: "The tests are those of `cargo test`.",
    package: "lockfree-cuckoo",
    directory: ".",
    flags: "",
    profile: "test",
    arguments: &[],
    mutants: MUTANTS,
};

const MUTANTS: &[Mutant] = &[
    Mutant {
        piece: piece("a remove walks from the oldest segment"),
        killer: "growing::simulation::nothing_is_lost_where_items_cannot_be_told_apart",
        message: "stored items were lost",
    },
    Mutant {
        piece: piece("a segment with items is taken out"),
        killer: "growing::simulation::nothing_is_lost_while_it_shrinks",
        message: "stored items were lost",
    },
    Mutant {
        piece: piece("removes take no segment out"),
        killer: "growing_reclamation::segments_go_with_their_last_item",
        message: "drained segments stay",
    },
    Mutant {
        piece: piece("an empty filter keeps its largest segment"),
        killer: "growing::simulation::an_empty_filter_begins_anew_as_often_as_one_likes",
        message: "the large segment stays",
    },
    Mutant {
        piece: piece("an empty filter begins anew while old segments are about"),
        killer: "growing_reclamation::a_thread_that_stands_still_does_not_make_segments_multiply",
        message: "segments multiply",
    },
    Mutant {
        piece: piece("what is given up waits for the thread that gave it up"),
        killer: "growing_reclamation::gives_back_what_other_threads_have_removed",
        message: "nobody is at work, and nothing is in",
    },
    Mutant {
        piece: piece("a clone does not know which segments take no inserts"),
        killer: "growing::traits::a_copy_has_everything_and_a_life_of_its_own",
        message: "drained segments stay",
    },
    Mutant {
        piece: piece("a ninth copy makes it grow"),
        killer: "growing::copies::a_ninth_copy_is_refused_and_nothing_grows",
        message: "eight are in",
    },
    Mutant {
        piece: piece("a segment full of copies is followed by another, however large it is"),
        killer: "growing::copies::few_keys_with_many_copies_never_make_it_grow_without_end",
        message: "keys: GrowingCuckooFilter",
    },
    Mutant {
        piece: piece("the segment to come does not count for the rate"),
        killer: "growing::limits::grows_to_as_many_segments_as_the_rate_allows",
        message: "segments with a rate of",
    },
    Mutant {
        piece: piece("the memory may be twice what is allowed"),
        killer: "growing::limits::never_takes_more_memory_than_allowed",
        message: "items at first",
    },
    Mutant {
        piece: piece("each segment is twice as large, whatever the factor"),
        killer: "growing::limits::each_segment_is_larger_by_the_factor",
        message: "items, times 4",
    },
    Mutant {
        piece: piece("a count looks at the newest segment only"),
        killer: "growing::copies::copies_in_all_segments_are_counted",
        message: "copies in all segments",
    },
    Mutant {
        piece: piece("insert_unique does not look at older segments"),
        killer: "growing::races::an_item_in_any_segment_is_not_added_again",
        message: "an older segment has it",
    },
    Mutant {
        piece: piece("the false-positive rate is that of the newest segment"),
        killer: "growing::measures::the_false_positive_rate_is_as_told",
        message: "wrong answers, not",
    },
    Mutant {
        piece: piece("a batch counts from the beginning of its last chunk"),
        killer: "growing::batch::a_refused_batch_says_how_far_it_came",
        message: "assertion `left == right` failed",
    },
    Mutant {
        piece: piece("a batch of absent items counts from the beginning of its last chunk"),
        killer: "growing::batch::a_refused_item_ends_a_unique_batch",
        message: "assertion `left == right` failed",
    },
    Mutant {
        piece: piece("the target of a copy is sealed"),
        killer: "growing_target::a_copy_has_a_target_that_is_not_sealed",
        message: "taken out while an insert may be under way",
    },
    Mutant {
        piece: piece("clear without memory goes on with the coarsest segment"),
        killer: "growing_target::clear_without_memory_goes_on_with_one_that_is_not_sealed",
        message: "taken out while an insert may be under way",
    },
    Mutant {
        piece: piece("parked segments are not used again"),
        killer: "growing_reclamation::takes_no_more_with_time",
        message: "in the first",
    },
    Mutant {
        piece: piece("the pages of parked segments stay"),
        killer: "growing_reclamation::the_pages_of_drained_segments_go_back_to_the_system",
        message: "bytes are in use",
    },
    Mutant {
        piece: piece("parked segments take no memory"),
        killer: "growing_reclamation::says_what_the_allocator_has_handed_out",
        message: "bytes said",
    },
    Mutant {
        piece: piece("what is parked stays when nobody else is about"),
        killer: "growing_reclamation::takes_no_more_with_time",
        message: "an emptied filter",
    },
    Mutant {
        piece: piece("a segment is freed when all are unpinned"),
        killer: "growing_reclamation::segments_go_and_come_back_under_readers",
        message: "tables were freed under readers",
    },
];
