//! The mutants: the crate with one piece taken out, and the test that must notice.
//!
//! They are those of the models for loom, under the same names, as far as they break the protocol in one order
//! of all accesses; weakened orderings mean nothing here.

/// One piece taken out.
pub(crate) struct Mutant {
    /// What is missing.
    pub(crate) name: &'static str,
    /// The test that must fail, as `module::test`.
    pub(crate) killer: &'static str,
    /// What the failing test says.
    pub(crate) message: &'static str,
    /// File, text, and what stands there instead.
    pub(crate) changes: &'static [(&'static str, &'static str, &'static str)],
}

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a miss is not validated",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "if self.stripes.change_since(class.fingerprint, version) <= matches.weight() {",
            "{\n                let _ = (version, matches.weight());",
        )],
    },
    Mutant {
        name: "a miss weighs as much as a bump",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[("matches.rs", "u64::from(self.0)", "u64::from(self.0) + 2")],
    },
    Mutant {
        name: "a miss behind a frozen word is not validated",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "if self.stripes.unchanged(fingerprint, version) {\n                return false;",
            "{\n                let _ = version;\n                return false;",
        )],
    },
    Mutant {
        name: "a frozen word is read as a bucket",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "word.rs",
            ".min(b.0.wrapping_sub(1)) >> REFERENCE_BITS != 0",
            ".min(b.0.wrapping_sub(1)) >> REFERENCE_BITS < u64::MAX",
        )],
    },
    Mutant {
        name: "a failed remove is not validated",
        killer: "removal::a_token_that_hops_is_removed_exactly_once",
        message: "a removed rider was seen",
        changes: &[(
            "removal.rs",
            "if self.stripes.unchanged(fingerprint, version) {",
            "{\n                let _ = version;",
        )],
    },
    Mutant {
        name: "a count is not validated",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was miscounted",
        changes: &[(
            "lookup.rs",
            "if self.stripes.unchanged(fingerprint, version) {\n                return copies;",
            "{\n                let _ = version;\n                return copies;",
        )],
    },
    Mutant {
        name: "a relocation bumps nothing",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was",
        changes: &[("relocation.rs", "self.announce(hop.source, hop.moved);", "")],
    },
    Mutant {
        name: "a relocation bumps before the installs",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
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
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
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
        killer: "twins::a_class_that_is_never_empty_is_never_missed",
        message: "the class was never empty",
        changes: &[(
            "removal.rs",
            "if twin && !bumped {",
            "if false && twin && !bumped {",
        )],
    },
    Mutant {
        name: "a remove takes one of two tokens at once",
        killer: "twins::a_class_that_is_never_empty_is_never_missed",
        message: "the class was never empty",
        changes: &[("removal.rs", "matches.is_single()", "matches.any()")],
    },
    Mutant {
        name: "a pending arrival is always present",
        killer: "removal::an_owner_reads_its_own_writes_while_its_token_hops",
        message: "an own rider",
        changes: &[(
            "lookup.rs",
            "if self.table.load(transfer.source) == word {",
            "if true {",
        )],
    },
    Mutant {
        name: "a pending arrival is never present",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "if transfer.moved == Some(f) && bucket != transfer.source {",
            "if false && transfer.moved == Some(f) && bucket != transfer.source {",
        )],
    },
    Mutant {
        name: "an arrival decided meanwhile goes unnoticed",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "if self.pool.control(reference) != pending.control {",
            "if false {",
        )],
    },
    Mutant {
        name: "a lookup takes a stale reference for absence",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "a rider was missed",
        changes: &[(
            "lookup.rs",
            "Resolved::Stale => return Answer::Unclear,",
            "Resolved::Stale => return Answer::Absent,",
        )],
    },
    Mutant {
        name: "the number of a use is not checked",
        killer: "starvation::one_descriptor_serves_six_threads",
        message: "",
        changes: &[(
            "descriptor.rs",
            "(Sequence::of(control.uses()) == reference.sequence)",
            "(reference.index < usize::MAX)",
        )],
    },
    Mutant {
        name: "a relocation commits with one word frozen",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "",
        changes: &[(
            "relocation.rs",
            "            claim.decide(pending, State::Aborted);\n            self.table",
            "        }\n        if false {\n            self.table",
        )],
    },
    Mutant {
        name: "a remove does not look whether its exchange succeeded",
        killer: "removal::a_token_that_hops_is_removed_exactly_once",
        message: "a rider was removed",
        changes: &[(
            "removal.rs",
            "cleared(matches.slot());\n                if self.table.exchange(bucket, content, cleared) {",
            "cleared(matches.slot());\n                self.table.exchange(bucket, content, cleared);\n                {",
        )],
    },
    Mutant {
        name: "an insert does not look whether its exchange succeeded",
        killer: "histories::every_class_of_a_tiny_table_has_an_order",
        message: "",
        changes: &[(
            "insertion.rs",
            "a.plain(), b.plain()) == Some(true)",
            "a.plain(), b.plain()).is_some()",
        )],
    },
    Mutant {
        name: "two threads count on one cell",
        killer: "counting::no_item_is_counted_twice_or_not_at_all",
        message: "the count is off",
        changes: &[("counter.rs", "own.get(index)", "own.first()")],
    },
    Mutant {
        name: "a rival admission is no obstacle",
        killer: "admission::exactly_one_of_six_is_told_true",
        message: "not exactly one",
        changes: &[("settlement.rs", "if !rival {", "if !rival || true {")],
    },
    Mutant {
        name: "an admission does not ask its witness",
        killer: "admission::exactly_one_of_six_is_told_true",
        message: "not exactly one",
        changes: &[(
            "settlement.rs",
            "let state = if self.witness_holds_none(admission) {",
            "let state = if self.witness_holds_none(admission) || true {",
        )],
    },
    Mutant {
        name: "a relocation bumps between the installs",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
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
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "exceeded max_steps",
        changes: &[(
            "relocation.rs",
            "            self.table\n                .exchange(lower, reference, transfer.before(lower));\n",
            "",
        )],
    },
    Mutant {
        name: "a committed relocation leaves its source frozen",
        killer: "paths::riders_are_never_missed_in_a_storm_of_hops",
        message: "exceeded max_steps",
        changes: &[(
            "relocation.rs",
            "            self.table.exchange(hop.source, reference, new_source);\n",
            "            let _ = new_source;\n",
        )],
    },
    Mutant {
        name: "an admission leaves its target frozen",
        killer: "admission::at_most_one_is_told_true_among_movers",
        message: "exceeded max_steps",
        changes: &[(
            "admission.rs",
            "            self.table.exchange(\n                target,\n                reference,\n                if committed { admitted } else { content },\n            );\n",
            "            let _ = admitted;\n",
        )],
    },
    Mutant {
        name: "an equal token in a frozen witness does not count",
        killer: "admission::a_winner_in_a_frozen_word_counts",
        message: "not exactly one was told true",
        changes: &[(
            "settlement.rs",
            "Resolved::Pending(other) if other.old.contains(fingerprint) => return false,",
            "",
        )],
    },
    Mutant {
        name: "a relocation gives no hint",
        killer: "scan::holds_riders_that_hop",
        message: "a hopping token was not copied once",
        changes: &[(
            "relocation.rs",
            "self.announce(hop.source, hop.moved);",
            "self.stripes.bump(hop.moved);",
        )],
    },
    Mutant {
        name: "a relocation gives its hint after the commit",
        killer: "scan::holds_riders_that_hop",
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
        killer: "scan::holds_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was not copied",
        changes: &[(
            "removal.rs",
            "self.announce(first, fingerprint);",
            "self.stripes.bump(fingerprint);",
        )],
    },
    Mutant {
        name: "a scan leaves pending relocations alone",
        killer: "scan::holds_riders_that_hop",
        message: "a hopping token was not copied once",
        changes: &[(
            "scan.rs",
            "copy.merge(bucket, self.settle(bucket), group)",
            "copy.merge(bucket, self.peek(bucket), group)",
        )],
    },
    Mutant {
        name: "a scan ends before it has read the table",
        killer: "scan::holds_riders_that_hop",
        message: "a hopping token was not copied once",
        changes: &[(
            "scan.rs",
            "self.stripes.announce_scan(group);",
            "self.stripes.announce_scan(group);\n        self.stripes.end_scan(group);",
        )],
    },
];
