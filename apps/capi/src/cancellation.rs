//! The cancellation of threads, kept out of calls that read, write or ask the system: on Linux
//! those would end the thread by an unwinding that no Rust function lets through, so the process
//! would end.

use std::ffi::c_int;

use crate::status::{Checked, answer};

/// [`answer`] in a thread that is not cancelled before the call returns. A cancellation that is
/// pending stays so.
pub(crate) fn answer_uncancelled(call: impl FnOnce() -> Checked<c_int>) -> c_int {
    let _disabled = Disabled::new();
    answer(call)
}

/// While it lives, the calling thread is not cancelled.
pub(crate) struct Disabled {
    #[cfg(target_os = "linux")]
    state_before: c_int,
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::c_int;

    unsafe extern "C" {
        pub(super) safe fn pthread_setcancelstate(state: c_int, before: &mut c_int) -> c_int;
    }

    /// In glibc and in musl.
    pub(super) const DISABLE: c_int = 1;
}

impl Disabled {
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            state_before: {
                let mut before = 0;
                // It fails only for a state that there is not.
                system::pthread_setcancelstate(system::DISABLE, &mut before);
                before
            },
        }
    }
}

impl Drop for Disabled {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        system::pthread_setcancelstate(self.state_before, &mut 0);
    }
}
