//! The mutants: the machine with one piece taken out, which a race must reveal.
//!
//! They are those of the models for loom, under the same names, and a few more. Mutants that weaken
//! a memory ordering have no effect here, because all threads of the machine see one order of all
//! accesses. The test lists them, so that the lists stay complete.

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
    AdmissionIgnoresItsExchange = "an admission does not look whether its exchange succeeded",
    AbortTrusted = "an aborted admission is over before its word is written back",
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
    RecoverySettlesNothing = "a recovery settles no words",
    RecoverySettlesOneWord = "a recovery settles one word",
    RecoveryTakesFromTheLiving = "a recovery takes from the living",
    RecoveryTakesFromTheNextOwner = "a recovery that is late takes from the next owner",
    ScanOfTheDeadGoesOn = "the scan of a dead process goes on",
    // Every answer of it is allowed, so no race shows it; lockstep does.
    { RefusalIgnoresRoom = "an insert is refused without a look whether there is room" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The mutants of the models for loom that have no effect here, by the reason. The machine has
    /// two mutants of its own for the fences of a descriptor. A scan needs only the hints noted
    /// after its first read, and it has emptied the log before that.
    const NOT_APPLICABLE: &str = include_str!("not_applicable.txt");

    #[test]
    fn no_mutant_of_loom_is_forgotten() {
        let lines = NOT_APPLICABLE.lines().filter(|line| !line.starts_with('#'));
        let names = lines.flat_map(|line| line.split(';')).map(str::trim);
        let listed: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
        let here: BTreeSet<&str> = MUTANTS.iter().map(|(_, name)| *name).collect();
        let mut loom = verify::mutants().expect("sound files");
        loom.retain(|mutant| mutant.killers.contains_key("loom"));
        let names = loom.iter().map(|mutant| &*mutant.name);
        let missing: BTreeSet<&str> = names.filter(|name| !here.contains(name)).collect();
        assert_eq!(missing, listed);
    }
}
