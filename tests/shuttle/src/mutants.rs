//! The mutants: the crate with one piece taken out, and the test that must notice.
//!
//! They are those of the models for loom, under the same names, as far as they break the protocol in one order
//! of all accesses; weakened orderings mean nothing here.

use mutation::Mutant;

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a miss is not validated",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "if self.stripes.change_since(class.fingerprint, version) <= matches.weight() {",
            "{\n                let _ = (version, matches.weight());",
        )],
    },
    Mutant {
        name: "a miss weighs as much as a bump",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[("matches.rs", "u64::from(self.0)", "u64::from(self.0) + 2")],
    },
    Mutant {
        name: "a miss behind a frozen word is not validated",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "if self.stripes.unchanged(fingerprint, version) {\n                return false;",
            "{\n                let _ = version;\n                return false;",
        )],
    },
    Mutant {
        name: "a frozen word is read as a bucket",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "word.rs",
            ".min(b.0.wrapping_sub(1)) >> REFERENCE_BITS != 0",
            ".min(b.0.wrapping_sub(1)) >> REFERENCE_BITS < u64::MAX",
        )],
    },
    Mutant {
        name: "a failed remove is not validated",
        killer: "schedules::removal::an_owner_reads_its_own_writes_while_its_token_hops",
        message: "an own rider was lost",
        changes: &[(
            "removal.rs",
            "if self.stripes.unchanged(fingerprint, version) {",
            "{\n                let _ = version;",
        )],
    },
    Mutant {
        name: "a count is not validated",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was miscounted",
        changes: &[(
            "lookup.rs",
            "if self.stripes.unchanged(fingerprint, version) {\n                return copies;",
            "{\n                let _ = version;\n                return copies;",
        )],
    },
    Mutant {
        name: "a relocation bumps nothing",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was",
        changes: &[("relocation.rs", "self.announce(hop.source, hop.moved);", "")],
    },
    Mutant {
        name: "a relocation bumps before the installs",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was",
        changes: &[
            ("relocation.rs", "self.announce(hop.source, hop.moved);", ""),
            (
                "relocation.rs",
                "let (reference, pending) =",
                "self.announce(hop.source, hop.moved);\n        let (reference, pending) =",
            ),
        ],
    },
    Mutant {
        name: "a relocation bumps after the commit",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was",
        changes: &[
            ("relocation.rs", "self.announce(hop.source, hop.moved);", ""),
            (
                "relocation.rs",
                "let committed = claim.decide(pending, State::Committed);",
                "let committed = claim.decide(pending, State::Committed);\n        self.announce(hop.source, hop.moved);",
            ),
        ],
    },
    Mutant {
        name: "a remove that sees two tokens bumps nothing",
        killer: "schedules::twins::a_class_that_is_never_empty_is_never_missed",
        message: "the class was never empty",
        changes: &[(
            "removal.rs",
            "if twin && !bumped {",
            "if false && twin && !bumped {",
        )],
    },
    Mutant {
        name: "a remove takes one of two tokens at once",
        killer: "schedules::twins::a_class_that_is_never_empty_is_never_missed",
        message: "the class was never empty",
        changes: &[("removal.rs", "matches.is_single()", "matches.any()")],
    },
    Mutant {
        name: "a pending arrival is always present",
        killer: "schedules::removal::an_owner_reads_its_own_writes_while_its_token_hops",
        message: "an own rider",
        changes: &[(
            "lookup.rs",
            "if self.table.load(transfer.source) == word {",
            "if true {",
        )],
    },
    Mutant {
        name: "a pending arrival is never present",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "if transfer.moved == Some(f) && bucket != transfer.source {",
            "if false && transfer.moved == Some(f) && bucket != transfer.source {",
        )],
    },
    Mutant {
        name: "an arrival decided meanwhile goes unnoticed",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "if self.pool.control(reference) != pending.control {",
            "if false {",
        )],
    },
    Mutant {
        name: "a lookup takes a stale reference for absence",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "Resolved::Stale => return Answer::Unclear,",
            "Resolved::Stale => return Answer::Absent,",
        )],
    },
    Mutant {
        name: "the number of a use is not checked",
        killer: "schedules::starvation::one_descriptor_serves_six_threads",
        message: "",
        changes: &[(
            "descriptor.rs",
            "(Sequence::of(control.uses()) == reference.sequence)",
            "(reference.index < usize::MAX)",
        )],
    },
    Mutant {
        name: "a relocation commits with one word frozen",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "",
        changes: &[(
            "relocation.rs",
            "            claim.decide(pending, State::Aborted);\n            self.table",
            "        }\n        if false {\n            self.table",
        )],
    },
    Mutant {
        name: "a remove does not look whether its exchange succeeded",
        killer: "schedules::removal::a_token_that_hops_is_removed_exactly_once",
        message: "a rider was removed",
        changes: &[(
            "removal.rs",
            "cleared(matches.slot());\n                if self.table.exchange(bucket, content, cleared) {",
            "cleared(matches.slot());\n                self.table.exchange(bucket, content, cleared);\n                {",
        )],
    },
    Mutant {
        name: "an insert does not look whether its exchange succeeded",
        killer: "schedules::histories::every_class_of_a_tiny_table_has_an_order",
        message: "",
        changes: &[(
            "insertion.rs",
            "a.plain(), b.plain()) == Some(true)",
            "a.plain(), b.plain()).is_some()",
        )],
    },
    Mutant {
        name: "two threads count on one cell",
        killer: "schedules::counting::no_item_is_counted_twice_or_not_at_all",
        message: "the count is off",
        changes: &[("counter.rs", "own.get(index)", "own.first()")],
    },
    Mutant {
        name: "a rival admission is no obstacle",
        killer: "schedules::admission::exactly_one_of_six_is_told_true",
        message: "not exactly one",
        changes: &[("settlement.rs", "if !rival {", "if !rival || true {")],
    },
    Mutant {
        name: "an admission does not ask its witness",
        killer: "schedules::admission::exactly_one_of_six_is_told_true",
        message: "not exactly one",
        changes: &[(
            "settlement.rs",
            "let state = if self.witness_holds_none(admission) {",
            "let state = if self.witness_holds_none(admission) || true {",
        )],
    },
    Mutant {
        name: "a relocation bumps between the installs",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was",
        changes: &[
            ("relocation.rs", "self.announce(hop.source, hop.moved);", ""),
            (
                "relocation.rs",
                "            return false;\n        }\n        if !self\n            .table\n            .exchange(higher,",
                "            return false;\n        }\n        self.announce(hop.source, hop.moved);\n        if !self\n            .table\n            .exchange(higher,",
            ),
        ],
    },
    Mutant {
        name: "a relocation that froze one word leaves it frozen",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "exceeded max_steps",
        changes: &[(
            "relocation.rs",
            "            self.table\n                .exchange(lower, reference, transfer.before(lower));\n",
            "",
        )],
    },
    Mutant {
        name: "a committed relocation leaves its source frozen",
        killer: "schedules::paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "exceeded max_steps",
        changes: &[(
            "relocation.rs",
            "            self.table.exchange(hop.source, reference, new_source);\n",
            "            let _ = new_source;\n",
        )],
    },
    Mutant {
        name: "an admission leaves its target frozen",
        killer: "schedules::admission::at_most_one_is_told_true_among_movers",
        message: "exceeded max_steps",
        changes: &[(
            "admission.rs",
            "        self.table.exchange(\n            target,\n            reference,\n            if committed { admitted } else { content },\n        );\n",
            "        let _ = admitted;\n",
        )],
    },
    Mutant {
        name: "an equal token in a frozen witness does not count",
        killer: "schedules::admission::a_winner_in_a_frozen_word_counts",
        message: "not exactly one was told true",
        changes: &[(
            "settlement.rs",
            "Resolved::Pending(other) if other.old.contains(fingerprint) => return false,",
            "",
        )],
    },
    Mutant {
        name: "a relocation gives no hint",
        killer: "schedules::scan::holds_riders_that_hop",
        message: "a hopping token was not copied once",
        changes: &[(
            "relocation.rs",
            "self.announce(hop.source, hop.moved);",
            "self.stripes.bump(hop.moved);",
        )],
    },
    Mutant {
        name: "a relocation gives its hint after the commit",
        killer: "schedules::scan::holds_the_only_token_that_hops",
        message: "a hopping token was not copied once",
        changes: &[
            (
                "relocation.rs",
                "self.announce(hop.source, hop.moved);",
                "let scanned = self.stripes.bump(hop.moved);",
            ),
            (
                "relocation.rs",
                "let committed = claim.decide(pending, State::Committed);",
                "let committed = claim.decide(pending, State::Committed);\n        if scanned {\n            self.hints.note(crate::hints::Hint { bucket: hop.source, fingerprint: hop.moved });\n        }",
            ),
        ],
    },
    Mutant {
        name: "a remove that sees two tokens gives no hint",
        killer: "schedules::scan::holds_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was not copied",
        changes: &[(
            "removal.rs",
            "self.announce(first, fingerprint);",
            "self.stripes.bump(fingerprint);",
        )],
    },
    Mutant {
        name: "a scan leaves pending relocations alone",
        killer: "schedules::scan::holds_riders_that_hop",
        message: "a hopping token was not copied once",
        changes: &[(
            "scan.rs",
            "copy.merge(bucket, self.settle(bucket), group)",
            "copy.merge(bucket, self.peek(bucket), group)",
        )],
    },
    Mutant {
        name: "a scan ends before it has read the table",
        killer: "schedules::scan::holds_riders_that_hop",
        message: "a hopping token was not copied once",
        changes: &[(
            "scan.rs",
            "self.stripes.announce_scan(group);",
            "self.stripes.announce_scan(group);\n        self.stripes.end_scan(group);",
        )],
    },
    Mutant {
        name: "others decide an admission in a segment",
        killer: "schedules::growth::exactly_one_is_told_true_while_the_filter_grows",
        message: "not exactly one was told true",
        changes: &[(
            "settlement.rs",
            "pending.transfer.moved.is_none() && self.scope == Scope::Whole",
            "pending.transfer.moved.is_none() && self.scope != Scope::Whole",
        )],
    },
    Mutant {
        name: "a remove walks from the oldest segment",
        killer: "schedules::growth::owners_keep_what_they_have",
        message: "an own item was",
        changes: &[(
            "growing/operations.rs",
            "chain.segments().iter().enumerate() {",
            "chain.segments().iter().enumerate().rev() {",
        )],
    },
    Mutant {
        name: "a lookup trusts a list that has changed",
        killer: "schedules::growth::a_class_that_is_never_empty_is_never_missed",
        message: "the class was never empty",
        changes: &[(
            "growing/operations.rs",
            "            if self.is_current(chain, guard) {\n                return false;",
            "            {\n                return false;",
        )],
    },
    Mutant {
        name: "a remove trusts a list that has changed",
        killer: "schedules::growth::owners_keep_what_they_have",
        message: "an own item was",
        changes: &[(
            "growing/operations.rs",
            "if !self.is_current(chain, guard) {\n                return None;",
            "if false {\n                return None;",
        )],
    },
    Mutant {
        name: "a count trusts a list that has changed",
        killer: "schedules::growth::a_class_that_is_never_empty_is_never_missed",
        message: "the class was never empty",
        changes: &[(
            "growing/operations.rs",
            "            if self.is_current(chain, guard) {\n                return count;",
            "            {\n                return count;",
        )],
    },
    Mutant {
        name: "an admission does not look at the list again",
        killer: "schedules::growth::exactly_one_is_told_true_while_the_filter_grows",
        message: "not exactly one was told true",
        changes: &[(
            "growing/operations.rs",
            "self.filter.is_current(self.chain, self.guard)",
            "(self.filter.is_current(self.chain, self.guard) || self.hash > 0)",
        )],
    },
    Mutant {
        name: "an admission asks its own segment only",
        killer: "schedules::growth::exactly_one_is_told_true_while_the_filter_grows",
        message: "not exactly one was told true",
        changes: &[(
            "growing/operations.rs",
            "segments.all(|segment| segment.as_ref().tokens.holds_none(self.hash))",
            "segments.all(|segment| segment.as_ref().slots() > 0)",
        )],
    },
    Mutant {
        name: "a segment with items is taken out",
        killer: "schedules::growth::nothing_is_lost_with_a_segment",
        message: "an own item was",
        changes: &[(
            "growing/segment.rs",
            "&& self.len() == 0 && self.holds_nothing()",
            "",
        )],
    },
];
