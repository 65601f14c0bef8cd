//! Replies of the commands crate in the words of the engine.

use std::ffi::CString;

use cf::{Error, Reply, Value};

use crate::context::Context;

/// Why a command is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{}", .0.line())]
    Command(#[from] Error),
    #[error("ERR the filter is not whole: {have} of the {total} bytes of its dump have come")]
    HalfLoaded { have: usize, total: usize },
}

impl Refusal {
    /// Whether there is too little memory for it.
    pub(crate) fn is_for_memory(&self) -> bool {
        let Self::Command(error) = self else {
            return false;
        };
        matches!(
            error,
            Error::NoMemory(_) | Error::NoMemoryToGrow(_) | Error::NoMemoryToTransfer(_)
        )
    }
}

pub(crate) fn refuse(ctx: Context, refusal: &Refusal) {
    // Which setting of this module is the limit.
    let setting = match refusal {
        // By the name that the command has here.
        Refusal::Command(Error::WrongNumber(_)) => return ctx.wrong_number(),
        Refusal::Command(Error::TooLong { .. }) => " (cf.max-item-bytes)",
        Refusal::Command(Error::NoMemoryToGrow(_) | Error::NoMemory(_)) => {
            " (cf.max-filter-bytes, maxmemory)"
        }
        _ => "",
    };
    ctx.reply_error(&format!("{refusal}{setting}"));
}

pub(crate) fn reply(ctx: Context, reply: Reply) {
    put(ctx, Value::from(reply));
}

fn put(ctx: Context, value: Value) {
    match value {
        Value::Done => ctx.reply_simple(c"OK"),
        Value::Integer(number) => ctx.reply_number(number),
        Value::Boolean(is_so) => ctx.reply_bool(is_so),
        Value::Bulk(bytes) => ctx.reply_bytes(&bytes),
        Value::Nil => ctx.reply_nothing(),
        Value::Array(values) => {
            ctx.reply_array(values.len());
            values.into_iter().for_each(|value| put(ctx, value));
        }
        Value::Map(pairs) => {
            ctx.reply_map(pairs.len());
            for (name, number) in pairs {
                ctx.reply_simple(&CString::new(name).unwrap_or_default());
                ctx.reply_number(number);
            }
        }
    }
}
