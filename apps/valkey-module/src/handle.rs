//! The handle: the registered type, and values as pointers of the engine.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::api::Type;
use crate::value::Value;

struct Registered(*mut Type);
#[allow(unsafe_code)]
// SAFETY: the engine's own, which is never changed nor freed.
unsafe impl Send for Registered {}
#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl Sync for Registered {}

static TYPE: OnceLock<Registered> = OnceLock::new();

/// Returns the type, once it is registered.
pub(crate) fn registered() -> *mut Type {
    TYPE.get().map_or(null_mut(), |registered| registered.0)
}

/// Keeps the type that the engine has registered. Returns false if there is none, or one already.
pub(crate) fn keep(made: *mut Type) -> bool {
    !made.is_null() && TYPE.set(Registered(made)).is_ok()
}

/// Makes a pointer for the engine to keep.
pub(crate) fn into_raw(value: Value) -> *mut c_void {
    Box::into_raw(Box::new(value)).cast()
}
