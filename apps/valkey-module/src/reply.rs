//! Replies: writes the replies of the commands crate with the engine's calls.
#![allow(unsafe_code)]

use std::ffi::{c_long, c_longlong};

use cf::{Error, Reply};

use crate::api::api;
use crate::context::{Context, one_line};
use crate::metrics;

/// The reason why a command is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{}", .0.line())]
    Command(#[from] Error),
    #[error("ERR the filter is not whole: {have} of the {total} bytes of its dump have come")]
    HalfLoaded { have: usize, total: usize },
}

pub(crate) fn refuse(ctx: Context, refusal: &Refusal) {
    // Name the setting of this module that is the limit.
    let (setting, is_for_memory) = match refusal {
        // Use the name of the command on this engine.
        Refusal::Command(Error::WrongNumber(_)) => return ctx.wrong_number(),
        Refusal::Command(Error::TooLong { .. }) => (" (cf.max-item-bytes)", false),
        Refusal::Command(
            Error::NoMemoryToGrow { .. }
            | Error::NoMemory { .. }
            | Error::TooLarge { .. }
            | Error::NotAllocated(_),
        ) => (" (cf.max-filter-bytes, maxmemory)", true),
        Refusal::Command(Error::NoMemoryToTransfer(_)) => ("", true),
        _ => ("", false),
    };
    metrics::REFUSED_FOR_MEMORY.add(is_for_memory.into());
    ctx.reply_error(&format!("{refusal}{setting}"));
}

pub(crate) fn reply(ctx: Context, reply: &Reply) {
    let (api, raw) = (api(), ctx.raw());
    // SAFETY: within a command, or for a waiting client. Bytes are copied, and strings end with a
    // null byte. An array has as many replies as its length, and a map twice as many.
    unsafe {
        match *reply {
            Reply::Done => (api.reply_with_simple_string)(raw, c"OK".as_ptr()),
            Reply::Integer(number) => (api.reply_with_long_long)(raw, number as c_longlong),
            Reply::Boolean(is_so) => (api.reply_with_bool)(raw, is_so.into()),
            Reply::Bulk(ref bytes) => {
                (api.reply_with_string_buffer)(raw, bytes.as_ptr().cast(), bytes.len())
            }
            Reply::Nil => (api.reply_with_null)(raw),
            Reply::Array(ref parts) => {
                let begun = (api.reply_with_array)(raw, parts.len() as c_long);
                parts.iter().for_each(|part| self::reply(ctx, part));
                begun
            }
            Reply::Map(ref pairs) => {
                let begun = (api.reply_with_map)(raw, pairs.len() as c_long);
                for &(name, number) in pairs {
                    (api.reply_with_simple_string)(raw, one_line(name).as_ptr());
                    (api.reply_with_long_long)(raw, number as c_longlong);
                }
                begun
            }
        }
    };
}
