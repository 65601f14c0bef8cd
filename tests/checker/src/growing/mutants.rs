//! The mutants: the machine of a table with one piece taken out, and the program that must notice.
//!
//! Two pieces are not taken out here, because no program was found that needs them: which of two equal tokens a remove
//! takes; and that an admission finishes the split of its witness, where it could take what is frozen for the truth.

use crate::machine::mutants;

mutants! {
    by "a split and an insert", "are not inserts minus removes":
        SplitWithoutFreezing = "a split does not freeze its word";
    by "a split and a remove", "are not inserts minus removes":
        EmptyChildFilledAgain = "a late helper fills a child that is empty";
    by "a split alone", "is live, and not there":
        GoneBeforeTheChildren = "a word is gone before its children are there";
    by "a helper that sleeps through two doublings, and an insert with an old hint", "are not inserts minus removes":
        SplitIgnoresItsExchange = "a split ignores that its word has changed",
        HelperNotPinned = "a helper is not pinned",
        PinnedTooLate = "a helper does not look again when it is pinned",
        UnpinnedBeforeTheEnd = "a helper is unpinned before its end",
        ReleasedAtOnce = "a block is given back at once";
    by "an insert that splits its full word, and a remove", "are not inserts minus removes":
        SplitThawedByAHelper = "a helper thaws a word that is being split";
    by "a split and a remove", "remove returned false":
        SplitForgetsTheSide = "a split takes both sides for one";
    by "a lookup behind a split word, and a hop", "contains returned false":
        SplitTakenForAbsence = "a word that is being split is read as empty";
    by "a lookup by the old level", "contains returned false":
        LookupByTheHintOnly = "a lookup does not go to the children",
        FastLookupTrustsAll = "a fast lookup takes any word for a bucket";
    by "a hop and a lookup", "contains returned false":
        MissNotValidated = "a fast miss is not validated",
        LongMissNotValidated = "a miss by descent is not validated",
        FrozenArrivalIsAbsent = "a pending arrival is never present",
        DecidedArrivalUnnoticed = "an arrival decided meanwhile goes unnoticed",
        RelocationBumpsNothing = "a relocation bumps nothing",
        RelocationBumpsBetweenInstalls = "a relocation bumps between the installs",
        RelocationBumpsAfterCommit = "a relocation bumps after the commit";
    by "a hop and a count", "count returned 0":
        CountNotValidated = "a count is not validated";
    by "a lookup with an old hint", "contains returned false":
        NumberOfUseNotChecked = "the number of a use is not checked";
    by "removes of nested items, and a hop", "are not inserts minus removes":
        CommitWithOneWordFrozen = "a relocation commits with one word frozen";
    by "an insert into a child", "are not inserts minus removes":
        LaneOfTheHint = "an insert stores what suits the level of the hint";
    by "a remove and a hop of the only token", "remove returned false":
        FailedRemoveNotValidated = "a failed remove is not validated";
    by "a remove that takes a short token while the long one hops", "an item that is in has no token":
        ShortTokenNotValidated = "a short token is taken without validation";
    by "a twin that is shorter, at another level", "contains returned false":
        ShortestTaken = "a remove takes the shortest token",
        FirstFoundTaken = "a remove takes the first token";
    by "a longer token with a shorter tail", "an item that is in has no token":
        LengthByTheTail = "a remove compares tails, not lengths";
    by "equal tokens that take turns, and a count", "count returned 0":
        RemoveBumpsNothing = "a remove that sees a twin bumps nothing",
        TwinBumpsAfterTheExchange = "a remove bumps after its exchange",
        TwinOnlyIfEqual = "only an equal token is a twin";
    by "a twin that is longer, and a lookup", "contains returned false":
        TwinOnlyIfItCovers = "only a shorter token is a twin";
    by "a twin that is shorter, and a lookup", "contains returned true":
        RemoveIgnoresItsExchange = "a remove ignores that its word has changed";
    by "a unique and a hop of a short token", "are not inserts minus removes":
        AdmissionIgnoresItsWitness = "an admission ignores its witness",
        WitnessSearchedForEqual = "only an equal token is an obstacle";
    by "two uniques of one item", "are not inserts minus removes":
        AdmissionThawsItsTarget = "an admission thaws its target before it is decided";
    by "a unique and a hop of a short token, and a split", "are not inserts minus removes":
        WitnessNotFollowed = "a witness that is split is read as empty";
    by "two uniques with different targets", "are not inserts minus removes":
        WitnessByItsFirstNumber = "a witness that is not there is read as empty",
        RivalNoObstacle = "a rival is no obstacle";
    by "two uniques with targets at two levels", "are not inserts minus removes":
        RivalOnlyIfEqual = "only an equal token makes a rival",
        RivalOnlyIfItCoversTheToken = "who decides an admission knows its token only";
    by "a hop to a child whose parent is frozen", "are not inserts minus removes":
        HopBetweenLevels = "a hop goes to a word of another level",
        HopAsksTheChildOnly = "a hop goes to a child whose parent is frozen";
    by "a grower, and a sweeper that is first", "a block that is not there":
        HintBeforeTheBlock = "the hint says that a table grows before the block is there";
    by "an insert that grows, and a grower", "a block that is not there":
        GrowingSetByOr = "the growth is set whatever the level is";
    by "two inserts that grow, one after the other", "is split too early":
        HintStored = "a grower stores its hint";
    by "a sweep and its growth once more, and a lookup with the last hint but one", "is live, and not there":
        HintBeforeLastGone = "the hint goes on before the last word is gone";
    by "two sweepers of the last words", "is live, and not there":
        CursorBeforeGone = "the cursor goes on before the word is gone",
        SweepSkipsFrozenWords = "a sweeper passes what another splits";
    by "two who give back", "is live, and not there":
        GivenBackBeforeTheHint = "a block is given back before the hint has left it";
    by "a snapshot and a split", "snapshot returned a copy of []":
        ScanBottomUp = "a scan goes from the children to the parents";
    by "a snapshot and a hop", "snapshot returned a copy of []":
        NotesIgnored = "a scan ignores its notes",
        RelocationGivesNoNote = "a relocation gives no note";
    by "a snapshot, and a shorter token that comes before the longer one goes", "are not inserts minus removes":
        NoteCountsEqualOnly = "a scan counts equal tokens only once more",
        RemoveGivesNoNote = "a remove gives no note";
    by "two tables and a lookup", "contains returned false":
        CoarserTableFirst = "a remove begins with the coarser table";
    by "two tables, a late insert into the first, and a snapshot", "snapshot returned a copy of []":
        CoarserScannedFirst = "a scan begins with the coarser table";
    by "two tables, one of them new, two uniques and a remove", "are not inserts minus removes":
        HelpersDecideInSeveral = "others decide an admission in several tables",
        CoarserTableNotAsked = "an admission asks its own table only";
    by "two tables, one of them new, and two uniques", "are not inserts minus removes":
        ListNotCheckedByAdmission = "an admission does not look at the list again",
        CoarserTableAskedLikeALookup = "an admission reads the other table like a lookup";
}
