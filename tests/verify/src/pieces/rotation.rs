//! Filters that rotate: generations that come and go, and the table that is emptied for the next one.

use super::Piece;

pub(super) const PIECES: &[Piece] = &[
    Piece {
        name: "an emptying does not freeze its word",
        changes: &[(
            "tokens/emptying.rs",
            "        let (reference, pending) = claim.publish(Transfer::emptying(bucket, content));\n",
            "        if permitted() && tokens.table.exchange(bucket, content, Bucket::EMPTY) {\n            return Ok(content.len());\n        }\n        let (reference, pending) = claim.publish(Transfer::emptying(bucket, content));\n",
        )],
    },
    Piece {
        name: "an emptying does not look for a rotation",
        changes: &[(
            "tokens/emptying.rs",
            "let permitted = permitted();",
            "let permitted = permitted() || content != Bucket::EMPTY;",
        )],
    },
    Piece {
        name: "an emptying asks before it freezes its word",
        changes: &[
            (
                "tokens/emptying.rs",
                "        let (reference, pending) = claim.publish(Transfer::emptying(bucket, content));\n",
                "        let early = permitted();\n        let (reference, pending) = claim.publish(Transfer::emptying(bucket, content));\n",
            ),
            (
                "tokens/emptying.rs",
                "let permitted = permitted();",
                "let permitted = early;",
            ),
        ],
    },
    Piece {
        name: "threads that empty one table abort each other",
        changes: &[(
            "tokens/emptying.rs",
            "&& pending.transfer.is_emptying()\n",
            "&& !pending.transfer.is_emptying()\n",
        )],
    },
    Piece {
        name: "the emptying of another thread is committed without permission",
        changes: &[(
            "tokens/emptying.rs",
            "        && permitted()\n",
            "        && (permitted() || bucket < usize::MAX)\n",
        )],
    },
    Piece {
        name: "a token that hops behind a pass escapes it",
        changes: &[(
            "tokens/emptying.rs",
            "if tokens.stripes.bumps() == bumps {",
            "if tokens.stripes.bumps() >= bumps {",
        )],
    },
    Piece {
        name: "who empties a table counts nothing",
        changes: &[(
            "counted.rs",
            "|removed| counter.subtract(removed)",
            "|removed| counter.subtract(removed - removed)",
        )],
    },
    Piece {
        name: "a spare is clean without a pass",
        changes: &[(
            "engine/rotating/walks.rs",
            "            if !state.is_clean() {",
            "            if false {",
        )],
    },
    Piece {
        name: "a late insert does not soil the spare",
        changes: &[(
            "engine/rotating/walks.rs",
            "if state.spare(self.tables.len()) != table {",
            "if table < self.tables.len() {",
        )],
    },
    Piece {
        name: "a soil leaves the mark",
        changes: &[(
            "engine/rotating/state.rs",
            "Self(self.0 & !(ROTATION - SOIL) & !CLEAN | soils)",
            "Self(self.0 & !(ROTATION - SOIL) | soils)",
        )],
    },
    Piece {
        name: "soils are not counted",
        changes: &[(
            "engine/rotating/state.rs",
            "let soils = self.0.wrapping_add(SOIL) & (ROTATION - SOIL);",
            "let soils = self.0 & (ROTATION - SOIL);",
        )],
    },
    Piece {
        name: "a rotation of another number is made",
        changes: &[(
            "engine/rotating/walks.rs",
            "rotations.is_some_and(|rotations| rotations != state.rotations())",
            "rotations.is_some_and(|rotations| rotations > state.rotations())",
        )],
    },
    Piece {
        name: "the state is read Relaxed",
        changes: &[(
            "engine/rotating/state.rs",
            "State(self.0.load(Ordering::SeqCst))",
            "State(self.0.load(Ordering::Relaxed))",
        )],
    },
    Piece {
        name: "the state is not in the one order",
        changes: &[(
            "engine/rotating/state.rs",
            "State(self.0.load(Ordering::SeqCst))",
            "State(self.0.load(Ordering::Acquire))",
        )],
    },
    Piece {
        name: "a rotation publishes nothing",
        changes: &[(
            "engine/rotating/state.rs",
            ".compare_exchange(current.0, new.0, Ordering::SeqCst, Ordering::SeqCst)",
            ".compare_exchange(current.0, new.0, Ordering::Relaxed, Ordering::Relaxed)",
        )],
    },
    Piece {
        name: "a walk begins with the young generation",
        changes: &[(
            "engine/rotating/state.rs",
            "(spare + 1..spare + tables).map(move |table| {",
            "(spare + 1..spare + tables).rev().map(move |table| {",
        )],
    },
    Piece {
        name: "a lookup begins with the young generation",
        changes: &[(
            "engine/rotating/walks.rs",
            "            if self.live(state).any(|table| table.tokens().contains(hash)) {",
            "            if self.young(state).tokens().contains(hash)\n                || self\n                    .live(state)\n                    .take(self.generations() - 1)\n                    .any(|table| table.tokens().contains(hash))\n            {",
        )],
    },
    Piece {
        name: "a lookup trusts a state that has changed",
        changes: &[(
            "engine/rotating/walks.rs",
            "            if self.is_current(state) {\n                return false;\n            }\n        }\n    }\n\n    /// Oldest first",
            "            return false;\n        }\n    }\n\n    /// Oldest first",
        )],
    },
    Piece {
        name: "a remove trusts a state that has changed",
        changes: &[(
            "engine/rotating/walks.rs",
            "            if self.is_current(state) {\n                return false;\n            }\n        }\n    }\n\n    pub(super) fn count_all",
            "            return false;\n        }\n    }\n\n    pub(super) fn count_all",
        )],
    },
    Piece {
        name: "a count trusts a state that has changed",
        changes: &[(
            "engine/rotating/walks.rs",
            "if self.is_current(state) {\n                return count;\n            }",
            "if count < usize::MAX {\n                return count;\n            }",
        )],
    },
    Piece {
        name: "an admission does not look for a rotation",
        changes: &[(
            "engine/rotating/walks.rs",
            "        self.engine.is_current(self.state)\n",
            "        self.engine.is_current(self.state) || self.hash > 0\n",
        )],
    },
    Piece {
        name: "an admission does not ask the older generations",
        changes: &[(
            "engine/rotating/walks.rs",
            "older.all(|table| table.tokens().holds_none(self.hash))",
            "older.all(|table| table.slots() > 0)",
        )],
    },
    Piece {
        name: "a refresh forgets what the older generations said",
        changes: &[(
            "engine/rotating/walks.rs",
            "            was_in.set(!none);\n",
            "            was_in.set(none && false);\n",
        )],
    },
    Piece {
        name: "a refresh gives up if an older generation has the item",
        changes: &[(
            "engine/rotating/walks.rs",
            "            was_in.set(!none);\n            true\n",
            "            was_in.set(!none);\n            none\n",
        )],
    },
    Piece {
        name: "a refresh does not look at the young generation alone",
        changes: &[(
            "engine/rotating/walks.rs",
            "was_in.is_none() && self.lookup(hash)",
            "self.lookup(hash)",
        )],
    },
    Piece {
        name: "others decide an admission in a generation",
        changes: &[(
            "engine/rotating.rs",
            "            table.tokens_mut().leave_admissions_to_their_owners();\n",
            "            let _ = table.tokens_mut();\n",
        )],
    },
    Piece {
        name: "a snapshot of a rotating filter trusts a state that has changed",
        changes: &[(
            "engine/rotating.rs",
            "            if self.is_current(state) {\n                return Ok(copied);",
            "            {\n                return Ok(copied);",
        )],
    },
    Piece {
        name: "a snapshot of a rotating filter begins with the young generation",
        changes: &[(
            "engine/rotating.rs",
            "        for table in self.live(state) {\n            tables.push(copy(table)?);\n        }\n",
            "        let live: Vec<_> = self.live(state).collect();\n        for table in live.into_iter().rev() {\n            tables.insert(0, copy(table)?);\n        }\n",
        )],
    },
    Piece {
        name: "a late insert tries once to soil the spare",
        changes: &[(
            "engine/rotating/walks.rs",
            "            if self.state.replace(state, state.soiled()) {\n                return;\n            }\n",
            "            let _ = self.state.replace(state, state.soiled());\n            return;\n",
        )],
    },
    Piece {
        name: "permission to help is asked before another emptying is met",
        changes: &[
            (
                "tokens/emptying.rs",
                "    let reference = match tokens.table.load(bucket).content() {\n",
                "    let early = permitted();\n    let reference = match tokens.table.load(bucket).content() {\n",
            ),
            (
                "tokens/emptying.rs",
                "        && permitted()\n",
                "        && early\n",
            ),
        ],
    },
    Piece {
        name: "a rotation is noticed only if another table is the young one",
        changes: &[(
            "engine/rotating/walks.rs",
            "let current = self.state.load().rotations() == state.rotations();",
            "let current = self.state.load().young() == state.young();",
        )],
    },
    Piece {
        name: "an admission reads the older generations like a lookup",
        changes: &[(
            "tokens/admission.rs",
            "let holds = |bucket| settle_latest(tokens, bucket).contains(fingerprint);",
            "let holds = |bucket| crate::tokens::settlement::settle(tokens, bucket).contains(fingerprint);",
        )],
    },
    Piece {
        name: "a miss in an older generation is not validated",
        changes: &[(
            "tokens/admission.rs",
            "if tokens.stripes.unchanged(fingerprint, version) {",
            "if tokens.stripes.unchanged(fingerprint, version) || true {",
        )],
    },
    Piece {
        name: "an admission looks for a rotation before it asks the older generations",
        changes: &[
            (
                "engine/rotating/walks.rs",
                "        let none = older.all(|table| table.tokens().holds_none(self.hash));",
                "        let none = self.engine.is_current(self.state)\n            && older.all(|table| table.tokens().holds_none(self.hash));",
            ),
            (
                "engine/rotating/walks.rs",
                "        self.engine.is_current(self.state)\n    }",
                "        self.hash > 0\n    }",
            ),
        ],
    },
    Piece {
        name: "a rotation leaves the spare to the next one",
        changes: &[(
            "engine/rotating/walks.rs",
            "                let _ = self.clean(self.state.load());\n",
            "",
        )],
    },
    Piece {
        name: "a rotation that was made fails if the spare cannot be emptied",
        changes: &[(
            "engine/rotating/walks.rs",
            "                let _ = self.clean(self.state.load());",
            "                self.clean(self.state.load())?;",
        )],
    },
    Piece {
        name: "clear leaves the spare as it is",
        changes: &[(
            "engine/rotating.rs",
            "        for table in &mut self.tables {\n            table.clear();\n        }\n        let state = self.state.load();",
            "        let state = self.state.load();\n        let spare = state.spare(self.tables.len());\n        for (at, table) in self.tables.iter_mut().enumerate() {\n            if at != spare {\n                table.clear();\n            }\n        }",
        )],
    },
    Piece {
        name: "what dead threads hold of the spare is not taken back",
        changes: &[(
            "stored/sized.rs",
            "            self.spare().tokens().settle_all();\n",
            "",
        )],
    },
    Piece {
        name: "what remains is that of all generations",
        changes: &[(
            "engine/rotating.rs",
            "self.capacity.saturating_sub(young.len())",
            "self.capacity.saturating_sub(young.len().max(self.len()))",
        )],
    },
];
