//! Replication: tells replicas and the append-only log the effects of commands, not the requests.
//!
//! Inserts need no random numbers, and what fails changes nothing, in doublings neither. So filters
//! with the same seed and the same effects in the same order are the same, bit for bit.

use cf::{Filter, Layout, Operation, Reply, Settings};

use crate::api::Str;
use crate::context::{Context, OwnedString, unix_milliseconds};
use crate::names;

/// Replicates the creation of a filter, with all its settings.
pub(crate) fn creation(ctx: Context, key: *mut Str, settings: Settings, seed: u64) {
    let mut line = settings.capacity.to_string();
    match settings.layout {
        Layout::Shape(shape) => {
            if let Some(size) = bucket_size(shape.slots()) {
                line += &format!(" BUCKETSIZE {size}");
            }
        }
        Layout::Rate(rate) => line += &format!(" ERROR {rate}"),
    }
    let (iterations, expansion) = (settings.max_iterations, settings.expansion);
    line += &format!(" MAXITERATIONS {iterations} EXPANSION {expansion} SEED {seed}");
    if let Some(window) = settings.window {
        // Write all digits, so that it is the same window.
        let (seconds, rest) = (window.length().as_secs(), window.length().subsec_nanos());
        let generations = window.generations();
        let now = unix_milliseconds();
        line += &format!(" WINDOW {seconds}.{rest:09} GENERATIONS {generations} AT {now}");
    }
    let words = line.split(' ').map(|word| ctx.string(word.as_bytes()));
    let words: Vec<_> = words.collect();
    let words = words.iter().map(OwnedString::raw);
    let arguments: Vec<_> = [key].into_iter().chain(words).collect();
    ctx.replicate(names::of("CF.RESERVE"), &arguments);
}

/// Replicates a rotation of a filter: its number, so that it is made once, and the time when its
/// youngest generation began.
pub(crate) fn rotation(ctx: Context, key: *mut Str, filter: &Filter, number: u64) {
    let age = filter.age().unwrap_or_default().as_millis();
    let begun = unix_milliseconds().saturating_sub(u64::try_from(age).unwrap_or(u64::MAX));
    let words = [number.to_string(), "AT".to_owned(), begun.to_string()];
    let words = words.map(|word| ctx.string(word.as_bytes()));
    let [number, at, begun] = &words;
    let arguments = [key, number.raw(), at.raw(), begun.raw()];
    ctx.replicate(names::of("CF.ROTATE"), &arguments);
}

/// Replicates the last chunk of a dump, with which a filter with a window begins here.
pub(crate) fn last_chunk(ctx: Context, argv: &[*mut Str]) {
    let words = ["AT".to_owned(), unix_milliseconds().to_string()];
    let words = words.map(|word| ctx.string(word.as_bytes()));
    let mut arguments = argv[1..argv.len().min(4)].to_vec();
    arguments.extend(words.iter().map(OwnedString::raw));
    ctx.replicate(names::of("CF.LOADCHUNK"), &arguments);
}

/// Returns the smallest bucket size of this layout, because a capacity has to be twice that; `None`
/// for the default layout.
fn bucket_size(slots: usize) -> Option<usize> {
    match slots {
        2 => Some(1),
        4 => None,
        8 => Some(7),
        slots => Some(slots),
    }
}

/// Replicates the effect of an operation on the filter of a key. Returns whether there was any.
/// `is_new` if the filter was made for it, which changes the replicated command.
pub(crate) fn done(
    ctx: Context,
    argv: &[*mut Str],
    operation: &Operation<'_>,
    reply: &Reply,
    is_new: bool,
) -> bool {
    match (operation, reply) {
        (Operation::Add { .. } | Operation::Delete(_), Reply::Boolean(true)) => {
            ctx.replicate_verbatim();
            true
        }
        (
            Operation::Insert {
                items, is_unique, ..
            },
            Reply::Array(answers),
        ) => {
            let added = answers.iter().filter(|answer| is_yes(answer)).count();
            if added == 0 {
                return false;
            }
            if added == answers.len() && !is_new {
                ctx.replicate_verbatim();
            } else {
                // The items are the last arguments.
                let given = &argv[argv.len() - items.len()..];
                insertion(ctx, argv[1], *is_unique, given, answers);
            }
            true
        }
        // A known item may have another copy.
        (Operation::Refresh(_), Reply::Array(answers)) => {
            let is_changed = answers.iter().any(|answer| *answer != Reply::Integer(-1));
            if is_changed {
                ctx.replicate_verbatim();
            }
            is_changed
        }
        _ => false,
    }
}

fn is_yes(answer: &Reply) -> bool {
    matches!(answer, Reply::Boolean(true) | Reply::Integer(1))
}

fn insertion(ctx: Context, key: *mut Str, is_unique: bool, items: &[*mut Str], answers: &[Reply]) {
    let words = ["NOCREATE", "ITEMS"].map(|word| ctx.string(word.as_bytes()));
    let added = items.iter().zip(answers);
    let added = added.filter(|(_, answer)| is_yes(answer));
    let arguments: Vec<_> = [key, words[0].raw(), words[1].raw()]
        .into_iter()
        .chain(added.map(|(&item, _)| item))
        .collect();
    // An insert that looks first can put an item into another slot than one that does not.
    let name = if is_unique {
        "CF.INSERTNX"
    } else {
        "CF.INSERT"
    };
    ctx.replicate(names::of(name), &arguments);
}
