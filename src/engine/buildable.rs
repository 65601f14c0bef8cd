//! The engines whose type is known: building, copying and restoring one.

use crate::codec::reading::Input;
use crate::engine::kind::Kind;
use crate::engine::measures::Measures;
use crate::engine::operations::RawFilter;
use crate::engine::plan::{Plan, RatedLoad};
use crate::error::{BuildError, OutOfMemory, ReadError, SnapshotError};
use crate::kernel::layout::Layout;

/// An engine that a [`FilterBuilder`](crate::FilterBuilder) builds:
/// [`Fixed`](crate::filter::Fixed), [`Growing`](crate::filter::Growing) or
/// [`Rotating`](crate::filter::Rotating).
///
/// Sealed, as [`Engine`](crate::filter::Engine) is. Only a builder builds one:
///
/// ```compile_fail,E0277
/// fn build<E: lockfree_cuckoo::filter::Buildable>() {
///     let engine = E::build(&Default::default(), 0);
/// }
/// ```
pub trait Buildable: RawFilter + Sized {
    /// The same engine with buckets of another layout if it takes
    /// [any](crate::filter::AnyLayout), otherwise the engine itself.
    // Not a type of `AnyLayout`: the compiler would then say that a growing filter's builder has no
    // `layout`, but not why.
    type With<M: Layout>: Buildable;

    /// What it does when it is full, and with time.
    #[doc(hidden)]
    const KIND: Kind;

    /// The layout of its buckets.
    #[doc(hidden)]
    type Layout: Layout;

    /// The content of a filter with this plan for which its rate of false positives is judged.
    #[doc(hidden)]
    fn rated_load(plan: &Plan) -> RatedLoad;

    /// The measures of a filter with this plan, which has this many bytes outside of the
    /// engine's heap; or why the plan is refused. Allocates nothing.
    #[doc(hidden)]
    fn measures(plan: &Plan, outside: usize) -> Result<Measures, BuildError>;

    /// Builds an empty engine of a filter that has this many bytes outside of the engine's heap.
    #[doc(hidden)]
    fn build(plan: &Plan, outside: usize) -> Result<Self, BuildError>;

    /// Builds an empty engine like this one.
    #[doc(hidden)]
    fn empty_like(&self) -> Result<Self, OutOfMemory>;

    /// A copy that holds every token that is stored from the call to the return.
    #[doc(hidden)]
    fn snapshot(&self) -> Result<Self, SnapshotError>;

    /// Reads what follows the header of a filter of this kind and layout, which has this many bytes
    /// outside of the engine's heap.
    #[doc(hidden)]
    fn restore(input: Input<'_>, outside: usize) -> Result<Self, ReadError>;
}
