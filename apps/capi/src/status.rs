//! What a call answers if it fails, and where panics end.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};
use std::fmt::{Display, Write};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lockfree_cuckoo::{
    BuildError, InsertError, InsertManyError, ReadError, RotateError, SnapshotError, ValueError,
};

/// The version of this header: 10,000 times the major number, plus 100 times the minor one, plus
/// the patch level.
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
    /// The filter is not of the kind that has this call, or it has no values.
    LFCF_WRONG_KIND = -4,
    /// No room was found for the item. Remove items, rotate, or use a larger filter, or one that
    /// grows.
    LFCF_FULL = -5,
    /// No room, in a filter that is mostly empty: the hashes are not well mixed, or few items have
    /// many copies.
    LFCF_POOR_HASHES = -6,
    /// As many copies of the item are stored as there is room for: eight with the default layout.
    /// Or of items with hashes that look the same, as counters and addresses do: mix them.
    LFCF_TOO_MANY_COPIES = -7,
    /// No room, and a limit, or the lack of memory, keeps the filter from growing.
    LFCF_CANNOT_GROW = -8,
    /// Other threads changed the same place during every attempt: try again.
    LFCF_DISTURBED = -9,
    /// Other threads use all 1,023 descriptors, or there is no memory for more: try again. If
    /// threads were killed in calls, `lfcf_clear` frees theirs. Or the child of a fork got no seat
    /// in memory that processes share.
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
    /// The stored filter has a hasher of its own, which only the program that wrote it knows.
    LFCF_OTHER_HASHER = -19,
    /// A mistake in this library. Report it.
    LFCF_BUG = -20,
    /// The filter is a reader, which only looks up.
    LFCF_READ_ONLY = -21,
    /// The call needs the filter alone, and other processes may have it.
    LFCF_SHARED = -22,
    /// The size of the memory can change, and then the system would end every process that has it.
    LFCF_NOT_SEALED = -23,
    /// 1,023 processes have the filter already.
    LFCF_NO_SEAT = -24,
    /// No file has this name.
    LFCF_NO_FILE = -25,
    /// A file has this name already.
    LFCF_FILE_EXISTS = -26,
    /// The system has no memory that processes share as filters need it: it is not Linux, or the
    /// processor is not little-endian.
    LFCF_UNSUPPORTED = -27,
    /// The machine has gone down since the file was made, so it may have lost items. Remove it, and
    /// make the filter anew.
    LFCF_OTHER_BOOT = -28,
}

use lfcf_status::*;

/// What a call answers, or why it failed.
pub(crate) type Checked<T> = Result<T, lfcf_status>;

/// The numbers above, in order, as texts.
const TEXTS: [&CStr; 29] = [
    c"nothing failed",
    c"a pointer is null",
    c"a pointer is misaligned",
    c"a number is out of range, or an option is not possible",
    c"the filter is not of the kind that has this call, or has no values",
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
    c"the filter is a reader, which only looks up",
    c"other processes may have the filter, and the call needs it alone",
    c"the size of the memory can change",
    c"as many processes as there can be have the filter",
    c"no file has this name",
    c"a file has this name already",
    c"filters that processes share need Linux, and a little-endian processor",
    c"the machine has gone down since the file was made",
];

/// The details of the last error of a thread: a text that ends with 0. It is cut where it does not
/// fit.
struct Details {
    text: [u8; 256],
    end: usize,
}

thread_local! {
    // Constant and without a destructor: to report an error neither allocates nor registers
    // anything.
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
    // After a panic callers can only give the filter up. It cannot be torn: a panic stops a thread
    // between two of its atomic accesses, where any thread may stop.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(answer)) => answer,
        Ok(Err(status)) => status as c_int,
        Err(_) => failed(LFCF_BUG, "a mistake in this library: the call panicked") as c_int,
    }
}

/// The status of each error and, where the text of the library for Rust names its items, another
/// one.
macro_rules! statuses {
    ($($type:ident($error:ident): $($kind:pat $(if $that:expr)? => $status:ident $(($($text:tt)*))?),*;)*) => {$(
        impl From<$type> for lfcf_status {
            fn from($error: $type) -> Self {
                match &$error {
                    $($kind $(if $that)? => statuses!(@details $error $status $($($text)*)?)),*
                }
            }
        }
    )*};
    (@details $error:ident $status:ident) => { failed($status, &$error) };
    (@details $error:ident $status:ident $($text:tt)*) => { failed($status, format_args!($($text)*)) };
}

statuses! {
    BuildError(error):
        BuildError::FalsePositiveRate { requested, rate, shape } => LFCF_LIMIT(
            "a false-positive rate of {requested:?} is too low for {} slots of {} bits, which have {rate:.2e} when \
            full: set a higher rate or, unless the filter grows, LFCF_SMALLEST, which chooses a layout and a size",
            shape.slots(), shape.fingerprint_bits()
        ),
        BuildError::MemoryLimit { .. } => LFCF_LIMIT,
        BuildError::OutOfMemory(_) => LFCF_OUT_OF_MEMORY,
        _ => LFCF_INVALID;
    InsertError(error):
        InsertError::Full { .. } if error.suggests_poor_hashing() => LFCF_POOR_HASHES(
            "no room in a filter that is mostly empty: the hashes are not well mixed, or few items have many copies"
        ),
        InsertError::Full { .. } => LFCF_FULL,
        InsertError::Disturbed { .. } => LFCF_DISTURBED,
        InsertError::NoDescriptor => LFCF_NO_DESCRIPTOR(
            "other threads have all descriptors in use, and no more could be added: try again; if that does not help, \
            threads have stopped within inserts, and `lfcf_clear` takes back what they held"
        ),
        InsertError::Value(_) => LFCF_INVALID,
        InsertError::TooManyCopies { .. } => LFCF_TOO_MANY_COPIES,
        InsertError::CannotGrow(_) => LFCF_CANNOT_GROW,
        _ => LFCF_BUG;
    ValueError(error): _ => LFCF_INVALID;
    RotateError(error):
        RotateError::Disturbed { .. } => LFCF_DISTURBED,
        RotateError::NoDescriptor => LFCF_NO_DESCRIPTOR(
            "other threads have all descriptors of the next generation in use, and no more could be added: try again; \
            if that does not help, threads have stopped within calls, and `lfcf_clear` takes back what they held"
        ),
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
        ReadError::HasherNeeded | ReadError::OtherHasher => LFCF_OTHER_HASHER(
            "the stored filter has a hasher of its own: only the program that wrote it can read it"
        ),
        ReadError::TooLarge { .. } | ReadError::OutOfMemory(_) => LFCF_OUT_OF_MEMORY,
        _ => LFCF_DAMAGED;
}

impl From<InsertManyError> for lfcf_status {
    fn from(error: InsertManyError) -> Self {
        Self::from(error.error().clone())
    }
}

/// That of a dump, in memory: reading and making fail for no other reasons.
impl From<cf::Error> for lfcf_status {
    fn from(error: cf::Error) -> Self {
        use cf::Error;
        let status = match error {
            Error::Dump(error) => return error.into(),
            Error::Read(ReadError::Io(ref error)) if error.kind() == ErrorKind::UnexpectedEof => {
                LFCF_TRUNCATED
            }
            // The two parts of the dump contradict each other.
            Error::Read(ReadError::Io(_)) => LFCF_DAMAGED,
            Error::Read(error) => return error.into(),
            Error::NoDump => LFCF_NOT_A_FILTER,
            Error::OtherWindow => LFCF_INVALID,
            Error::NoMemoryToTransfer(_) => LFCF_OUT_OF_MEMORY,
            _ => LFCF_DAMAGED,
        };
        failed(status, error)
    }
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

/// What failed in the last call of this thread that failed, with its numbers: "127 buckets are not
/// possible: ...". Empty if none has failed yet.
///
/// Threads: any; each has its own text. Memory: the text is the library's, and stays until the next
/// call of this thread that fails, or until the thread ends. Cost: none.
#[unsafe(no_mangle)]
pub extern "C" fn lfcf_last_error() -> *const c_char {
    let text = DETAILS.try_with(|kept| kept.borrow().text.as_ptr().cast());
    text.unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockfree_cuckoo::{CuckooFilter, CuckooFilterBuilder, DynFilter, OutOfMemory};

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
        let (insert, rotate) = (InsertError::NoDescriptor, RotateError::NoDescriptor);
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

    /// Errors whose texts in the library for Rust name its items.
    #[test]
    fn errors_name_no_items_of_rust() {
        let text = |_: lfcf_status| text_of(lfcf_last_error());
        let low = CuckooFilter::builder().max_false_positive_rate(1e-6);
        let foreign = CuckooFilterBuilder::with_hasher(std::hash::RandomState::new()).build();
        let foreign = foreign.expect("memory").to_bytes().expect("alone");
        let texts = [
            text(low.build().expect_err("lower than possible").into()),
            text(InsertError::NoDescriptor.into()),
            text(RotateError::NoDescriptor.into()),
            text(
                <DynFilter>::from_bytes(&foreign)
                    .expect_err("a hasher of its own")
                    .into(),
            ),
        ];
        for text in texts {
            for word in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
                // Names of Rust have an underscore, or a capital letter inside.
                let is_name = word.contains('_') || word.chars().skip(1).any(char::is_uppercase);
                let is_of_c = word.to_lowercase().starts_with("lfcf_");
                assert!(is_of_c || !is_name, "`{word}` in: {text}");
            }
        }
    }

    #[test]
    fn a_panic_is_a_status() {
        assert_eq!(answer(|| panic!("a test of panics")), LFCF_BUG as c_int);
        assert!(text_of(lfcf_last_error()).contains("panicked"));
        let text = text_of(lfcf_status_text(LFCF_BUG as c_int));
        assert_eq!(text, "a mistake in this library");
        for none in [1, LFCF_OTHER_BOOT as c_int - 1, c_int::MIN, c_int::MAX] {
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
