//! The machine of a measurement: its model, cores and system.

use std::env::consts;
use std::fs;
use std::thread;

/// Returns the model of the processor, the number of its cores that this process can use, and the
/// system, in one line.
#[must_use]
pub fn machine() -> String {
    // Linux on x86 names the model; elsewhere use the architecture.
    let model = fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| model_of(&text).map(str::to_owned))
        .unwrap_or_else(|| consts::ARCH.to_owned());
    format!("{model}, {} cores, {}", cores(), consts::OS)
}

/// Returns the number of cores that this process can use.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn model_of(cpuinfo: &str) -> Option<&str> {
    cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map(|(_, model)| model.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_model() {
        let text = "processor\t: 0\nmodel name\t: A Processor @ 1 GHz\nmodel name\t: B";
        assert_eq!(model_of(text), Some("A Processor @ 1 GHz"));
        assert_eq!(model_of("processor\t: 0"), None);
    }
}
