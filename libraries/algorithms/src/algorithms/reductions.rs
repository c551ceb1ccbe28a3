//! Reductions, of all elements, of segments and of runs; histograms.

#![expect(
    clippy::type_complexity,
    reason = "builders with the types of closures, which have no names"
)]

use std::ops::Add;

use warploom::device_std::Plain;

use super::OnStream;
use crate::arg::ArgReduce;
use crate::by_key::ByKey;
use crate::extremes::Extremes;
use crate::histogram::Histogram;
use crate::input::{Fetch, IntoInput, Item, Place};
use crate::radix_sort::RadixKey;
use crate::reduce::Reduce;
use crate::runs::Runs;
use crate::segmented_arg::SegmentedArg;
use crate::segmented_reduce::SegmentedReduce;

/// Reductions, of all elements, of segments and of runs; histograms. Methods of a [`Stream`](warploom::Stream); each describes an algorithm, which runs when its output is named.
pub trait Reductions: OnStream {
    /// Combines `init` and all elements by `op`, which must be associative and commutative. Without elements the value is `init`.
    ///
    /// Time O(n). The order depends on the number of elements and their size alone, as there are as many blocks on every device: equal inputs give equal bits on each, in every run.
    /// Elements have at most 16 bytes. CUDA: `cub::DeviceReduce::Reduce`, `TransformReduce`; `thrust::reduce`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[3.0f32, -4.0, 1.0])?;
    /// assert_eq!(stream.reduce(&x, f32::MIN, f32::max).to_host()?, 3.0);
    /// assert_eq!(stream.reduce(x.input().map(|x| x * x), 0.0, |a, b| a + b).to_host()?, 26.0);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn reduce<'s, 'a, I, O>(
        &'s self,
        input: I,
        init: Item<'a, I>,
        op: O,
    ) -> Reduce<'s, 'a, I::Memory, I::Fetch, Item<'a, I>, O>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        Reduce {
            stream: self.stream(),
            input: input.input(),
            init,
            op,
            plan: None,
        }
    }

    /// For each segment, `init` and its elements combined by `op`, which must be associative and commutative. Segment `i` has the elements from `offsets[i]` up to and without
    /// `offsets[i + 1]`: there is one offset more than segments. An empty segment has the value `init`.
    ///
    /// Time O(n), one launch, no workspace. The order in which a segment is combined depends on its length and the average length alone: equal inputs give equal bits on every
    /// device. Short segments are reduced by a thread, longer ones by a warp or a block; for a few that are very long, [`reduce`](Self::reduce) of each is faster. Elements have at most 16
    /// bytes. Offsets that decrease or exceed the input are a panic in the kernel. CUDA: `cub::DeviceSegmentedReduce::Reduce`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, offsets) = (device.upload(&[1.0f32, 2.0, 4.0])?, device.upload(&[0u32, 2, 2, 3])?);
    /// let mut sums = device.zeroed(3)?;
    /// stream.segmented_reduce(&x, &offsets, 0.0, |a, b| a + b).into(&mut sums)?;
    /// assert_eq!(sums.to_vec(&stream)?, [3.0, 0.0, 4.0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn segmented_reduce<'s, 'a, 'b, I, J, O>(
        &'s self,
        input: I,
        offsets: J,
        init: Item<'a, I>,
        op: O,
    ) -> SegmentedReduce<'s, 'a, 'b, I, J, O>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Place>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        SegmentedReduce {
            stream: self.stream(),
            input: input.input(),
            offsets: offsets.input(),
            init,
            op,
        }
    }

    /// Combines the values of each run of equal keys, or scans them, by `op`, which must be associative. The input has pairs of key and value.
    ///
    /// Time O(n), one pass over memory; 16 bytes of workspace or so for each tile (512 to 3840 pairs). Keys and values have at most 16 bytes each. Of
    /// floats the grouping depends on timing, so that the last bits may differ, unless it is [`deterministic`](ByKey::deterministic). The first value
    /// of each run alone: [`unique_by_key`](Self::unique_by_key). CUDA: `cub::DeviceReduce::ReduceByKey`, `cub::DeviceScan::InclusiveSumByKey`, `ExclusiveSumByKey`,
    /// `thrust::reduce_by_key`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (keys, values) = (device.upload(&[1u32, 1, 3, 3, 3, 1])?, device.upload(&[1u32, 2, 3, 4, 5, 6])?);
    /// let pairs = keys.input().zip(&values);
    /// let (mut unique, mut sums) = (device.zeroed(6)?, device.zeroed(6)?);
    /// let n = stream.by_key(pairs, |a, b| a + b).reduce_count(&mut unique, &mut sums)?;
    /// assert_eq!(unique.slice(..n)?.to_vec(&stream)?, [1, 3, 1]);
    /// assert_eq!(sums.slice(..n)?.to_vec(&stream)?, [3, 12, 6]);
    /// stream.by_key(pairs, |a, b| a + b).inclusive_scan(&mut sums)?;
    /// assert_eq!(sums.to_vec(&stream)?, [1, 3, 3, 7, 12, 6]);
    /// stream.by_key(pairs, |a, b| a + b).exclusive_scan(0, &mut sums)?;
    /// assert_eq!(sums.to_vec(&stream)?, [0, 1, 0, 3, 7, 0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn by_key<'s, 'a, I, K, V, O>(
        &'s self,
        input: I,
        op: O,
    ) -> ByKey<'s, 'a, I::Memory, I::Fetch, (K, V), O>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = (K, V)>>,
        K: Plain + PartialEq,
        V: Plain,
        O: Fn(V, V) -> V + Copy + Send + Sync + 'static,
    {
        ByKey {
            stream: self.stream(),
            input: input.input(),
            op,
            plan: None,
        }
    }

    /// The length of each run of equal elements, modulo 2^32.
    ///
    /// Time O(n), one pass over memory; 16 bytes of workspace or so for each tile (512 to 3840 elements), which have at most 16 bytes. Of integers and of floats the result is the
    /// same in every run. CUDA: `cub::DeviceRunLengthEncode::Encode`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[4u8, 4, 7, 4, 4, 4])?;
    /// let (mut elements, mut lengths) = (device.zeroed(6)?, device.zeroed(6)?);
    /// let n = stream.run_lengths(&x).reduce_count(&mut elements, &mut lengths)?;
    /// assert_eq!(elements.slice(..n)?.to_vec(&stream)?, [4, 7, 4]);
    /// assert_eq!(lengths.slice(..n)?.to_vec(&stream)?, [2, 1, 3]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn run_lengths<'s, 'a, I>(
        &'s self,
        input: I,
    ) -> Runs<
        's,
        'a,
        I::Memory,
        impl Fetch<I::Memory, Item = (Item<'a, I>, u32)>,
        (Item<'a, I>, u32),
        true,
    >
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain + PartialEq>>,
    {
        Runs {
            stream: self.stream(),
            input: input.input().map(|item| (item, 1)),
            plan: None,
        }
    }

    /// The first pair of each run of equal keys. The input has pairs of key and value.
    ///
    /// As [`by_key`](Self::by_key) with an `op` that gives its first argument, and faster. Time O(n), one pass over memory; 16 bytes of workspace or so for each tile (512 to 2816
    /// pairs). Keys and values have at most 16 bytes each. CUDA: `cub::DeviceSelect::UniqueByKey`, `thrust::unique_by_key_copy`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (keys, values) = (device.upload(&[1u32, 1, 3, 3, 3, 1])?, device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?);
    /// let (mut unique, mut firsts) = (device.zeroed(6)?, device.zeroed(6)?);
    /// let n = stream.unique_by_key(keys.input().zip(&values)).reduce_count(&mut unique, &mut firsts)?;
    /// assert_eq!(unique.slice(..n)?.to_vec(&stream)?, [1, 3, 1]);
    /// assert_eq!(firsts.slice(..n)?.to_vec(&stream)?, [1.0, 3.0, 6.0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn unique_by_key<'s, 'a, I, K, V>(
        &'s self,
        input: I,
    ) -> Runs<'s, 'a, I::Memory, I::Fetch, (K, V), false>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = (K, V)>>,
        K: Plain + PartialEq,
        V: Plain,
    {
        Runs {
            stream: self.stream(),
            input: input.input(),
            plan: None,
        }
    }

    /// How many elements of the input are each number below the length of the output. Larger numbers are left out.
    ///
    /// The input has the bin of each sample, which [`Input::map`](crate::Input::map) computes from the sample; for bins of equal width, or between borders, there are the methods of
    /// [`Histograms`](crate::Histograms).
    /// Time O(n), one pass over memory, no workspace; counts are exact, so the result is the same in every run. Up to 2048 bins each block
    /// counts in shared memory. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[0.1f32, 0.9, 0.95, 0.5, 1.5])?;
    /// let mut counts = device.zeroed(4)?; // of bins that are 0.25 wide
    /// stream.histogram(x.input().map(|x| (x * 4.0) as u32)).into(&mut counts)?;
    /// assert_eq!(counts.to_vec(&stream)?, [1, 0, 1, 2]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn histogram<'s, 'a, I>(&'s self, bins: I) -> Histogram<'s, 'a, I::Memory, I::Fetch>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Place>>,
    {
        Histogram {
            stream: self.stream(),
            input: bins.input(),
        }
    }

    /// The sum of all elements, by their `+`; 0 without elements. [`reduce`](Self::reduce) with another name: the same plan, and floats have the same bits in each run. CUDA:
    /// `cub::DeviceReduce::Sum`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[3.0f32, -4.0, 1.5])?;
    /// assert_eq!(stream.sum(&x).to_host()?, 0.5);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn sum<'s, 'a, I, T>(
        &'s self,
        input: I,
    ) -> Reduce<'s, 'a, I::Memory, I::Fetch, T, impl Fn(T, T) -> T + Copy + Send + Sync + 'static>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = T>>,
        T: Plain + Default + Add<Output = T>,
    {
        self.reduce(input, T::default(), |a, b| a + b)
    }

    /// The smallest element, in the order of [`sort`](crate::Sorts::sort): of floats a negative NaN is the smallest and a positive one the largest. Without elements it is
    /// [`Extremes::LAST`]: `MAX` of integers, a NaN of floats. [`reduce`](Self::reduce) with another name. CUDA: `cub::DeviceReduce::Min`, which leaves open what comes of NaNs.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[3.0f32, -4.0, 1.5])?;
    /// assert_eq!((stream.min(&x).to_host()?, stream.max(&x).to_host()?), (-4.0, 3.0));
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn min<'s, 'a, I, T>(
        &'s self,
        input: I,
    ) -> Reduce<'s, 'a, I::Memory, I::Fetch, T, impl Fn(T, T) -> T + Copy + Send + Sync + 'static>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = T>>,
        T: Extremes,
    {
        self.reduce(input, T::LAST, T::smaller)
    }

    /// The largest element, as [`min`](Self::min) gives the smallest; without elements [`Extremes::FIRST`]. CUDA: `cub::DeviceReduce::Max`.
    fn max<'s, 'a, I, T>(
        &'s self,
        input: I,
    ) -> Reduce<'s, 'a, I::Memory, I::Fetch, T, impl Fn(T, T) -> T + Copy + Send + Sync + 'static>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = T>>,
        T: Extremes,
    {
        self.reduce(input, T::FIRST, T::larger)
    }

    /// The smallest element and its number, in the order of [`sort`](crate::Sorts::sort): of floats a negative NaN is the smallest and a positive one the largest. Of
    /// equal elements the first is found.
    ///
    /// Time O(n), two launches; the same in every run. Keys have at most 64 bits. Workspace: 16,896 bytes at most. CUDA: `cub::DeviceReduce::ArgMin`, `thrust::min_element`.
    /// Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[3.0f32, -4.0, 1.5, -4.0])?;
    /// assert_eq!(stream.arg_min(&x).to_host()?, Some((1, -4.0)));
    /// assert_eq!(stream.arg_max(x.input().map(|x| x * x)).to_host()?, Some((1, 16.0)));
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn arg_min<'s, 'a, I>(&'s self, input: I) -> ArgReduce<'s, 'a, I::Memory, I::Fetch, false>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: RadixKey>>,
    {
        ArgReduce::new(self.stream(), input.input())
    }

    /// The largest element and its number; else as [`arg_min`](Self::arg_min). CUDA: `cub::DeviceReduce::ArgMax`, `thrust::max_element`.
    fn arg_max<'s, 'a, I>(&'s self, input: I) -> ArgReduce<'s, 'a, I::Memory, I::Fetch, true>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: RadixKey>>,
    {
        ArgReduce::new(self.stream(), input.input())
    }

    /// For each segment its smallest element and the number of that element in the whole input; order and equal elements as in [`arg_min`](Self::arg_min), segments as in
    /// [`segmented_reduce`](Self::segmented_reduce).
    ///
    /// Time O(n), two launches; the same in every run. Keys have at most 64 bits. Workspace: 16 bytes for each segment. CUDA: `cub::DeviceSegmentedReduce::ArgMin`, which counts from
    /// the beginning of the segment. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, offsets) = (device.upload(&[5i32, 2, 7, 7, 9])?, device.upload(&[0u32, 2, 4])?);
    /// let (mut values, mut places) = (device.zeroed(2)?, device.zeroed(2)?);
    /// stream.segmented_arg_min(&x, &offsets).into(&mut values, &mut places)?;
    /// assert_eq!((values.to_vec(&stream)?, places.to_vec(&stream)?), (vec![2, 7], vec![1, 2]));
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn segmented_arg_min<'s, 'a, 'b, I, J>(
        &'s self,
        input: I,
        offsets: J,
    ) -> SegmentedArg<'s, 'a, 'b, I, J, false>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: RadixKey>>,
        J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Place>>,
    {
        SegmentedArg::new(self.stream(), input, offsets)
    }

    /// For each segment its largest element and the number of that element; else as [`segmented_arg_min`](Self::segmented_arg_min). CUDA:
    /// `cub::DeviceSegmentedReduce::ArgMax`.
    fn segmented_arg_max<'s, 'a, 'b, I, J>(
        &'s self,
        input: I,
        offsets: J,
    ) -> SegmentedArg<'s, 'a, 'b, I, J, true>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: RadixKey>>,
        J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Place>>,
    {
        SegmentedArg::new(self.stream(), input, offsets)
    }
}

impl<S: OnStream> Reductions for S {}
