//! The type of a key: what the engine calls to save, load, copy, measure and free a value.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use cf::Loading;

use crate::api::{Digest, Io, KeyOptCtx, Str, TYPE_METHODS_VERSION, Type, TypeMethods, api, flags};
use crate::boundary::guarded;
use crate::context::Context;
use crate::saving;
use crate::stored;
use crate::value::{Content, Value};

/// Nine characters, and none that RedisBloom has: its filters cannot be read as these.
const NAME: &std::ffi::CStr = c"lfcuckoof";

/// Bytes that are freed about as fast as one element of a list.
const EFFORT: usize = 16 << 10;

struct Registered(*mut Type);
// SAFETY: the engine's own, which is never changed nor freed.
unsafe impl Send for Registered {}
// SAFETY: as above.
unsafe impl Sync for Registered {}

static TYPE: OnceLock<Registered> = OnceLock::new();

/// The type, once it is registered.
pub(crate) fn registered() -> *mut Type {
    TYPE.get().map_or(null_mut(), |registered| registered.0)
}

pub(crate) fn register(ctx: Context) -> bool {
    let mut methods = TypeMethods {
        version: TYPE_METHODS_VERSION,
        rdb_load: Some(load),
        rdb_save: Some(save),
        aof_rewrite: Some(rewrite),
        mem_usage: None,
        digest: Some(digest),
        free: Some(free),
        aux_load: null(),
        aux_save: null(),
        aux_save_triggers: 0,
        free_effort: null(),
        unlink: null(),
        copy: null(),
        defrag: null(),
        mem_usage2: Some(memory_usage),
        free_effort2: Some(free_effort),
        unlink2: null(),
        copy2: Some(copy),
    };
    let made = ctx.create_type(NAME, saving::VERSION, &mut methods);
    made.is_some_and(|made| TYPE.set(Registered(made)).is_ok())
}

/// The value behind a pointer that the engine has of this type.
unsafe fn value<'a>(value: *const c_void) -> &'a Value {
    // SAFETY: as promised.
    unsafe { &*value.cast() }
}

/// For the engine to keep.
pub(crate) fn into_raw(value: Value) -> *mut c_void {
    Box::into_raw(Box::new(value)).cast()
}

unsafe extern "C" fn free(raw: *mut c_void) {
    // SAFETY: the engine gives back what `into_raw` made, once. It may be on a thread of its own.
    guarded((), || drop(unsafe { Box::from_raw(raw.cast::<Value>()) }));
}

unsafe extern "C" fn memory_usage(_: *mut KeyOptCtx, raw: *const c_void, _: usize) -> usize {
    // SAFETY: of this type, as in all callbacks.
    guarded(0, || unsafe { value(raw) }.memory_usage())
}

unsafe extern "C" fn free_effort(_: *mut KeyOptCtx, raw: *const c_void) -> usize {
    // SAFETY: as above.
    guarded(1, || 1 + unsafe { value(raw) }.memory_usage() / EFFORT)
}

unsafe extern "C" fn copy(_: *mut KeyOptCtx, raw: *const c_void) -> *mut c_void {
    guarded(null_mut(), || {
        // SAFETY: as above.
        let copied = match unsafe { value(raw) }.content() {
            Content::Filter(filter) => stored::copy(&filter.read()).map(Value::new),
            Content::Loading(loading) => Loading::begin(loading.bytes()).map(Value::loading),
        };
        copied.map_or(null_mut(), into_raw)
    })
}

unsafe extern "C" fn digest(digest: *mut Digest, raw: *mut c_void) {
    guarded((), || {
        let add = |bytes: &[u8]| {
            // SAFETY: it reads these bytes.
            unsafe {
                (api().digest_add_string_buffer)(digest, bytes.as_ptr().cast(), bytes.len());
            };
        };
        // SAFETY: as above.
        match unsafe { value(raw) }.content() {
            Content::Filter(filter) => {
                let filter = filter.read();
                add(&stored::entry(&filter));
                // Without memory for its header the digest is another one.
                let _ = stored::write(&filter, add);
            }
            Content::Loading(loading) => add(loading.bytes()),
        }
        // SAFETY: the digest of this call.
        unsafe { (api().digest_end_sequence)(digest) };
    });
}

unsafe extern "C" fn save(io: *mut Io, raw: *mut c_void) {
    // SAFETY: as above; the stream is there for this call, as in those below.
    let is_done = guarded(false, || unsafe { saving::save(io, value(raw)) });
    if !is_done {
        give_up();
    }
}

unsafe extern "C" fn load(io: *mut Io, version: c_int) -> *mut c_void {
    // SAFETY: as above.
    let loaded = guarded(None, || unsafe { saving::load(io, version) });
    loaded.map_or(null_mut(), into_raw)
}

unsafe extern "C" fn rewrite(io: *mut Io, key: *mut Str, raw: *mut c_void) {
    // SAFETY: as above.
    let is_done = guarded(false, || unsafe { saving::rewrite(io, key, value(raw)) });
    if !is_done {
        give_up();
    }
}

/// A filter could not be written. The engine has no error for that: the process that saves ends, so that what was saved
/// before stays. On the main thread what is written does not load, which is better than a filter that misses items.
fn give_up() {
    // SAFETY: the flags of the process need no context.
    if unsafe { (api().get_context_flags)(null_mut()) } & flags::IS_CHILD != 0 {
        std::process::exit(1);
    }
}
