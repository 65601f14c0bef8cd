//! What a call answers if it fails, and where panics end.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};
use std::fmt::{Display, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lockfree_cuckoo::{
    BuildError, InsertError, InsertManyError, ReadError, RotateError, SnapshotError,
};

/// The version of this header: 10,000 times the major number, plus 100 times the minor one, plus the patch level.
pub const LFCF_VERSION: u32 = 100;

/// Why a call failed. Later versions may add numbers, and change none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lfcf_status {
    /// Nothing failed.
    LFCF_OK = 0,
    /// A pointer is null.
    LFCF_NULL = -1,
    /// A pointer is not a multiple of the alignment of its type.
    LFCF_MISALIGNED = -2,
    /// A number is out of its range, or an option is unknown or does not go with another one.
    LFCF_INVALID = -3,
    /// The filter is not of the kind that has this call.
    LFCF_WRONG_KIND = -4,
    /// No room was found for the item. Remove items, rotate, or use a larger filter, or one that grows.
    LFCF_FULL = -5,
    /// No room, in a filter that is mostly empty: the hashes are not well mixed, or few items have many copies.
    LFCF_POOR_HASHES = -6,
    /// As many copies of the item are stored as there is room for: eight with the default layout.
    LFCF_TOO_MANY_COPIES = -7,
    /// No room, and a limit, or the lack of memory, keeps the filter from growing.
    LFCF_CANNOT_GROW = -8,
    /// Other threads changed the same place during every attempt: try again.
    LFCF_DISTURBED = -9,
    /// Other threads use all descriptors: try again. If threads were killed in calls, `lfcf_clear` frees theirs.
    LFCF_NO_DESCRIPTOR = -10,
    /// Another thread is taking a snapshot of the filter: try again later.
    LFCF_BUSY = -11,
    /// Memory could not be allocated.
    LFCF_OUT_OF_MEMORY = -12,
    /// A limit on memory or on false positives is too low even for an empty filter.
    LFCF_LIMIT = -13,
    /// The system could not read or write.
    LFCF_IO = -14,
    /// The stored filter ends early.
    LFCF_TRUNCATED = -15,
    /// This is not a stored filter.
    LFCF_NOT_A_FILTER = -16,
    /// The stored filter is damaged, or bytes follow it.
    LFCF_DAMAGED = -17,
    /// A later release wrote the stored filter, in a form that this one does not know.
    LFCF_NEWER_VERSION = -18,
    /// The stored filter has a hasher of its own, which only the Rust program that wrote it knows.
    LFCF_OTHER_HASHER = -19,
    /// A mistake in this library. Report it.
    LFCF_BUG = -20,
}

use lfcf_status::*;

/// What a call answers, or why it failed.
pub(crate) type Checked<T> = Result<T, lfcf_status>;

/// The numbers above, in order, as texts.
const TEXTS: [&CStr; 21] = [
    c"nothing failed",
    c"a pointer is null",
    c"a pointer is misaligned",
    c"a number is out of range, or an option is not possible",
    c"the filter is not of the kind that has this call",
    c"the filter is full",
    c"no room in a filter that is mostly empty: the hashes are not well mixed, or few items have many copies",
    c"there is no room for another copy of the item",
    c"there is no room, and the filter cannot grow",
    c"other threads changed the same place: try again",
    c"other threads use all descriptors: try again",
    c"another thread is taking a snapshot: try again later",
    c"memory could not be allocated",
    c"a limit is too low even for an empty filter",
    c"reading or writing failed",
    c"the stored filter ends early",
    c"this is not a stored filter",
    c"the stored filter is damaged, or bytes follow it",
    c"a later release wrote the stored filter",
    c"the stored filter has another hasher",
    c"a mistake in this library",
];

/// The details of the last error of a thread: a text that ends with 0. It is cut where it does not fit.
struct Details {
    text: [u8; 256],
    end: usize,
}

thread_local! {
    // Constant and without a destructor: to report an error neither allocates nor registers anything.
    static DETAILS: RefCell<Details> = const { RefCell::new(Details { text: [0; 256], end: 0 }) };
}

impl Write for Details {
    fn write_str(&mut self, more: &str) -> std::fmt::Result {
        let room = self.text.len() - 1 - self.end;
        let mut ends = (0..=room.min(more.len())).rev();
        let end = ends.find(|&end| more.is_char_boundary(end));
        let part = &more.as_bytes()[..end.unwrap_or(0)];
        self.text[self.end..self.end + part.len()].copy_from_slice(part);
        self.end += part.len();
        self.text[self.end] = 0;
        Ok(())
    }
}

/// Keeps the details of an error for `lfcf_last_error`.
pub(crate) fn failed(status: lfcf_status, details: impl Display) -> lfcf_status {
    // A thread that ends has no details any more.
    let _ = DETAILS.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        kept.end = 0;
        let _ = write!(kept, "{details}");
    });
    status
}

/// Makes a call: what it returns, or the status of what failed.
#[inline]
pub(crate) fn answer(call: impl FnOnce() -> Checked<c_int>) -> c_int {
    // After a panic callers can only give the filter up. It cannot be torn: a panic stops a thread between two of its
    // atomic accesses, where any thread may stop.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(answer)) => answer,
        Ok(Err(status)) => status as c_int,
        Err(_) => failed(LFCF_BUG, "a mistake in this library: the call panicked") as c_int,
    }
}

macro_rules! statuses {
    ($($type:ident($error:ident): $($kind:pat $(if $that:expr)? => $status:expr),*;)*) => {$(
        impl From<$type> for lfcf_status {
            fn from($error: $type) -> Self {
                let status = match &$error {
                    $($kind $(if $that)? => $status),*
                };
                failed(status, $error)
            }
        }
    )*};
}

statuses! {
    BuildError(error):
        BuildError::FalsePositiveRate { .. } | BuildError::MemoryLimit { .. } => LFCF_LIMIT,
        BuildError::OutOfMemory(_) => LFCF_OUT_OF_MEMORY,
        _ => LFCF_INVALID;
    InsertError(error):
        InsertError::Full { .. } if error.suggests_poor_hashing() => LFCF_POOR_HASHES,
        InsertError::Full { .. } => LFCF_FULL,
        InsertError::Disturbed { .. } => LFCF_DISTURBED,
        InsertError::NoDescriptor { .. } => LFCF_NO_DESCRIPTOR,
        InsertError::TooManyCopies { .. } => LFCF_TOO_MANY_COPIES,
        InsertError::CannotGrow(_) => LFCF_CANNOT_GROW,
        _ => LFCF_BUG;
    InsertManyError(error): _ => Self::from(error.error().clone());
    RotateError(error):
        RotateError::Disturbed { .. } => LFCF_DISTURBED,
        RotateError::NoDescriptor { .. } => LFCF_NO_DESCRIPTOR,
        _ => LFCF_BUG;
    SnapshotError(error):
        SnapshotError::Busy => LFCF_BUSY,
        SnapshotError::OutOfMemory(_) => LFCF_OUT_OF_MEMORY,
        _ => LFCF_DISTURBED;
    ReadError(error):
        ReadError::Io(_) => LFCF_IO,
        ReadError::Truncated { .. } => LFCF_TRUNCATED,
        ReadError::NotAFilter => LFCF_NOT_A_FILTER,
        ReadError::NewerVersion { .. } => LFCF_NEWER_VERSION,
        ReadError::HasherNeeded | ReadError::OtherHasher => LFCF_OTHER_HASHER,
        ReadError::TooLarge { .. } | ReadError::OutOfMemory(_) => LFCF_OUT_OF_MEMORY,
        _ => LFCF_DAMAGED;
}

/// The version of the library that runs; `LFCF_VERSION` is that of the header that was compiled.
///
/// Threads: any. Cost: none.
#[unsafe(no_mangle)]
pub extern "C" fn lfcf_version() -> u32 {
    LFCF_VERSION
}

/// What a negative answer means, in a few words. For a number that is no status: "unknown status".
///
/// Threads: any. Memory: the text is constant. Cost: none.
#[unsafe(no_mangle)]
pub extern "C" fn lfcf_status_text(status: c_int) -> *const c_char {
    let place = usize::try_from(-i64::from(status)).unwrap_or(usize::MAX);
    TEXTS.get(place).unwrap_or(&c"unknown status").as_ptr()
}

/// What failed in the last call of this thread that failed, with its numbers: "127 buckets are not possible: ...".
/// Empty if none has failed yet.
///
/// Threads: any; each has its own text. Memory: the text is the library's, and stays until the next call of this thread
/// that fails, or until the thread ends. Cost: none.
#[unsafe(no_mangle)]
pub extern "C" fn lfcf_last_error() -> *const c_char {
    let text = DETAILS.try_with(|kept| kept.borrow().text.as_ptr().cast());
    text.unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockfree_cuckoo::OutOfMemory;

    fn text_of(text: *const c_char) -> String {
        // SAFETY: texts of this module end with 0, and the last error stays until the next one.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_str().expect("UTF-8").to_owned()
    }

    /// Those that a single thread cannot make from C.
    #[test]
    fn each_error_has_a_status_and_details() {
        let is = |found: lfcf_status, expected| assert_eq!(found, expected);
        let attempts = 3;
        let (insert, rotate) = (
            InsertError::NoDescriptor { attempts },
            RotateError::NoDescriptor { attempts },
        );
        is(insert.into(), LFCF_NO_DESCRIPTOR);
        is(rotate.into(), LFCF_NO_DESCRIPTOR);
        is(InsertError::Disturbed { attempts }.into(), LFCF_DISTURBED);
        is(RotateError::Disturbed { attempts }.into(), LFCF_DISTURBED);
        is(SnapshotError::Disturbed.into(), LFCF_DISTURBED);
        let error = OutOfMemory::new(77);
        is(SnapshotError::from(error).into(), LFCF_OUT_OF_MEMORY);
        is(ReadError::from(error).into(), LFCF_OUT_OF_MEMORY);
        assert!(text_of(lfcf_last_error()).starts_with("77 bytes"));
    }

    #[test]
    fn a_panic_is_a_status() {
        assert_eq!(answer(|| panic!("a test of panics")), LFCF_BUG as c_int);
        assert!(text_of(lfcf_last_error()).contains("panicked"));
        let text = text_of(lfcf_status_text(LFCF_BUG as c_int));
        assert_eq!(text, "a mistake in this library");
        for none in [1, LFCF_BUG as c_int - 1, c_int::MIN, c_int::MAX] {
            assert_eq!(text_of(lfcf_status_text(none)), "unknown status");
        }
    }

    #[test]
    fn long_details_are_cut_between_characters() {
        failed(LFCF_IO, "é".repeat(200));
        assert_eq!(text_of(lfcf_last_error()), "é".repeat(127));
    }

    #[test]
    fn the_version_is_that_of_the_package() {
        let parts = env!("CARGO_PKG_VERSION").split('.');
        let number = parts.fold(0, |number, part| {
            100 * number + part.parse::<u32>().expect("a number")
        });
        assert_eq!(number, LFCF_VERSION);
    }
}
