//! Replies of the commands crate in the words of the engine.

use std::ffi::CString;

use cf::{Answer, Error, Reply};

use crate::context::Context;

/// Why a command is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("ERR {0}")]
    Command(#[from] Error),
    #[error("WRONGTYPE Operation against a key holding the wrong kind of value")]
    WrongType,
    #[error("ERR the filter is not whole: {have} of the {total} bytes of its dump have come")]
    HalfLoaded { have: usize, total: usize },
}

pub(crate) fn refuse(ctx: Context, refusal: &Refusal) {
    match refusal {
        // By the name that the command has here.
        Refusal::Command(Error::WrongNumber(_)) => ctx.wrong_number(),
        // Which setting of this module is the limit.
        Refusal::Command(error @ Error::TooLong { .. }) => {
            ctx.reply_error(&format!("ERR {error} (cf.max-item-bytes)"));
        }
        Refusal::Command(error @ Error::NoMemoryToGrow(_)) => {
            ctx.reply_error(&format!("ERR {error} (cf.max-filter-bytes, maxmemory)"));
        }
        refusal => ctx.reply_error(&refusal.to_string()),
    }
}

pub(crate) fn reply(ctx: Context, reply: Reply) {
    match reply {
        Reply::Done => ctx.reply_simple(c"OK"),
        Reply::Whether(is_so) => ctx.reply_bool(is_so),
        Reply::Each(answers) => {
            ctx.reply_array(answers.len());
            for answer in answers {
                match answer {
                    Answer::Yes => ctx.reply_bool(true),
                    Answer::No => ctx.reply_bool(false),
                    Answer::Refused => ctx.reply_number(-1),
                }
            }
        }
        Reply::Numbers(answers) => {
            ctx.reply_array(answers.len());
            for answer in answers {
                ctx.reply_number(match answer {
                    Answer::Yes => 1,
                    Answer::No => 0,
                    Answer::Refused => -1,
                });
            }
        }
        Reply::Count(number) => ctx.reply_number(saturated(number as u64)),
        Reply::Info(info) => {
            ctx.reply_map(info.len());
            for (name, value) in info {
                ctx.reply_simple(&CString::new(name).unwrap_or_default());
                ctx.reply_number(saturated(value));
            }
        }
        Reply::Chunk(chunk) => {
            ctx.reply_array(2);
            match chunk {
                Some((iterator, bytes)) => {
                    ctx.reply_number(iterator);
                    ctx.reply_bytes(&bytes);
                }
                None => {
                    ctx.reply_number(0);
                    ctx.reply_nothing();
                }
            }
        }
    }
}

fn saturated(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
