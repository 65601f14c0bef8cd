//! The stored form of a filter, byte by byte. Documentation only.
//!
//! [`write_to`](crate::CuckooFilter::write_to), [`to_bytes`](crate::CuckooFilter::to_bytes) and
//! [`chunks`](crate::Filter::chunks) write this form, and [`read_from`](crate::CuckooFilter::read_from) and
//! [`from_bytes`](crate::CuckooFilter::from_bytes) read it. With the feature `serde`, a filter is serialized as these
//! bytes. The form is the same on every machine. This is version 1; every later release reads it.
//!
//! # Layout
//!
//! All numbers are unsigned and little-endian.
//!
//! | offset | bytes | content |
//! |-------:|------:|---|
//! | 0 | 8 | magic: `89 4C 46 43 46 0D 0A 1A` |
//! | 8 | 2 | version: 1 |
//! | 10 | 2 | bytes of the header: 64 |
//! | 12 | 1 | bits of a fingerprint; 16 unless another [layout](#buckets) was chosen |
//! | 13 | 1 | low 4 bits: slots of a bucket, 4 unless another layout was chosen; high 4 bits: bits of a value |
//! | 14 | 1 | kind of filter: 1, fixed; 2, [growing](#growing-filters); 3, [rotating](#rotating-filters) |
//! | 15 | 1 | hasher: 1 for [`RandomState`](crate::RandomState), 2 for a custom one |
//! | 16 | 8 | seed of `RandomState`; 0 for a custom hasher |
//! | 24 | 8 | check: the hasher's hash of the 15 bytes `lockfree-cuckoo`, given in one `Hasher::write` |
//! | 32 | 8 | capacity of each table in items, at most its slots; for a growing filter the limit on its rate |
//! | 40 | 8 | 0 for a fixed filter; the rotations of a rotating one; the limit on the memory of a growing one |
//! | 48 | 4 | search budget in buckets, 2 to 4,096 |
//! | 52 | 4 | tables, `n`: 1 for a fixed filter |
//! | 56 | 4 | 0 |
//! | 60 | 4 | CRC-32 of bytes 0 to 59 |
//! | 64 | `16 n` | the list: an entry for each table |
//! | `64 + 16 n` | 4 | CRC-32 of bytes 0 to 59 and the list |
//! | `68 + 16 n` | `8 m` | the words of all tables, `m` in total, one 64-bit number each |
//! | `68 + 16 n + 8 m` | 4 | CRC-32 of bytes 0 to 59, the list and the words |
//!
//! An entry of the list:
//!
//! | offset | bytes | content |
//! |-------:|------:|---|
//! | 0 | 8 | buckets, for a growing filter see [below](#growing-filters) |
//! | 8 | 8 | items in the table: occupied slots |
//!
//! The number of buckets is a power of two from 2, times a number of at most 31. It is at most 2<sup>64 - b</sup> for
//! fingerprints of `b` bits. Most layouts have no values, so 0 bits of a value.
//!
//! The magic follows the example of PNG. Its first byte is not text. The line endings at its end change if a transfer
//! treats the file as text. The CRC is the one of zlib, PNG and Ethernet. Each CRC covers everything before it except
//! the other CRCs, so a new header before old buckets is detected.
//!
//! A stored filter takes eight bytes per word, 16 per table and 72 more: with 4 x 16, 2.1 bytes per item if it is large
//! and full.
//!
//! # Buckets
//!
//! Bytes 12 and 13 identify the [`Layout`](crate::Layout) of a bucket. The item's hash determines its buckets and its
//! fingerprint ([`design`](crate::design#geometry)).
//!
//! | byte 12 | byte 13 | layout |
//! |---|---|---|
//! | `08` | `08` | `Lanes<8, 8>` |
//! | `0A` | `06` | `Lanes<6, 10>` |
//! | `0C` | `06` | `SemiSorted<6, 12>` |
//! | `0C` | `05` | `Lanes<5, 12>` |
//! | `0E` | `05` | `SemiSorted<5, 14>` |
//! | `10` | `04` | `Lanes<4, 16>` |
//! | `11` | `04` | `SemiSorted<4, 17>` |
//! | `15` | `03` | `Lanes<3, 21>` |
//! | `1F` | `02` | `Lanes<2, 31>` |
//! | `0C` | `44` | `Lanes<4, 12, 4>` |
//! | `0D` | `83` | `Lanes<3, 13, 8>` |
//! | `10` | `F2` | `Lanes<2, 16, 15>` |
//!
//! * **Lanes.** The slots are side by side in the low bits of the number, each as wide as a fingerprint and a value.
//!   The value is above the fingerprint. Bits above the top slot are 0. The slots are filled from the top down: an
//!   empty slot (0) is never above an occupied one. So `Lanes<4, 16>` is four 16-bit fingerprints.
//! * **Semi-sorted.** `s x b > 64` bits. The fingerprints are sorted, the lowest in the lowest slot; an empty slot is
//!   0. The low `b - 4` bits of each are side by side in the low bits of the number. Above them is the number of the
//!   list `n[0] <= n[1] <= ..` of the highest four bits of each: the sum of `C(n[i] + i, i + 1)` over all `i` from 0.
//!
//! # The same calls give the same bytes
//!
//! The preceding calls alone decide where a token is stored, in this and in every later release
//! ([`design`](crate::design#the-same-calls-the-same-bytes)). So two filters of one size and one seed that received the
//! same calls in the same order are stored as the same bytes, even if one of them was stored and read in between. This
//! does not hold for concurrent calls. Storing, copying or listing a filter does not change it.
//!
//! # An example
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::builder().buckets(2).seed(1).build()?;
//! filter.insert("a")?;
//! filter.insert("b")?;
//! # #[rustfmt::skip]
//! assert_eq!(filter.to_bytes()?, [
//!     0x89, 0x4c, 0x46, 0x43, 0x46, 0x0d, 0x0a, 0x1a, // magic
//!     0x01, 0x00,                                     // version 1
//!     0x40, 0x00,                                     // a header of 64 bytes
//!     0x10, 0x04, 0x01,                               // 16 bits, 4 slots, a fixed size
//!     0x01,                                           // RandomState
//!     0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // its seed: 1
//!     0xab, 0xf9, 0x0f, 0xc6, 0x34, 0x00, 0x6a, 0xb1, // its hash of "lockfree-cuckoo"
//!     0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // a capacity of 8 items
//!     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
//!     0x00, 0x10, 0x00, 0x00,                         // a search budget of 4,096 buckets
//!     0x01, 0x00, 0x00, 0x00,                         // 1 table
//!     0x00, 0x00, 0x00, 0x00,
//!     0x0f, 0x9b, 0x76, 0x01,                         // the CRC of the header
//!     0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // 2 buckets
//!     0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // 2 items
//!     0x0d, 0xe6, 0xfe, 0xbc,                         // the CRC of the header and the list
//!     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x41, 0x7a, // one fingerprint, 0x7a41
//!     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xcf, 0xe2, // one fingerprint, 0xe2cf
//!     0x42, 0x7d, 0x0f, 0x42,                         // the CRC of all this
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This Python program checks the file of a fixed filter with this layout:
//!
//! ```python
//! import struct, sys, zlib
//!
//! data = open(sys.argv[1], "rb").read()
//! (magic, version, header, bits, slots, kind, hasher, seed, check, capacity, unused, budget, tables, zero,
//!  checksum) = struct.unpack("<8s2H4B4Q4I", data[:64])
//! assert magic == b"\x89LFCF\r\n\x1a" and version == 1 and (kind, tables) == (1, 1) and (bits, slots) == (16, 4)
//! assert zlib.crc32(data[:60]) == checksum
//!
//! buckets, items, list_checksum = struct.unpack("<2QI", data[64:84])
//! assert zlib.crc32(data[64:80], checksum) == list_checksum
//! words, rest = data[84:84 + 8 * buckets], data[84 + 8 * buckets:]
//! assert rest == struct.pack("<I", zlib.crc32(words, list_checksum))
//! assert sum(f != 0 for f in struct.unpack(f"<{4 * buckets}H", words)) == items
//! print(f"{items} items of {capacity} in {buckets} buckets")
//! ```
//!
//! # Growing filters
//!
//! A [`GrowingCuckooFilter`](crate::GrowingCuckooFilter) has one to four tables: one until it has doubled ten times.
//! The finest comes first. A filter in the middle of a doubling is stored as it is. The layout is 4 x 16. The limit on
//! the rate of false positives is a `binary64` of IEEE 754, and at least the rate of one full table. The limit on the
//! memory is in bytes; 2<sup>64</sup> - 1 means no limit. The first eight bytes of an entry are:
//!
//! | offset | bytes | content |
//! |-------:|------:|---|
//! | 0 | 1 | level at which the table began, from 1 |
//! | 1 | 1 | level, `k`: at most ten more than at the beginning, and exactly ten if there is a finer table |
//! | 2 | 1 | 1 in the middle of a doubling from level `k` to the next, which the table must be able to have; else 0 |
//! | 3 | 5 | the cursor: how many buckets of level `k` are split, from the first on; 0 if there is no doubling |
//!
//! The words of a table are its 2<sup>k</sup> buckets. In the middle of a doubling there are two words for each of
//! these buckets: its two children, if it is split; else the bucket, and 1, which is not a bucket. All buckets before
//! the cursor must be split, and any behind it may be.
//!
//! A finer table begins at the level of the one behind it. Each bucket has four slots of 16 bits, filled from the top
//! down. A token has a head, the high six bits, which are never 0, and a tail, the low ten. At the level where the
//! table began, all ten bits are those that follow the bucket's number in the string of index bits
//! ([`doubling`](crate::design::doubling)). At a deeper level the tail consists of at most nine such bits, but no fewer
//! than the doublings have left, then a 1, then zeros.
//!
//! ```
//! use lockfree_cuckoo::GrowingCuckooFilter;
//!
//! let filter = GrowingCuckooFilter::builder().buckets(2).seed(1).build()?;
//! filter.insert_many(&["a", "b", "c", "d", "e", "f", "g", "h", "i"])?;
//! # #[rustfmt::skip]
//! assert_eq!(filter.to_bytes()?[32..], [
//!     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf0, 0x3f, // a rate of false positives of up to 1.0
//!     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, // any memory
//!     0x00, 0x01, 0x00, 0x00,                         // a search budget of 256 buckets
//!     0x01, 0x00, 0x00, 0x00,                         // one table
//!     0x00, 0x00, 0x00, 0x00,
//!     0x11, 0x16, 0x67, 0x34,                         // the CRC of the header
//!     0x01, 0x02,                                     // it began with 2 buckets, and has 4
//!     0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
//!     0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // 9 items
//!     0x9c, 0x36, 0x1d, 0xf5,                         // the CRC of the header and the list
//!     0x00, 0x00, 0x00, 0x00, 0x0d, 0x29, 0x0f, 0x0d, // the heads 3 and 10, with nine bits of tail each
//!     0x00, 0x00, 0x00, 0x00, 0xad, 0x29, 0x91, 0xe0,
//!     0x00, 0x00, 0x00, 0x00, 0x69, 0xfb, 0x11, 0x2b,
//!     0x00, 0x00, 0xdf, 0x8a, 0xaf, 0x9b, 0x03, 0x7a,
//!     0x9a, 0x7e, 0x86, 0x05,                         // the CRC of all this
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rotating filters
//!
//! A [`RotatingCuckooFilter`](crate::RotatingCuckooFilter) has 2 to 15 tables of one size: its generations, from the
//! oldest to the young one. The spare table is not stored. There are fewer than 2<sup>43</sup> rotations.
//!
//! ```
//! use lockfree_cuckoo::RotatingCuckooFilter;
//!
//! let filter = RotatingCuckooFilter::builder().capacity(8).seed(1).build()?;
//! filter.insert("a")?;
//! filter.rotate()?;
//! filter.insert("b")?;
//! # #[rustfmt::skip]
//! assert_eq!(filter.to_bytes()?[32..], [
//!     0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // a capacity of 8 items
//!     0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // 1 rotation
//!     0x00, 0x10, 0x00, 0x00,                         // a search budget of 4,096 buckets
//!     0x02, 0x00, 0x00, 0x00,                         // 2 generations
//!     0x00, 0x00, 0x00, 0x00,
//!     0x8c, 0x90, 0x0d, 0x15,                         // the CRC of the header
//!     0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // the old generation: 2 buckets
//!     0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // 1 item
//!     0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // the young one
//!     0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // 1 item
//!     0x19, 0xfa, 0xcf, 0x24,                         // the CRC of the header and the list
//!     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // the words of the old generation
//!     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xcf, 0xe2,
//!     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // the words of the young one
//!     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x41, 0x7a,
//!     0x11, 0x4e, 0x51, 0x07,                         // the CRC of all this
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a reader checks
//!
//! The reader checks the magic, the version, the CRC of the header and the numbers in it. Then it checks the hasher,
//! the list of tables, and the length. Only then does it allocate memory for the buckets. If the length is known, it
//! allocates all at once. From a stream, it allocates at most 512 KiB or, if that is more, twice what it has read. Then
//! it checks the last CRC, that each bucket is valid in its layout, and that each table holds the number of items in
//! the list. A filter that passes could have been built by inserts and removals, so every operation on it keeps its
//! guarantees.
//!
//! Each failure is a [`ReadError`](crate::ReadError). For a later version, the reader checks only the version. A filter
//! of another kind and a filter of another layout have separate errors.
//!
//! # What it does not protect against
//!
//! * A CRC detects accidental damage. Anyone who can write the file can write another filter, with answers of their
//!   choice. If that matters, sign the bytes.
//! * The file determines how fast a filter grows, and how far. Anyone who can write the file can make the filter
//!   request much memory at its next insert.
//! * The file contains the seed of the default hasher in readable form. Anyone who knows it can make items that
//!   collide. If items come from an adversary, keep the file secret.
//! * The reader identifies a hasher only by its check. It does not detect a custom hasher that hashes the check's bytes
//!   as before, but items differently.
//! * The file does not say how an item is hashed. Its `Hash` must feed the same bytes to the hasher where the filter is
//!   read. For strings, byte strings and integers with the default hasher this holds, on every machine. A derived
//!   `Hash` depends on the order of the fields. For byte strings, [`hash_bytes`](crate::RandomState::hash_bytes) avoids
//!   `Hash`.
