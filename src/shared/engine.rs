//! An engine over memory that processes share.

use alloc::sync::Arc;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::allocate::{Mapping, Part};
use crate::codec::header::{Header, HeaderFields, Identity, demand};
use crate::engine::buildable::Buildable;
use crate::engine::kind::Kind;
use crate::engine::plan::Plan;
use crate::error::{OutOfMemory, ReadError, SharedError};
use crate::fixed::Fixed;
use crate::fixed::tokens::{Parts, TokenTable};
use crate::kernel::geometry::Geometry;
use crate::kernel::layout::{Layout, Shape};
use crate::kernel::seats::Seats;
use crate::kernel::word::MAX_DESCRIPTORS;
use crate::shared::block::{Places, SIZES, Sizes};
use crate::shared::memory;
use crate::shared::seat::{Reader, Seat};

/// An engine whose tables can be in memory that processes share.
pub trait Shareable: Buildable {
    /// What a filter with this plan takes.
    #[doc(hidden)]
    fn shape_of(plan: &Plan) -> Result<Shared, SharedError>;

    /// The engine in this memory.
    #[doc(hidden)]
    fn in_memory(attached: &Attached<'_>) -> Result<Self, SharedError>;

    /// Takes back what dead processes held.
    #[doc(hidden)]
    fn recover(&self) -> usize;
}

/// The numbers of an engine in memory that processes share.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    numbers: HeaderFields,
    sizes: Sizes,
}

/// Memory that this process has, with the numbers in its header.
#[derive(Debug)]
pub struct Attached<'a> {
    shared: &'a Shared,
    mapping: &'a Arc<Mapping>,
    seats: &'a Arc<dyn Seats>,
}

/// How memory is found again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// By a descriptor.
    Nowhere,
    /// By a name, which must be free.
    At(&'a Path),
}

/// An engine, and the open file of the memory in which it is.
#[derive(Debug)]
pub(crate) struct Opened<E> {
    pub(crate) engine: E,
    pub(crate) file: OwnedFd,
}

const HEADER: usize = Header::BYTES + SIZES;

/// Makes memory for an engine with this plan, and attaches to it.
pub(crate) fn create<E: Shareable>(
    plan: &Plan,
    identity: &Identity,
    outside: usize,
    place: Place<'_>,
) -> Result<Opened<E>, SharedError> {
    // Refuse before anything is allocated.
    E::measures(plan, outside)?;
    let shared = E::shape_of(plan)?;
    let bytes = shared.sizes.bytes().ok_or(OutOfMemory::new(usize::MAX))?;
    plan.check_memory(bytes.saturating_add(outside))?;
    let file = match place {
        Place::Nowhere => memory::anonymous(bytes),
        Place::At(path) => memory::unnamed_beside(path, bytes),
    };
    let file = std::fs::File::from(file?);
    // Write the header. Everything else is 0, as it is in a new table.
    let layout = Shape::of::<E::Layout>();
    let header = Header::new(E::KIND, layout, identity, &shared.numbers).of_shared();
    let mut bytes = [0; HEADER];
    bytes[..Header::BYTES].copy_from_slice(&header.encode());
    bytes[Header::BYTES..].copy_from_slice(&shared.sizes.encode(header.begin_checksum()));
    file.write_all_at(&bytes, 0)?;
    let file = OwnedFd::from(file);
    match place {
        Place::Nowhere => memory::seal(&file)?,
        Place::At(path) => memory::name(&file, path)?,
    }
    attach(file, &shared)
}

/// The identity of the hasher in the header of memory, and the numbers of its engine. Checks all
/// that the code relies on.
pub(crate) fn read<E: Shareable>(file: &OwnedFd) -> Result<(Identity, Shared), SharedError> {
    let file = std::fs::File::from(file.try_clone()?);
    let mut bytes = [0; HEADER];
    let found = read_up_to(&file, &mut bytes)?;
    let header = Header::decode_shared(&bytes[..found.min(Header::BYTES)])?;
    header.check(E::KIND, Shape::of::<E::Layout>())?;
    let numbers = header.numbers()?;
    let sizes = bytes.last_chunk().expect("a header and the sizes");
    let (sizes, geometry) = Sizes::decode::<E::Layout>(sizes, header.begin_checksum())?;
    demand(numbers.tables == sizes.tables, "its tables do not match")?;
    demand(
        numbers.own[0] <= geometry.slots() as u64,
        "its capacity is larger than its number of slots",
    )?;
    demand(numbers.own[1] == 0, "an unused byte of the header is not 0")?;
    let expected = sizes.bytes().map_or(u64::MAX, |bytes| bytes as u64);
    match file.metadata()?.len() {
        found if found < expected => return Err(ReadError::Truncated { expected, found }.into()),
        found if found > expected => {
            return Err(ReadError::TrailingBytes { expected, found }.into());
        }
        _ => {}
    }
    Ok((header.identity()?, Shared { numbers, sizes }))
}

fn read_up_to(file: &std::fs::File, bytes: &mut [u8]) -> io::Result<usize> {
    let mut found = 0;
    while found < bytes.len() {
        match file.read_at(&mut bytes[found..], found as u64) {
            Ok(0) => break,
            Ok(more) => found += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Attaches to memory whose header was read: maps it, takes a seat, and takes back what dead
/// processes held.
pub(crate) fn attach<E: Shareable>(
    file: OwnedFd,
    shared: &Shared,
) -> Result<Opened<E>, SharedError> {
    let bytes = shared.sizes.bytes().ok_or(OutOfMemory::new(usize::MAX))?;
    let own = memory::reopen(&file, true)?;
    let mapping = memory::map(&own, bytes, true)?;
    let seat = Seat::take(own, &mapping)?.ok_or(SharedError::NoSeat)?;
    let seats: Arc<dyn Seats> = Arc::new(seat);
    let engine = E::in_memory(&Attached {
        shared,
        mapping: &mapping,
        seats: &seats,
    })?;
    engine.recover();
    Ok(Opened { engine, file })
}

/// Attaches to memory whose header was read, only to read it.
pub(crate) fn attach_reader<E: Shareable>(
    file: &OwnedFd,
    shared: &Shared,
) -> Result<E, SharedError> {
    let bytes = shared.sizes.bytes().ok_or(OutOfMemory::new(usize::MAX))?;
    let mapping = memory::map(file, bytes, false)?;
    let seats: Arc<dyn Seats> = Arc::new(Reader);
    E::in_memory(&Attached {
        shared,
        mapping: &mapping,
        seats: &seats,
    })
}

impl Attached<'_> {
    /// The table of this number.
    fn table<L: Layout>(&self, number: usize) -> Result<TokenTable<L>, SharedError> {
        let sizes = self.shared.sizes;
        let geometry = Geometry::with_buckets(sizes.buckets).expect("checked");
        let Places {
            scanning,
            cells,
            stripes,
            descriptors,
            log,
            words,
            ..
        } = sizes.places(number).expect("checked");
        let parts = Parts {
            words: Part::of_mapping(self.mapping, words, sizes.buckets),
            stripes: Part::of_mapping(self.mapping, stripes, sizes.stripes),
            descriptors: Part::of_mapping(self.mapping, descriptors, MAX_DESCRIPTORS),
            scanning: Part::of_mapping(self.mapping, scanning, 1),
            log: Part::of_mapping(self.mapping, log, sizes.log),
            cells: Part::of_mapping(self.mapping, cells, sizes.cells),
        };
        let budget = self.shared.numbers.search_budget;
        let seats = Arc::clone(self.seats);
        Ok(TokenTable::of_processes(geometry, budget, parts, seats)?)
    }
}

impl<L: Layout> Shareable for Fixed<L> {
    fn shape_of(plan: &Plan) -> Result<Shared, SharedError> {
        let (geometry, capacity) = plan.size()?.geometry::<L>()?;
        let search_budget = plan.search_budget(crate::fixed::DEFAULT_BUDGET)?;
        let sizes = Sizes::of(geometry, 1);
        let numbers = HeaderFields {
            own: [capacity as u64, 0],
            search_budget,
            tables: 1,
        };
        Ok(Shared { numbers, sizes })
    }

    fn in_memory(attached: &Attached<'_>) -> Result<Self, SharedError> {
        debug_assert_eq!(Self::KIND, Kind::Fixed);
        let table = attached.table(0)?;
        let capacity = attached.shared.numbers.own[0] as usize;
        Ok(Self { table, capacity })
    }

    fn recover(&self) -> usize {
        self.table.recover()
    }
}

/// Checks that a descriptor leads to memory whose size cannot change.
pub(crate) fn check_seals(file: &impl AsFd) -> Result<(), SharedError> {
    if memory::is_sealed(file) {
        Ok(())
    } else {
        Err(SharedError::NotSealed)
    }
}

/// Opens the file of this name.
pub(crate) fn open(path: &Path, writes: bool) -> io::Result<OwnedFd> {
    let file = std::fs::File::options()
        .read(true)
        .write(writes)
        .open(path)?;
    Ok(file.into())
}
