//! Histograms of samples.

use std::ops::Range;

use warploom::DeviceSlice;
use warploom::device_std::Plain;

use super::OnStream;
use crate::histogram::{EvenHistograms, RangeHistograms, Sample, Single};
use crate::input::{Fetch, Input, IntoInput};
use crate::radix_sort::IntoSlice;

/// Histograms of samples, of one channel or several. Methods of a [`Stream`](warploom::Stream); each describes an algorithm, which runs when its output is named. For bins of another kind there is
/// [`histogram`](crate::Reductions::histogram).
pub trait Histograms: OnStream {
    /// How many samples are in each of some bins of equal width between `bounds`, of which the upper one is without. There are as many bins as the output has elements. Other samples, and
    /// NaNs, are left out. Bounds of integers are `i64`, so that all of their values can be within: `0..256` for `u8`.
    ///
    /// Time O(n), one pass over memory, no workspace; counts are exact, and the same in every run. The bin of an integer is exact too; that of a float is `(sample - lower) * (bins / (upper -
    /// lower))`, rounded down. Up to 8192 bins each block counts in shared memory. CUDA: `cub::DeviceHistogram::HistogramEven`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[0.1f32, 0.9, 0.95, 0.5, 1.5])?;
    /// let mut counts = device.zeroed(4)?;
    /// stream.histogram_even(&x, 0.0..1.0).into(&mut counts)?;
    /// assert_eq!(counts.to_vec(&stream)?, [1, 0, 1, 2]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn histogram_even<'s, 'a, I, T>(
        &'s self,
        samples: I,
        bounds: Range<T::Bound>,
    ) -> EvenHistograms<'s, 'a, I::Memory, Single<I::Fetch>, T, 1>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = T>>,
        T: Sample,
    {
        let x = samples.input();
        EvenHistograms {
            stream: self.stream(),
            input: Input::new(x.slices, x.len, Single(x.fetch)),
            bounds: [bounds],
        }
    }

    /// As [`histogram_even`](Self::histogram_even) of each of the first channels of pixels, which are arrays of samples, in one pass over memory. There are as many channels as `bounds`, four at most. Pixels of
    /// four bytes are read fastest as words: `words.input().map(u32::to_le_bytes)`. CUDA: `cub::DeviceHistogram::MultiHistogramEven`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let pixels = device.upload(&[[10u8, 200, 0, 255], [20, 100, 1, 255], [250, 100, 2, 255]])?; // RGBA
    /// let (mut red, mut green, mut blue) = (device.zeroed(4)?, device.zeroed(2)?, device.zeroed(256)?);
    /// stream.multi_histogram_even(&pixels, [0..256, 0..256, 0..256]).into([&mut red, &mut green, &mut blue])?;
    /// assert_eq!((red.to_vec(&stream)?, green.to_vec(&stream)?), (vec![2, 0, 0, 1], vec![2, 1]));
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn multi_histogram_even<'s, 'a, I, T, const CHANNELS: usize, const ACTIVE: usize>(
        &'s self,
        pixels: I,
        bounds: [Range<T::Bound>; ACTIVE],
    ) -> EvenHistograms<'s, 'a, I::Memory, I::Fetch, T, ACTIVE>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = [T; CHANNELS]>>,
        T: Sample,
    {
        EvenHistograms {
            stream: self.stream(),
            input: pixels.input(),
            bounds,
        }
    }

    /// How many samples are between each two neighbours of `borders`, which ascend: at least the lower one, and below the upper one. Other samples, and NaNs, are left out. If borders do not
    /// ascend, each sample is counted at most once, in some bin.
    ///
    /// Time O(n log bins), one pass over memory, no workspace; the same in every run. Up to 8192 bins each block counts in shared memory. CUDA: `cub::DeviceHistogram::HistogramRange`.
    /// Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let ages = device.upload(&[3u32, 17, 18, 40, 70, 99, 130])?;
    /// let (borders, mut counts) = (device.upload(&[0u32, 18, 65, 120])?, device.zeroed(3)?);
    /// stream.histogram_range(&ages, &borders).into(&mut counts)?;
    /// assert_eq!(counts.to_vec(&stream)?, [2, 2, 2]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn histogram_range<'s, 'a, I, T>(
        &'s self,
        samples: I,
        borders: impl IntoSlice<'a, T>,
    ) -> RangeHistograms<'s, 'a, I::Memory, Single<I::Fetch>, T, 1>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = T>>,
        T: Plain + PartialOrd,
    {
        let x = samples.input();
        RangeHistograms {
            stream: self.stream(),
            input: Input::new(x.slices, x.len, Single(x.fetch)),
            borders: [borders.input().slices.0],
        }
    }

    /// As [`histogram_range`](Self::histogram_range) of each of the first channels of pixels, which are arrays of samples, in one pass over memory. There are as many channels as lists of borders, four at
    /// most. CUDA: `cub::DeviceHistogram::MultiHistogramRange`.
    fn multi_histogram_range<'s, 'a, I, T, const CHANNELS: usize, const ACTIVE: usize>(
        &'s self,
        pixels: I,
        borders: [DeviceSlice<'a, T>; ACTIVE],
    ) -> RangeHistograms<'s, 'a, I::Memory, I::Fetch, T, ACTIVE>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item = [T; CHANNELS]>>,
        T: Plain + PartialOrd,
    {
        RangeHistograms {
            stream: self.stream(),
            input: pixels.input(),
            borders,
        }
    }
}

impl<S: OnStream> Histograms for S {}
