//! Which items a filter takes: all, or those of one type.

use core::borrow::Borrow;
use core::fmt;
use core::marker::PhantomData;

/// Takes whatever can be hashed.
#[derive(Clone, Copy, Debug)]
pub enum Any {}

/// Takes items of type `T` alone.
pub struct Only<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> fmt::Debug for Only<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Only")
    }
}

mod sealed {
    use core::borrow::Borrow;

    use super::{Any, Only};

    /// With the parameter of the traits below: a type of a user's own as `Q` must not open them.
    pub trait One<Q: ?Sized> {}
    impl<Q: ?Sized> One<Q> for Any {}
    impl<T: ?Sized + Borrow<Q>, Q: ?Sized> One<Q> for Only<T> {}

    pub trait Each<B> {}
    impl<B> Each<B> for Any {}
    impl<T: ?Sized, B: Borrow<T>> Each<B> for Only<T> {}

    pub trait Sealed {
        /// Begins the name of the filter.
        const PREFIX: &'static str;
    }
}

impl sealed::Sealed for Any {
    const PREFIX: &'static str = "";
}

impl<T: ?Sized> sealed::Sealed for Only<T> {
    const PREFIX: &'static str = "Typed";
}

/// Which items a filter takes: [`Any`], or [`Only`] those of one type. Sealed.
pub trait Items: sealed::Sealed {}

impl Items for Any {}
impl<T: ?Sized> Items for Only<T> {}

/// The calls for one item take a `&Q`: [`Any`] item, or what [`Only`]'s `T` can be borrowed as. Sealed.
pub trait Takes<Q: ?Sized>: Items + sealed::One<Q> {}

impl<Q: ?Sized> Takes<Q> for Any {}
impl<T: ?Sized + Borrow<Q>, Q: ?Sized> Takes<Q> for Only<T> {}

/// The calls for many items take a `&[B]`: of [`Any`] items, or of what can be borrowed as [`Only`]'s `T`. Sealed.
pub trait TakesEach<B>: Items + sealed::Each<B> {}

impl<B> TakesEach<B> for Any {}
impl<T: ?Sized, B: Borrow<T>> TakesEach<B> for Only<T> {}
