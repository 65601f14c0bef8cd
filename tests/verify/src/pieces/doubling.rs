//! Doubling: splits, the growth that they make up, and what holds of tokens that cover more than one item.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "a split does not freeze its word",
        changes: &[(
            "tokens/doubling/splitting.rs",
            "if replace(tokens, bucket, content, reference) {\n            finish_installed(tokens, bucket, reference, content, guard);",
            "let _ = (reference, guard);\n        let depth = tokens.blocks.depth(level_of(bucket));\n        \
             let parts = super::settlement::parts(bucket, content, depth);\n        \
             use crate::table::doubling::Word;\n        \
             tokens.blocks.exchange(bucket << 1, Word::ABSENT, parts[0]);\n        \
             tokens.blocks.exchange(bucket << 1 | 1, Word::ABSENT, parts[1]);\n        \
             if replace(tokens, bucket, content, Word::GONE) {",
        )],
    },
    Piece {
        name: "a split writes its parts into empty buckets too",
        changes: &[(
            "tokens/doubling/settlement.rs",
            "below.exchange(bucket << 1, Word::ABSENT, parts[0]);",
            "let _ = below.exchange(bucket << 1, Word::ABSENT, parts[0])\n            \
             || below.exchange(bucket << 1, Bucket::EMPTY, parts[0]);",
        )],
    },
    Piece {
        name: "a split bucket is gone before its parts are there",
        changes: &[(
            "tokens/doubling/settlement.rs",
            "// Each of these exchanges",
            "tokens.blocks.exchange(bucket, reference, Word::GONE);\n    // Each of these exchanges",
        )],
    },
    Piece {
        name: "a writer that meets a split aborts it",
        changes: &[(
            "tokens/doubling/settlement.rs",
            "Resolved::Pending(pending) if pending.transfer.is_split() => finish(tokens, bucket),",
            "",
        )],
    },
    Piece {
        name: "a split takes both sides for the first",
        changes: &[(
            "table/doubling/class.rs",
            "usize::from(bit ^ flip)",
            "usize::from(bit ^ (flip && false))",
        )],
    },
    Piece {
        name: "a hop does not look at the parent of a bucket",
        changes: &[(
            "tokens/doubling/splitting.rs",
            "level_of(bucket) > tokens.blocks.hint().level();",
            "level_of(bucket) > tokens.blocks.hint().level() + 1;",
        )],
    },
    Piece {
        name: "the hint moves on before the last words are gone",
        changes: &[(
            "table/doubling/sweep.rs",
            "        to == words\n    }",
            "        to + CHUNK >= words\n    }",
        )],
    },
    Piece {
        name: "the cursor moves on before the words are gone",
        changes: &[(
            "tokens/doubling/splitting.rs",
            "    if !split_all(tokens, buckets) {",
            "    tokens.blocks.move_on(hint, chunk.clone());\n    if !split_all(tokens, buckets) {",
        )],
    },
    Piece {
        name: "the cursor passes words that others have taken",
        changes: &[(
            "table/doubling/blocks.rs",
            "self.load(first + place) == Word::GONE;",
            "self.load(first + place) != Word::ABSENT;",
        )],
    },
    Piece {
        name: "nobody splits what another has taken",
        changes: &[(
            "table/doubling/sweep.rs",
            "return chunk(cursor);",
            "return chunk(free);",
        )],
    },
    Piece {
        name: "all split the words at the cursor",
        changes: &[(
            "table/doubling/sweep.rs",
            "let free = cursor.max(old);",
            "let free = cursor;",
        )],
    },
    Piece {
        name: "a growth that stands still counts as one that goes on",
        changes: &[(
            "engine/growing/growth.rs",
            "patience.progress.replace(progress) == Some(progress)",
            "patience.progress.replace((0, 0)) == Some(progress)",
        )],
    },
    Piece {
        name: "the hint is read Relaxed",
        changes: &[(
            "table/doubling/blocks.rs",
            "        Hint(self.hint.load(Ordering::SeqCst))\n    }",
            "        Hint(self.hint.load(Ordering::Relaxed))\n    }",
        )],
    },
    Piece {
        name: "memory is given back at once",
        changes: &[(
            "tokens/doubling/splitting.rs",
            "crossbeam_epoch::pin().defer(release);",
            "release();",
        )],
    },
    Piece {
        name: "who ends a split is not pinned",
        changes: &[
            (
                "tokens/doubling/settlement.rs",
                "let guard = crossbeam_epoch::pin();",
                "#[allow(unsafe_code)]\n    let guard = unsafe { crossbeam_epoch::unprotected() };",
            ),
            (
                "tokens/doubling/splitting.rs",
                "let guard = crossbeam_epoch::pin();\n    let mut claim",
                "#[allow(unsafe_code)]\n    let guard = unsafe { crossbeam_epoch::unprotected() };\n    let mut claim",
            ),
            (
                "tokens/doubling/splitting.rs",
                "&mut claim, &guard)",
                "&mut claim, guard)",
            ),
            (
                "tokens/doubling/settlement.rs",
                "transfer.old_source, &guard);",
                "transfer.old_source, guard);",
            ),
        ],
    },
    Piece {
        name: "an absent word of the first level is an empty bucket for ever",
        changes: &[(
            "table/doubling/blocks.rs",
            "level_of(bucket) == self.first && self.hint().level() == self.first",
            "level_of(bucket) == self.first",
        )],
    },
    Piece {
        name: "who opens an absent word is not pinned",
        changes: &[(
            "tokens/doubling/settlement.rs",
            "let _guard = crossbeam_epoch::pin();\n    tokens.blocks.is_lazy",
            "tokens.blocks.is_lazy",
        )],
    },
    Piece {
        name: "a lookup in a table that doubles is not validated",
        changes: &[(
            "tokens/doubling/lookup.rs",
            "let is_certain = sight.is_sure() & tokens.stripes.unchanged(f, version);",
            "let _ = version;\n    let is_certain = sight.is_sure();",
        )],
    },
    Piece {
        name: "a lookup in the midst of a growth is not validated",
        changes: &[(
            "tokens/doubling/lookup.rs",
            "if seen.is_sure() && tokens.stripes.unchanged(f, version) {",
            "let _ = version;\n    if seen.is_sure() {",
        )],
    },
    Piece {
        name: "a lookup takes what is not where the sweep left it for empty",
        changes: &[(
            "tokens/doubling/lookup.rs",
            "if seen.is_sure() && tokens.stripes.unchanged(f, version) {",
            "if tokens.stripes.unchanged(f, version) {",
        )],
    },
    Piece {
        name: "a remove takes the first token that covers the item",
        changes: &[(
            "tokens/doubling/removal.rs",
            "prefix.len() > best.len()",
            "prefix.len() > best.len() + 64",
        )],
    },
    Piece {
        name: "a remove compares the lengths of tails",
        changes: &[(
            "tokens/doubling/removal.rs",
            "best.is_none_or(|(_, _, best)| prefix.len() > best.len())",
            "best.is_none_or(|(at, _, best)| prefix.len() - live.level() > best.len() - pair[at].level())",
        )],
    },
    Piece {
        name: "a remove takes a shorter token without validation",
        changes: &[(
            "tokens/doubling/removal.rs",
            "&& !tokens.stripes.unchanged(f, version) {",
            "&& false {",
        )],
    },
    Piece {
        name: "a remove by one exchange takes a shorter token without validation",
        changes: &[(
            "tokens/doubling/removal.rs",
            "== 0) & tokens.stripes.unchanged(f, version);",
            "== 0) & (version == version);",
        )],
    },
    Piece {
        name: "a remove that sees a nested token bumps nothing",
        changes: &[(
            "tokens/doubling/removal.rs",
            "if !bumped && other.prefixes().any(is_nested) {",
            "if !bumped && other.prefixes().any(is_nested) && false {",
        )],
    },
    Piece {
        name: "a hop in a table that doubles bumps nothing",
        changes: &[(
            "tokens/doubling/relocation.rs",
            "    graph.tokens.announce(hop.source, head(hop.moved));\n",
            "",
        )],
    },
    Piece {
        name: "a hop in a table that doubles bumps after its commit",
        changes: &[
            (
                "tokens/doubling/relocation.rs",
                "    graph.tokens.announce(hop.source, head(hop.moved));\n",
                "",
            ),
            (
                "tokens/doubling/relocation.rs",
                "    // An exchange that fails here has been",
                "    graph.tokens.announce(hop.source, head(hop.moved));\n    // An exchange that fails here has been",
            ),
        ],
    },
    Piece {
        name: "a scan takes a word that is gone for an empty bucket",
        changes: &[(
            "tokens/doubling/scan.rs",
            "tokens.region(bucket, settled).ok_or(Disturbance::Other)",
            "Ok(Region::Whole(settled(tokens, bucket).unwrap_or(Bucket::EMPTY)))",
        )],
    },
    Piece {
        name: "a scan heeds no hints of the parts of a bucket",
        changes: &[(
            "tokens/doubling/scan.rs",
            "        let region = hint.bucket >> deeper",
            "        if deeper == Some(1) {\n            return Ok(());\n        }\n        let region = hint.bucket >> deeper",
        )],
    },
    Piece {
        name: "a scan does not validate what it reads for a hint in a table that doubles",
        changes: &[(
            "tokens/doubling/scan.rs",
            "if tokens.stripes.unchanged(f, version) {",
            "if tokens.stripes.unchanged(f, version) || true {",
        )],
    },
    Piece {
        name: "a copy is not split where the table is",
        changes: &[(
            "tokens/doubling/scan.rs",
            "    if matches!(found, Region::Split(_)) {\n        split(copy, bucket)?;\n    }\n    let mut buckets",
            "    let mut buckets",
        )],
    },
    Piece {
        name: "a full region of a copy is not split",
        changes: &[(
            "tokens/doubling/scan.rs",
            "if copy.is_growing(copy.hint()) && !copy.look(bucket).has_room() {",
            "if copy.is_growing(copy.hint()) && !copy.look(bucket).has_room() && false {",
        )],
    },
    Piece {
        name: "what a dead thread has taken to split it stays taken",
        changes: &[(
            "tokens/doubling/exclusive.rs",
            "    tokens.blocks.give_up_taken();\n",
            "",
        )],
    },
    Piece {
        name: "chunks go on when another doubling has begun",
        changes: &[(
            "stored/growing.rs",
            "self.size() == stage(shape).size()",
            "self.size() >= stage(shape).size()",
        )],
    },
    Piece {
        name: "a stored bucket that the sweep has passed need not be split",
        changes: &[(
            "stored/growing.rs",
            "matches!(region, Region::Split(_)) || !self.stage.has_passed(place),",
            "matches!(region, Region::Split(_)) || !self.stage.has_passed(place) || true,",
        )],
    },
    Piece {
        name: "a token that hops in a table that doubles gives no hint",
        changes: &[(
            "tokens/doubling/parts.rs",
            "if self.stripes.bump(fingerprint) {",
            "if self.stripes.bump(fingerprint) && bucket == 0 {",
        )],
    },
    Piece {
        name: "a table is added behind whatever there is",
        changes: &[(
            "engine/growing/growth.rs",
            "self.add(target, tables, level)",
            "self.add(target, self.tables.count().max(tables), level)",
        )],
    },
    Piece {
        name: "an admission in a table that doubles does not ask its witness",
        changes: &[(
            "tokens/doubling/admission.rs",
            "&& witness_holds_none(tokens, class, witness, target.bucket)",
            "&& (true || witness_holds_none(tokens, class, witness, target.bucket))",
        )],
    },
    Piece {
        name: "an admission does not go down to the parts of its witness",
        changes: &[(
            "tokens/doubling/admission.rs",
            "State::Gone => return Step::Down,",
            "State::Gone => return Step::Here(true),",
        )],
    },
    Piece {
        name: "a rival admission in a table that doubles is no obstacle",
        changes: &[(
            "tokens/doubling/admission.rs",
            "if pending.transfer.moved.is_some() || !arriving {",
            "if pending.transfer.moved.is_some() || !arriving || true {",
        )],
    },
    Piece {
        name: "an admission asks its own table only",
        changes: &[(
            "engine/growing/walks.rs",
            "coarser.all(|table| table.tokens().holds_none(self.hash))",
            "coarser.all(|_| true)",
        )],
    },
    Piece {
        name: "a lookup does not ask whether the hop that it has met is still under way",
        changes: &[(
            "tokens/doubling/lookup.rs",
            "if tokens.pool.control(reference) != pending.control {",
            "if tokens.pool.control(reference) != pending.control && false {",
        )],
    },
    Piece {
        name: "a remove takes the upper of two levels for the deeper one",
        changes: &[(
            "tokens/doubling/removal.rs",
            "            .max();\n        if newest",
            "            .min();\n        if newest",
        )],
    },
    Piece {
        name: "a scan that growth disturbs does not end",
        changes: &[(
            "tokens/doubling/scan.rs",
            "    tokens.stripes.end_scan(group);\n    copied?;",
            "    copied?;\n    tokens.stripes.end_scan(group);",
        )],
    },
    Piece {
        name: "an insert that is refused does not ask whether others have made room",
        changes: &[(
            "engine/growing/growth.rs",
            "Err(_) if self.has_grown(target, hint) =>",
            "Err(_) if self.has_grown(target, hint) && false =>",
        )],
    },
    Piece {
        name: "an added table begins with shorter tokens than those of the table before",
        changes: &[(
            "engine/growing/growth.rs",
            "hint.level() + 1 } else { last };",
            "hint.level() + 1 } else { last - 2 };",
        )],
    },
    Piece {
        name: "another table's miss is not validated",
        changes: &[(
            "tokens/doubling/admission.rs",
            "if tokens.stripes.unchanged(f, version) {\n            return true;",
            "if tokens.stripes.unchanged(f, version) || true {\n            return true;",
        )],
    },
    Piece {
        name: "an admission goes on in a table that is not the finest any more",
        changes: &[(
            "engine/growing/walks.rs",
            "            && self.tables.is_target(self.target)\n",
            "",
        )],
    },
    Piece {
        name: "an admission reads other tables like a lookup",
        changes: &[(
            "tokens/doubling/admission.rs",
            "let covers = |index| live_latest(tokens, index).covers(class);",
            "let covers = |index| live(tokens, index).covers(class);",
        )],
    },
    Piece {
        name: "a lookup in two tables begins with the coarser one",
        changes: &[(
            "tokens/doubling/lookup.rs",
            "    let (in_finer, is_certain) = look_at_level(finer, hints[0], hash);\n    \
             let (in_coarser, is_certain_too) = look_at_level(coarser, hints[1], hash);",
            "    let (in_coarser, is_certain_too) = look_at_level(coarser, hints[1], hash);\n    \
             let (in_finer, is_certain) = look_at_level(finer, hints[0], hash);",
        )],
    },
    Piece {
        name: "a lookup in all tables begins with the coarsest",
        changes: &[(
            "engine/growing/walks.rs",
            "        let mut tables = self.tables.all();\n        tables.any(|table| table.tokens().contains(hash))",
            "        let tables: Vec<_> = self.tables.all().collect();\n        \
             tables.iter().rev().any(|table| table.tokens().contains(hash))",
        )],
    },
    Piece {
        name: "a remove begins with the coarsest table",
        changes: &[(
            "engine/growing/walks.rs",
            "        self.tables.all().any(|table| table.remove(hash))",
            "        let tables: Vec<_> = self.tables.all().collect();\n        \
             tables.iter().rev().any(|table| table.remove(hash))",
        )],
    },
    Piece {
        name: "a count begins with the coarsest table",
        changes: &[(
            "engine/growing.rs",
            "        self.tables.sum(|table| table.tokens().count(hash))",
            "        let tables: Vec<_> = self.tables.all().collect();\n        \
             tables.iter().rev().map(|table| table.tokens().count(hash)).sum()",
        )],
    },
    Piece {
        name: "a snapshot begins with the coarsest table",
        changes: &[(
            "engine/growing.rs",
            "    for table in tables.all() {\n        copies.push(copy(table)?);\n    }\n",
            "    let tables: Vec<_> = tables.all().collect();\n    \
             for table in tables.into_iter().rev() {\n        copies.insert(0, copy(table)?);\n    }\n",
        )],
    },
    Piece {
        name: "removes split no words",
        changes: &[(
            "tokens/doubling/removal.rs",
            "    let _ = help_to_grow(tokens);\n",
            "    let _ = help_to_grow;\n",
        )],
    },
    Piece {
        name: "descriptors are used again while words refer to them",
        changes: &[(
            "tokens/doubling/exclusive.rs",
            "    let level = tokens.level();\n    // Ahead of",
            "    tokens.pool.reclaim();\n    super::splitting::finish_growth(tokens);\n    \
             let level = tokens.level();\n    // Ahead of",
        )],
    },
    Piece {
        name: "descriptors of dead threads stay lost",
        changes: &[(
            "tokens/doubling/exclusive.rs",
            "    tokens.pool.reclaim();\n",
            "",
        )],
    },
    Piece {
        name: "the scan of a dead thread keeps others from scanning",
        changes: &[(
            "tokens/doubling/exclusive.rs",
            "    tokens.hints.reclaim();\n",
            "",
        )],
    },
    Piece {
        name: "the stripes tell of a dead thread's scan for ever",
        changes: &[(
            "tokens/doubling/exclusive.rs",
            "    tokens.stripes.end_all_scans();\n",
            "",
        )],
    },
    Piece {
        name: "memory that is abandoned when the rest has gone back is forgotten",
        changes: &[(
            "table/doubling/blocks.rs",
            "self.replace_hint(hint, hint.without(BEHIND)) && self.all().any(Block::has_part)",
            "self.replace_hint(hint, hint.without(BEHIND)) && false",
        )],
    },
    Piece {
        name: "a ninth copy makes it grow",
        changes: &[(
            "engine/growing/growth.rs",
            "            Refusal::AllCopies => Err(",
            "            Refusal::AllCopies if target.slots() < 1 << 8 => self.grow(target, hint),\n            \
             Refusal::AllCopies => Err(",
        )],
    },
    Piece {
        name: "a table full of copies doubles, however large it is",
        changes: &[(
            "engine/growing/growth.rs",
            "if len >= slots / LEAST_LOAD {",
            "if len >= slots / LEAST_LOAD / 1_024 {",
        )],
    },
    Piece {
        name: "the table to come does not count for the rate",
        changes: &[(
            "engine/growing/growth.rs",
            "target.compared_when_full(grown)",
            "target.compared_when_full(false)",
        )],
    },
    Piece {
        name: "the memory may be twice what is allowed",
        changes: &[(
            "engine/growing/growth.rs",
            "let bytes = || self.bytes().saturating_add(more);",
            "let bytes = || self.bytes().saturating_add(more) / 2;",
        )],
    },
    Piece {
        name: "the rate is that of the finest table",
        changes: &[(
            "engine/growing.rs",
            "self.tables.all().map(GrowingTable::compared).sum()",
            "self.tables.all().take(1).map(GrowingTable::compared).sum()",
        )],
    },
];
