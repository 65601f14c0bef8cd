//! Memory that is not a filter, or has been changed.

use std::os::unix::fs::FileExt;

use lockfree_cuckoo::filter::Fixed;
use lockfree_cuckoo::{CuckooFilter, ReadError, SharedError, SharedFilter, SharedReader};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::{filter, opened};

/// The header and the sizes behind it.
const HEADER: usize = 128;

/// Each bit of the header is covered.
#[test]
fn every_changed_bit_is_noticed() {
    let filter = filter(100);
    let file = opened(&filter);
    for at in 0..HEADER as u64 {
        for bit in 0..8 {
            let mut byte = [0];
            file.read_exact_at(&mut byte, at).expect("within");
            file.write_all_at(&[byte[0] ^ 1 << bit], at)
                .expect("within");
            let refused = SharedFilter::<Fixed>::attach(&filter).map(drop);
            assert!(
                matches!(refused, Err(SharedError::Read(_))),
                "byte {at}, bit {bit}"
            );
            file.write_all_at(&byte, at).expect("within");
        }
    }
    assert!(SharedFilter::<Fixed>::attach(&filter).is_ok());
    // Who has it already has copied what it relies on.
    file.write_all_at(&[0xff; HEADER], 0).expect("within");
    assert!(filter.insert("a").is_ok() && filter.contains("a"));
    assert!(matches!(
        SharedFilter::<Fixed>::attach(&filter),
        Err(SharedError::Read(ReadError::NotAFilter))
    ));
}

/// A file that was there before the machine went down may have lost items.
#[test]
fn another_boot_is_noticed() {
    let path = format!("/dev/shm/lockfree-cuckoo-boot-{}", std::process::id());
    let filter = CuckooFilter::builder().build_shared_at(&path);
    let file = opened(&filter.expect("memory"));
    assert!(<SharedFilter>::open(&path).is_ok() && <SharedReader>::open(&path).is_ok());
    for at in 2_056..2_072 {
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).expect("within");
        file.write_all_at(&[!byte[0]], at).expect("within");
        let refused = <SharedFilter>::open(&path).map(drop);
        assert!(matches!(refused, Err(SharedError::OtherBoot)), "byte {at}");
        let refused = <SharedReader>::open(&path).map(drop);
        assert!(matches!(refused, Err(SharedError::OtherBoot)), "byte {at}");
        file.write_all_at(&byte, at).expect("within");
    }
    assert!(<SharedFilter>::open(&path).is_ok());
    std::fs::remove_file(path).expect("its own");
}

/// A file of another size than its header says.
#[test]
fn another_size_is_noticed() {
    let path = format!("/dev/shm/lockfree-cuckoo-size-{}", std::process::id());
    drop(
        CuckooFilter::builder()
            .build_shared_at(&path)
            .expect("memory"),
    );
    let bytes = std::fs::read(&path).expect("it is there");
    let whole = bytes.len();
    for size in [0, 1, 63, 64, 127, 128, 4_096, whole - 1, whole, whole + 1] {
        let mut changed = bytes.clone();
        changed.resize(size, 0);
        std::fs::write(&path, changed).expect("its own");
        let writer = <SharedFilter>::open(&path).map(drop);
        let reader = <SharedReader>::open(&path).map(drop);
        for opened in [writer, reader] {
            let is_as_said = match opened {
                Ok(()) => size == whole,
                Err(SharedError::Read(ReadError::Truncated { .. })) => size < whole,
                Err(SharedError::Read(ReadError::TrailingBytes { .. })) => size > whole,
                Err(_) => false,
            };
            assert!(is_as_said, "{size} of {whole} bytes");
        }
    }
    std::fs::remove_file(path).expect("its own");
}

/// A stored filter is not one that processes share, and the error says what to do.
#[test]
fn a_stored_filter_is_told_from_shared_memory() {
    let path = format!("/dev/shm/lockfree-cuckoo-stored-{}", std::process::id());
    let stored = CuckooFilter::with_capacity(100).to_bytes().expect("memory");
    std::fs::write(&path, &stored).expect("its own");
    for refused in [
        <SharedFilter>::open(&path).map(drop),
        <SharedReader>::open(&path).map(drop),
    ] {
        assert!(matches!(refused, Err(SharedError::Stored)), "{refused:?}");
    }
    // That of a later version has another form.
    let mut newer = stored.clone();
    newer[8] += 1;
    std::fs::write(&path, &newer).expect("its own");
    let refused = <SharedFilter>::open(&path).map(drop);
    assert!(matches!(refused, Err(SharedError::Stored)), "{refused:?}");
    // A damaged one is neither.
    std::fs::write(&path, &stored[..63]).expect("its own");
    let error = <SharedFilter>::open(&path).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this is not a filter that processes share: its first bytes are wrong"
    );
    std::fs::remove_file(path).expect("its own");
}

/// What is no file is refused at once.
#[test]
fn other_things_are_refused() {
    let path = format!("/dev/shm/lockfree-cuckoo-pipe-{}", std::process::id());
    mkfifo(path.as_str(), Mode::S_IRWXU).expect("its own");
    for path in [&path, "/dev/null", "/dev/zero"] {
        let writer = <SharedFilter>::open(path).map(drop);
        let reader = <SharedReader>::open(path).map(drop);
        for refused in [writer, reader] {
            let as_said = matches!(refused, Err(SharedError::Read(ReadError::NotAFilter)));
            assert!(as_said, "{path}");
        }
    }
    std::fs::remove_file(path).expect("its own");
}

/// The CRC of zlib.
fn crc(parts: [&[u8]; 2]) -> u32 {
    let mut crc = !0u32;
    for byte in parts.into_iter().flatten() {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// Numbers that no filter has, with checksums that match.
#[test]
fn impossible_numbers_are_refused() {
    let filter = filter(100);
    let file = opened(&filter);
    let mut header = [0; HEADER];
    file.read_exact_at(&mut header, 0).expect("within");
    let extremes = [
        0,
        1,
        2,
        3,
        7,
        1 << 20,
        1 << 32,
        1 << 40,
        1 << 61,
        u64::MAX / 2,
        u64::MAX,
    ];
    let mut accepted = 0;
    for at in (32..48).chain(48..60).chain(64..120).step_by(8) {
        for number in extremes {
            let mut changed = header;
            changed[at..at + 8].copy_from_slice(&number.to_le_bytes());
            let first = crc([&changed[..60], &[]]);
            changed[60..64].copy_from_slice(&first.to_le_bytes());
            let second = crc([&changed[..60], &changed[64..120]]);
            changed[120..].copy_from_slice(&u64::from(second).to_le_bytes());
            file.write_all_at(&changed, 0).expect("within");
            match SharedFilter::<Fixed>::attach(&filter) {
                // A smaller capacity, and the like.
                Ok(other) => {
                    accepted += 1;
                    assert!(other.insert("a").is_ok() && other.remove("a"));
                }
                Err(error) => assert!(matches!(error, SharedError::Read(_)), "{error}"),
            }
        }
    }
    assert!(accepted < 30, "{accepted}");
}
