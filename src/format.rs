#![doc = include_str!("links.md")]
#![doc = include_str!("../docs/format.md")]
