//! The seats: which processes live, and a number for each that no other has had.
//!
//! A process that writes holds locks on two bytes far behind the end of the file: that of its seat,
//! so that there are not too many, and that of its number. The locks belong to an open file of its
//! own ("open file description locks"). The system gives them up when the last descriptor of that
//! open file is closed, and at the end of a process it closes them after the last thread has run
//! its last instruction. So if the byte of a number is free, the process that had it is dead. No
//! other descriptor of the memory matters, whoever closes it, and neither do the system's numbers
//! of processes, which mean different things in different containers.
//!
//! *Why the seat does not tell who is dead.* The next process that has it has locked it before that
//! can be seen by any number, and until then the last one would pass for alive. No two processes
//! have the byte of one number.
//!
//! *A program may close descriptors that it does not know.* So a page of the open file is mapped,
//! too, the *anchor*: the lock stays until that is gone. No other mapping is of this open file.
//!
//! *After a fork* the child has the descriptor of its parent, and not the anchor. It holds the
//! parent's lock too, until it closes the descriptor or ends, so nobody takes the parent for dead
//! too early. It must not pass for its parent: two threads would have one number. So the number is
//! in a page that the system clears in the child. The child opens the memory again in place of its
//! parent's open file, and takes a seat of its own, when it first needs one. If another file has
//! the number of that descriptor by now, it gets no seat.

use alloc::sync::Arc;
use core::ffi::c_void;
use core::mem;
use core::ops::Range;
use core::ptr::NonNull;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};

use memmap2::{Advice, MmapMut, MmapOptions, MmapRaw};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc;
use nix::sys::mman::{MmapAdvise, madvise, munmap};
use nix::sys::stat::fstat;
use nix::unistd::dup3_raw;

use crate::allocate::{Mapping, Part};
use crate::kernel::seats::Seats;
use crate::shared::block::{COUNT_AT, SEATS};
use crate::shared::memory::reopen;
use crate::sync::{AtomicU64, Ordering, fence};

/// The seat of this process.
#[derive(Debug)]
pub(crate) struct Seat {
    /// The open file whose locks are this process's. After a fork, the parent's, until the child
    /// has taken a seat.
    file: OwnedFd,
    /// The memory's device and file number.
    identity: Identity,
    /// The number of this process, 0 if it has none yet; whether a thread is taking a seat; and the
    /// address of the anchor. All are 0 after a fork.
    own: Part<AtomicU64>,
    /// The number of processes so far.
    count: Part<AtomicU64>,
}

/// The byte of the first seat: beyond the end of every file. Behind those of the seats are those of
/// numbers.
const FIRST: i64 = 1 << 62;

/// The numbers of processes.
const NUMBERS: Range<u64> = SEATS as u64..1 << 48;

/// The smallest page.
const PAGE: usize = 1 << 12;

impl Seat {
    /// A seat in memory that is open by `file`, which no one else has. `None` if all are taken.
    pub(crate) fn take(file: OwnedFd, memory: &Arc<Mapping>) -> io::Result<Option<Self>> {
        let page = MmapRaw::from(MmapMut::map_anon(PAGE)?);
        wipe_on_fork(&page)?;
        let seat = Self {
            identity: identity(&file)?,
            file,
            own: Part::of_mapping(&Mapping::new(page), 0, 3),
            count: Part::of_mapping(memory, COUNT_AT, 1),
        };
        seat.drop_anchor(&seat.file)?;
        let number = seat.sit_down()?;
        seat.number().store(number.unwrap_or(0), Ordering::Release);
        Ok(number.map(|_| seat))
    }

    fn number(&self) -> &AtomicU64 {
        &self.own[0]
    }

    fn is_being_taken(&self) -> &AtomicU64 {
        &self.own[1]
    }

    fn anchor(&self) -> &AtomicU64 {
        &self.own[2]
    }

    /// Maps a page of the open file whose locks are this process's.
    fn drop_anchor(&self, file: &OwnedFd) -> io::Result<()> {
        let page = MmapOptions::new().len(PAGE).map_raw_read_only(file)?;
        page.advise(Advice::DontFork)?;
        let address = page.as_mut_ptr() as u64;
        // In a child the page is not there: only `Seat::drop` of this process may unmap it.
        mem::forget(page);
        self.anchor().store(address, Ordering::Relaxed);
        Ok(())
    }

    /// Locks the first free seat, and a number. `None` if none is free.
    fn sit_down(&self) -> io::Result<Option<u64>> {
        for seat in 0..SEATS as u64 {
            if self.lock(seat)? {
                return self.lock_number();
            }
        }
        Ok(None)
    }

    /// Locks a new number for this process.
    fn lock_number(&self) -> io::Result<Option<u64>> {
        // A stranger may have set the count back, or far ahead. There are no more living processes
        // than seats.
        for _ in 0..=SEATS {
            // Relaxed: all of them are different, whatever the order.
            let before = self.count[0].fetch_add(1, Ordering::Relaxed);
            let number = before.saturating_add(NUMBERS.start);
            if !NUMBERS.contains(&number) {
                return Ok(None);
            }
            if self.lock(number)? {
                // Release fence: pairs with the Acquire fence in `is_dead`: who sees this number as
                // an owner sees its lock.
                fence(Ordering::Release);
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// Locks the byte of a seat or a number. Returns false if another process has it.
    fn lock(&self, number: u64) -> io::Result<bool> {
        match fcntl(&self.file, FcntlArg::F_OFD_SETLK(&byte(number))) {
            Ok(_) => Ok(true),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether another process holds the lock of a number. True if the system does not say.
    fn is_locked(&self, number: u64) -> bool {
        let mut lock = byte(number);
        let asked = fcntl(&self.file, FcntlArg::F_OFD_GETLK(&mut lock));
        asked.is_err() || lock.l_type != libc::F_UNLCK as libc::c_short
    }

    /// A seat for the child of a process that has one.
    #[cold]
    fn sit_down_after_fork(&self) -> Option<u64> {
        // Let one thread do it. The others find no seat for now.
        self.is_being_taken()
            .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .ok()?;
        let number = match self.number().load(Ordering::Acquire) {
            0 => self
                .open_own()
                .and_then(|()| self.sit_down())
                .ok()
                .flatten(),
            number => Some(number),
        };
        self.number().store(number.unwrap_or(0), Ordering::Release);
        self.is_being_taken().store(0, Ordering::Release);
        number
    }

    /// Replaces the open file of the parent by one of this process.
    fn open_own(&self) -> io::Result<()> {
        let own = reopen(&self.file, true)?;
        // The program may have closed the descriptor that it inherited, and opened another file.
        if identity(&own)? != self.identity {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.drop_anchor(&own)?;
        let number = self.file.as_raw_fd();
        #[allow(
            unsafe_code,
            reason = "the number of a descriptor stays, the open file changes"
        )]
        // SAFETY: the descriptor of this number is this seat's, and stays so.
        let replaced = unsafe { dup3_raw(&own, Number(number), OFlag::O_CLOEXEC)? };
        let _ = replaced.into_raw_fd();
        Ok(())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let address = self.anchor().load(Ordering::Relaxed);
        if let Some(page) = NonNull::new(address as *mut c_void) {
            #[allow(unsafe_code, reason = "the anchor belongs to the seat")]
            // SAFETY: `drop_anchor` has mapped this page in this process, and nobody reads it.
            let unmapped = unsafe { munmap(page, PAGE) };
            debug_assert!(unmapped.is_ok());
        }
    }
}

/// What tells a file from all others.
type Identity = (u64, u64);

fn identity(file: &OwnedFd) -> io::Result<Identity> {
    let status = fstat(file)?;
    Ok((status.st_dev, status.st_ino))
}

/// The number of a descriptor that someone else closes.
struct Number(i32);

impl IntoRawFd for Number {
    fn into_raw_fd(self) -> i32 {
        self.0
    }
}

/// The byte of a seat or a number, to be locked.
fn byte(number: u64) -> libc::flock {
    libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: FIRST + number as i64,
        l_len: 1,
        l_pid: 0,
    }
}

fn wipe_on_fork(page: &MmapRaw) -> io::Result<()> {
    let first = NonNull::new(page.as_mut_ptr()).expect("mapped");
    #[allow(unsafe_code, reason = "the system changes the page")]
    // SAFETY: the page is mapped, and this process's. It stays what it is but in a child.
    unsafe {
        madvise(first.cast(), page.len(), MmapAdvise::MADV_WIPEONFORK)?;
    }
    Ok(())
}

impl Seats for Seat {
    #[inline]
    fn own(&self) -> Option<u64> {
        match self.number().load(Ordering::Acquire) {
            0 => self.sit_down_after_fork(),
            number => Some(number),
        }
    }

    fn is_dead(&self, owner: u64) -> bool {
        // Ask only with an open file of this process: the lock of the parent's would seem free.
        let Some(own) = self.own() else {
            return false;
        };
        if owner == own {
            return false;
        }
        // Acquire fence: see `lock_number`. The caller has read the owner before.
        fence(Ordering::Acquire);
        // No process has a number that only a stranger writes.
        !NUMBERS.contains(&owner) || !self.is_locked(owner)
    }
}

/// No seat: for a process that only reads.
#[derive(Debug)]
pub(crate) struct Reader;

impl Seats for Reader {
    fn own(&self) -> Option<u64> {
        None
    }

    fn is_dead(&self, _: u64) -> bool {
        false
    }
}
