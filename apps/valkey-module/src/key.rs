//! Keys: opened by a command.
#![allow(unsafe_code)]

use crate::api::{KEY_IS_EMPTY, OK, READ, RawKey, Str, WRITE, api};
use crate::context::Context;
use crate::handle;
use crate::value::Value;

pub(crate) struct Key {
    /// Null for a key that does not exist and is only read.
    raw: *mut RawKey,
}

/// The error of a key that has a value of another type.
pub(crate) struct OtherType;

impl Key {
    /// Opens a key, to be changed or only read.
    pub(crate) fn open(ctx: Context, name: *mut Str, writes: bool) -> Self {
        let mode = if writes { READ | WRITE } else { READ };
        // SAFETY: within a command that has the name as an argument.
        let raw = unsafe { (api().open_key)(ctx.raw(), name, mode) };
        Self { raw }
    }

    /// Returns its value, if there is one.
    ///
    /// # Errors
    ///
    /// If it is not a filter.
    pub(crate) fn value(&mut self) -> Result<Option<&mut Value>, OtherType> {
        let api = api();
        // SAFETY: an open key; a value of this type was made by `into_raw`, and has no other user
        // while the key is open, because the engine runs one command after another.
        unsafe {
            if self.raw.is_null() {
                return Ok(None);
            }
            if (api.module_type_get_type)(self.raw) != handle::registered() {
                let is_empty = (api.key_type)(self.raw) == KEY_IS_EMPTY;
                return if is_empty { Ok(None) } else { Err(OtherType) };
            }
            Ok(Some(
                &mut *(api.module_type_get_value)(self.raw).cast::<Value>(),
            ))
        }
    }

    /// Sets the value of a key without one.
    pub(crate) fn set(&mut self, value: Value) -> bool {
        let value = handle::into_raw(value);
        // SAFETY: a key that is open for writing, and a value of this type.
        unsafe { (api().module_type_set_value)(self.raw, handle::registered(), value) == OK }
    }
}

/// Returns the value of a key that the engine has opened, if it is of this type.
///
/// # Safety
///
/// It is an open key, or null, and its value has no other user meanwhile.
pub(crate) unsafe fn value_of<'a>(raw: *mut RawKey) -> Option<&'a mut Value> {
    let api = api();
    // SAFETY: as promised; a value of this type was made by `into_raw`.
    unsafe {
        let is_ours = !raw.is_null() && (api.module_type_get_type)(raw) == handle::registered();
        is_ours.then(|| &mut *(api.module_type_get_value)(raw).cast::<Value>())
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: it is open.
            unsafe { (api().close_key)(self.raw) };
        }
    }
}
