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
#[diagnostic::on_unimplemented(
    message = "this filter takes items of another type than `{Q}`",
    label = "a `{Q}` is not what the filter's items can be borrowed as"
)]
pub trait Takes<Q: ?Sized>: Items {}

impl<Q: ?Sized> Takes<Q> for Any {}
impl<T: ?Sized + Borrow<Q>, Q: ?Sized> Takes<Q> for Only<T> {}

/// The calls for many items take a `&[B]`: of [`Any`] items, or of what can be borrowed as [`Only`]'s `T`. Sealed.
#[diagnostic::on_unimplemented(
    message = "this filter takes items of another type than `{B}`",
    label = "a `{B}` cannot be borrowed as the filter's items"
)]
pub trait TakesEach<B>: Items {}

impl<B> TakesEach<B> for Any {}
impl<T: ?Sized, B: Borrow<T>> TakesEach<B> for Only<T> {}
