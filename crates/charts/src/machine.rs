//! What the numbers were measured on.

use std::env::consts;
use std::fs;
use std::thread;

/// The model of the processor, the number of its cores that this process can use, and the system, in one line.
#[must_use]
pub fn machine() -> String {
    // Linux on x86 names the model; elsewhere the architecture has to do.
    let model = fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| model_of(&text).map(str::to_owned))
        .unwrap_or_else(|| consts::ARCH.to_owned());
    format!("{model}, {} cores, {}", cores(), consts::OS)
}

/// The number of cores that this process can use.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A cache for data, as a processor has it or shares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// 1 is the nearest.
    pub level: u32,
    /// Its size.
    pub bytes: usize,
}

/// The caches of the first processor, the nearest first; none where the system does not tell.
#[must_use]
pub fn caches() -> Vec<Cache> {
    let file = |index: u32, name: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
        fs::read_to_string(path).ok()
    };
    (0..)
        .map_while(|index| Some((index, file(index, "type")?)))
        .filter(|(_, kind)| kind.trim() != "Instruction")
        .filter_map(|(index, _)| {
            Some(Cache {
                level: file(index, "level")?.trim().parse().ok()?,
                bytes: bytes_of(file(index, "size")?.trim())?,
            })
        })
        .collect()
}

/// What a size of the form `2048K` says.
fn bytes_of(size: &str) -> Option<usize> {
    let kibibytes: usize = size.strip_suffix('K')?.parse().ok()?;
    kibibytes.checked_mul(1 << 10)
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

    #[test]
    fn reads_the_size_of_a_cache() {
        assert_eq!(bytes_of("2048K"), Some(2 << 20));
        assert_eq!(bytes_of("2048"), None);
        assert!(caches().iter().all(|cache| cache.bytes >= 1 << 10));
    }
}
