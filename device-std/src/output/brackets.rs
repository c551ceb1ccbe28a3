//! `y[i]` of an output: never compiles, with an error that says what does.
//!
//! The bound of the impls has two implementors, of which no value exists. With one, rustc would take its type for that of the index; with none,
//! it would not consider the impls at all, and say that outputs cannot be indexed.

use core::convert::Infallible;
use core::ops::{Index, IndexMut};

use super::{DisjointSlice, DisjointSlice2D, Space};
use crate::Plain;

// Rule: output-takes-a-witness
/// What an output could be indexed by: nothing, for a number may be that of another thread's element.
#[diagnostic::on_unimplemented(
    message = "an output cannot be indexed by `{Self}` in brackets: another thread could write the same element",
    label = "not an index of this thread alone",
    note = "write `if let Some(y) = y.get_mut(i) {{ *y = .. }}`, with the kernel's parameter `i` itself: `Index1D`, `Index2D`, or a leader",
    note = "for elements of other threads take `&[AtomicU32]` or a `SharedTile`; outputs cannot be read by another thread's index"
)]
pub trait OutputIndex {
    /// There is no value to call it on.
    fn never<R>(self) -> R;
}

#[diagnostic::do_not_recommend]
impl OutputIndex for Infallible {
    fn never<R>(self) -> R {
        match self {}
    }
}

#[diagnostic::do_not_recommend]
impl OutputIndex for (Infallible,) {
    fn never<R>(self) -> R {
        match self.0 {}
    }
}

macro_rules! never_indexed {
    ($($output:ident)*) => { $(
        /// Does not compile: `get_mut` gives the element of a witness.
        impl<I: OutputIndex, T: Plain, S: Space> Index<I> for $output<'_, T, S> {
            type Output = T;

            fn index(&self, index: I) -> &T {
                index.never()
            }
        }

        /// Does not compile: `get_mut` gives the element of a witness.
        impl<I: OutputIndex, T: Plain, S: Space> IndexMut<I> for $output<'_, T, S> {
            fn index_mut(&mut self, index: I) -> &mut T {
                index.never()
            }
        }
    )* };
}
never_indexed! { DisjointSlice DisjointSlice2D }
