//! What algorithms read: slices of device memory, and values computed from them on the way.
//!
//! An [`Input`] is a set of at most three slices ([`Memory`]) and a rule ([`Fetch`]) that computes element `i` from them. The slices are parameters of the
//! kernel like any other, so that borrows, streams and the emulator's checks work as for every launch; the rule is a value that is copied to
//! each thread. Adaptors change the rule and keep the slices: `x.map(f)` costs no memory traffic.

mod adaptors; // rules made from rules
mod adjacent; // an element and the one before it
mod memory; // up to three slices
mod search; // places of values in a sorted input
mod shuffle; // a random order

pub use adaptors::{
    Constant, Counting, Map, Permuted, Place, Reversed, Strided, WithPrevious, Zipped,
};
pub use adjacent::Adjacent;
pub(crate) use memory::{Arguments, Empty};
pub use memory::{Concat, Memory, NoMemory, One, Three, Two};
pub(crate) use search::Search;
pub use search::{FromPlace, Searched};
pub use shuffle::Shuffled;

use std::array::from_fn;
use std::mem::transmute_copy;

use warploom::device_std::memory::prefetch_l2;
use warploom::device_std::{KernelArg, Plain};
use warploom::{DeviceBuffer, DeviceSlice};

use crate::Error;

/// Computes element `i` of an input from the slices `M`, in a kernel.
///
/// ```
/// use warploom_algorithms::input::{Fetch, One};
/// #[derive(Clone, Copy, warploom::KernelArg)]
/// #[repr(C)]
/// struct Squares {} // of a slice
/// impl Fetch<One<u32>> for Squares {
///     type Item = u64;
///     fn get(self, x: &[u32], i: usize) -> u64 {
///         u64::from(x[i]).pow(2)
///     }
/// }
/// assert_eq!(Squares {}.get(&[3, 4], 1), 16);
/// ```
pub trait Fetch<M: Memory>: KernelArg + Send + Sync {
    /// What an element is.
    type Item: Copy;
    /// How many loads of an element wait for another one, one after the other: 0 if none does, 1 in a gather; more in a search, however many. Transformations give threads fewer
    /// elements at a time then.
    const CHAINED: u32 = 0;

    /// Element `i`.
    ///
    /// # Panics
    /// When the slices have no such element.
    fn get(self, view: M::View<'_>, i: usize) -> Self::Item;

    /// The elements `base .. base + len`, numbered from 0: one check of the slices' ends for all of them, where the rule allows that.
    ///
    /// # Panics
    /// When the slices have no such elements.
    #[inline(always)]
    fn part<'v>(
        self,
        view: M::View<'v>,
        base: usize,
        len: usize,
    ) -> impl Fn(usize) -> Self::Item + Copy + 'v {
        let _ = len;
        move |k| self.get(view, base + k)
    }

    /// `N` of the elements `base .. base + len`, of which `at` gives the numbers, from 0 on. A rule whose loads need the results of others issues all of one kind before the next.
    ///
    /// # Panics
    /// When the slices have no such elements.
    #[inline(always)]
    fn several<const N: usize>(
        self,
        view: M::View<'_>,
        base: usize,
        len: usize,
        at: impl Fn(usize) -> usize,
    ) -> [Self::Item; N] {
        let part = self.part(view, base, len);
        from_fn(|k| part(at(k)))
    }

    /// The share of thread `thread` of `threads` in the `4 * N * threads` elements from `base` on. Each element is in one share; in which one differs between rules, as bytes are
    /// loaded four at once.
    ///
    /// # Panics
    /// When the slices have no such elements.
    #[inline(always)]
    fn share<const N: usize>(
        self,
        view: M::View<'_>,
        base: usize,
        (thread, threads): (usize, usize),
    ) -> [[Self::Item; 4]; N] {
        let part = self.part(view, base, 4 * N * threads);
        from_fn(|group| from_fn(|k| part(thread + (4 * group + k) * threads)))
    }

    /// As [`share`](Self::share), where which elements a thread has depends on the rule and its types alone, not on where slices begin: so is the order in which they are combined.
    /// Words of 32 bits are loaded four at once.
    ///
    /// # Panics
    /// When the slices have no such elements.
    #[inline(always)]
    fn fixed_share<const N: usize>(
        self,
        view: M::View<'_>,
        base: usize,
        (thread, threads): (usize, usize),
    ) -> [[Self::Item; 4]; N] {
        let part = self.part(view, base, 4 * N * threads);
        from_fn(|group| from_fn(|k| part(thread + (4 * group + k) * threads)))
    }

    /// Asks for the elements `base .. base + len` in the second-level cache, if the rule knows where they are: a hint. All lanes of a warp make the call, each with its number.
    #[inline(always)]
    fn prefetch(self, view: M::View<'_>, base: usize, len: usize, lane: usize) {
        let _ = (view, base, len, lane);
    }
}

/// Bytes that a prefetch brings.
pub(crate) const SECTOR: usize = 32;

/// Four bytes that are loaded at once.
#[repr(C, align(4))]
struct Four<T>([T; 4]);

/// The elements of a slice, as they are.
#[derive(Clone, Copy, Debug)]
pub struct Elements;

// SAFETY: no bytes.
unsafe impl KernelArg for Elements {}

impl<T: Plain> Fetch<One<T>> for Elements {
    type Item = T;

    #[inline(always)]
    fn get(self, x: <One<T> as Memory>::View<'_>, i: usize) -> T {
        x[i]
    }

    #[inline(always)]
    fn part<'v>(
        self,
        x: <One<T> as Memory>::View<'v>,
        base: usize,
        len: usize,
    ) -> impl Fn(usize) -> T + Copy + 'v {
        let part = &x[base..][..len];
        move |k| part[k]
    }

    #[inline(always)]
    fn share<const N: usize>(
        self,
        x: <One<T> as Memory>::View<'_>,
        base: usize,
        (thread, threads): (usize, usize),
    ) -> [[T; 4]; N] {
        let part = &x[base..][..4 * N * threads];
        if size_of::<T>() == 1 && part.as_ptr().addr().is_multiple_of(4) {
            return from_fn(|group| {
                let four = &part[4 * (thread + group * threads)..][..4];
                // SAFETY: four elements of one byte are there, and the address of the first is a multiple of four, as that of `part` and its number are.
                unsafe { four.as_ptr().cast::<Four<T>>().read() }.0
            });
        }
        from_fn(|group| from_fn(|k| part[thread + (4 * group + k) * threads]))
    }

    #[inline(always)]
    fn fixed_share<const N: usize>(
        self,
        x: <One<T> as Memory>::View<'_>,
        base: usize,
        (thread, threads): (usize, usize),
    ) -> [[T; 4]; N] {
        let part = &x[base..][..4 * N * threads];
        if size_of::<T>() != 4 {
            return from_fn(|group| from_fn(|k| part[thread + (4 * group + k) * threads]));
        }
        let first = |group: usize| 4 * (thread + group * threads);
        if !part.as_ptr().addr().is_multiple_of(16) {
            return from_fn(|group| from_fn(|k| part[first(group) + k]));
        }
        from_fn(|group| {
            let four = &part[first(group)..][..4];
            // SAFETY: four elements of four bytes are there, and the address of the first is a multiple of 16, as that of `part` is. As one number: loads of four elements would be
            // merged with those above, which are not aligned.
            let bits = unsafe { four.as_ptr().cast::<u128>().read() };
            // SAFETY: as many bytes, and any bytes are values of a plain type.
            unsafe { transmute_copy::<u128, [T; 4]>(&bits) }
        })
    }

    #[inline(always)]
    fn prefetch(self, x: <One<T> as Memory>::View<'_>, base: usize, len: usize, lane: usize) {
        let step = const {
            match size_of::<T>() {
                0 => usize::MAX / 64,
                1..=SECTOR => SECTOR / size_of::<T>(),
                _ => 1,
            }
        };
        let mut at = lane * step;
        while at < len {
            if let Some(element) = x.get(base + at) {
                prefetch_l2(element);
            }
            at += 32 * step;
        }
    }
}

/// What an algorithm reads: `len` elements, computed from at most three slices.
///
/// Made from a buffer or a slice by [`IntoInput::input`], by [`counting`] or [`constant`].
///
/// ```
/// use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::counting;
/// let device = Device::emulator();
/// let stream = device.stream()?;
/// let x = device.upload(&[3u32, 1, 2])?;
/// // 3 * 1 + 1 * 2 + 2 * 3, without memory for the products.
/// let products = x.input().zip(counting(3)).map(|(x, i)| u64::from(x) * (i as u64 + 1));
/// assert_eq!(stream.reduce(products, 0, |a, b| a + b).to_host()?, 11);
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub struct Input<'a, M: Memory, F> {
    pub(crate) slices: M::Slices<'a>,
    pub(crate) len: usize,
    pub(crate) fetch: F,
}

impl<M: Memory, F: Copy> Clone for Input<'_, M, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Memory, F: Copy> Copy for Input<'_, M, F> {}

impl<'a, M: Memory, F: Fetch<M>> Input<'a, M, F> {
    /// An input of `len` elements that `fetch` computes from the slices. The rule must be able to compute each of them: an element that it cannot
    /// compute is a panic in the kernel.
    pub fn new(slices: M::Slices<'a>, len: usize, fetch: F) -> Self {
        Input { slices, len, fetch }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// What can be read by an algorithm: `&DeviceBuffer<T>`, [`DeviceSlice`], [`Input`].
pub trait IntoInput<'a>: Sized {
    /// The slices that are read.
    type Memory: Memory;
    /// How an element is computed from them.
    type Fetch: Fetch<Self::Memory>;

    /// The input.
    fn input(self) -> Input<'a, Self::Memory, Self::Fetch>;
}

/// The elements of an input.
pub type Item<'a, I> = <<I as IntoInput<'a>>::Fetch as Fetch<<I as IntoInput<'a>>::Memory>>::Item;

impl<'a, M: Memory, F: Fetch<M>> IntoInput<'a> for Input<'a, M, F> {
    type Memory = M;
    type Fetch = F;

    fn input(self) -> Self {
        self
    }
}

impl<'a, T: Plain> IntoInput<'a> for DeviceSlice<'a, T> {
    type Memory = One<T>;
    type Fetch = Elements;

    fn input(self) -> Input<'a, One<T>, Elements> {
        Input::new((self,), self.len(), Elements)
    }
}

impl<'a, T: Plain> IntoInput<'a> for &'a DeviceBuffer<T> {
    type Memory = One<T>;
    type Fetch = Elements;

    fn input(self) -> Input<'a, One<T>, Elements> {
        self.as_slice().input()
    }
}

/// The numbers from 0, as many as `len`. CUDA: `cuda::counting_iterator`, `thrust::counting_iterator`.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::counting;
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let squares = counting(10).map(|i| i * i);
/// assert_eq!(stream.reduce(squares, 0, |a, b| a + b).to_host()?, 285);
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
#[must_use]
pub fn counting<'a>(len: usize) -> Input<'a, NoMemory, Counting> {
    Input::new((), len, Counting)
}

/// `value`, `len` times. CUDA: `cuda::constant_iterator`, `thrust::constant_iterator`.
#[must_use]
pub fn constant<'a, T: Plain>(value: T, len: usize) -> Input<'a, NoMemory, Constant<T>> {
    Input::new((), len, Constant(value))
}

impl<'a, M: Memory, F: Fetch<M>> Input<'a, M, F> {
    /// Each element after `f`. CUDA: `cuda::transform_iterator`.
    pub fn map<U: Copy, G: Fn(F::Item) -> U + Copy + Send + Sync + 'static>(
        self,
        f: G,
    ) -> Input<'a, M, Map<F, G>> {
        Input::new(self.slices, self.len, Map(self.fetch, f))
    }

    #[expect(clippy::type_complexity, reason = "a rule made of two rules")]
    /// Pairs of elements with the same number, as many as the shorter input has. CUDA: `cuda::zip_iterator`.
    pub fn zip<J>(
        self,
        other: J,
    ) -> Input<'a, <M as Concat<J::Memory>>::Both, Zipped<M, F, J::Memory, J::Fetch>>
    where
        J: IntoInput<'a>,
        M: Concat<J::Memory>,
    {
        let other = other.input();
        let len = self.len.min(other.len);
        Input::new(
            M::concat(self.slices, other.slices),
            len,
            Zipped::new(self.fetch, other.fetch),
        )
    }

    /// Each element with the one before it; the first has none.
    pub fn with_previous(self) -> Input<'a, M, WithPrevious<F>> {
        Input::new(self.slices, self.len, WithPrevious(self.fetch))
    }

    /// From the last element to the first. CUDA: `cuda::std::reverse_iterator`.
    pub fn rev(self) -> Input<'a, M, Reversed<F>> {
        Input::new(self.slices, self.len, Reversed(self.fetch, self.len))
    }

    /// Every `step`-th element, from the first. CUDA: `cuda::strided_iterator`.
    ///
    /// # Errors
    /// [`Error::StepOfZero`].
    pub fn step_by(self, step: usize) -> Result<Input<'a, M, Strided<F>>, Error> {
        if step == 0 {
            return Err(Error::StepOfZero);
        }
        Ok(Input::new(
            self.slices,
            self.len.div_ceil(step),
            Strided(self.fetch, step),
        ))
    }

    #[expect(clippy::type_complexity, reason = "a rule made of two rules")]
    /// The elements with the numbers that `places` has, in its order. A number that is not below [`len`](Self::len) is a panic in the kernel.
    /// CUDA: `cuda::permutation_iterator`.
    pub fn permute<J>(
        self,
        places: J,
    ) -> Input<'a, <M as Concat<J::Memory>>::Both, Permuted<M, F, J::Memory, J::Fetch>>
    where
        J: IntoInput<'a>,
        M: Concat<J::Memory>,
        J::Fetch: Fetch<J::Memory, Item: Place>,
    {
        let places = places.input();
        Input::new(
            M::concat(self.slices, places.slices),
            places.len,
            Permuted::new(self.fetch, places.fetch, self.len),
        )
    }
}
