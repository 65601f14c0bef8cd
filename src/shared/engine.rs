//! An engine over memory that processes share.

use alloc::sync::Arc;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

use crate::allocate::{Mapping, Part};
use crate::codec::header::{Header, HeaderFields, Identity, MAX_TABLES, demand};
use crate::engine::buildable::Buildable;
use crate::engine::plan::Plan;
use crate::error::{OutOfMemory, ReadError, SharedError};
use crate::fixed::tokens::{Parts, TokenTable};
use crate::kernel::geometry::Geometry;
use crate::kernel::layout::{Layout, Shape};
use crate::kernel::seats::Seats;
use crate::kernel::word::MAX_DESCRIPTORS;
use crate::shared::block::{BOOT_AT, SIZES, STATE_AT, Sizes};
use crate::shared::memory;
use crate::shared::memory::Boot;
use crate::shared::seat::{Reader, Seat};
use crate::sync::AtomicU64;

/// An engine whose tables can be in memory that processes share:
/// [`Fixed`](crate::filter::Fixed) or [`Rotating`](crate::filter::Rotating). A
/// [`Growing`](crate::filter::Growing) one takes new memory when it grows, and others would not have
/// it.
///
/// Sealed, as [`Engine`](crate::filter::Engine) is.
pub trait Shareable: Buildable {
    /// The tables that it has besides those in the header.
    #[doc(hidden)]
    const SPARES: usize;

    /// What a filter with this plan takes.
    #[doc(hidden)]
    fn shape_of(plan: &Plan) -> Result<Shared, SharedError>;

    /// The engine in this memory.
    #[doc(hidden)]
    fn in_memory(attached: &Attached<'_>) -> Result<Self, SharedError>;
}

/// The numbers of an engine in memory that processes share.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    pub(super) numbers: HeaderFields,
    pub(super) sizes: Sizes,
    /// What new memory has in place of the state of a rotation.
    pub(super) state: u64,
}

/// Memory that this process has mapped.
#[derive(Debug)]
pub struct Attached<'a> {
    pub(super) shared: &'a Shared,
    mapping: Arc<Mapping>,
    seats: Arc<dyn Seats>,
}

/// The memory that a descriptor leads to, and its header, which is read once.
#[derive(Debug)]
pub struct Memory {
    file: OwnedFd,
    header: Header,
    sizes: [u8; SIZES],
    len: u64,
}

/// How memory is found again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// By a descriptor.
    Nowhere,
    /// By a name, which must be free.
    At(&'a Path),
}

const HEADER: usize = Header::BYTES + SIZES;

impl Place<'_> {
    /// Gives memory the name by which others find it. It is whole, and nothing else is left to fail.
    pub(crate) fn name(self, file: &OwnedFd) -> io::Result<()> {
        match self {
            Self::Nowhere => Ok(()),
            Self::At(path) => memory::name(file, path),
        }
    }
}

/// Makes memory for an engine with this plan. It has no name yet.
pub(crate) fn create<E: Shareable>(
    plan: &Plan,
    identity: &Identity,
    outside: usize,
    place: Place<'_>,
) -> Result<Memory, SharedError> {
    // Refuse before anything is allocated.
    E::measures(plan, outside)?;
    let shared = E::shape_of(plan)?;
    plan.check_memory(shared.bytes()?.saturating_add(outside))?;
    // Everything but the header and the state is 0, as it is in new tables.
    let layout = Shape::of::<E::Layout>();
    let header = Header::new(E::KIND, layout, identity, &shared.numbers);
    make(header, &shared, place, |_| Ok(()))
}

/// Makes memory with this header, and lets `fill` write the items. It is whole before others can
/// find it.
pub(super) fn make(
    header: Header,
    shared: &Shared,
    place: Place<'_>,
    fill: impl FnOnce(&File) -> io::Result<()>,
) -> Result<Memory, SharedError> {
    let bytes = shared.bytes()?;
    let file = match place {
        Place::Nowhere => memory::anonymous(bytes),
        Place::At(path) => memory::unnamed_beside(path, bytes),
    };
    let file = File::from(file?);
    // Write what tells others what it is, the state of a rotation, and the items.
    let header = header.of_shared();
    let sizes = shared.sizes.encode(header.begin_checksum());
    file.write_all_at(&header.encode(), 0)?;
    file.write_all_at(&sizes, Header::BYTES as u64)?;
    file.write_all_at(&shared.state.to_le_bytes(), STATE_AT as u64)?;
    file.write_all_at(&memory::boot()?, BOOT_AT as u64)?;
    fill(&file)?;
    let file = OwnedFd::from(file);
    #[cfg(feature = "huge-pages")]
    memory::collapse(&file, bytes)?;
    if let Place::Nowhere = place {
        memory::seal(&file)?;
    }
    Ok(Memory {
        file,
        header,
        sizes,
        len: bytes as u64,
    })
}

impl Memory {
    /// Reads the header. Its content is checked when an engine attaches.
    pub(crate) fn of(file: OwnedFd) -> Result<Self, SharedError> {
        let file = File::from(file);
        let mut bytes = [0; HEADER];
        let found = read_up_to(&file, 0, &mut bytes)?;
        let begin = &bytes[..found.min(Header::BYTES)];
        if let Ok(_) | Err(ReadError::NewerVersion { .. }) = Header::decode(begin) {
            return Err(SharedError::Stored);
        }
        let header = Header::decode_shared(begin)?;
        if found < HEADER {
            let (expected, found) = (HEADER as u64, found as u64);
            return Err(ReadError::Truncated { expected, found }.into());
        }
        Ok(Self {
            len: file.metadata()?.len(),
            file: file.into(),
            header,
            sizes: *bytes.last_chunk().expect("a header and the sizes"),
        })
    }

    /// The memory that a descriptor leads to, if its size cannot change.
    pub(crate) fn of_sealed(file: &impl AsFd) -> Result<Self, SharedError> {
        if !memory::is_sealed(file) {
            return Err(SharedError::NotSealed);
        }
        Self::of(file.as_fd().try_clone_to_owned()?)
    }

    /// The file of this name. Refuses one of an earlier boot: on a disk, it has lost whatever had
    /// not been written back when the machine went down.
    pub(crate) fn at(path: &Path, writes: bool) -> Result<Self, SharedError> {
        // Do not wait for the other end of what is no file.
        let file = File::options()
            .read(true)
            .write(writes)
            .custom_flags(OFlag::O_NONBLOCK.bits())
            .open(path)?;
        if !file.metadata()?.is_file() {
            return Err(ReadError::NotAFilter.into());
        }
        let mut boot = Boot::default();
        let found = read_up_to(&file, BOOT_AT as u64, &mut boot)?;
        let memory = Self::of(file.into())?;
        // A file that is too short for it is refused by its size.
        if found == boot.len() && boot != memory::boot()? {
            return Err(SharedError::OtherBoot);
        }
        Ok(memory)
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    pub(crate) fn into_file(self) -> OwnedFd {
        self.file
    }

    /// The numbers of an engine, after a check of all that the code relies on.
    fn shared<E: Shareable>(&self) -> Result<Shared, SharedError> {
        self.header.check(E::KIND, Shape::of::<E::Layout>())?;
        let numbers = self.header.numbers()?;
        let checksum = self.header.begin_checksum();
        let (sizes, geometry) = Sizes::decode::<E::Layout>(&self.sizes, checksum)?;
        demand(
            (1..=MAX_TABLES).contains(&numbers.tables)
                && numbers.tables + E::SPARES == sizes.tables,
            "its tables do not match",
        )?;
        demand(
            numbers.own[0] <= geometry.slots() as u64,
            "its capacity is larger than its number of slots",
        )?;
        demand(numbers.own[1] == 0, "an unused byte of the header is not 0")?;
        let expected = sizes.bytes().map_or(u64::MAX, |bytes| bytes as u64);
        let found = self.len;
        if found < expected {
            return Err(ReadError::Truncated { expected, found }.into());
        }
        if found > expected {
            return Err(ReadError::TrailingBytes { expected, found }.into());
        }
        Ok(Shared {
            numbers,
            sizes,
            state: 0,
        })
    }

    /// Attaches: maps the memory, takes a seat, and takes back what dead processes held.
    pub(crate) fn attach<E: Shareable>(&self) -> Result<E, SharedError> {
        let shared = &self.shared::<E>()?;
        // The mapping is of an open file that has no locks: children have it, too.
        let mapped = memory::reopen(&self.file, true)?;
        let mapping = memory::map(&mapped, shared.bytes()?, true)?;
        let own = memory::reopen(&self.file, true)?;
        let seat = Seat::take(own, &mapping)?.ok_or(SharedError::NoSeat)?;
        let engine = E::in_memory(&Attached {
            shared,
            mapping,
            seats: Arc::new(seat),
        })?;
        engine.recover();
        Ok(engine)
    }

    /// Attaches, only to read.
    pub(crate) fn attach_reader<E: Shareable>(&self) -> Result<E, SharedError> {
        let shared = &self.shared::<E>()?;
        let mapping = memory::map(&self.file, shared.bytes()?, false)?;
        E::in_memory(&Attached {
            shared,
            mapping,
            seats: Arc::new(Reader),
        })
    }
}

fn read_up_to(file: &File, from: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let mut found = 0;
    while found < bytes.len() {
        match file.read_at(&mut bytes[found..], from + found as u64) {
            Ok(0) => break,
            Ok(more) => found += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

impl Shared {
    fn bytes(&self) -> Result<usize, OutOfMemory> {
        self.sizes.bytes().ok_or(OutOfMemory::new(usize::MAX))
    }
}

impl Attached<'_> {
    /// The table of this number.
    pub(super) fn table<L: Layout>(&self, number: usize) -> Result<TokenTable<L>, SharedError> {
        let sizes = self.shared.sizes;
        let geometry = Geometry::with_buckets(sizes.buckets).expect("checked");
        let places = sizes.places(number).expect("checked");
        let parts = Parts {
            words: Part::of_mapping(&self.mapping, places.words, sizes.buckets),
            stripes: Part::of_mapping(&self.mapping, places.stripes, sizes.stripes),
            descriptors: Part::of_mapping(&self.mapping, places.descriptors, MAX_DESCRIPTORS),
            scanning: Part::of_mapping(&self.mapping, places.scanning, 1),
            log: Part::of_mapping(&self.mapping, places.log, sizes.log),
            cells: Part::of_mapping(&self.mapping, places.cells, sizes.cells),
        };
        let budget = self.shared.numbers.search_budget;
        let seats = Arc::clone(&self.seats);
        Ok(TokenTable::of_processes(geometry, budget, parts, seats)?)
    }

    /// The cell of the state of a rotation.
    pub(super) fn state(&self) -> Part<AtomicU64> {
        Part::of_mapping(&self.mapping, STATE_AT, 1)
    }
}
