//! Sorts, by digits and by comparison.

use warploom::device_std::Plain;

use super::OnStream;
use crate::input::{Fetch, IntoInput, Item};
use crate::merge_sort::{MergeSort, MergeSortPairs};
use crate::output::IntoOutput;
use crate::radix_sort::{IntoSlice, RadixKey, Sort, SortInPlace, SortPairs};
use crate::segmented_sort::SegmentedSort;

/// Sorts, by digits and by comparison. Methods of a [`Stream`](warploom::Stream); each describes an algorithm, which runs when its output is named.
pub trait Sorts: OnStream {
    /// Sorts `keys` by their digits, from the smallest to the largest unless [`descending`](Sort::descending). The order of each type is said at
    /// [`RadixKey`]: that of floats is `total_cmp`, so −0.0 comes before +0.0, and NaN at the ends.
    ///
    /// Time O(n · bits): each 8 bits of a key are a pass, which reads and writes all keys; one more reads them. Stable. Equal inputs give equal bits. At most
    /// 2^32 − 1 keys. Memory: as much as the keys, and about a 20th (keys of 4 bytes); none for keys of 8 bits, or for no more keys than one block sorts: 10368 of 4 bytes. CUDA:
    /// `cub::DeviceRadixSort::SortKeys`, `SortKeysDescending`; `thrust::sort`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[2.5f32, -1.0, 0.0, -0.0])?;
    /// let mut y = device.alloc_uninit(4)?;
    /// stream.sort(&x).descending().into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [2.5, 0.0, -0.0, -1.0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn sort<'s, 'a, K: RadixKey>(&'s self, keys: impl IntoSlice<'a, K>) -> Sort<'s, 'a, K> {
        Sort::new(self.stream(), keys)
    }

    /// Sorts `keys` as [`sort`](Self::sort) does, and moves each value with its key. Values may be of any plain type; those of more than 8 bytes cost less if
    /// they are sorted as numbers and [permuted](crate::Input::permute) afterwards. Memory: as much as keys and values, and about a 20th of the keys'. CUDA:
    /// `cub::DeviceRadixSort::SortPairs`, `SortPairsDescending`; `thrust::stable_sort_by_key`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, i) = (device.upload(&[30i8, -10, 20])?, device.upload(&[0u32, 1, 2])?);
    /// let (mut y, mut order) = (device.alloc_uninit(3)?, device.alloc_uninit(3)?);
    /// stream.sort_pairs(&x, &i).into(&mut y, &mut order)?;
    /// assert_eq!((y.to_vec(&stream)?, order.to_vec(&stream)?), (vec![-10, 20, 30], vec![1, 2, 0]));
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn sort_pairs<'s, 'a, K: RadixKey, V: Plain>(
        &'s self,
        keys: impl IntoSlice<'a, K>,
        values: impl IntoSlice<'a, V>,
    ) -> SortPairs<'s, 'a, K, V> {
        SortPairs::new(self.stream(), keys, values)
    }

    /// Sorts `keys` as [`sort`](Self::sort) does, in place. Memory: as much as the keys, and about a 20th. One copy more for keys of an odd number of bytes and
    /// for no more keys than one block sorts.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut x = device.upload(&[3u64, 1, 2])?;
    /// stream.sort_in_place(&mut x).run()?;
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn sort_in_place<'s, 'a, K: RadixKey>(
        &'s self,
        keys: impl IntoOutput<K> + 'a,
    ) -> SortInPlace<'s, 'a, K> {
        SortInPlace::new(self.stream(), keys)
    }

    /// Sorts each segment of `keys` as [`sort`](Self::sort) does. `ends`, in ascending order, are where segments end and the next ones begin; what lies behind the last
    /// of them is a segment, too.
    ///
    /// Time O(n · (bits + log segments)), whatever the lengths: two sorts of pairs, by keys and by numbers of segments. Stable. Equal inputs give equal bits. At most
    /// 2^32 − 1 keys. Memory: three times the keys and 16 bytes for each, and about a 20th. If `ends` do not ascend, the output has the same keys in some order.
    /// CUDA: `cub::DeviceSegmentedRadixSort`, `DeviceSegmentedSort`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, ends) = (device.upload(&[3u32, 1, 2, 9, 7])?, device.upload(&[3u32])?);
    /// let mut y = device.alloc_uninit(5)?;
    /// stream.segmented_sort(&x, &ends).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [1, 2, 3, 7, 9]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn segmented_sort<'s, 'a, K: RadixKey>(
        &'s self,
        keys: impl IntoSlice<'a, K>,
        ends: impl IntoSlice<'a, u32>,
    ) -> SegmentedSort<'s, 'a, K> {
        SegmentedSort::new(self.stream(), keys, ends)
    }

    /// Sorts the elements by `less`: `less(a, b)` says whether `a` comes before `b`. Stable: elements of which neither is less keep their order.
    ///
    /// Time O(n log n), on the host O(log n) launches; deterministic. Elements have at most 64 bytes. `less` must be a strict weak order, or the elements
    /// of the output are unspecified (some of its answers do not matter, as where one of two sequences has ended): for floats `|a, b| a.total_cmp(&b).is_lt()`, as `<` is none with NaNs. Workspace ([`MergeSortPlan`](crate::MergeSortPlan)): the
    /// elements once more, and 8 bytes for each tile of at most 4352; none for a single tile. CUDA: `cub::DeviceMergeSort::StableSortKeysCopy`,
    /// `thrust::stable_sort`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, mut y) = (device.upload(&[2.5f32, -1.0, 7.0])?, device.zeroed(3)?);
    /// stream.merge_sort(&x, |a, b| b.total_cmp(&a).is_lt()).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [7.0, 2.5, -1.0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn merge_sort<'s, 'a, I, L>(
        &'s self,
        keys: I,
        less: L,
    ) -> MergeSort<'s, 'a, I::Memory, I::Fetch, Item<'a, I>, L>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        L: Fn(Item<'a, I>, Item<'a, I>) -> bool + Copy + Send + Sync + 'static,
    {
        MergeSort {
            stream: self.stream(),
            keys: keys.input(),
            less,
            plan: None,
        }
    }

    /// Sorts keys by `less`, and each value goes with its key; else as [`merge_sort`](Self::merge_sort). Values may have any size. With
    /// [`counting`](crate::counting) as values it gives the order. CUDA: `cub::DeviceMergeSort::StableSortPairs`, `thrust::stable_sort_by_key`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// use warploom_algorithms::counting;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[2.5f32, -1.0, 7.0])?;
    /// let (mut sorted, mut order) = (device.zeroed(3)?, device.zeroed(3)?);
    /// let numbers = counting(3).map(|i| i as u32);
    /// stream.merge_sort_pairs(&x, numbers, |a, b| a < b).into(&mut sorted, &mut order)?;
    /// assert_eq!(order.to_vec(&stream)?, [1, 0, 2]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn merge_sort_pairs<'s, 'a, 'b, I, J, L>(
        &'s self,
        keys: I,
        values: J,
        less: L,
    ) -> MergeSortPairs<'s, 'a, 'b, I, J, L>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Plain>>,
        L: Fn(Item<'a, I>, Item<'a, I>) -> bool + Copy + Send + Sync + 'static,
    {
        MergeSortPairs {
            stream: self.stream(),
            keys: keys.input(),
            values: values.input(),
            less,
            plan: None,
        }
    }
}

impl<S: OnStream> Sorts for S {}
