//! Scans: what all elements up to each have.

use warploom::device_std::Plain;

use super::OnStream;
use crate::input::{Fetch, IntoInput, Item, Place};
use crate::scan::Scan;
use crate::segmented_scan::SegmentedScan;

/// Scans: what all elements up to each have. Methods of a [`Stream`](warploom::Stream); each describes an algorithm, which runs when its output is named.
pub trait Scans: OnStream {
    /// For each element what all elements up to it have, combined by `op`, which must be associative.
    ///
    /// Time O(n), one pass over memory; for each tile of 1280 to 5888 elements, 8 bytes of workspace for each 4 bytes of a value. Integers are the same in every run; of floats the grouping
    /// depends on timing, so that the last bits may differ, unless the scan is [`deterministic`](Scan::deterministic). Elements have at most 16 bytes. CUDA: `cub::DeviceScan::InclusiveScan`,
    /// `thrust::inclusive_scan`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
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
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        Scan {
            stream: self.stream(),
            input: input.input(),
            init: None,
            op,
            plan: None,
        }
    }

    /// For each element what `init` and all elements before it have, combined by `op`, which must be associative.
    ///
    /// As [`inclusive_scan`](Self::inclusive_scan). CUDA: `cub::DeviceScan::ExclusiveScan`, `thrust::exclusive_scan`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
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
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        Scan {
            stream: self.stream(),
            input: input.input(),
            init: Some(init),
            op,
            plan: None,
        }
    }

    /// For each element what the elements of its segment up to it have, combined by `op`, which must be associative. Segment `i` has the elements from `offsets[i]` up to and
    /// without `offsets[i + 1]`, as for [`segmented_reduce`](crate::Reductions::segmented_reduce). What is in no segment is not written.
    ///
    /// Time O(n + segments), one pass over memory, however long segments are; 16 to 40 bytes of workspace for each tile of 3840 elements (of 8 bytes 2304, of more 1280), and
    /// 64 more from 2^22 elements on, where a launch before the pass finds the offsets of each tile. Equal inputs give equal bits in each run, on
    /// every device. Elements have at most 16 bytes. Offsets that decrease or exceed the input are a panic in the kernel. CUDA: `cub::DeviceSegmentedScan::InclusiveSegmentedScan`.
    /// Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, offsets) = (device.upload(&[1u32, 2, 3, 4, 5])?, device.upload(&[0u32, 2, 2, 5])?);
    /// let mut y = device.zeroed(5)?;
    /// stream.segmented_inclusive_scan(&x, &offsets, |a, b| a + b).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [1, 3, 3, 7, 12]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn segmented_inclusive_scan<'s, 'a, 'b, I, J, O>(
        &'s self,
        input: I,
        offsets: J,
        op: O,
    ) -> SegmentedScan<'s, 'a, 'b, I, J, O, true>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Place>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        SegmentedScan {
            stream: self.stream(),
            input: input.input(),
            offsets: offsets.input(),
            init: None,
            op,
            plan: None,
        }
    }

    /// For each element what `init` and the elements of its segment before it have; else as [`segmented_inclusive_scan`](Self::segmented_inclusive_scan). CUDA:
    /// `cub::DeviceSegmentedScan::ExclusiveSegmentedScan`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, offsets) = (device.upload(&[1u32, 2, 3, 4, 5])?, device.upload(&[0u32, 2, 5])?);
    /// let mut y = device.zeroed(5)?;
    /// stream.segmented_exclusive_scan(&x, &offsets, 10, |a, b| a + b).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [10, 11, 10, 13, 17]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn segmented_exclusive_scan<'s, 'a, 'b, I, J, O>(
        &'s self,
        input: I,
        offsets: J,
        init: Item<'a, I>,
        op: O,
    ) -> SegmentedScan<'s, 'a, 'b, I, J, O, false>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Place>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        SegmentedScan {
            stream: self.stream(),
            input: input.input(),
            offsets: offsets.input(),
            init: Some(init),
            op,
            plan: None,
        }
    }
}

impl<S: OnStream> Scans for S {}
