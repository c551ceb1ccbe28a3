//! Scans: what all elements up to each have.

use warploom::device_std::Plain;

use super::OnStream;
use crate::input::{Fetch, IntoInput, Item};
use crate::scan::Scan;

/// Scans: what all elements up to each have. Methods of a [`Stream`](warploom::Stream); each describes an algorithm, which runs when its output is named.
pub trait Scans: OnStream {
    /// For each element what all elements up to it have, combined by `op`, which must be associative.
    ///
    /// Time O(n), one pass over memory; 8 bytes of workspace for each 4 KiB or so of elements. Integers are the same in every run; of floats the grouping
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
}

impl<S: OnStream> Scans for S {}
