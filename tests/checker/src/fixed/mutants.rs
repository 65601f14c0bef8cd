//! The mutants: the machine with one piece taken out, that a race must notice.
//!
//! They are those of the models for loom, under the same names, and a few besides. Those that weaken a memory
//! ordering mean nothing here, because all threads of the machine see one order of all accesses; the test lists them, so that
//! none is forgotten.

use crate::machine::mutants;

mutants! {
    MissNotValidated = "a miss is not validated",
    MissBehindFrozenWordNotValidated = "a miss behind a frozen word is not validated",
    FrozenWordReadAsBucket = "a frozen word is read as a bucket",
    RelocationBumpsNothing = "a relocation bumps nothing",
    RelocationBumpsBeforeInstalls = "a relocation bumps before the installs",
    RelocationBumpsBetweenInstalls = "a relocation bumps between the installs",
    RelocationBumpsAfterCommit = "a relocation bumps after the commit",
    PendingArrivalNeverPresent = "a pending arrival is never present",
    DecidedArrivalUnnoticed = "an arrival decided meanwhile goes unnoticed",
    FailedRemoveNotValidated = "a failed remove is not validated",
    CountNotValidated = "a count is not validated",
    RemoveBumpsNothing = "a remove that sees two tokens bumps nothing",
    RemoveBumpsAfterItsExchange = "a remove bumps after its exchange",
    TwoTokensTakenAtOnce = "a remove takes one of two tokens at once",
    PendingArrivalAlwaysPresent = "a pending arrival is always present",
    StaleTakenForAbsence = "a lookup takes a stale reference for absence",
    NumberOfUseNotChecked = "the number of a use is not checked",
    ControlBeforeFields = "the control is read before the fields",
    FieldsBeforeNumber = "the fields change before the number",
    OpenedSlotForAnybody = "the last hop opens a slot for anybody",
    AttemptsNotBounded = "attempts are not bounded",
    CommitWithOneWordFrozen = "a relocation commits with one word frozen",
    HalfFrozenStaysFrozen = "a relocation that froze one word leaves it frozen",
    CommittedSourceStaysFrozen = "a committed relocation leaves its source frozen",
    AdmissionLeavesTargetFrozen = "an admission leaves its target frozen",
    RemoveIgnoresItsExchange = "a remove does not look whether its exchange succeeded",
    InsertIgnoresItsExchange = "an insert does not look whether its exchange succeeded",
    RivalAdmissionNoObstacle = "a rival admission is no obstacle",
    AdmissionIgnoresItsWitness = "an admission does not ask its witness",
    FrozenWitnessNotSearched = "an equal token in a frozen witness does not count",
    RelocationGivesNoHint = "a relocation gives no hint",
    RelocationHintsAfterCommit = "a relocation gives its hint after the commit",
    ScanLeavesPendingAlone = "a scan leaves pending relocations alone",
    ScanEndsBeforeReading = "a scan ends before it has read the table",
    RemoveGivesNoHint = "a remove that sees two tokens gives no hint",
    LostHintsIgnored = "hints that found no room are ignored",
    TwoScansAtATime = "two scan at a time",
    LateNoteReplacesAnother = "a late note replaces another",
    TwinOfAnotherValueIsNone = "a token of another value is no twin",
    ValueMissNotValidated = "a lookup of a value is not validated",
    ArrivalHasNoValue = "a token that arrives has no value",
    TokenFoundByFingerprint = "a token is found by its fingerprint alone",
    PresentItemTakenForOwn = "a unique insert takes a present item for its own",
    ScanForgetsValues = "a scan forgets values",
    PathLosesItsValue = "an insert that needs a path loses its value",
    HopTakesAnyOfItsClass = "a hop takes any token of its class",
    ReplacementIgnoresItsExchange = "a replacement does not look whether its exchange succeeded",
    FailedReplacementNotValidated = "a failed replacement is not validated",
    ReplacementInTwoSteps = "a replacement removes before it inserts",
    // Every answer of it is allowed, so no race notices; lockstep does.
    { RefusalIgnoresRoom = "an insert is refused without a look whether there is room" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Those of the models for loom that mean nothing here, by the reason. Of the fences of a descriptor, the machine has
    /// what they prevent, as two mutants of its own; what a scan misses was noted after its first read, and so after it
    /// emptied the log.
    const NOT_APPLICABLE: &str = "
# all threads see one order of all accesses
no Acquire fence after the fields; no Release fence before the fields; a claim is Relaxed;
the release of a claim is Relaxed; the witness is read by a plain load; the version is read Relaxed;
a bump releases nothing; words are read Relaxed; loads of words are not in the one order;
frozen words are read Relaxed; exchanges of words are not in the one order; an exchange of a word publishes nothing;
a commit publishes nothing; the control is read Relaxed; the number of a use is published Relaxed;
a scan is announced without Acquire; the log is emptied after the announcement
# the counter of items is no part of the machine
two threads count on one cell
# the machine has one table, not a list of them
an admission asks its own table only; an admission reads other tables like a lookup
# the machine has one table, and nothing rotates
an emptying does not freeze its word; an emptying does not look for a rotation;
an emptying asks before it freezes its word; a token that hops behind a pass escapes it;
a spare is clean without a pass; a late insert does not soil the spare; a soil leaves the mark;
soils are not counted; a rotation of another number is made; the state is read Relaxed;
the state is not in the one order; a rotation publishes nothing; a lookup begins with the young generation;
a lookup trusts a state that has changed; a remove trusts a state that has changed;
a count trusts a state that has changed; an admission does not look for a rotation;
an admission does not ask the older generations; a refresh forgets what the older generations said;
others decide an admission in a generation; an admission reads the older generations like a lookup
# the machine copies tables, and stores none
chunks trust words that a token has left; chunks leave pending relocations alone
# words are told by the model; that a frozen one is read as a bucket is a mutant here
a tag in one of two words goes unnoticed; a code is read as a bucket
# the table of the machine has one size; the machine of growing filters has mutants of its own
a split does not freeze its word; a hop does not look at the parent of a bucket;
a lookup in a table that doubles is not validated; a lookup in the midst of a growth is not validated;
a lookup takes what is not where the sweep left it for empty; a hop in a table that doubles bumps nothing;
a remove by one exchange takes a shorter token without validation; the hint is read Relaxed;
a remove begins with the coarsest table; a scan heeds no hints of the parts of a bucket";

    #[test]
    fn no_mutant_of_loom_is_forgotten() {
        let lines = NOT_APPLICABLE.lines().filter(|line| !line.starts_with('#'));
        let names = lines.flat_map(|line| line.split(';')).map(str::trim);
        let listed: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
        let here: BTreeSet<&str> = MUTANTS.iter().map(|(_, name)| *name).collect();
        let mut loom = verify::mutants().expect("sound files");
        loom.retain(|mutant| mutant.killer("loom").is_some());
        let names = loom.iter().map(|mutant| &*mutant.name);
        let missing: BTreeSet<&str> = names.filter(|name| !here.contains(name)).collect();
        assert_eq!(missing, listed);
    }
}
