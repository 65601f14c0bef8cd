//! The mutants: the machine with one piece taken out, and the program that must notice.
//!
//! They are those of the models for loom, under the same names, and a few besides. Those that weaken a memory
//! ordering mean nothing here, because all threads of the machine see one order of all accesses; they are
//! listed, so that it can be checked that none has been forgotten.

/// One piece taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the table below says what each is")]
pub enum Mutant {
    MissNotValidated,
    MissBehindFrozenWordNotValidated,
    FrozenWordReadAsBucket,
    FailedRemoveNotValidated,
    CountNotValidated,
    RelocationBumpsNothing,
    RelocationBumpsBeforeInstalls,
    RelocationBumpsBetweenInstalls,
    RelocationBumpsAfterCommit,
    RemoveBumpsNothing,
    RemoveBumpsAfterItsExchange,
    TwoTokensTakenAtOnce,
    PendingArrivalAlwaysPresent,
    PendingArrivalNeverPresent,
    DecidedArrivalUnnoticed,
    StaleTakenForAbsence,
    NumberOfUseNotChecked,
    ControlBeforeFields,
    FieldsBeforeNumber,
    OpenedSlotForAnybody,
    AttemptsNotBounded,
    CommitWithOneWordFrozen,
    HalfFrozenStaysFrozen,
    CommittedSourceStaysFrozen,
    AdmissionLeavesTargetFrozen,
    RemoveIgnoresItsExchange,
    InsertIgnoresItsExchange,
    RivalAdmissionNoObstacle,
    AdmissionIgnoresItsWitness,
    FrozenWitnessNotSearched,
    RelocationGivesNoHint,
    RelocationHintsAfterCommit,
    RemoveGivesNoHint,
    ScanLeavesPendingAlone,
    ScanEndsBeforeReading,
    LostHintsIgnored,
    TwoScansAtATime,
    LateNoteReplacesAnother,
    TwinOfAnotherValueIsNone,
    ValueMissNotValidated,
    ArrivalHasNoValue,
    TokenFoundByFingerprint,
    PresentItemTakenForOwn,
    ScanForgetsValues,
    PathLosesItsValue,
    HopTakesAnyOfItsClass,
    ReplacementIgnoresItsExchange,
    FailedReplacementNotValidated,
    ReplacementInTwoSteps,
    /// Every answer of it is allowed, so no program of the list below notices; `lockstep` does.
    RefusalIgnoresRoom,
}

/// A mutant, what it lacks, and the program that kills it.
#[derive(Clone, Copy, Debug)]
pub struct Killed {
    /// The mutant.
    pub mutant: Mutant,
    /// What is missing.
    pub name: &'static str,
    /// The program that must fail.
    pub killer: &'static str,
    /// What the failure says.
    pub message: &'static str,
}

const fn killed(
    mutant: Mutant,
    name: &'static str,
    killer: &'static str,
    message: &'static str,
) -> Killed {
    Killed {
        mutant,
        name,
        killer,
        message,
    }
}

/// The mutants.
pub const MUTANTS: &[Killed] = &[
    killed(
        Mutant::MissNotValidated,
        "a miss is not validated",
        "a mover up and a lookup, destination first",
        "contains returned false",
    ),
    killed(
        Mutant::MissBehindFrozenWordNotValidated,
        "a miss behind a frozen word is not validated",
        "a mover up and a lookup, destination first",
        "contains returned false",
    ),
    killed(
        Mutant::FrozenWordReadAsBucket,
        "a frozen word is read as a bucket",
        "a mover up and a lookup, destination first",
        "contains returned false",
    ),
    killed(
        Mutant::FailedRemoveNotValidated,
        "a failed remove is not validated",
        "a mover up and a remove, destination first",
        "remove returned false",
    ),
    killed(
        Mutant::CountNotValidated,
        "a count is not validated",
        "a mover and a count",
        "count returned 0",
    ),
    killed(
        Mutant::RelocationBumpsNothing,
        "a relocation bumps nothing",
        "a mover up and a lookup, destination first",
        "contains returned false",
    ),
    killed(
        Mutant::RelocationBumpsBeforeInstalls,
        "a relocation bumps before the installs",
        "a mover up and a lookup, destination first",
        "contains returned false",
    ),
    killed(
        Mutant::RelocationBumpsBetweenInstalls,
        "a relocation bumps between the installs",
        "a mover up and a lookup, destination first",
        "contains returned false",
    ),
    killed(
        Mutant::RelocationBumpsAfterCommit,
        "a relocation bumps after the commit",
        "a mover up and a lookup, destination first",
        "contains returned false",
    ),
    killed(
        Mutant::RemoveBumpsNothing,
        "a remove that sees two tokens bumps nothing",
        "equal tokens that come and go, and a lookup",
        "contains returned false",
    ),
    killed(
        Mutant::RemoveBumpsAfterItsExchange,
        "a remove bumps after its exchange",
        "equal tokens that come and go, and a lookup",
        "contains returned false",
    ),
    killed(
        Mutant::TwoTokensTakenAtOnce,
        "a remove takes one of two tokens at once",
        "equal tokens that come and go, and a lookup",
        "contains returned false",
    ),
    killed(
        Mutant::PendingArrivalAlwaysPresent,
        "a pending arrival is always present",
        "a mover down and a remove, destination first",
        "contains returned true",
    ),
    killed(
        Mutant::PendingArrivalNeverPresent,
        "a pending arrival is never present",
        "a mover up and a lookup, destination first",
        "contains returned false",
    ),
    killed(
        Mutant::DecidedArrivalUnnoticed,
        "an arrival decided meanwhile goes unnoticed",
        "a mover up and a lookup, destination first",
        "contains returned false",
    ),
    killed(
        Mutant::StaleTakenForAbsence,
        "a lookup takes a stale reference for absence",
        "one descriptor used there and back, and a lookup of a neighbour",
        "contains returned false",
    ),
    killed(
        Mutant::NumberOfUseNotChecked,
        "the number of a use is not checked",
        "one descriptor used there and back, and a lookup of a neighbour",
        "contains returned false",
    ),
    killed(
        Mutant::ControlBeforeFields,
        "the control is read before the fields",
        "one descriptor used there and back, and a lookup of a neighbour",
        "contains returned false",
    ),
    killed(
        Mutant::FieldsBeforeNumber,
        "the fields change before the number",
        "one descriptor used there and back, and a lookup of a neighbour",
        "contains returned false",
    ),
    killed(
        Mutant::OpenedSlotForAnybody,
        "the last hop opens a slot for anybody",
        "an insert that opens a slot, and a rival that cannot",
        "which it must not here",
    ),
    killed(
        Mutant::AttemptsNotBounded,
        "attempts are not bounded",
        "a kick and the removal of a neighbour",
        "no end after",
    ),
    killed(
        Mutant::CommitWithOneWordFrozen,
        "a relocation commits with one word frozen",
        "a mover down and a remove, destination first",
        "are not inserts minus removes",
    ),
    killed(
        Mutant::HalfFrozenStaysFrozen,
        "a relocation that froze one word leaves it frozen",
        "a mover down and a remove, destination first",
        "left frozen",
    ),
    killed(
        Mutant::CommittedSourceStaysFrozen,
        "a committed relocation leaves its source frozen",
        "two owners of one descriptor, unrelated buckets, and a lookup",
        "frozen by a use that is over",
    ),
    killed(
        Mutant::AdmissionLeavesTargetFrozen,
        "an admission leaves its target frozen",
        "one descriptor admits in two pairs, and lookups",
        "frozen by a use that is over",
    ),
    killed(
        Mutant::RemoveIgnoresItsExchange,
        "a remove does not look whether its exchange succeeded",
        "two removes of one token",
        "remove returned true",
    ),
    killed(
        Mutant::InsertIgnoresItsExchange,
        "an insert does not look whether its exchange succeeded",
        "two inserts in one bucket",
        "contains returned false",
    ),
    killed(
        Mutant::RivalAdmissionNoObstacle,
        "a rival admission is no obstacle",
        "two admissions, each other's witness",
        "are not inserts minus removes",
    ),
    killed(
        Mutant::AdmissionIgnoresItsWitness,
        "an admission does not ask its witness",
        "two admissions, each other's witness",
        "are not inserts minus removes",
    ),
    killed(
        Mutant::FrozenWitnessNotSearched,
        "an equal token in a frozen witness does not count",
        "two admissions, and a neighbour moved out of the witness",
        "are not inserts minus removes",
    ),
    killed(
        Mutant::RelocationGivesNoHint,
        "a relocation gives no hint",
        "a mover down and a snapshot",
        "snapshot returned",
    ),
    killed(
        Mutant::RelocationHintsAfterCommit,
        "a relocation gives its hint after the commit",
        "a mover down and a snapshot",
        "snapshot returned",
    ),
    killed(
        Mutant::RemoveGivesNoHint,
        "a remove that sees two tokens gives no hint",
        "equal tokens that come and go, and a snapshot",
        "snapshot returned",
    ),
    killed(
        Mutant::ScanLeavesPendingAlone,
        "a scan leaves pending relocations alone",
        "a mover down and a snapshot",
        "snapshot returned",
    ),
    killed(
        Mutant::ScanEndsBeforeReading,
        "a scan ends before it has read the table",
        "a mover down and a snapshot",
        "snapshot returned",
    ),
    killed(
        Mutant::LostHintsIgnored,
        "hints that found no room are ignored",
        "two hops and a log of one hint",
        "snapshot returned",
    ),
    killed(
        Mutant::TwoScansAtATime,
        "two scan at a time",
        "two snapshots and a mover",
        "snapshot returned",
    ),
    killed(
        Mutant::LateNoteReplacesAnother,
        "a late note replaces another",
        "two snapshots in a row and two movers",
        "snapshot returned",
    ),
    killed(
        Mutant::TwinOfAnotherValueIsNone,
        "a token of another value is no twin",
        "another value that comes while the first goes, and a lookup",
        "value returned no value",
    ),
    killed(
        Mutant::ValueMissNotValidated,
        "a lookup of a value is not validated",
        "a mover up and a lookup of its value, destination first",
        "value returned no value",
    ),
    killed(
        Mutant::ArrivalHasNoValue,
        "a token that arrives has no value",
        "a mover up and a lookup of its value, destination first",
        "value returned value 0",
    ),
    killed(
        Mutant::TokenFoundByFingerprint,
        "a token is found by its fingerprint alone",
        "a replacement and a remove of the value",
        "take returned true",
    ),
    killed(
        Mutant::PresentItemTakenForOwn,
        "a unique insert takes a present item for its own",
        "two unique inserts with values",
        "unique returned no value",
    ),
    killed(
        Mutant::ScanForgetsValues,
        "a scan forgets values",
        "two values there and back, and a snapshot",
        "snapshot returned",
    ),
    killed(
        Mutant::PathLosesItsValue,
        "an insert that needs a path loses its value",
        "a kick with a value, and lookups of both",
        "which nobody inserted",
    ),
    killed(
        Mutant::HopTakesAnyOfItsClass,
        "a hop takes any token of its class",
        "a kick of one of two values, and lookups of both",
        "are not inserts minus removes",
    ),
    killed(
        Mutant::ReplacementIgnoresItsExchange,
        "a replacement does not look whether its exchange succeeded",
        "two replacements of one value",
        "replace returned true",
    ),
    killed(
        Mutant::FailedReplacementNotValidated,
        "a failed replacement is not validated",
        "a replacement and a mover up, destination first",
        "replace returned false",
    ),
    killed(
        Mutant::ReplacementInTwoSteps,
        "a replacement removes before it inserts",
        "a replacement and a lookup",
        "are not inserts minus removes",
    ),
];

const ORDERING: &str = "all threads see one order of all accesses";
const ROTATION: &str = "the machine has one table, and nothing rotates";
const WORDS: &str =
    "words are told by the model; that a frozen one is read as a bucket is a mutant here";
const CHUNKS: &str = "the machine copies tables, and stores none";
const COUNTER: &str = "the counter of items is no part of the machine";
const DOUBLING: &str =
    "the table of the machine has one size; the machine of growing filters has mutants of its own";
const ONE_TABLE: &str = "the machine has one table, not a list of them";

/// Those of the models for loom that mean nothing here, and why. Of the fences of a descriptor, the machine has
/// what they prevent, as two mutants of its own.
pub const NOT_APPLICABLE: &[(&str, &str)] = &[
    ("no Acquire fence after the fields", ORDERING),
    ("no Release fence before the fields", ORDERING),
    ("a claim is Relaxed", ORDERING),
    ("the release of a claim is Relaxed", ORDERING),
    ("two threads count on one cell", COUNTER),
    ("the witness is read by a plain load", ORDERING),
    ("the version is read Relaxed", ORDERING),
    ("a bump releases nothing", ORDERING),
    ("words are read Relaxed", ORDERING),
    ("loads of words are not in the one order", ORDERING),
    ("frozen words are read Relaxed", ORDERING),
    ("exchanges of words are not in the one order", ORDERING),
    ("an exchange of a word publishes nothing", ORDERING),
    ("a commit publishes nothing", ORDERING),
    ("the control is read Relaxed", ORDERING),
    ("the number of a use is published Relaxed", ORDERING),
    ("a scan is announced without Acquire", ORDERING),
    // What a scan misses was noted after its first read, and so after it emptied the log.
    ("the log is emptied after the announcement", ORDERING),
    ("an admission asks its own table only", ONE_TABLE),
    ("an admission reads other tables like a lookup", ONE_TABLE),
    ("an emptying does not freeze its word", ROTATION),
    ("an emptying does not look for a rotation", ROTATION),
    ("an emptying asks before it freezes its word", ROTATION),
    ("a token that hops behind a pass escapes it", ROTATION),
    ("a spare is clean without a pass", ROTATION),
    ("a late insert does not soil the spare", ROTATION),
    ("a soil leaves the mark", ROTATION),
    ("soils are not counted", ROTATION),
    ("a rotation of another number is made", ROTATION),
    ("the state is read Relaxed", ROTATION),
    ("the state is not in the one order", ROTATION),
    ("a rotation publishes nothing", ROTATION),
    ("a lookup begins with the young generation", ROTATION),
    ("a lookup trusts a state that has changed", ROTATION),
    ("a remove trusts a state that has changed", ROTATION),
    ("a count trusts a state that has changed", ROTATION),
    ("an admission does not look for a rotation", ROTATION),
    ("an admission does not ask the older generations", ROTATION),
    (
        "a refresh forgets what the older generations said",
        ROTATION,
    ),
    ("others decide an admission in a generation", ROTATION),
    ("chunks trust words that a token has left", CHUNKS),
    ("chunks leave pending relocations alone", CHUNKS),
    ("a tag in one of two words goes unnoticed", WORDS),
    ("a code is read as a bucket", WORDS),
    ("a split does not freeze its word", DOUBLING),
    ("a hop does not look at the parent of a bucket", DOUBLING),
    (
        "a lookup in a table that doubles is not validated",
        DOUBLING,
    ),
    (
        "a lookup in the midst of a growth is not validated",
        DOUBLING,
    ),
    (
        "a lookup takes what is not where the sweep left it for empty",
        DOUBLING,
    ),
    ("a hop in a table that doubles bumps nothing", DOUBLING),
    (
        "a remove by one exchange takes a shorter token without validation",
        DOUBLING,
    ),
    ("the hint is read Relaxed", DOUBLING),
    ("a remove begins with the coarsest table", DOUBLING),
    ("a scan heeds no hints of the parts of a bucket", DOUBLING),
    (
        "an admission reads the older generations like a lookup",
        ROTATION,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use verify::suites::LOOM;

    fn names_of_loom() -> impl Iterator<Item = &'static str> {
        LOOM.mutants.iter().map(|mutant| mutant.piece.name)
    }

    #[test]
    fn no_mutant_of_loom_is_forgotten() {
        let here = |name: &str| MUTANTS.iter().any(|mutant| mutant.name == name);
        let listed = |name: &str| NOT_APPLICABLE.iter().any(|(other, _)| *other == name);
        for name in names_of_loom() {
            assert!(here(name) != listed(name), "{name}");
        }
        for (name, _) in NOT_APPLICABLE {
            assert!(names_of_loom().any(|other| other == *name), "{name}");
        }
    }
}
