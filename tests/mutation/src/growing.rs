//! The mutants: a filter that grows, with one piece taken out, and the test that must notice.

use mutation::Mutant;

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a remove begins with the oldest segment",
        killer: "growing::simulation::nothing_is_lost_where_items_cannot_be_told_apart",
        message: "stored items were lost",
        changes: &[(
            "growing/operations.rs",
            "for (index, segment) in chain.segments().iter().enumerate() {",
            "for (index, segment) in chain.segments().iter().enumerate().rev() {",
        )],
    },
    Mutant {
        name: "a segment is taken out that is not empty",
        killer: "growing::simulation::nothing_is_lost_while_it_shrinks",
        message: "stored items were lost",
        changes: &[(
            "growing/segment.rs",
            " && self.len() == 0 && self.holds_nothing()",
            "",
        )],
    },
    Mutant {
        name: "removes take no segment out",
        killer: "growing_reclamation::segments_go_with_their_last_item",
        message: "drained segments stay",
        changes: &[(
            "growing/operations.rs",
            "if index != chain.target_index() && segment.is_bare_around(hash) {",
            "if index > chain.segments().len() && segment.is_bare_around(hash) {",
        )],
    },
    Mutant {
        name: "an empty filter keeps its largest segment",
        killer: "growing::simulation::an_empty_filter_begins_anew_as_often_as_one_likes",
        message: "the large segment stays",
        changes: &[(
            "growing/growth.rs",
            "&& last.len() == 0",
            "&& last.len() > last.slots()",
        )],
    },
    Mutant {
        name: "an empty filter begins anew while old segments are about",
        killer: "growing_reclamation::a_thread_that_stands_still_does_not_make_segments_multiply",
        message: "segments multiply",
        changes: &[
            (
                "growing/growth.rs",
                "if let [last] = chain.segments()",
                "if let Some(last) = Some(chain.target())",
            ),
            (
                "growing/growth.rs",
                "&& last.len() == 0",
                "&& chain.sum(Segment::len) == 0",
            ),
        ],
    },
    Mutant {
        name: "what is given up waits for the thread that gave it up",
        killer: "growing_reclamation::gives_back_what_other_threads_have_removed",
        message: "nobody is at work, and nothing is in",
        changes: &[(
            "growing/growth.rs",
            "// Handed to all threads: this one may not come back for long.\n            guard.flush();",
            "",
        )],
    },
    Mutant {
        name: "a clone does not know which segments take no inserts",
        killer: "growing::traits::a_clone_has_everything_and_a_life_of_its_own",
        message: "drained segments stay",
        changes: &[("growing/traits.rs", "Chain::at_rest(", "Chain::new(")],
    },
    Mutant {
        name: "a ninth copy makes it grow",
        killer: "growing::copies::a_ninth_copy_is_refused_and_nothing_grows",
        message: "eight are in",
        changes: &[(
            "growing/growth.rs",
            "Refusal::AllCopies => Err(InsertError::TooManyCopies {\n                copies: 2 * Bucket::SLOTS,\n            }),",
            "Refusal::AllCopies => self.grow(chain, guard),",
        )],
    },
    Mutant {
        name: "a segment full of copies is followed by another, however large it is",
        killer: "growing::copies::few_keys_with_many_copies_never_make_it_grow_without_end",
        message: "keys: GrowingCuckooFilter",
        changes: &[(
            "growing/growth.rs",
            "if len >= slots / LEAST_LOAD {",
            "if len >= slots / LEAST_LOAD / 1_024 {",
        )],
    },
    Mutant {
        name: "the segment to come does not count for the rate",
        killer: "growing::limits::grows_to_as_many_segments_as_the_rate_allows",
        message: "segments with a rate of",
        changes: &[(
            "growing/growth.rs",
            "rate_of_full(chain.segments().len() + 1)",
            "rate_of_full(chain.segments().len())",
        )],
    },
    Mutant {
        name: "the memory may be twice what is allowed",
        killer: "growing::limits::never_takes_more_memory_than_allowed",
        message: "items at first",
        changes: &[(
            "growing/growth.rs",
            "if bytes > self.memory {",
            "if bytes / 2 > self.memory {",
        )],
    },
    Mutant {
        name: "each segment is twice as large, whatever the factor",
        killer: "growing::limits::each_segment_is_larger_by_the_factor",
        message: "items, times 4",
        changes: &[(
            "growing/growth.rs",
            "target.refined(self.factor)",
            "target.refined(self.factor.min(2))",
        )],
    },
    Mutant {
        name: "a count looks at the newest segment only",
        killer: "growing::copies::copies_in_all_segments_are_counted",
        message: "copies in all segments",
        changes: &[(
            "growing/operations.rs",
            "let count = chain.sum(|segment| {",
            "let count = Some(chain.target()).map_or(0, |segment| {",
        )],
    },
    Mutant {
        name: "insert_unique does not look at older segments",
        killer: "growing::races::an_item_in_any_segment_is_not_added_again",
        message: "an older segment has it",
        changes: &[
            (
                "growing/operations.rs",
                "if self.contains_under(hash, guard) {\n                return Ok(false);",
                "if disturbed == usize::MAX {\n                return Ok(false);",
            ),
            (
                "growing/operations.rs",
                "self.chain.target_index() + 1..]",
                "self.chain.segments().len()..]",
            ),
        ],
    },
    Mutant {
        name: "the false-positive rate is that of the newest segment",
        killer: "growing::measures::the_false_positive_rate_is_as_told",
        message: "wrong answers, not",
        changes: &[(
            "growing/measures.rs",
            "let segments = self.chain.load(guard).segments().iter();",
            "let segments = self.chain.load(guard).segments().iter().take(1);",
        )],
    },
    Mutant {
        name: "a batch counts from the beginning of its last chunk",
        killer: "growing::batch::a_refused_batch_says_how_far_it_came",
        message: "assertion `left == right` failed",
        changes: &[(
            "growing/batch.rs",
            "let inserted = chunk * CHUNK + turn;",
            "let inserted = chunk.min(1) * CHUNK + turn;",
        )],
    },
];
