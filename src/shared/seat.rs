//! The seats: which processes live, and a number for each that no other has had.
//!
//! A seat is a byte far behind the end of the file. A process that writes holds a lock on it, by an
//! open file of its own ("open file description lock"). The system gives the lock up when the last
//! descriptor of that open file is closed, and at the end of a process it closes them after the
//! last thread has run its last instruction. So if the byte is free, whoever held it is dead. No
//! other descriptor of the memory matters, whoever closes it, and neither do numbers of processes,
//! which mean different things in different containers.
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
use crate::shared::block::{SEAT_CELLS, SEATS, SEATS_AT};
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
    /// The number of processes so far, and for each seat the number of its last one.
    all: Part<AtomicU64>,
}

/// The bits of a seat in the number of a process. Above them, the processes are counted.
const SEAT_BITS: u32 = SEATS.ilog2() + 1;

/// The byte of the first seat: beyond the end of every file.
const FIRST: i64 = 1 << 62;

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
            all: Part::of_mapping(memory, SEATS_AT, SEAT_CELLS),
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

    /// Locks the first free seat. Returns a new number for this process; `None` if none is free.
    fn sit_down(&self) -> io::Result<Option<u64>> {
        for seat in 0..SEATS {
            if self.lock(seat)? {
                // Relaxed: all of them are different, whatever the order.
                let process = self.all[0].fetch_add(1, Ordering::Relaxed).wrapping_add(1);
                let number = process << SEAT_BITS | seat as u64;
                // Only a stranger makes the count so large that it wraps.
                if number == 0 {
                    return Ok(None);
                }
                self.all[1 + seat].store(number, Ordering::Relaxed);
                // Release fence: pairs with the Acquire fence in `is_dead`: who sees this number as
                // an owner sees it in its seat.
                fence(Ordering::Release);
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// Locks the byte of a seat. Returns false if another process has it.
    fn lock(&self, seat: usize) -> io::Result<bool> {
        match fcntl(&self.file, FcntlArg::F_OFD_SETLK(&byte(seat))) {
            Ok(_) => Ok(true),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether another process holds the lock of a seat. True if the system does not say.
    fn is_locked(&self, seat: usize) -> bool {
        let mut lock = byte(seat);
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

/// The byte of a seat, to be locked.
fn byte(seat: usize) -> libc::flock {
    libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: FIRST + seat as i64,
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
        let seat = (owner & ((1 << SEAT_BITS) - 1)) as usize;
        if seat >= SEATS {
            return true;
        }
        // Acquire fence: see `sit_down`. The caller has read the owner before.
        fence(Ordering::Acquire);
        // If another process has had its seat since, it is dead: a seat is taken only when its last
        // holder is. Otherwise ask the system who holds the seat.
        let last = self.all[1 + seat].load(Ordering::Relaxed);
        last != owner || !self.is_locked(seat)
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
