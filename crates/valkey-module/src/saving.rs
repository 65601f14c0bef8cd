//! Values in snapshots and in logs.
//!
//! In a snapshot, a number says what a value is. Of a filter follow its entry, its stored form in strings of at most 1 MiB,
//! and an empty string. Of one that is half loaded follow the length of its dump, what has come of it in such strings, and
//! an empty string. In a log, both are `CF.LOADCHUNK` commands: so they are on their way to another node, too.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int};
use std::io::{self, Read};

use crate::api::{Io, Str, api};
use crate::loading;
use crate::names;
use crate::stored;
use crate::value::{Content, Value};

/// Of the form in snapshots.
pub(crate) const VERSION: c_int = 1;

const FILTER: u64 = 1;
const LOADING: u64 = 2;

/// Bytes of a chunk of a log.
const CHUNK: usize = 16 << 20;

/// Writes a value to a snapshot. Returns false if it could not.
///
/// # Safety
///
/// The stream is the engine's, and there for as long as this call, as for all functions here.
pub(crate) unsafe fn save(io: *mut Io, value: &Value) -> bool {
    let number = |number| {
        // SAFETY: the engine's, for this call.
        unsafe { (api().save_unsigned)(io, number) };
    };
    let string = |bytes: &[u8]| {
        // SAFETY: it reads these bytes.
        unsafe { (api().save_string_buffer)(io, bytes.as_ptr().cast(), bytes.len()) };
    };
    match value.content() {
        Content::Filter(filter) => {
            let filter = filter.read();
            number(FILTER);
            string(&stored::entry(&filter));
            if let Err(error) = stored::write(&filter, string) {
                warn(io, &format!("a filter could not be saved: {error}"));
                return false;
            }
        }
        Content::Loading(loading) => {
            number(LOADING);
            number(loading.total() as u64);
            loading.bytes().chunks(1 << 20).for_each(string);
        }
    }
    string(b"");
    true
}

/// Reads a value from a snapshot. Nothing if there is none that is whole.
///
/// # Safety
///
/// As [`save`].
pub(crate) unsafe fn load(io: *mut Io, version: c_int) -> Option<Value> {
    let read = read(io, version);
    if let Err(error) = &read {
        warn(io, &format!("no filter that can be loaded: {error}"));
    }
    read.ok()
}

fn read(io: *mut Io, version: c_int) -> Result<Value, Box<dyn std::error::Error>> {
    if version != VERSION {
        return Err(format!("version {version} of its form is not known").into());
    }
    let number = || {
        // SAFETY: the engine's, for this call.
        let number = unsafe { (api().load_unsigned)(io) };
        has_failed(io).map_or(Ok(number), Err)
    };
    let mut strings = Strings {
        io,
        string: Vec::new(),
        taken: 0,
        has_ended: false,
    };
    match number()? {
        FILTER => {
            let entry = next_string(io)?;
            Ok(Value::new(stored::read(&entry, strings)?))
        }
        LOADING => {
            let total = usize::try_from(number()?)?;
            let mut bytes = Vec::new();
            strings.read_to_end(&mut bytes)?;
            Ok(Value::loading(loading::of_stored(total, &bytes)?))
        }
        other => Err(format!("{other} is no kind of it").into()),
    }
}

fn has_failed(io: *mut Io) -> Option<io::Error> {
    // SAFETY: the engine's, for the call in which it is used.
    (unsafe { (api().is_io_error)(io) } != 0).then(|| io::ErrorKind::UnexpectedEof.into())
}

fn next_string(io: *mut Io) -> io::Result<Vec<u8>> {
    let mut length = 0;
    // SAFETY: it gives a string of that length, to be given back.
    unsafe {
        let start = (api().load_string_buffer)(io, &raw mut length);
        if start.is_null() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length).to_vec();
        (api().free)(start.cast());
        Ok(bytes)
    }
}

/// What strings hold until the empty one.
struct Strings {
    io: *mut Io,
    string: Vec<u8>,
    taken: usize,
    has_ended: bool,
}

impl Read for Strings {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.string.len() && !self.has_ended {
            self.string = next_string(self.io)?;
            self.taken = 0;
            self.has_ended = self.string.is_empty();
        }
        let read = (&self.string[self.taken..]).read(into)?;
        self.taken += read;
        Ok(read)
    }
}

/// Writes the commands that make a value to a log. Returns false if it could not.
///
/// # Safety
///
/// As [`save`]; and the key is a string of the engine.
pub(crate) unsafe fn rewrite(io: *mut Io, key: *mut Str, value: &Value) -> bool {
    let name = names::of("CF.LOADCHUNK");
    let emit = |end: i64, chunk: &[u8]| {
        // SAFETY: `slb` stands for a string of the engine, a number, and bytes with their number.
        unsafe {
            (api().emit_aof)(
                io,
                name.as_ptr(),
                c"slb".as_ptr(),
                key,
                end,
                chunk.as_ptr().cast::<c_char>(),
                chunk.len(),
            );
        }
    };
    match value.content() {
        Content::Filter(filter) => {
            if let Err(error) = stored::dump(&filter.read(), CHUNK, emit) {
                warn(io, &format!("a filter could not be dumped: {error}"));
                return false;
            }
        }
        Content::Loading(loading) => {
            let mut end = 0;
            for chunk in loading.bytes().chunks(CHUNK) {
                end += chunk.len() as i64;
                emit(end, chunk);
            }
        }
    }
    true
}

fn warn(io: *mut Io, text: &str) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // SAFETY: a format for one string, and that string.
    unsafe { (api().log_io_error)(io, c"warning".as_ptr(), c"%s".as_ptr(), text.as_ptr()) };
}
