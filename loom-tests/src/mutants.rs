//! The mutants: the crate with one piece taken out, and the model that must notice.
//!
//! A model is worth what its mutants show. Each mutant names the piece, the change in the source, the test
//! that kills it and what that test says. A change that no longer matches the source exactly once fails the
//! run, so the list cannot drift from the code.

use mutation::Mutant;

pub(crate) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a miss is not validated",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "lookup.rs",
            "if self.stripes.change_since(class.fingerprint, version) <= matches.weight() {",
            "{\n                let _ = (version, matches.weight());",
        )],
    },
    Mutant {
        name: "a miss weighs as much as a bump",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[("matches.rs", "u64::from(self.0)", "u64::from(self.0) + 2")],
    },
    Mutant {
        name: "a miss behind a frozen word is not validated",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "lookup.rs",
            "if self.stripes.unchanged(fingerprint, version) {\n                return false;",
            "{\n                let _ = version;\n                return false;",
        )],
    },
    Mutant {
        name: "a frozen word is read as a bucket",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "word.rs",
            ".min(b.0.wrapping_sub(1)) >> REFERENCE_BITS != 0",
            ".min(b.0.wrapping_sub(1)) >> REFERENCE_BITS < u64::MAX",
        )],
    },
    Mutant {
        name: "a failed remove is not validated",
        killer: "removal::takes_a_token_that_hops",
        message: "a stored token was not found",
        changes: &[(
            "removal.rs",
            "if self.stripes.unchanged(fingerprint, version) {",
            "{\n                let _ = version;",
        )],
    },
    Mutant {
        name: "a count is not validated",
        killer: "lookup::counts_a_token_that_hops",
        message: "a token was not counted",
        changes: &[(
            "lookup.rs",
            "if self.stripes.unchanged(fingerprint, version) {\n                return copies;",
            "{\n                let _ = version;\n                return copies;",
        )],
    },
    Mutant {
        name: "a relocation bumps nothing",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[("relocation.rs", "self.announce(hop.source, hop.moved);", "")],
    },
    Mutant {
        name: "a relocation bumps before the installs",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
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
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
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
        killer: "lookup::sees_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was missed",
        changes: &[(
            "removal.rs",
            "if twin && !bumped {",
            "if false && twin && !bumped {",
        )],
    },
    Mutant {
        name: "a remove takes one of two tokens at once",
        killer: "lookup::sees_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was missed",
        changes: &[("removal.rs", "matches.is_single()", "matches.any()")],
    },
    Mutant {
        name: "a pending arrival is always present",
        killer: "removal::takes_a_token_that_hops",
        message: "a removed token was seen",
        changes: &[(
            "lookup.rs",
            "if self.table.load(transfer.source) == word {",
            "if true {",
        )],
    },
    Mutant {
        name: "a pending arrival is never present",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "lookup.rs",
            "if transfer.moved == Some(f) && bucket != transfer.source {",
            "if false && transfer.moved == Some(f) && bucket != transfer.source {",
        )],
    },
    Mutant {
        name: "an arrival decided meanwhile goes unnoticed",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "lookup.rs",
            "if self.pool.control(reference) != pending.control {",
            "if false {",
        )],
    },
    Mutant {
        name: "a lookup takes a stale reference for absence",
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "a token at rest was missed",
        changes: &[(
            "lookup.rs",
            "Resolved::Stale => return Answer::Unclear,",
            "Resolved::Stale => return Answer::Absent,",
        )],
    },
    Mutant {
        name: "the number of a use is not checked",
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "a token at rest was missed",
        changes: &[(
            "descriptor.rs",
            "(Sequence::of(control.uses()) == reference.sequence)",
            "(reference.index < usize::MAX)",
        )],
    },
    Mutant {
        name: "no Acquire fence after the fields",
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "a token at rest was missed",
        changes: &[("descriptor.rs", "fence(Ordering::Acquire);", "")],
    },
    Mutant {
        name: "no Release fence before the fields",
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "a token at rest was missed",
        changes: &[("descriptor.rs", "fence(Ordering::Release);", "")],
    },
    Mutant {
        name: "a claim is Relaxed",
        killer: "descriptor::two_owners_share_a_descriptor_over_unrelated_buckets",
        message: "a hopping token was missed",
        changes: &[(
            "descriptor.rs",
            ".compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)",
            ".compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed)",
        )],
    },
    Mutant {
        name: "the release of a claim is Relaxed",
        killer: "descriptor::two_owners_share_a_descriptor_over_unrelated_buckets",
        // The number goes back, and a reference that no use answers to is loaded again for ever.
        message: "exceeded maximum number of branches",
        changes: &[(
            "descriptor.rs",
            "self.descriptor.owned.store(0, Ordering::Release);",
            "self.descriptor.owned.store(0, Ordering::Relaxed);",
        )],
    },
    Mutant {
        name: "the last hop opens a slot for anybody",
        killer: "insertion::an_opened_slot_belongs_to_the_insert_that_opened_it",
        message: "the slot that an insert opened was taken",
        changes: &[
            (
                "insertion.rs",
                "placed.filter(|_| hop.last)",
                "placed.filter(|_| hop.last && false)",
            ),
            (
                "insertion.rs",
                "Opened::Done => return Ok(()),",
                "Opened::Done if self.add(class) => return Ok(()),\n                Opened::Done => {}",
            ),
        ],
    },
    Mutant {
        name: "attempts are not bounded",
        killer: "death::a_dead_kick_loses_nothing",
        message: "exceeded maximum number of branches",
        changes: &[(
            "insertion.rs",
            "{ 3 } else { 64 }",
            "{ 1 << 40 } else { 64 }",
        )],
    },
    Mutant {
        name: "a relocation commits with one word frozen",
        killer: "removal::takes_a_token_that_hops",
        message: "a removed token",
        changes: &[(
            "relocation.rs",
            "            claim.decide(pending, State::Aborted);\n            self.table",
            "        }\n        if false {\n            self.table",
        )],
    },
    Mutant {
        name: "a remove does not look whether its exchange succeeded",
        killer: "removal::two_share_one_token",
        message: "one token was removed",
        changes: &[(
            "removal.rs",
            "cleared(matches.slot());\n                if self.table.exchange(bucket, content, cleared) {",
            "cleared(matches.slot());\n                self.table.exchange(bucket, content, cleared);\n                {",
        )],
    },
    Mutant {
        name: "an insert does not look whether its exchange succeeded",
        killer: "insertion::plain_inserts_share_a_bucket",
        message: "an inserted item is not found",
        changes: &[(
            "insertion.rs",
            "a.plain(), b.plain()) == Some(true)",
            "a.plain(), b.plain()).is_some()",
        )],
    },
    Mutant {
        name: "two threads count on one cell",
        killer: "insertion::plain_inserts_share_a_bucket",
        message: "the count is off",
        changes: &[("counter.rs", "own.get(index)", "own.first()")],
    },
    Mutant {
        name: "the witness is read by a plain load",
        killer: "admission::two_race_for_an_absent_item",
        message: "not exactly one was told true",
        changes: &[(
            "table.rs",
            "self.words[bucket].fetch_or(0, Ordering::SeqCst)",
            "self.words[bucket].load(Ordering::Acquire)",
        )],
    },
    Mutant {
        name: "a rival admission is no obstacle",
        killer: "admission::two_race_for_an_absent_item",
        message: "not exactly one was told true",
        changes: &[("settlement.rs", "if !rival {", "if !rival || true {")],
    },
    Mutant {
        name: "an admission does not ask its witness",
        killer: "admission::two_race_for_an_absent_item",
        message: "not exactly one was told true",
        changes: &[(
            "settlement.rs",
            "let state = if self.witness_holds_none(admission) {",
            "let state = if self.witness_holds_none(admission) || true {",
        )],
    },
    Mutant {
        name: "the version is read Relaxed",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "stripes.rs",
            "Version(self.stripe(f).load(Ordering::Acquire))",
            "Version(self.stripe(f).load(Ordering::Relaxed))",
        )],
    },
    Mutant {
        name: "a bump releases nothing",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "stripes.rs",
            "fetch_add(BUMP, Ordering::AcqRel)",
            "fetch_add(BUMP, Ordering::Acquire)",
        )],
    },
    Mutant {
        name: "words are read Relaxed",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "table.rs",
            "(a.load(Ordering::SeqCst), b.load(Ordering::SeqCst))",
            "(a.load(Ordering::Relaxed), b.load(Ordering::Relaxed))",
        )],
    },
    Mutant {
        name: "loads of words are not in the one order",
        killer: "order::two_items_inserted_and_looked_for_crosswise",
        message: "each of two inserts was missed",
        changes: &[(
            "table.rs",
            "(a.load(Ordering::SeqCst), b.load(Ordering::SeqCst))",
            "(a.load(Ordering::Acquire), b.load(Ordering::Acquire))",
        )],
    },
    Mutant {
        name: "frozen words are read Relaxed",
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "",
        changes: &[(
            "table.rs",
            "self.words[bucket].load(Ordering::SeqCst)",
            "self.words[bucket].load(Ordering::Relaxed)",
        )],
    },
    Mutant {
        name: "exchanges of words are not in the one order",
        killer: "order::two_removes_and_two_admissions_of_one_class",
        message: "both were told that a removed item is present",
        changes: &[(
            "table.rs",
            "Ordering::SeqCst,\n                Ordering::SeqCst,",
            "Ordering::AcqRel,\n                Ordering::Acquire,",
        )],
    },
    Mutant {
        name: "an exchange of a word publishes nothing",
        killer: "lookup::a_hit_publishes_what_came_before_the_insert",
        message: "Causality violation",
        changes: &[(
            "table.rs",
            "Ordering::SeqCst,\n                Ordering::SeqCst,",
            "Ordering::Acquire,\n                Ordering::Acquire,",
        )],
    },
    Mutant {
        name: "a commit publishes nothing",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "descriptor.rs",
            "Ordering::SeqCst,\n                Ordering::SeqCst,",
            "Ordering::Relaxed,\n                Ordering::Relaxed,",
        )],
    },
    Mutant {
        name: "the control is read Relaxed",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
        changes: &[(
            "descriptor.rs",
            "Control(self.control.load(Ordering::SeqCst))",
            "Control(self.control.load(Ordering::Relaxed))",
        )],
    },
    Mutant {
        name: "the number of a use is published Relaxed",
        killer: "descriptor::a_token_at_rest_is_seen_behind_two_uses",
        message: "exceeded maximum number of branches",
        changes: &[(
            "descriptor.rs",
            "self.descriptor.control.store(pending.0, Ordering::Release);",
            "self.descriptor.control.store(pending.0, Ordering::Relaxed);",
        )],
    },
    Mutant {
        name: "a relocation bumps between the installs",
        killer: "lookup::sees_a_token_that_hops",
        message: "a hopping token was missed",
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
        name: "a remove bumps after its exchange",
        killer: "lookup::sees_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was missed",
        changes: &[
            (
                "removal.rs",
                "                    self.announce(first, fingerprint);\n",
                "",
            ),
            (
                "removal.rs",
                "bumped = true;\n                }\n                if self.table.exchange(bucket, content, cleared) {\n",
                "bumped = true;\n                }\n                if self.table.exchange(bucket, content, cleared) {\n                    if twin {\n                        self.stripes.bump(fingerprint);\n                    }\n",
            ),
        ],
    },
    Mutant {
        name: "a relocation that froze one word leaves it frozen",
        killer: "insertion::removes_take_both_victims_of_two_hops",
        message: "exceeded maximum number of branches",
        changes: &[(
            "relocation.rs",
            "            self.table\n                .exchange(lower, reference, transfer.before(lower));\n",
            "",
        )],
    },
    Mutant {
        name: "a committed relocation leaves its source frozen",
        killer: "descriptor::two_owners_share_a_descriptor_over_unrelated_buckets",
        message: "exceeded maximum number of branches",
        changes: &[(
            "relocation.rs",
            "            self.table.exchange(hop.source, reference, new_source);\n",
            "            let _ = new_source;\n",
        )],
    },
    Mutant {
        name: "an admission leaves its target frozen",
        killer: "descriptor::a_descriptor_admits_twice",
        message: "exceeded maximum number of branches",
        changes: &[(
            "admission.rs",
            "        self.table.exchange(\n            target,\n            reference,\n            if committed { admitted } else { content },\n        );\n",
            "        let _ = admitted;\n",
        )],
    },
    Mutant {
        name: "an equal token in a frozen witness does not count",
        killer: "admission::an_equal_token_in_a_frozen_witness_counts",
        message: "not exactly one was told true",
        changes: &[(
            "settlement.rs",
            "Resolved::Pending(other) if other.old.contains(fingerprint) => return false,",
            "",
        )],
    },
    Mutant {
        name: "a relocation gives no hint",
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
        changes: &[(
            "relocation.rs",
            "self.announce(hop.source, hop.moved);",
            "self.stripes.bump(hop.moved);",
        )],
    },
    Mutant {
        name: "a relocation gives its hint after the commit",
        killer: "snapshot::holds_a_token_that_hops",
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
        killer: "snapshot::holds_one_of_two_equal_tokens_that_come_and_go",
        message: "a token was not copied",
        changes: &[(
            "removal.rs",
            "self.announce(first, fingerprint);",
            "self.stripes.bump(fingerprint);",
        )],
    },
    Mutant {
        name: "a scan leaves pending relocations alone",
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
        changes: &[(
            "scan.rs",
            "copy.merge(bucket, self.settle(bucket), group)",
            "copy.merge(bucket, self.peek(bucket), group)",
        )],
    },
    Mutant {
        name: "a scan is announced without Acquire",
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
        changes: &[(
            "stripes.rs",
            "stripe.fetch_or(SCAN, Ordering::AcqRel);",
            "stripe.fetch_or(SCAN, Ordering::Release);",
        )],
    },
    Mutant {
        name: "a scan ends before it has read the table",
        killer: "snapshot::holds_a_token_that_hops",
        message: "a hopping token was not copied once",
        changes: &[(
            "scan.rs",
            "self.stripes.announce_scan(group);",
            "self.stripes.announce_scan(group);\n        self.stripes.end_scan(group);",
        )],
    },
    Mutant {
        name: "hints that found no room are ignored",
        killer: "snapshot::holds_more_than_the_log_does",
        message: "a hopping token was not copied once",
        changes: &[(
            "hints.rs",
            "let noted = self.log.slots.get(..notes)?;",
            "let noted = &self.log.slots[..notes.min(self.log.slots.len())];",
        )],
    },
    Mutant {
        name: "a remove walks from the oldest segment",
        killer: "growth::a_remove_takes_nothing_that_another_item_needs",
        message: "another item",
        changes: &[(
            "growing/operations.rs",
            "chain.segments().iter().enumerate() {",
            "chain.segments().iter().enumerate().rev() {",
        )],
    },
    Mutant {
        name: "a lookup trusts a list that has changed",
        killer: "growth::a_walk_over_a_list_that_has_changed_is_not_trusted",
        message: "a class that is never empty was missed",
        changes: &[(
            "growing/operations.rs",
            "            if self.is_current(chain, guard) {\n                return false;",
            "            {\n                return false;",
        )],
    },
    Mutant {
        name: "a remove trusts a list that has changed",
        killer: "growth::a_remove_over_a_list_that_has_changed_begins_again",
        message: "another item",
        changes: &[(
            "growing/operations.rs",
            "if !self.is_current(chain, guard) {\n                return None;",
            "if false {\n                return None;",
        )],
    },
    Mutant {
        name: "an admission does not look at the list again",
        killer: "growth::an_admission_that_was_late_for_growth_has_no_second_winner",
        message: "not exactly one",
        changes: &[(
            "growing/operations.rs",
            "            && self.filter.is_current(self.chain, self.guard)\n",
            "            && (self.filter.is_current(self.chain, self.guard) || self.hash > 0)\n",
        )],
    },
    Mutant {
        name: "an admission asks its own segment only",
        killer: "growth::an_admission_that_was_late_for_growth_has_no_second_winner",
        message: "not exactly one",
        changes: &[(
            "growing/operations.rs",
            "segments.all(|segment| segment.as_ref().tokens.holds_none(self.hash))",
            "segments.all(|segment| segment.as_ref().slots() > 0)",
        )],
    },
    Mutant {
        name: "an admission reads other segments like a lookup",
        killer: "growth::an_admission_that_was_late_for_growth_has_no_second_winner",
        message: "not exactly one",
        changes: &[(
            "growing/witness.rs",
            "let holds = |bucket| self.settle_latest(bucket).contains(fingerprint);",
            "let holds = |bucket| self.settle(bucket).contains(fingerprint);",
        )],
    },
    Mutant {
        name: "a segment is taken out before it is sealed",
        killer: "growth::a_segment_that_may_get_an_item_is_not_taken_out",
        message: "lost with its segment",
        changes: &[(
            "growing/segment.rs",
            "self.sealed.load(Ordering::Acquire) == 1 &&",
            "self.sealed.load(Ordering::Acquire) < 2 &&",
        )],
    },
    Mutant {
        name: "a segment is sealed at once",
        killer: "growth::a_segment_that_may_get_an_item_is_not_taken_out",
        message: "lost with its segment",
        changes: &[(
            "growing/growth.rs",
            "guard.defer(move || last.seal());",
            "last.seal();",
        )],
    },
    Mutant {
        name: "growers that find another's segment add their own",
        killer: "growth::growers_that_race_add_one_segment",
        message: "an item was lost",
        changes: &[(
            "published.rs",
            "        if !ptr::eq(shared.as_raw(), current) {\n            return false;",
            "        if false {\n            return current as *const T == shared.as_raw();",
        )],
    },
    Mutant {
        name: "a list is published without what it consists of",
        killer: "growth::an_insert_is_not_lost_while_the_filter_grows",
        message: "Causality violation",
        changes: &[(
            "published.rs",
            ".compare_exchange(shared, new, Ordering::AcqRel, Ordering::Relaxed, guard)",
            ".compare_exchange(shared, new, Ordering::Acquire, Ordering::Relaxed, guard)",
        )],
    },
];
