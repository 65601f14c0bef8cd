//! What replicas and the append-only log are told: what happened, not what was asked.
//!
//! Inserts need no random numbers. So a filter with the same seed in which the same happens in the same order is the
//! same, bit for bit.

use cf::{Layout, Operation, Reply, Settings};

use crate::api::Str;
use crate::context::{Context, OwnedString};
use crate::names;

/// That a filter was made, with all that makes it what it is.
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
    let words = line.split(' ').map(|word| ctx.string(word.as_bytes()));
    let words: Vec<_> = words.collect();
    let words = words.iter().map(OwnedString::raw);
    let arguments: Vec<_> = [key].into_iter().chain(words).collect();
    ctx.replicate(names::of("CF.RESERVE"), &arguments);
}

/// The least bucket size that is this layout, because a capacity has to be twice that; none for the layout that filters have
/// unless a client says.
fn bucket_size(slots: usize) -> Option<usize> {
    match slots {
        2 => Some(1),
        4 => None,
        8 => Some(7),
        slots => Some(slots),
    }
}

/// What an operation did to the filter of a key. Returns whether it did anything. `is_new` if the filter was made for it,
/// by which the command is another one where it is told.
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
    // One that looks first can put an item into another slot than one that does not.
    let name = if is_unique {
        "CF.INSERTNX"
    } else {
        "CF.INSERT"
    };
    ctx.replicate(names::of(name), &arguments);
}
