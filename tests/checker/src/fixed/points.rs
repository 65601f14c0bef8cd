//! Points: the accesses of each routine, and those who wait for a routine to return.

use crate::call::Kind;

/// The access that a thread makes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum At {
    /// None: all calls are finished.
    #[default]
    End,
    /// A lookup.
    Lookup(Lookup),
    /// The count of a class.
    Count(Count),
    /// A remove.
    Removal(Removal),
    /// An insert.
    Insertion(Insertion),
    /// An `insert_unique`.
    Admission(Admitting),
    /// A relocation.
    Relocation(Relocation),
    /// A descriptor, by its owner.
    Pool(Pool),
    /// A descriptor, by somebody who has found a reference.
    Resolve(Resolve),
    /// A writer's read.
    Settle(Settle),
    /// A search's read.
    Peek(Peek),
    /// The decision of an admission.
    Decide(Decide),
    /// A bump, and the hint if there is a scan.
    Announce(Announce),
    /// A snapshot.
    Scan(Scan),
}

/// Accesses of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Lookup {
    FastVersion,
    FastFirst,
    FastSecond,
    FastValidate,
    Version,
    First,
    Second,
    ArrivalSource,
    ArrivalControl,
    Validate,
}

/// Accesses of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Count {
    Version,
    Validate,
}

/// Accesses of a remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Removal {
    FastFirst,
    FastSecond,
    FastExchange,
    Version,
    Exchange,
    LateBump,
    Validate,
}

/// Accesses of an insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Insertion {
    FastFirst,
    FastSecond,
    FastExchange,
    Exchange,
}

/// Accesses of an `insert_unique`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Admitting {
    Freeze,
    Abort,
    ReadState,
    WriteBack,
}

/// Accesses of a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Relocation {
    FreezeLower,
    FreezeHigher,
    AbortUnfrozen,
    AbortHalfFrozen,
    UnfreezeLower,
    Commit,
    WriteSource,
    WriteDestination,
}

/// Accesses of an owner to the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Pool {
    Claim,
    PublishNumber,
    PublishField(u8),
    Release,
}

/// Accesses of one who reads a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Resolve {
    Field(u8),
    Control,
}

/// Accesses of a writer's read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Settle {
    First,
    Again,
    Abort,
    WriteBack,
}

/// Accesses of a search's read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Peek {
    First,
    Again,
}

/// Accesses of one who decides an admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Decide {
    ReadWitness,
    AbortRival,
    Decide,
}

/// Accesses of one who bumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Announce {
    Bump,
    ReadNotes,
    TakeTurn,
    WriteHint,
}

/// Accesses of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the access that it names")]
pub enum Scan {
    TakeRight,
    ForgetHint,
    ForgetNotes,
    Announce,
    EarlyEnd,
    End,
    ReadNotes,
    ReadHint,
    GiveBack,
}

/// Who is waiting for a routine to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the routine and what it waits for")]
pub enum Caller {
    #[default]
    Nobody,
    CountFirst,
    CountSecond,
    RemovalFirst,
    RemovalSecond,
    RemovalBump,
    InsertionOpen,
    InsertionFirst,
    InsertionSecond,
    OpenFirst,
    OpenSecond,
    OpenNear,
    SearchFirst,
    SearchSecond,
    SearchSlot,
    RefusalFirst,
    RefusalSecond,
    PathClaim,
    PathHop,
    PathRelease,
    MoveClaim,
    MoveHop,
    MoveRelease,
    RelocationSource,
    RelocationDestination,
    RelocationPublish,
    RelocationEarlyBump,
    RelocationMiddleBump,
    RelocationBump,
    RelocationLateBump,
    AdmissionLook,
    AdmissionFirst,
    AdmissionSecond,
    AdmissionOpen,
    AdmissionClaim,
    AdmissionPublish,
    AdmissionDecide,
    AdmissionRelease,
    SettleDecide,
    MovePeek,
    ScanWord,
    ScanCount,
}

/// Who wants to know what a reference means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is a routine")]
pub enum Asker {
    #[default]
    Lookup,
    Settle,
    Peek,
    Witness,
}

impl At {
    /// The first access of a call.
    pub fn first(kind: Kind) -> Self {
        match kind {
            Kind::Insert => Self::Insertion(Insertion::FastFirst),
            Kind::Unique | Kind::UniqueValue | Kind::Contains | Kind::Value => {
                Self::Lookup(Lookup::FastVersion)
            }
            Kind::Remove => Self::Removal(Removal::FastFirst),
            Kind::Replace | Kind::Take => Self::Removal(Removal::Version),
            Kind::Count | Kind::Values => Self::Count(Count::Version),
            Kind::Move => Self::Pool(Pool::Claim),
            Kind::Snapshot => Self::Scan(Scan::TakeRight),
            _ => unreachable!("a call of tables that grow"),
        }
    }
}
