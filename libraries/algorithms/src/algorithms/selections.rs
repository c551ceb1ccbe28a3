//! Selections: some of the elements, without gaps.

use warploom::device_std::Plain;

use super::OnStream;
use crate::input::{Fetch, IntoInput, Item};
use crate::radix_sort::{IntoSlice, RadixKey};
use crate::select::{Changed, Mapped, Select, Where};
use crate::three_way::ThreeWayPartition;
use crate::top_k::{TopK, TopKPairs};

/// Selections: some of the elements, without gaps. Methods of a [`Stream`](warploom::Stream); each describes an algorithm, which runs when its output is named.
pub trait Selections: OnStream {
    /// The elements for which `predicate` holds, in order and without gaps.
    ///
    /// Time O(n), one pass over memory; 8 bytes of workspace for each tile (1024 to 5120 elements). Stable, and the same in every run. CUDA: `cub::DeviceSelect::If`,
    /// `cub::DevicePartition::If`, `thrust::copy_if`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// use warploom_algorithms::counting;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[5.0f32, -1.0, 7.0, -2.0])?;
    /// let (mut kept, mut places) = (device.zeroed(4)?, device.zeroed(4)?);
    /// let n = stream.select(&x, |x| x > 0.0).count(&mut kept)?;
    /// assert_eq!(kept.slice(..n)?.to_vec(&stream)?, [5.0, 7.0]);
    /// // Where they are: the numbers of elements, selected by the elements.
    /// let numbers = x.input().zip(counting(4)).map(|(x, i)| if x > 0.0 { i as u32 } else { u32::MAX });
    /// let n = stream.select(numbers, |i| i != u32::MAX).count(&mut places)?;
    /// assert_eq!(places.slice(..n)?.to_vec(&stream)?, [0, 2]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn select<'s, 'a, I, P>(
        &'s self,
        input: I,
        predicate: P,
    ) -> Select<'s, 'a, I::Memory, I::Fetch, Where<P>>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        P: Fn(Item<'a, I>) -> bool + Copy + Send + Sync + 'static,
    {
        Select {
            stream: self.stream(),
            input: input.input(),
            choose: Where(predicate),
            plan: None,
        }
    }

    /// The values that `f` gives, in order and without gaps, for the elements for which it gives one.
    ///
    /// As [`select`](Self::select). CUDA: `cub::DeviceSelect::Flagged`, `FlaggedIf`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// use warploom_algorithms::counting;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[5.0f32, -1.0, 7.0, -2.0])?;
    /// let mut places = device.zeroed(4)?;
    /// let negative = |(x, i): (f32, usize)| (x < 0.0).then_some(i as u32);
    /// let n = stream.filter_map(x.input().zip(counting(4)), negative).count(&mut places)?;
    /// assert_eq!(places.slice(..n)?.to_vec(&stream)?, [1, 3]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn filter_map<'s, 'a, I, U, P>(
        &'s self,
        input: I,
        f: P,
    ) -> Select<'s, 'a, I::Memory, I::Fetch, Mapped<P>>
    where
        I: IntoInput<'a>,
        U: Plain,
        P: Fn(Item<'a, I>) -> Option<U> + Copy + Send + Sync + 'static,
    {
        Select {
            stream: self.stream(),
            input: input.input(),
            choose: Mapped(f),
            plan: None,
        }
    }

    /// The first element of each run of equal elements.
    ///
    /// As [`select`](Self::select). CUDA: `cub::DeviceSelect::Unique`, `thrust::unique_copy`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, mut y) = (device.upload(&[4u8, 4, 7, 4, 4, 4])?, device.zeroed(6)?);
    /// let n = stream.unique(&x).count(&mut y)?;
    /// assert_eq!(y.slice(..n)?.to_vec(&stream)?, [4, 7, 4]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn unique<'s, 'a, I>(&'s self, input: I) -> Select<'s, 'a, I::Memory, I::Fetch, Changed>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain + PartialEq>>,
    {
        Select {
            stream: self.stream(),
            input: input.input(),
            choose: Changed,
            plan: None,
        }
    }

    /// The `k` largest of `keys`, from the largest, or with [`smallest`](TopK::smallest) the smallest, from the smallest. The order is that of
    /// [`sort`](crate::Sorts::sort).
    ///
    /// Time O(n · bits): for each 8 bits of a key and once more all keys are read; then `k` keys are sorted. Equal inputs give equal bits, if keys with equal
    /// [`bits`](RadixKey::bits) are equal: of keys that differ otherwise, any may be among the last ones selected. At most 2^32 − 1 keys. Memory: 16 KiB, and that
    /// of a sort of `k` keys. CUDA: `cub::DeviceTopK`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[2.5f32, -1.0, 7.0, 3.0])?;
    /// let mut y = device.alloc_uninit(2)?;
    /// stream.top_k(&x, 2).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [7.0, 3.0]);
    /// stream.top_k(&x, 2).smallest().into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [-1.0, 2.5]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn top_k<'s, 'a, K: RadixKey>(
        &'s self,
        keys: impl IntoSlice<'a, K>,
        k: usize,
    ) -> TopK<'s, 'a, K> {
        TopK::new(self.stream(), keys, k)
    }

    /// The elements in three parts, each in order and without gaps: those for which `first` holds, of the others those for which `second` holds, and the rest.
    ///
    /// Time O(n), one pass over memory; 16 bytes of workspace for each tile (16 KiB of elements). At most 2^32 − 1 elements. Stable in all three parts, and the same in every run. CUDA:
    /// `cub::DevicePartition::If` with two operators. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let lengths = device.upload(&[7u32, 4000, 3, 90, 60, 1])?;
    /// let (mut short, mut middle, mut long) = (device.zeroed(6)?, device.zeroed(6)?, device.zeroed(6)?);
    /// let parts = stream.three_way_partition(&lengths, |n| n < 32, |n| n < 1024);
    /// let (a, b) = parts.counts(&mut short, &mut middle, &mut long)?;
    /// assert_eq!(short.slice(..a)?.to_vec(&stream)?, [7, 3, 1]);
    /// assert_eq!(middle.slice(..b)?.to_vec(&stream)?, [90, 60]);
    /// assert_eq!(long.slice(..6 - a - b)?.to_vec(&stream)?, [4000]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn three_way_partition<'s, 'a, I, P, Q>(
        &'s self,
        input: I,
        first: P,
        second: Q,
    ) -> ThreeWayPartition<'s, 'a, I::Memory, I::Fetch, P, Q>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        P: Fn(Item<'a, I>) -> bool + Copy + Send + Sync + 'static,
        Q: Fn(Item<'a, I>) -> bool + Copy + Send + Sync + 'static,
    {
        ThreeWayPartition::new(self.stream(), input.input(), first, second)
    }

    /// The `k` largest of `keys` with their values, else as [`top_k`](Self::top_k). Values are computed for selected keys only; with [`counting`](crate::counting) they are the numbers of
    /// the keys. Of pairs with equal keys any may be among the last ones selected, and they come in any order.
    ///
    /// Memory: 16 KiB, `k` keys and values, and that of a sort of `k` pairs. CUDA: `cub::DeviceTopK::MaxPairs`, `MinPairs`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// use warploom_algorithms::counting;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[2.5f32, -1.0, 7.0, 3.0])?;
    /// let (mut largest, mut places) = (device.alloc_uninit(2)?, device.alloc_uninit(2)?);
    /// let numbers = counting(4).map(|i| i as u32);
    /// stream.top_k_pairs(&x, numbers, 2).into(&mut largest, &mut places)?;
    /// assert_eq!((largest.to_vec(&stream)?, places.to_vec(&stream)?), (vec![7.0, 3.0], vec![2, 3]));
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn top_k_pairs<'s, 'a, K, J>(
        &'s self,
        keys: impl IntoSlice<'a, K>,
        values: J,
        k: usize,
    ) -> TopKPairs<'s, 'a, K, J::Memory, J::Fetch>
    where
        K: RadixKey,
        J: IntoInput<'a, Fetch: Fetch<J::Memory, Item: Plain>>,
    {
        TopKPairs::new(self.stream(), keys, values.input(), k)
    }
}

impl<S: OnStream> Selections for S {}
