// The pages are Markdown, for readers in the repository too. `links.md` stands before each of
// them, because Markdown takes the first of two definitions of a link: on docs.rs that of the list,
// in the repository the one at the end of the page. `tests/pages.rs` compares the two.
#![doc = include_str!("links.md")]
#![doc = include_str!("../docs/design/README.md")]

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/design/doubling.md")]
pub mod doubling {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/design/processes.md")]
pub mod processes {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/design/protocol.md")]
pub mod protocol {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/design/rotation.md")]
pub mod rotation {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/design/snapshots.md")]
pub mod snapshots {}
