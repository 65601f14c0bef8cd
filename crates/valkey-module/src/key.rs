//! A key while a command works on it.
#![allow(unsafe_code)]

use crate::api::{KEY_IS_EMPTY, OK, READ, RawKey, Str, WRITE, api};
use crate::context::Context;
use crate::datatype;
use crate::value::Value;

pub(crate) struct Key {
    /// Null for a key that is only read and not there.
    raw: *mut RawKey,
}

/// It holds something else.
pub(crate) struct OtherType;

impl Key {
    /// Opens it, to be changed or only read.
    pub(crate) fn open(ctx: Context, name: *mut Str, writes: bool) -> Self {
        let mode = if writes { READ | WRITE } else { READ };
        // SAFETY: within a command, whose argument the name is.
        let raw = unsafe { (api().open_key)(ctx.raw(), name, mode) };
        Self { raw }
    }

    /// What it holds, if it holds anything.
    ///
    /// # Errors
    ///
    /// If that is no filter.
    pub(crate) fn value(&mut self) -> Result<Option<&mut Value>, OtherType> {
        let api = api();
        // SAFETY: an open key; a value of this type is what `into_raw` made, and nobody else uses it while the key is
        // open: the engine does one thing after another.
        unsafe {
            if self.raw.is_null() || (api.key_type)(self.raw) == KEY_IS_EMPTY {
                return Ok(None);
            }
            if (api.module_type_get_type)(self.raw) != datatype::registered() {
                return Err(OtherType);
            }
            Ok(Some(
                &mut *(api.module_type_get_value)(self.raw).cast::<Value>(),
            ))
        }
    }

    /// Gives a key that holds nothing this value.
    pub(crate) fn set(&mut self, value: Value) -> bool {
        let value = datatype::into_raw(value);
        // SAFETY: a key that is open for writing, and a value of this type.
        unsafe { (api().module_type_set_value)(self.raw, datatype::registered(), value) == OK }
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
