//! The algorithms as methods of a stream.

#![expect(
    clippy::type_complexity,
    reason = "builders with the types of closures, which have no names"
)]

use crate::by_key::ByKey;
use crate::histogram::Histogram;
use crate::input::{
    Adjacent, Concat, Elements, Fetch, Input, IntoInput, Item, One, Place, Search, Shuffled,
    WithPrevious,
};
use crate::merge::{Merge, MergePairs};
use crate::merge_sort::{MergeSort, MergeSortPairs};
use crate::output::IntoOutput;
use crate::radix_sort::{IntoSlice, RadixKey, Sort, SortInPlace, SortPairs};
use crate::reduce::Reduce;
use crate::scan::Scan;
use crate::scatter::{Scatter, ScatterOf};
use crate::search::{SearchOf, search};
use crate::segmented_reduce::SegmentedReduce;
use crate::segmented_sort::SegmentedSort;
use crate::select::{FilterMap, Select, Selection};
use crate::set_operation::{Difference, Intersection, SetOperation, SymmetricDifference, Union};
use crate::top_k::TopK;
use crate::transform::{Gather, Transform};
use warploom::Stream;
use warploom::device_std::Plain;

/// The algorithms of a [`Stream`]. Each method describes one; it runs when its output is named.
pub trait Algorithms {
    /// Combines `init` and all elements by `op`, which must be associative and commutative. Without elements the value is `init`.
    ///
    /// Time O(n). The order depends on the number of elements alone: equal inputs give equal bits on every device. Elements have at most 16 bytes. CUDA:
    /// `cub::DeviceReduce::Reduce`, `TransformReduce`; `thrust::reduce`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms, IntoInput};
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
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static;

    /// For each element what all elements up to it have, combined by `op`, which must be associative.
    ///
    /// Time O(n), one pass over memory; 8 bytes of workspace for each 4 KiB or so of elements. Integers are the same in every run; of floats the grouping
    /// depends on timing, so that the last bits may differ. Elements have at most 16 bytes. CUDA: `cub::DeviceScan::InclusiveScan`,
    /// `thrust::inclusive_scan`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[1u32, 5, 2, 7, 3])?;
    /// let mut y = device.zeroed(5)?;
    /// stream.inclusive_scan(&x, u32::max).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [1, 5, 5, 7, 7]);
    /// stream.inclusive_scan(&x, |a, b| a + b).init(100).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [101, 106, 108, 115, 118]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn inclusive_scan<'s, 'a, I, O>(
        &'s self,
        input: I,
        op: O,
    ) -> Scan<'s, 'a, I::Memory, I::Fetch, Item<'a, I>, O, true>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static;

    /// For each element what `init` and all elements before it have, combined by `op`, which must be associative.
    ///
    /// As [`inclusive_scan`](Self::inclusive_scan). CUDA: `cub::DeviceScan::ExclusiveScan`, `thrust::exclusive_scan`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let lengths = device.upload(&[3u32, 1, 4])?;
    /// let mut starts = device.zeroed(3)?;
    /// stream.exclusive_scan(&lengths, 0, |a, b| a + b).into(&mut starts)?;
    /// assert_eq!(starts.to_vec(&stream)?, [0, 3, 4]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn exclusive_scan<'s, 'a, I, O>(
        &'s self,
        input: I,
        init: Item<'a, I>,
        op: O,
    ) -> Scan<'s, 'a, I::Memory, I::Fetch, Item<'a, I>, O, false>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static;

    /// The elements for which `predicate` holds, in order and without gaps.
    ///
    /// Time O(n), one pass over memory; 16 bytes of workspace for each tile (4 KiB or so of elements). Stable, and the same in every run. CUDA: `cub::DeviceSelect::If`,
    /// `cub::DevicePartition::If`, `thrust::copy_if`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms, IntoInput, counting};
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
    ) -> Select<'s, 'a, I::Memory, I::Fetch, P>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        P: Fn(Item<'a, I>) -> bool + Copy + Send + Sync + 'static;

    /// The values that `f` gives, in order and without gaps, for the elements for which it gives one.
    ///
    /// As [`select`](Self::select). CUDA: `cub::DeviceSelect::Flagged`, `FlaggedIf`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms, IntoInput, counting};
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
    ) -> FilterMap<'s, 'a, I::Memory, I::Fetch, P>
    where
        I: IntoInput<'a>,
        U: Plain,
        P: Fn(Item<'a, I>) -> Option<U> + Copy + Send + Sync + 'static;

    /// The first element of each run of equal elements.
    ///
    /// As [`select`](Self::select). CUDA: `cub::DeviceSelect::Unique`, `thrust::unique_copy`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, mut y) = (device.upload(&[4u8, 4, 7, 4, 4, 4])?, device.zeroed(6)?);
    /// let n = stream.unique(&x).count(&mut y)?;
    /// assert_eq!(y.slice(..n)?.to_vec(&stream)?, [4, 7, 4]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn unique<'s, 'a, I>(
        &'s self,
        input: I,
    ) -> FilterMap<
        's,
        'a,
        I::Memory,
        WithPrevious<I::Fetch>,
        impl Fn((Option<Item<'a, I>>, Item<'a, I>)) -> Option<Item<'a, I>>
        + Copy
        + Send
        + Sync
        + 'static,
    >
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain + PartialEq>>;

    /// Combines the values of each run of equal keys, or scans them, by `op`, which must be associative. The input has pairs of key and value.
    ///
    /// Time O(n), one pass over memory; 32 bytes of workspace or so for each tile (3072 pairs or fewer). Values have at most 16 bytes. Of floats the grouping depends
    /// on timing, so that the last bits may differ. CUDA: `cub::DeviceReduce::ReduceByKey`, `cub::DeviceScan::InclusiveSumByKey`,
    /// `ExclusiveSumByKey`, `thrust::reduce_by_key`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms, IntoInput};
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
    ) -> ByKey<'s, 'a, I::Memory, I::Fetch, V, O>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = (K, V)>>,
        K: Plain + PartialEq,
        V: Plain,
        O: Fn(V, V) -> V + Copy + Send + Sync + 'static;

    /// The length of each run of equal elements: [`by_key`](Self::by_key) with ones as values. CUDA: `cub::DeviceRunLengthEncode::Encode`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
    ) -> ByKey<
        's,
        'a,
        I::Memory,
        impl Fetch<I::Memory, Item = (Item<'a, I>, u32)>,
        u32,
        impl Fn(u32, u32) -> u32 + Copy + Send + Sync + 'static,
    >
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain + PartialEq>>;

    /// How many elements of the input are each number below the length of the output. Larger numbers are left out.
    ///
    /// The input has the bin of each sample, which [`Input::map`](crate::Input::map) computes from the sample: bins of equal width, or found by a search among borders.
    /// Time O(n), one pass over memory, no workspace; counts are exact, so the result is the same in every run. Up to 2048 bins each block
    /// counts in shared memory. CUDA: `cub::DeviceHistogram::HistogramEven`, `HistogramRange`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms, IntoInput};
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
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Place>>;

    /// Sorts the elements by `less`: `less(a, b)` says whether `a` comes before `b`. Stable: elements of which neither is less keep their order.
    ///
    /// Time O(n log n), on the host O(log n) launches; deterministic. Elements have at most 64 bytes. `less` must be a strict weak order, or the elements
    /// of the output are unspecified: for floats `|a, b| a.total_cmp(&b).is_lt()`, as `<` is none with NaNs. Workspace ([`MergeSortPlan`](crate::MergeSortPlan)): the
    /// elements once more, and 8 bytes for each tile of at most 4352; none for a single tile. CUDA: `cub::DeviceMergeSort::StableSortKeysCopy`,
    /// `thrust::stable_sort`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
        L: Fn(Item<'a, I>, Item<'a, I>) -> bool + Copy + Send + Sync + 'static;

    /// Sorts keys by `less`, and each value goes with its key; else as [`merge_sort`](Self::merge_sort). Values may have any size. With
    /// [`counting`](crate::counting) as values it gives the order. CUDA: `cub::DeviceMergeSort::StableSortPairs`, `thrust::stable_sort_by_key`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms, counting};
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
        L: Fn(Item<'a, I>, Item<'a, I>) -> bool + Copy + Send + Sync + 'static;

    /// Merges two slices that are sorted by `less` to one. Stable: of equal elements those of `a` come first.
    ///
    /// Time O(n), of both together; deterministic. Elements have at most 64 bytes. If an input is not sorted, or `less` is no strict weak order, the elements of the
    /// output are unspecified. Workspace ([`MergePlan`](crate::MergePlan)): 8 bytes for each tile of at most 4352 elements. CUDA: `cub::DeviceMerge::MergeKeys`,
    /// `thrust::merge`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static;

    /// Merges two slices of keys that are sorted by `less`, and each value goes with its key; else as [`merge`](Self::merge). Values may have any
    /// size. CUDA: `cub::DeviceMerge::MergePairs`, `thrust::merge_by_key`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static;

    /// Stores the elements of an input. So `map` of an input is a transformation, `counting` is a sequence, and `constant` fills (as
    /// [`DeviceBuffer::fill`](warploom::DeviceBuffer::fill) does).
    ///
    /// Time O(n), one launch, no workspace; deterministic. What a closure would do beside its result is not an element: there is no `for_each`. CUDA: `cub::DeviceTransform`,
    /// `thrust::transform`, `thrust::sequence`, `thrust::tabulate`, `thrust::fill`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms, IntoInput};
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, y) = (device.upload(&[1.0f32, 2.0])?, device.upload(&[3.0f32, 4.0])?);
    /// let mut sums = device.zeroed(2)?;
    /// stream.transform(x.input().zip(&y).map(|(x, y)| 2.0 * x + y)).into(&mut sums)?;
    /// assert_eq!(sums.to_vec(&stream)?, [5.0, 8.0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn transform<'s, 'a, I>(&'s self, input: I) -> Transform<'s, 'a, I::Memory, I::Fetch>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>;

    /// For each of `values` the place of the first element of `sorted` that is not less than it; the number of elements where there is none.
    ///
    /// Time O(m log n) for m values, one launch, no workspace; deterministic. `sorted` is sorted by `less`, a strict weak order, or the places are unspecified,
    /// though never above the number of elements. Places are `u32`, `u64` or `usize`, as the output has. Values that are sorted too read the same
    /// memory at about the same time, which is faster. CUDA: `cub::DeviceFind::LowerBound`, `thrust::lower_bound`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms};
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
        L: Fn(Item<'a, I>, Item<'a, I>) -> bool + Copy + Send + Sync + 'static;

    /// For each of `values` the place of the first element of `sorted` that is greater than it; else as [`lower_bound`](Self::lower_bound). CUDA:
    /// `cub::DeviceFind::UpperBound`, `thrust::upper_bound`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms, counting};
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
        L: Fn(Item<'a, I>, Item<'a, I>) -> bool + Copy + Send + Sync + 'static;

    /// For each of `values` the place of the first element of `sorted` that is equal, of which neither is less; the largest number of the output's type
    /// ([`FromPlace::NONE`](crate::input::FromPlace::NONE)) where there is none. Else as [`lower_bound`](Self::lower_bound). CUDA: `thrust::binary_search`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms};
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
        L: Fn(Item<'a, I>, Item<'a, I>) -> bool + Copy + Send + Sync + 'static;

    /// The first element, then each element with the one before it by `op(element, before)`.
    ///
    /// Time O(n), one launch, no workspace; deterministic. The output must be another buffer than the input. CUDA: `cub::DeviceAdjacentDifference::SubtractLeftCopy`,
    /// `thrust::adjacent_difference`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms};
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, mut y) = (device.upload(&[5i32, 7, 4])?, device.zeroed(3)?);
    /// stream.adjacent_difference(&x, |x, before| x - before).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [5, 2, -3]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn adjacent_difference<'s, 'a, I, O>(
        &'s self,
        input: I,
        op: O,
    ) -> Transform<'s, 'a, I::Memory, Adjacent<I::Fetch, O>>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static;

    /// The elements in a random order, which depends on `seed` and the number of elements alone: stored, of [`Input::shuffled`].
    ///
    /// Time O(n), one launch, no workspace; deterministic. Each element is read from a random place. CUDA: `thrust::shuffle_copy`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms};
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, mut y) = (device.upload(&[1u32, 2, 3, 4])?, device.zeroed(4)?);
    /// stream.shuffle(&x, 2024).into(&mut y)?;
    /// let mut y = y.to_vec(&stream)?;
    /// y.sort();
    /// assert_eq!(y, [1, 2, 3, 4]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn shuffle<'s, 'a, I>(
        &'s self,
        input: I,
        seed: u64,
    ) -> Transform<'s, 'a, I::Memory, Shuffled<I::Fetch>>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>;

    /// The elements at `places`, in the order of the places. A place that the input does not have is a panic in the kernel.
    ///
    /// Time O(n) for n places, one launch, no workspace; deterministic. CUDA: `thrust::gather`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms};
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, places) = (device.upload(&[1.5f32, 2.5, 3.5])?, device.upload(&[2u32, 0])?);
    /// let mut y = device.zeroed(2)?;
    /// stream.gather(&x, &places).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [3.5, 1.5]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn gather<'s, 'a, I, J>(&'s self, input: I, places: J) -> Gather<'s, 'a, I, J>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        J: IntoInput<'a, Fetch: Fetch<J::Memory, Item: Place>>,
        I::Memory: Concat<J::Memory>;

    /// Stores element `i` at place `places[i]` of the output, whose other elements stay as they are.
    ///
    /// Time O(n), one launch, no workspace. Deterministic if no place comes twice; else any one of its elements is stored. Elements have 1, 2, 4 or 8 bytes; for others there is the
    /// unsafe [`Scatter::into_distinct`]. A place that the output does not have is a panic in the kernel. CUDA: `thrust::scatter`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms};
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, places) = (device.upload(&[1.5f32, 2.5])?, device.upload(&[2u32, 0])?);
    /// let mut y = device.zeroed(3)?;
    /// stream.scatter(&x, &places).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [2.5, 0.0, 1.5]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn scatter<'s, 'a, I, J>(&'s self, input: I, places: J) -> ScatterOf<'s, 'a, I, J>
    where
        I: IntoInput<'a>,
        J: IntoInput<'a, Fetch: Fetch<J::Memory, Item: Place>>,
        I::Memory: Concat<J::Memory>;

    /// The elements that are in `a` or in `b`, two slices that are sorted by `less`, in order: an element m times in `a` and n times in `b` comes max(m, n) times, first those
    /// of `a`.
    ///
    /// Time O(n), of both together, four launches; deterministic. The output has room for as many elements as both inputs have, and how many there are is an output too.
    /// Elements have at most 64 bytes. If an input is not sorted, or `less` is no strict weak order, the elements of the output are unspecified. Workspace
    /// ([`SetPlan`](crate::SetPlan)): 16 bytes for each tile of at most 4352 elements. CUDA: `thrust::set_union`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static;

    /// The elements that are in `a` and in `b`: of an element m times in `a` and n times in `b` the first min(m, n) of `a`. The output has room for as many elements as the shorter
    /// input has; else as [`set_union`](Self::set_union). CUDA: `thrust::set_intersection`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static;

    /// The elements that are in `a` and not in `b`: of an element m times in `a` and n times in `b` the last m - n of `a`. The output has room for as many elements as `a` has; else as
    /// [`set_union`](Self::set_union). CUDA: `thrust::set_difference`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static;

    /// The elements that are in `a` or in `b`, and not in both: of an element m times in `a` and n times in `b` the last m - n of `a`, or the last n - m of `b`. Else as
    /// [`set_union`](Self::set_union). CUDA: `thrust::set_symmetric_difference`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
        L: Fn(K, K) -> bool + Copy + Send + Sync + 'static;

    /// For each segment, `init` and its elements combined by `op`, which must be associative and commutative. Segment `i` has the elements from `offsets[i]` up to and without
    /// `offsets[i + 1]`: there is one offset more than segments. An empty segment has the value `init`.
    ///
    /// Time O(n), one launch, no workspace. The order in which a segment is combined depends on its length and the average length alone: equal inputs give equal bits on every
    /// device. Short segments are reduced by a thread, longer ones by a warp or a block; for a few that are very long, [`reduce`](Self::reduce) of each is faster. Elements have at most 16
    /// bytes. Offsets that decrease or exceed the input are a panic in the kernel. CUDA: `cub::DeviceSegmentedReduce::Reduce`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static;

    /// Sorts `keys` by their digits, from the smallest to the largest unless [`descending`](Sort::descending). The order of each type is said at
    /// [`RadixKey`]: that of floats is `total_cmp`, so −0.0 comes before +0.0, and NaN at the ends.
    ///
    /// Time O(n · bits): each 8 bits of a key are a pass, which reads and writes all keys; one more reads them. Stable. Equal inputs give equal bits. At most
    /// 2^32 − 1 keys. Memory: as much as the keys, and about a 20th (keys of 4 bytes); none for keys of 8 bits or 7296 or fewer keys. CUDA:
    /// `cub::DeviceRadixSort::SortKeys`, `SortKeysDescending`; `thrust::sort`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[2.5f32, -1.0, 0.0, -0.0])?;
    /// let mut y = device.alloc_uninit(4)?;
    /// stream.sort(&x).descending().into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [2.5, 0.0, -0.0, -1.0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn sort<'s, 'a, K: RadixKey>(&'s self, keys: impl IntoSlice<'a, K>) -> Sort<'s, 'a, K>;

    /// Sorts `keys` as [`sort`](Self::sort) does, and moves each value with its key. Values may be of any plain type; those of more than 8 bytes cost less if
    /// they are sorted as numbers and [permuted](crate::Input::permute) afterwards. Memory: as much as keys and values, and about a 20th of the keys'. CUDA:
    /// `cub::DeviceRadixSort::SortPairs`, `SortPairsDescending`; `thrust::stable_sort_by_key`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
    ) -> SortPairs<'s, 'a, K, V>;

    /// Sorts `keys` as [`sort`](Self::sort) does, in place. Memory: as much as the keys, and about a 20th. One copy more for keys of an odd number of bytes and
    /// for 7296 or fewer keys.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut x = device.upload(&[3u64, 1, 2])?;
    /// stream.sort_in_place(&mut x).run()?;
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn sort_in_place<'s, 'a, K: RadixKey>(
        &'s self,
        keys: impl IntoOutput<K>,
    ) -> SortInPlace<'s, 'a, K>;

    /// The `k` largest of `keys`, from the largest, or with [`smallest`](TopK::smallest) the smallest, from the smallest. The order is that of
    /// [`sort`](Self::sort).
    ///
    /// Time O(n · bits): for each 8 bits of a key and once more all keys are read; then `k` keys are sorted. Equal inputs give equal bits, if keys with equal
    /// [`bits`](RadixKey::bits) are equal: of keys that differ otherwise, any may be among the last ones selected. At most 2^32 − 1 keys. Memory: 16 KiB, and that
    /// of a sort of `k` keys. CUDA: `cub::DeviceTopK`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
    ) -> TopK<'s, 'a, K>;

    /// Sorts each segment of `keys` as [`sort`](Self::sort) does. `ends`, in ascending order, are where segments end and the next ones begin; what lies behind the last
    /// of them is a segment, too.
    ///
    /// Time O(n · (bits + log segments)), whatever the lengths: two sorts of pairs, by keys and by numbers of segments. Stable. Equal inputs give equal bits. At most
    /// 2^32 − 1 keys. Memory: three times the keys and 16 bytes for each, and about a 20th. If `ends` do not ascend, the output has the same keys in some order.
    /// CUDA: `cub::DeviceSegmentedRadixSort`, `DeviceSegmentedSort`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::Algorithms;
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
    ) -> SegmentedSort<'s, 'a, K>;
}

impl Algorithms for Stream {
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
            stream: self,
            input: input.input(),
            init,
            op,
            plan: None,
        }
    }

    fn inclusive_scan<'s, 'a, I, O>(
        &'s self,
        input: I,
        op: O,
    ) -> Scan<'s, 'a, I::Memory, I::Fetch, Item<'a, I>, O, true>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        Scan {
            stream: self,
            input: input.input(),
            init: None,
            op,
            plan: None,
        }
    }

    fn exclusive_scan<'s, 'a, I, O>(
        &'s self,
        input: I,
        init: Item<'a, I>,
        op: O,
    ) -> Scan<'s, 'a, I::Memory, I::Fetch, Item<'a, I>, O, false>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        Scan {
            stream: self,
            input: input.input(),
            init: Some(init),
            op,
            plan: None,
        }
    }

    fn select<'s, 'a, I, P>(
        &'s self,
        input: I,
        predicate: P,
    ) -> Select<'s, 'a, I::Memory, I::Fetch, P>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        P: Fn(Item<'a, I>) -> bool + Copy + Send + Sync + 'static,
    {
        Select {
            selection: Selection {
                stream: self,
                input: input.input(),
                plan: None,
            },
            predicate,
        }
    }

    fn filter_map<'s, 'a, I, U, P>(
        &'s self,
        input: I,
        f: P,
    ) -> FilterMap<'s, 'a, I::Memory, I::Fetch, P>
    where
        I: IntoInput<'a>,
        U: Plain,
        P: Fn(Item<'a, I>) -> Option<U> + Copy + Send + Sync + 'static,
    {
        FilterMap {
            selection: Selection {
                stream: self,
                input: input.input(),
                plan: None,
            },
            f,
        }
    }

    fn unique<'s, 'a, I>(
        &'s self,
        input: I,
    ) -> FilterMap<
        's,
        'a,
        I::Memory,
        WithPrevious<I::Fetch>,
        impl Fn((Option<Item<'a, I>>, Item<'a, I>)) -> Option<Item<'a, I>>
        + Copy
        + Send
        + Sync
        + 'static,
    >
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain + PartialEq>>,
    {
        self.filter_map(input.input().with_previous(), |(previous, item)| {
            (previous != Some(item)).then_some(item)
        })
    }

    fn by_key<'s, 'a, I, K, V, O>(
        &'s self,
        input: I,
        op: O,
    ) -> ByKey<'s, 'a, I::Memory, I::Fetch, V, O>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = (K, V)>>,
        K: Plain + PartialEq,
        V: Plain,
        O: Fn(V, V) -> V + Copy + Send + Sync + 'static,
    {
        ByKey {
            stream: self,
            input: input.input(),
            op,
            plan: None,
        }
    }

    fn run_lengths<'s, 'a, I>(
        &'s self,
        input: I,
    ) -> ByKey<
        's,
        'a,
        I::Memory,
        impl Fetch<I::Memory, Item = (Item<'a, I>, u32)>,
        u32,
        impl Fn(u32, u32) -> u32 + Copy + Send + Sync + 'static,
    >
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain + PartialEq>>,
    {
        self.by_key(input.input().map(|item| (item, 1)), u32::wrapping_add)
    }

    fn histogram<'s, 'a, I>(&'s self, bins: I) -> Histogram<'s, 'a, I::Memory, I::Fetch>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Place>>,
    {
        Histogram {
            stream: self,
            input: bins.input(),
        }
    }

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
            stream: self,
            keys: keys.input(),
            less,
            plan: None,
        }
    }

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
            stream: self,
            keys: keys.input(),
            values: values.input(),
            less,
            plan: None,
        }
    }

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
            stream: self,
            a: a.input().slices.0,
            b: b.input().slices.0,
            less,
            plan: None,
        }
    }

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

    fn transform<'s, 'a, I>(&'s self, input: I) -> Transform<'s, 'a, I::Memory, I::Fetch>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
    {
        Transform {
            stream: self,
            input: input.input(),
        }
    }

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
        search(self, Search::Lower, sorted, values, less)
    }

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
        search(self, Search::Upper, sorted, values, less)
    }

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
        search(self, Search::Equal, sorted, values, less)
    }

    fn adjacent_difference<'s, 'a, I, O>(
        &'s self,
        input: I,
        op: O,
    ) -> Transform<'s, 'a, I::Memory, Adjacent<I::Fetch, O>>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        let x = input.input();
        self.transform(Input::new(x.slices, x.len, Adjacent(x.fetch, op)))
    }

    fn shuffle<'s, 'a, I>(
        &'s self,
        input: I,
        seed: u64,
    ) -> Transform<'s, 'a, I::Memory, Shuffled<I::Fetch>>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
    {
        self.transform(input.input().shuffled(seed))
    }

    fn gather<'s, 'a, I, J>(&'s self, input: I, places: J) -> Gather<'s, 'a, I, J>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        J: IntoInput<'a, Fetch: Fetch<J::Memory, Item: Place>>,
        I::Memory: Concat<J::Memory>,
    {
        Transform {
            stream: self,
            input: input.input().permute(places),
        }
    }

    fn scatter<'s, 'a, I, J>(&'s self, input: I, places: J) -> ScatterOf<'s, 'a, I, J>
    where
        I: IntoInput<'a>,
        J: IntoInput<'a, Fetch: Fetch<J::Memory, Item: Place>>,
        I::Memory: Concat<J::Memory>,
    {
        Scatter {
            stream: self,
            input: input.input().zip(places),
        }
    }

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
        SetOperation::new(self, a.input().slices.0, b.input().slices.0, less)
    }

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
        SetOperation::new(self, a.input().slices.0, b.input().slices.0, less)
    }

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
        SetOperation::new(self, a.input().slices.0, b.input().slices.0, less)
    }

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
        SetOperation::new(self, a.input().slices.0, b.input().slices.0, less)
    }

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
            stream: self,
            input: input.input(),
            offsets: offsets.input(),
            init,
            op,
        }
    }

    fn sort<'s, 'a, K: RadixKey>(&'s self, keys: impl IntoSlice<'a, K>) -> Sort<'s, 'a, K> {
        Sort::new(self, keys)
    }

    fn sort_pairs<'s, 'a, K: RadixKey, V: Plain>(
        &'s self,
        keys: impl IntoSlice<'a, K>,
        values: impl IntoSlice<'a, V>,
    ) -> SortPairs<'s, 'a, K, V> {
        SortPairs::new(self, keys, values)
    }

    fn sort_in_place<'s, 'a, K: RadixKey>(
        &'s self,
        keys: impl IntoOutput<K>,
    ) -> SortInPlace<'s, 'a, K> {
        SortInPlace::new(self, keys)
    }

    fn top_k<'s, 'a, K: RadixKey>(
        &'s self,
        keys: impl IntoSlice<'a, K>,
        k: usize,
    ) -> TopK<'s, 'a, K> {
        TopK::new(self, keys, k)
    }

    fn segmented_sort<'s, 'a, K: RadixKey>(
        &'s self,
        keys: impl IntoSlice<'a, K>,
        ends: impl IntoSlice<'a, u32>,
    ) -> SegmentedSort<'s, 'a, K> {
        SegmentedSort::new(self, keys, ends)
    }
}
