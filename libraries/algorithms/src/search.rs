//! Searches for many values in a sorted input: an input of places ([`Searched`](crate::input::Searched)), stored by a transformation.

use warploom::prelude::*;

use crate::Error;
use crate::input::{Concat, Fetch, FromPlace, Input, IntoInput, Item, Memory, Search, Searched};
use crate::output::IntoOutput;
use crate::transform::Transform;

/// A search that was described and has not run; see [`crate::SortedInputs::lower_bound`](crate::SortedInputs::lower_bound).
#[must_use = "nothing runs before `into`"]
pub struct SearchMany<'s, 'a, M: Memory, F> {
    pub(crate) stream: &'s Stream,
    /// The places.
    pub(crate) input: Input<'a, M, F>,
    /// Elements that are searched.
    pub(crate) len: usize,
}

/// The search for the values of `J` in the elements of `I`.
pub type SearchOf<'s, 'a, I, J, L> = SearchMany<
    's,
    'a,
    <<I as IntoInput<'a>>::Memory as Concat<<J as IntoInput<'a>>::Memory>>::Both,
    Searched<
        <I as IntoInput<'a>>::Memory,
        <I as IntoInput<'a>>::Fetch,
        <J as IntoInput<'a>>::Memory,
        <J as IntoInput<'a>>::Fetch,
        L,
    >,
>;

/// Describes a search.
pub(crate) fn search<'s, 'a, I, J, L>(
    stream: &'s Stream,
    what: Search,
    sorted: I,
    values: J,
    less: L,
) -> SearchOf<'s, 'a, I, J, L>
where
    I: IntoInput<'a>,
    J: IntoInput<'a, Fetch: Fetch<J::Memory, Item = Item<'a, I>>>,
    I::Memory: Concat<J::Memory>,
    L: Fn(Item<'a, I>, Item<'a, I>) -> bool + Copy + Send + Sync + 'static,
{
    let (sorted, values) = (sorted.input(), values.input());
    let fetch = Searched::new(what, (sorted.fetch, sorted.len), values.fetch, less);
    let slices = I::Memory::concat(sorted.slices, values.slices);
    SearchMany {
        stream,
        input: Input::new(slices, values.len, fetch),
        len: sorted.len,
    }
}

impl<'a, M: Memory, F: Fetch<M, Item = usize>> SearchMany<'_, 'a, M, F> {
    /// Queues the search; the places will be the first elements of `out`, as `u32`, `u64` or `usize`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` has fewer elements than there are values; [`Error::TooMany`] if the places of so many elements do not fit its elements;
    /// what the launch reports.
    #[track_caller]
    pub fn into<P: FromPlace>(self, out: impl IntoOutput<P>) -> Result<(), Error> {
        // The largest number stands for "no element".
        let most = (1u128 << (8 * size_of::<P>())) - 2;
        if self.len as u128 > most {
            return Err(Error::TooMany {
                what: "a search with this type of places",
                most: most as u64,
                len: self.len,
            });
        }
        let (stream, input) = (self.stream, self.input.map(P::from_place));
        Transform { stream, input }.into(out)
    }

    /// The places as an input, for other algorithms.
    pub fn input(self) -> Input<'a, M, F> {
        self.input
    }
}
