#![doc = include_str!("links.md")]
#![doc = include_str!("../docs/guide/README.md")]

#[cfg(feature = "growing")]
#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/c.md")]
pub mod c {}

#[cfg(feature = "growing")]
#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/generic.md")]
pub mod generic {}

#[cfg(feature = "growing")]
#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/growing.md")]
pub mod growing {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/hashing.md")]
pub mod hashing {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/layouts.md")]
pub mod layouts {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/migration.md")]
pub mod migration {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/persistence.md")]
pub mod persistence {}

#[cfg_attr(feature = "shared", doc = include_str!("links.md"))]
#[cfg_attr(feature = "shared", doc = include_str!("../docs/guide/processes.md"))]
#[cfg_attr(
    not(feature = "shared"),
    doc = "This page is shown with the feature `shared`."
)]
pub mod processes {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/recipes.md")]
pub mod recipes {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/removing.md")]
pub mod removing {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/rotating.md")]
pub mod rotating {}

#[cfg_attr(feature = "serde", doc = include_str!("links.md"))]
#[cfg_attr(feature = "serde", doc = include_str!("../docs/guide/serde.md"))]
#[cfg_attr(
    not(feature = "serde"),
    doc = "This page is shown with the feature `serde`."
)]
pub mod serde {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/sharing.md")]
pub mod sharing {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/sizing.md")]
pub mod sizing {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/use_once.md")]
pub mod use_once {}

#[doc = include_str!("links.md")]
#[doc = include_str!("../docs/guide/versions.md")]
pub mod versions {}
