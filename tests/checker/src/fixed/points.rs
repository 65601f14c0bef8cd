//! Points: the accesses of each routine, and those who wait for a routine to return.

use crate::call::Kind;

/// Enumerations of which each name says all there is to say.
macro_rules! names {
    ($($(#[$meta:meta])+ $name:ident { $($(#[$default:ident])? $variant:ident $(($of:ty))?),* })*) => {$(
        $(#[$meta])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is what it names")]
        pub enum $name {
            $($(#[$default])? $variant $(($of))?),*
        }
    )*};
}

names! {
    /// The access that a thread makes next, by its routine. At the end there is none: all calls are finished.
    #[derive(Default)]
    At {
        #[default] End, Lookup(Lookup), Count(Count), Removal(Removal), Insertion(Insertion),
        Admission(Admitting), Relocation(Relocation), Pool(Pool), Resolve(Resolve), Settle(Settle), Peek(Peek),
        Decide(Decide), Announce(Announce), Scan(Scan)
    }
    /// Accesses of a lookup.
    Lookup {
        FastVersion, FastFirst, FastSecond, FastValidate, Version, First, Second, ArrivalSource, ArrivalControl,
        Validate
    }
    /// Accesses of a count.
    Count { Version, Validate }
    /// Accesses of a remove.
    Removal { FastFirst, FastSecond, FastExchange, Version, Exchange, LateBump, Validate }
    /// Accesses of an insert.
    Insertion { FastFirst, FastSecond, FastExchange, Exchange }
    /// Accesses of an `insert_unique`.
    Admitting { Freeze, Abort, ReadState, WriteBack }
    /// Accesses of a relocation.
    Relocation {
        FreezeLower, FreezeHigher, AbortUnfrozen, AbortHalfFrozen, UnfreezeLower, Commit, WriteSource,
        WriteDestination
    }
    /// Accesses of an owner to the pool.
    Pool { Claim, PublishNumber, PublishField(u8), Release }
    /// Accesses of one who reads a descriptor.
    Resolve { Field(u8), Control }
    /// Accesses of a writer's read.
    Settle { First, Again, Abort, WriteBack }
    /// Accesses of a search's read.
    Peek { First, Again }
    /// Accesses of one who decides an admission.
    Decide { ReadWitness, AbortRival, Decide }
    /// Accesses of one who bumps.
    Announce { Bump, ReadNotes, TakeTurn, WriteHint }
    /// Accesses of a scan.
    Scan { TakeRight, ForgetHint, ForgetNotes, Announce, EarlyEnd, End, ReadNotes, ReadHint, GiveBack }
    /// Who is waiting for a routine to return.
    #[derive(Default)]
    Caller {
        #[default] Nobody, CountFirst, CountSecond, RemovalFirst, RemovalSecond, RemovalBump, InsertionOpen,
        InsertionFirst, InsertionSecond, OpenFirst, OpenSecond, OpenNear, SearchFirst, SearchSecond, SearchSlot,
        RefusalFirst, RefusalSecond, PathClaim, PathHop, PathRelease, MoveClaim, MoveHop, MoveRelease,
        RelocationSource, RelocationDestination, RelocationPublish, RelocationEarlyBump, RelocationMiddleBump,
        RelocationBump, RelocationLateBump, AdmissionLook, AdmissionFirst, AdmissionSecond, AdmissionOpen,
        AdmissionClaim, AdmissionPublish, AdmissionDecide, AdmissionRelease, SettleDecide, MovePeek, ScanWord,
        ScanCount
    }
    /// Who wants to know what a reference means.
    #[derive(Default)]
    Asker { #[default] Lookup, Settle, Peek, Witness }
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
