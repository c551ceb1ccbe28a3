//! Rules made from rules: what `map`, `zip`, `rev`, `step_by` and `permute` compute.

use std::array::from_fn;
use std::fmt;
use std::marker::PhantomData;

use warploom::device_std::{KernelArg, Plain};

use super::{Concat, Fetch, Memory, NoMemory};

/// The longer of two chains of loads; see [`Fetch::CHAINED`].
const fn longer(a: u32, b: u32) -> u32 {
    if a > b { a } else { b }
}

/// The number of the element; see [`counting`](super::counting).
#[derive(Clone, Copy, Debug)]
pub struct Counting;

// SAFETY: no bytes.
unsafe impl KernelArg for Counting {}

impl Fetch<NoMemory> for Counting {
    type Item = usize;

    #[inline(always)]
    fn get(self, (): (), i: usize) -> usize {
        i
    }
}

/// One value; see [`constant`](super::constant).
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Constant<T>(pub(super) T);

// SAFETY: a plain value.
unsafe impl<T: Plain> KernelArg for Constant<T> {}

impl<T: Plain> Fetch<NoMemory> for Constant<T> {
    type Item = T;

    #[inline(always)]
    fn get(self, (): (), _: usize) -> T {
        self.0
    }
}

/// An element after a function; see [`Input::map`](super::Input::map).
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Map<F, G>(pub(super) F, pub(super) G);

// SAFETY: a rule, and a closure, which a launch takes by value if it has these bounds; the device pass refuses one with addresses of the host.
unsafe impl<F: KernelArg, G: Copy + Send + Sync + 'static> KernelArg for Map<F, G> {}

impl<M: Memory, F: Fetch<M>, U: Copy, G> Fetch<M> for Map<F, G>
where
    G: Fn(F::Item) -> U + Copy + Send + Sync + 'static,
{
    type Item = U;
    const CHAINED: u32 = F::CHAINED;

    #[inline(always)]
    fn get(self, view: M::View<'_>, i: usize) -> U {
        (self.1)(self.0.get(view, i))
    }

    #[inline(always)]
    fn part<'v>(
        self,
        view: M::View<'v>,
        base: usize,
        len: usize,
    ) -> impl Fn(usize) -> U + Copy + 'v {
        let Map(fetch, f) = self;
        let part = fetch.part(view, base, len);
        move |k| f(part(k))
    }

    #[inline(always)]
    fn several<const N: usize>(
        self,
        view: M::View<'_>,
        base: usize,
        len: usize,
        at: impl Fn(usize) -> usize,
    ) -> [U; N] {
        let items: [F::Item; N] = self.0.several(view, base, len, at);
        from_fn(|k| (self.1)(items[k]))
    }

    #[inline(always)]
    fn share<const N: usize>(
        self,
        view: M::View<'_>,
        base: usize,
        threads: (usize, usize),
    ) -> [[U; 4]; N] {
        let groups: [[F::Item; 4]; N] = self.0.share(view, base, threads);
        from_fn(|group| from_fn(|k| (self.1)(groups[group][k])))
    }

    #[inline(always)]
    fn fixed_share<const N: usize>(
        self,
        view: M::View<'_>,
        base: usize,
        threads: (usize, usize),
    ) -> [[U; 4]; N] {
        let groups: [[F::Item; 4]; N] = self.0.fixed_share(view, base, threads);
        from_fn(|group| from_fn(|k| (self.1)(groups[group][k])))
    }

    #[inline(always)]
    fn prefetch(self, view: M::View<'_>, base: usize, len: usize, lane: usize) {
        self.0.prefetch(view, base, len, lane);
    }
}

/// Pairs; see [`Input::zip`](super::Input::zip).
#[repr(C)]
pub struct Zipped<M, F, N, G>(F, G, PhantomData<fn() -> (M, N)>);

// SAFETY: two rules.
unsafe impl<M: 'static, F: KernelArg, N: 'static, G: KernelArg> KernelArg for Zipped<M, F, N, G> {}

impl<M, F, N, G> Zipped<M, F, N, G> {
    pub(super) fn new(first: F, second: G) -> Self {
        Zipped(first, second, PhantomData)
    }
}

impl<M, F: Copy, N, G: Copy> Clone for Zipped<M, F, N, G> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M, F: Copy, N, G: Copy> Copy for Zipped<M, F, N, G> {}

impl<M, F: Fetch<M>, N, G: Fetch<N>> Fetch<M::Both> for Zipped<M, F, N, G>
where
    M: Concat<N>,
    N: Memory,
{
    type Item = (F::Item, G::Item);
    const CHAINED: u32 = longer(F::CHAINED, G::CHAINED);

    #[inline(always)]
    fn get(self, view: <M::Both as Memory>::View<'_>, i: usize) -> Self::Item {
        let (first, second) = M::split(view);
        (self.0.get(first, i), self.1.get(second, i))
    }

    #[inline(always)]
    fn part<'v>(
        self,
        view: <M::Both as Memory>::View<'v>,
        base: usize,
        len: usize,
    ) -> impl Fn(usize) -> Self::Item + Copy + 'v {
        let (first, second) = M::split(view);
        let (first, second) = (
            self.0.part(first, base, len),
            self.1.part(second, base, len),
        );
        move |k| (first(k), second(k))
    }

    #[inline(always)]
    fn prefetch(self, view: <M::Both as Memory>::View<'_>, base: usize, len: usize, lane: usize) {
        let (first, second) = M::split(view);
        self.0.prefetch(first, base, len, lane);
        self.1.prefetch(second, base, len, lane);
    }
}

/// From the last element to the first; see [`Input::rev`](super::Input::rev).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Reversed<F>(pub(super) F, pub(super) usize);

// SAFETY: a rule and a number.
unsafe impl<F: KernelArg> KernelArg for Reversed<F> {}

impl<M: Memory, F: Fetch<M>> Fetch<M> for Reversed<F> {
    type Item = F::Item;
    const CHAINED: u32 = F::CHAINED;

    #[inline(always)]
    fn get(self, view: M::View<'_>, i: usize) -> F::Item {
        self.0.get(view, self.1 - 1 - i)
    }

    #[inline(always)]
    fn part<'v>(
        self,
        view: M::View<'v>,
        base: usize,
        len: usize,
    ) -> impl Fn(usize) -> F::Item + Copy + 'v {
        let part = self.0.part(view, self.1 - base - len, len);
        move |k| part(len - 1 - k)
    }
}

/// Every so-many-th element; see [`Input::step_by`](super::Input::step_by).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Strided<F>(pub(super) F, pub(super) usize);

// SAFETY: a rule and a number.
unsafe impl<F: KernelArg> KernelArg for Strided<F> {}

impl<M: Memory, F: Fetch<M>> Fetch<M> for Strided<F> {
    type Item = F::Item;
    const CHAINED: u32 = F::CHAINED;

    #[inline(always)]
    fn get(self, view: M::View<'_>, i: usize) -> F::Item {
        self.0.get(view, i * self.1)
    }
}

/// Elements by number; see [`Input::permute`](super::Input::permute).
#[repr(C)]
pub struct Permuted<M, F, N, G>(F, G, usize, PhantomData<fn() -> (M, N)>);

// SAFETY: two rules and a number.
unsafe impl<M: 'static, F: KernelArg, N: 'static, G: KernelArg> KernelArg for Permuted<M, F, N, G> {}

impl<M, F, N, G> Permuted<M, F, N, G> {
    pub(super) fn new(elements: F, places: G, len: usize) -> Self {
        Permuted(elements, places, len, PhantomData)
    }
}

impl<M, F: Copy, N, G: Copy> Clone for Permuted<M, F, N, G> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M, F: Copy, N, G: Copy> Copy for Permuted<M, F, N, G> {}

impl<M, F: Fetch<M>, N, G: Fetch<N>> Fetch<M::Both> for Permuted<M, F, N, G>
where
    M: Concat<N>,
    N: Memory,
    G::Item: Place,
{
    type Item = F::Item;
    const CHAINED: u32 = longer(F::CHAINED, G::CHAINED).saturating_add(1);

    #[inline(always)]
    fn get(self, view: <M::Both as Memory>::View<'_>, i: usize) -> F::Item {
        let (elements, places) = M::split(view);
        let place = self.1.get(places, i).place();
        assert!(
            place < self.2,
            "place {place} of an input with {} elements",
            self.2
        );
        self.0.get(elements, place)
    }

    #[inline(always)]
    fn several<const COUNT: usize>(
        self,
        view: <M::Both as Memory>::View<'_>,
        base: usize,
        len: usize,
        at: impl Fn(usize) -> usize,
    ) -> [F::Item; COUNT] {
        let (elements, places) = M::split(view);
        let places: [G::Item; COUNT] = self.1.several(places, base, len, at);
        let places: [usize; COUNT] = from_fn(|k| places[k].place());
        // All are checked together, so that no load of an element waits for that of the place of another.
        let mut are_inside = true;
        for place in places {
            are_inside &= place < self.2;
        }
        let outside = || places.into_iter().find(|place| *place >= self.2);
        assert!(
            are_inside,
            "place {} of an input with {} elements",
            outside().unwrap_or(usize::MAX),
            self.2
        );
        self.0.several(elements, 0, self.2, |k| places[k])
    }
}

/// Elements with their predecessors; see [`Input::with_previous`](super::Input::with_previous).
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct WithPrevious<F>(pub(super) F);

// SAFETY: a rule.
unsafe impl<F: KernelArg> KernelArg for WithPrevious<F> {}

impl<M: Memory, F: Fetch<M>> Fetch<M> for WithPrevious<F> {
    type Item = (Option<F::Item>, F::Item);
    const CHAINED: u32 = F::CHAINED;

    #[inline(always)]
    fn get(self, view: M::View<'_>, i: usize) -> Self::Item {
        let previous = i.checked_sub(1).map(|i| self.0.get(view, i));
        (previous, self.0.get(view, i))
    }

    #[inline(always)]
    fn part<'v>(
        self,
        view: M::View<'v>,
        base: usize,
        len: usize,
    ) -> impl Fn(usize) -> Self::Item + Copy + 'v {
        // With the element before the part, if there is one: so one check is for all.
        let before = base.min(1);
        let part = self.0.part(view, base - before, len + before);
        move |k| {
            let at = k + before;
            (at.checked_sub(1).map(part), part(at))
        }
    }
}

/// The number of an element: an unsigned integer.
pub trait Place: Copy {
    /// The number; larger than any length if it is larger than a `usize` counts.
    fn place(self) -> usize;
}

macro_rules! places {
    ($($ty:ty)*) => {$(
        impl Place for $ty {
            #[inline(always)]
            fn place(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }
        }
    )*};
}
places!(u8 u16 u32 u64 usize);

impl<F, G> fmt::Debug for Map<F, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Map")
    }
}

impl<M, F, N, G> fmt::Debug for Zipped<M, F, N, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Zipped")
    }
}

impl<M, F, N, G> fmt::Debug for Permuted<M, F, N, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permuted")
    }
}
