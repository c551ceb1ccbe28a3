//! Merges, searches and set operations: for sorted inputs.

use warploom::device_std::Plain;

use super::OnStream;
use crate::input::{Concat, Elements, Fetch, IntoInput, Item, One, Search};
use crate::merge::{Merge, MergePairs};
use crate::search::{SearchOf, search};
use crate::set_operation::{Difference, Intersection, SetOperation, SymmetricDifference, Union};

/// Merges, searches and set operations: for sorted inputs. Methods of a [`Stream`](warploom::Stream); each describes an algorithm, which runs when its output is named.
///
/// Merges and set operations call `less` with elements of the inputs, and more often than a merge on a processor would: also where an input has ended, when the answer does not matter.
pub trait SortedInputs: OnStream {
    /// Merges two slices that are sorted by `less` to one. Stable: of equal elements those of `a` come first.
    ///
    /// Time O(n), of both together; deterministic. Elements have at most 64 bytes. If an input is not sorted, or `less` is no strict weak order, the elements of the
    /// output are unspecified. Workspace ([`MergePlan`](crate::MergePlan)): 8 bytes for each tile of at most 4352 elements. CUDA: `cub::DeviceMerge::MergeKeys`,
    /// `thrust::merge`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (a, b, mut y) = (device.upload(&[1i64, 5, 9])?, device.upload(&[2, 5])?, device.zeroed(5)?);
    /// stream.merge(&a, &b, |a, b| a < b).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [1, 2, 5, 5, 9]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn merge<'s, 'a, K, L>(
        &'s self,
        a: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        b: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        less: L,
    ) -> Merge<'s, 'a, K, L>
    where
        K: Plain,
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    {
        Merge {
            stream: self.stream(),
            a: a.input().slices.0,
            b: b.input().slices.0,
            less,
            plan: None,
        }
    }

    /// Merges two slices of keys that are sorted by `less`, and each value goes with its key; else as [`merge`](Self::merge). Values may have any
    /// size. CUDA: `cub::DeviceMerge::MergePairs`, `thrust::merge_by_key`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (a, a_values) = (device.upload(&[1u32, 5])?, device.upload(&[1.0f32, 1.5])?);
    /// let (b, b_values) = (device.upload(&[0u32, 5])?, device.upload(&[2.0f32, 2.5])?);
    /// let (mut y, mut y_values) = (device.zeroed(4)?, device.zeroed(4)?);
    /// stream.merge_pairs(&a, &a_values, &b, &b_values, |a, b| a < b).into(&mut y, &mut y_values)?;
    /// assert_eq!(y_values.to_vec(&stream)?, [2.0, 1.0, 1.5, 2.5]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn merge_pairs<'s, 'a, K, V, L>(
        &'s self,
        a: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        a_values: impl IntoInput<'a, Memory = One<V>, Fetch = Elements>,
        b: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        b_values: impl IntoInput<'a, Memory = One<V>, Fetch = Elements>,
        less: L,
    ) -> MergePairs<'s, 'a, K, V, L>
    where
        K: Plain,
        V: Plain,
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    {
        MergePairs {
            keys: self.merge(a, b, less),
            a_values: a_values.input().slices.0,
            b_values: b_values.input().slices.0,
        }
    }

    /// For each of `values` the place of the first element of `sorted` that is not less than it; the number of elements where there is none.
    ///
    /// Time O(m log n) for m values, one launch, no workspace; deterministic. `sorted` is sorted by `less`, a strict weak order, or the places are unspecified,
    /// though never above the number of elements. Places are `u32`, `u64` or `usize`, as the output has. Values that are sorted too read the same
    /// memory at about the same time, which is faster. CUDA: `cub::DeviceFind::LowerBound`, `thrust::lower_bound`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (sorted, values) = (device.upload(&[1.0f32, 2.0, 2.0, 5.0])?, device.upload(&[2.0f32, 9.0])?);
    /// let mut places = device.zeroed::<u32>(2)?;
    /// stream.lower_bound(&sorted, &values, |a, b| a < b).into(&mut places)?;
    /// assert_eq!(places.to_vec(&stream)?, [1, 4]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn lower_bound<'s, 'a, I, J, L>(
        &'s self,
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
        search(self.stream(), Search::Lower, sorted, values, less)
    }

    /// For each of `values` the place of the first element of `sorted` that is greater than it; else as [`lower_bound`](Self::lower_bound). CUDA:
    /// `cub::DeviceFind::UpperBound`, `thrust::upper_bound`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// use warploom_algorithms::counting;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// // A histogram of sorted numbers: how many are at most 0, 1, 2, 3.
    /// let (sorted, mut counts) = (device.upload(&[0usize, 2, 2, 3])?, device.zeroed::<u64>(4)?);
    /// stream.upper_bound(&sorted, counting(4), |a, b| a < b).into(&mut counts)?;
    /// assert_eq!(counts.to_vec(&stream)?, [1, 1, 3, 4]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn upper_bound<'s, 'a, I, J, L>(
        &'s self,
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
        search(self.stream(), Search::Upper, sorted, values, less)
    }

    /// For each of `values` the place of the first element of `sorted` that is equal, of which neither is less; the largest number of the output's type
    /// ([`FromPlace::NONE`](crate::input::FromPlace::NONE)) where there is none. Else as [`lower_bound`](Self::lower_bound). CUDA: `thrust::binary_search`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (sorted, values) = (device.upload(&[1u8, 2, 2, 5])?, device.upload(&[2u8, 3])?);
    /// let mut places = device.zeroed::<u32>(2)?;
    /// stream.binary_search(&sorted, &values, |a, b| a < b).into(&mut places)?;
    /// assert_eq!(places.to_vec(&stream)?, [1, u32::MAX]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn binary_search<'s, 'a, I, J, L>(
        &'s self,
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
        search(self.stream(), Search::Equal, sorted, values, less)
    }

    /// The elements that are in `a` or in `b`, two slices that are sorted by `less`, in order: an element m times in `a` and n times in `b` comes max(m, n) times, first those
    /// of `a`.
    ///
    /// Time O(n), of both together, two launches, one pass over memory behind the splits of its tiles; deterministic. The output has room for as many elements as both inputs have, and how many there are is an output too.
    /// Elements have at most 64 bytes. If an input is not sorted, or `less` is no strict weak order, the elements of the output are unspecified. Workspace
    /// ([`SetPlan`](crate::SetPlan)): 16 bytes for each tile of at most 4351 elements. CUDA: `thrust::set_union`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (a, b) = (device.upload(&[2u32, 2, 5])?, device.upload(&[1u32, 2, 3])?);
    /// let (mut y, mut count) = (device.zeroed(6)?, device.zeroed(1)?);
    /// stream.set_union(&a, &b, |a, b| a < b).into(&mut y, &mut count)?;
    /// assert_eq!(count.get(0, &stream)?, 5);
    /// assert_eq!(y.slice(..5)?.to_vec(&stream)?, [1, 2, 2, 3, 5]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn set_union<'s, 'a, K, L>(
        &'s self,
        a: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        b: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        less: L,
    ) -> SetOperation<'s, 'a, K, L, Union>
    where
        K: Plain,
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    {
        SetOperation::new(self.stream(), a.input().slices.0, b.input().slices.0, less)
    }

    /// The elements that are in `a` and in `b`: of an element m times in `a` and n times in `b` the first min(m, n) of `a`. The output has room for as many elements as the shorter
    /// input has; else as [`set_union`](Self::set_union). CUDA: `thrust::set_intersection`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (a, b) = (device.upload(&[2u32, 2, 5])?, device.upload(&[1u32, 2, 3])?);
    /// let (mut y, mut count) = (device.zeroed(6)?, device.zeroed(1)?);
    /// stream.set_intersection(&a, &b, |a, b| a < b).into(&mut y, &mut count)?;
    /// assert_eq!(count.get(0, &stream)?, 1);
    /// assert_eq!(y.slice(..1)?.to_vec(&stream)?, [2]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn set_intersection<'s, 'a, K, L>(
        &'s self,
        a: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        b: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        less: L,
    ) -> SetOperation<'s, 'a, K, L, Intersection>
    where
        K: Plain,
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    {
        SetOperation::new(self.stream(), a.input().slices.0, b.input().slices.0, less)
    }

    /// The elements that are in `a` and not in `b`: of an element m times in `a` and n times in `b` the last m - n of `a`. The output has room for as many elements as `a` has; else as
    /// [`set_union`](Self::set_union). CUDA: `thrust::set_difference`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (a, b) = (device.upload(&[2u32, 2, 5])?, device.upload(&[1u32, 2, 3])?);
    /// let (mut y, mut count) = (device.zeroed(6)?, device.zeroed(1)?);
    /// stream.set_difference(&a, &b, |a, b| a < b).into(&mut y, &mut count)?;
    /// assert_eq!(count.get(0, &stream)?, 2);
    /// assert_eq!(y.slice(..2)?.to_vec(&stream)?, [2, 5]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn set_difference<'s, 'a, K, L>(
        &'s self,
        a: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        b: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        less: L,
    ) -> SetOperation<'s, 'a, K, L, Difference>
    where
        K: Plain,
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    {
        SetOperation::new(self.stream(), a.input().slices.0, b.input().slices.0, less)
    }

    /// The elements that are in `a` or in `b`, and not in both: of an element m times in `a` and n times in `b` the last m - n of `a`, or the last n - m of `b`. Else as
    /// [`set_union`](Self::set_union). CUDA: `thrust::set_symmetric_difference`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (a, b) = (device.upload(&[2u32, 2, 5])?, device.upload(&[1u32, 2, 3])?);
    /// let (mut y, mut count) = (device.zeroed(6)?, device.zeroed(1)?);
    /// stream.set_symmetric_difference(&a, &b, |a, b| a < b).into(&mut y, &mut count)?;
    /// assert_eq!(count.get(0, &stream)?, 4);
    /// assert_eq!(y.slice(..4)?.to_vec(&stream)?, [1, 2, 3, 5]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn set_symmetric_difference<'s, 'a, K, L>(
        &'s self,
        a: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        b: impl IntoInput<'a, Memory = One<K>, Fetch = Elements>,
        less: L,
    ) -> SetOperation<'s, 'a, K, L, SymmetricDifference>
    where
        K: Plain,
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static,
    {
        SetOperation::new(self.stream(), a.input().slices.0, b.input().slices.0, less)
    }
}

impl<S: OnStream> SortedInputs for S {}
