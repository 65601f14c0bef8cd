//! The memory that processes share: making it, opening it, and mapping it.

use alloc::format;
use alloc::sync::Arc;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use memmap2::{MmapOptions, MmapRaw};
use nix::fcntl::{
    AT_FDCWD, AtFlags, FallocateFlags, FcntlArg, OFlag, SealFlag, fallocate, fcntl, open,
};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::stat::Mode;
use nix::unistd::{ftruncate, linkat};

#[cfg(feature = "huge-pages")]
use crate::allocate;
use crate::allocate::Mapping;

/// The bytes of the number of a boot, in the order in which its text has them.
pub(crate) type Boot = [u8; 16];

/// Memory without a name in the file system, of this size. All of it is there: a process that
/// touches it later cannot fail because the system has none left.
pub(crate) fn anonymous(bytes: usize) -> io::Result<OwnedFd> {
    // The system would take the memory of other processes, and end them.
    if bytes as u64 > available()? {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
    let memory = memfd_create("lockfree-cuckoo", flags)?;
    fill(&memory, bytes)?;
    Ok(memory)
}

/// A file without a name, in the directory in which it gets one.
pub(crate) fn unnamed_beside(path: &Path, bytes: usize) -> io::Result<OwnedFd> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let flags = OFlag::O_TMPFILE | OFlag::O_RDWR | OFlag::O_CLOEXEC;
    let memory = open(directory, flags, Mode::S_IRUSR | Mode::S_IWUSR)?;
    fill(&memory, bytes)?;
    Ok(memory)
}

fn fill(memory: &OwnedFd, bytes: usize) -> io::Result<()> {
    // The system would end this process by a signal.
    if getrlimit(Resource::RLIMIT_FSIZE)?.0 < bytes as u64 {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let bytes = i64::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
    ftruncate(memory, bytes)?;
    fallocate(memory, FallocateFlags::empty(), 0, bytes)?;
    Ok(())
}

/// Gives a file its name, which must be free. So whoever opens it finds it whole.
pub(crate) fn name(memory: &OwnedFd, path: &Path) -> io::Result<()> {
    let link = link_of(memory);
    linkat(
        AT_FDCWD,
        link.as_str(),
        AT_FDCWD,
        path,
        AtFlags::AT_SYMLINK_FOLLOW,
    )
    .map_err(without_proc)
}

/// The number of this boot of the machine: no other boot has it.
pub(crate) fn boot() -> io::Result<Boot> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").map_err(without_proc)?;
    let digits = text.trim_end().replace('-', "");
    match u128::from_str_radix(&digits, 16) {
        Ok(number) => Ok(number.to_be_bytes()),
        Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
    }
}

/// The bytes that the system can give without taking them from a process.
fn available() -> io::Result<u64> {
    let text = fs::read_to_string("/proc/meminfo").map_err(without_proc)?;
    let mut words = text.split_ascii_whitespace();
    let kibibytes = words
        .find(|&word| word == "MemAvailable:")
        .and_then(|_| words.next()?.parse::<u64>().ok());
    kibibytes
        .map(|number| number.saturating_mul(1024))
        .ok_or(io::ErrorKind::InvalidData.into())
}

/// The error of a call for a path below `/proc`. A caller must not take it for one of a file.
fn without_proc(error: impl Into<io::Error>) -> io::Error {
    let error = error.into();
    match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(
            io::ErrorKind::Unsupported,
            "filters that processes share need `/proc`",
        ),
        _ => error,
    }
}

fn link_of(memory: &impl AsFd) -> alloc::string::String {
    format!("/proc/self/fd/{}", memory.as_fd().as_raw_fd())
}

/// From here on no process can change the size.
pub(crate) fn seal(memory: &OwnedFd) -> io::Result<()> {
    fcntl(memory, FcntlArg::F_ADD_SEALS(size_seals()))?;
    Ok(())
}

fn size_seals() -> SealFlag {
    SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW
}

pub(crate) fn is_sealed(memory: &impl AsFd) -> bool {
    fcntl(memory.as_fd(), FcntlArg::F_GET_SEALS)
        .is_ok_and(|seals| SealFlag::from_bits_truncate(seals).contains(size_seals()))
}

/// The same memory, opened again: an open file of its own, whose locks are its own.
pub(crate) fn reopen(memory: &impl AsFd, writes: bool) -> io::Result<OwnedFd> {
    let access = if writes {
        OFlag::O_RDWR
    } else {
        OFlag::O_RDONLY
    };
    let link = link_of(memory);
    open(link.as_str(), access | OFlag::O_CLOEXEC, Mode::empty()).map_err(without_proc)
}

/// Maps all of it.
pub(crate) fn map(memory: &OwnedFd, bytes: usize, writes: bool) -> io::Result<Arc<Mapping>> {
    let mapped = mapped(memory, bytes, writes)?;
    #[cfg(feature = "huge-pages")]
    allocate::advise_shared(&mapped);
    Ok(Mapping::new(mapped))
}

/// Puts all of it into huge pages, if it is large and the system gives them. No other process may
/// have it yet: it would wait meanwhile, and could make others wait.
#[cfg(feature = "huge-pages")]
pub(crate) fn collapse(memory: &OwnedFd, bytes: usize) -> io::Result<()> {
    allocate::collapse(&mapped(memory, bytes, true)?);
    Ok(())
}

fn mapped(memory: &OwnedFd, bytes: usize, writes: bool) -> io::Result<MmapRaw> {
    let mut options = MmapOptions::new();
    options.len(bytes);
    if writes {
        options.map_raw(memory)
    } else {
        options.map_raw_read_only(memory)
    }
}
