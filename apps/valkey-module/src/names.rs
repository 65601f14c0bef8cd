//! Names of the commands. The prefix `CF` is RedisBloom's, so another one can be chosen when the
//! module is loaded.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

static NAMES: OnceLock<Vec<CString>> = OnceLock::new();

/// Takes the load argument `prefix WORD`. Returns false for other arguments.
pub(crate) fn take(arguments: &[&[u8]]) -> bool {
    let prefix = match *arguments {
        [] => "cf",
        [option, prefix] if option.eq_ignore_ascii_case(b"prefix") => {
            match std::str::from_utf8(prefix) {
                Ok(prefix) if is_word(prefix) => prefix,
                _ => return false,
            }
        }
        _ => return false,
    };
    let names = cf::COMMANDS.iter().map(|spec| {
        let name = spec.name.replacen("CF", prefix, 1).to_ascii_lowercase();
        CString::new(name).unwrap_or_default()
    });
    NAMES.set(names.collect()).is_ok()
}

fn is_word(prefix: &str) -> bool {
    (1..=16).contains(&prefix.len()) && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the names of all commands, in the order of the table.
pub(crate) fn all() -> &'static [CString] {
    NAMES.get().map_or(&[], Vec::as_slice)
}

/// Returns the name here of a command of RedisBloom.
pub(crate) fn of(name: &str) -> &'static CStr {
    let found = cf::COMMANDS.iter().position(|spec| spec.name == name);
    found.and_then(|at| all().get(at)).map_or(c"", |name| name)
}
