//! Which bin a sample is in: bins of equal width, or between borders.

use warploom::device_std::KernelArg;
use warploom::prelude::Plain;

use crate::Error;

/// How samples of type `T` are sorted into bins, in a kernel.
pub(super) trait Bins<T>: KernelArg + Send + Sync {
    /// The bin of `sample` among the `bins` of channel `channel`, whose borders are `borders` if the rule has any; a number that is not below `bins` if there is none.
    fn bin(self, channel: usize, borders: &[T], bins: usize, sample: T) -> usize;

    /// Whether [`bin_by_shift`](Self::bin_by_shift) finds the bins of all channels.
    #[inline(always)]
    fn shifts(self) -> bool {
        false
    }

    /// As [`bin`](Self::bin), by a shift of 32 bits.
    #[inline(always)]
    fn bin_by_shift(self, channel: usize, sample: T) -> u32 {
        let _ = (channel, sample);
        u32::MAX
    }
}

/// A number of which there are histograms with bins of equal width: `u8`, `u16`, `u32`, `i8`, `i16`, `i32`, `f32`, `f64`.
pub trait Sample: Plain + PartialOrd {
    /// What bounds of samples are given as: `i64` for integers, so that all of them can be within, and the type itself for floats.
    type Bound: Copy + PartialOrd;

    /// What a kernel is told of a range of samples and its bins.
    #[doc(hidden)]
    type Scale: Plain + Send + Sync;

    /// Bins from `lower` up to and without `upper`, in channel `channel`.
    #[doc(hidden)]
    fn scale(
        lower: Self::Bound,
        upper: Self::Bound,
        bins: usize,
        channel: usize,
    ) -> Result<Self::Scale, Error>;

    /// The bin of a sample; a number that is not below `bins` if it is not in the range.
    #[doc(hidden)]
    fn bin(self, scale: Self::Scale, bins: usize) -> usize;

    /// Whether [`bin_by_shift`](Self::bin_by_shift) finds bins.
    #[doc(hidden)]
    #[inline(always)]
    fn shifts(scale: Self::Scale) -> bool {
        let _ = scale;
        false
    }

    /// As [`bin`](Self::bin), by a shift; a number that is not below that of the bins if the sample is not in the range.
    #[doc(hidden)]
    #[inline(always)]
    fn bin_by_shift(self, scale: Self::Scale) -> u32 {
        let _ = scale;
        u32::MAX
    }
}

/// Bins of equal width between whole numbers.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct WholeScale {
    /// Numbers in the range, of which the type need not have all.
    numbers: u64,
    /// The first number of the type in the range, or with a shift the first of the range, as the low 32 bits.
    low: u32,
    /// Numbers of the range before that.
    before: u32,
    /// Numbers of the type in the range, less one; of no meaning with [`EMPTY`] and with a shift.
    last: u32,
    /// Bits of the width if a shift by them finds bins, otherwise [`DIVIDED`] or [`EMPTY`].
    shift: u32,
}

/// That bins are found by a division.
const DIVIDED: u32 = 32;
/// That the type has no number in the range.
const EMPTY: u32 = 33;

impl WholeScale {
    /// Of the range `lower .. upper`, for samples of a type that has the numbers `lowest ..= highest`.
    fn new(
        (lower, upper): (i64, i64),
        (lowest, highest): (i64, i64),
        bins: usize,
        channel: usize,
    ) -> Result<Self, Error> {
        if lower >= upper {
            return Err(Error::EmptyRange { channel });
        }
        // So that a distance times the number of bins is a number of 64 bits.
        let (numbers, most) = (upper.abs_diff(lower), u64::from(u32::MAX) + 1);
        if numbers > most || bins as u64 >= most {
            return Err(Error::Argument {
                what: "the number of bins, or of whole numbers in the range of a histogram,",
                value: numbers.max(bins as u64),
                must: "at most 2^32, and bins fewer",
            });
        }
        let width = numbers / bins.max(1) as u64;
        // Modulo 2^32, samples below the range are as far from its first number as those behind it, and none as far as one in it.
        let (below, above) = (lower.saturating_sub(lowest), highest.saturating_sub(lower));
        let is_apart = above < most as i64 && below <= (most - numbers) as i64;
        if width.is_power_of_two() && width < most && width * bins as u64 == numbers && is_apart {
            return Ok(WholeScale {
                numbers,
                low: lower as u32,
                before: 0,
                last: 0,
                shift: width.trailing_zeros(),
            });
        }
        let (low, high) = (lower.max(lowest), upper.min(highest + 1));
        Ok(WholeScale {
            numbers,
            low: low as u32,
            before: low.abs_diff(lower) as u32,
            last: (high - 1).wrapping_sub(low) as u32,
            shift: if low >= high { EMPTY } else { DIVIDED },
        })
    }

    /// The bin of the sample of which these are the low 32 bits. All samples of a type differ in them, so arithmetic of 32 bits finds those in the range.
    #[inline(always)]
    fn bin(self, sample: u32, bins: usize) -> usize {
        if self.shift < DIVIDED {
            return self.bin_by_shift(sample) as usize;
        }
        let from_low = sample.wrapping_sub(self.low);
        // Below 2^32 for numbers in the range, as it has no more.
        let distance = from_low.wrapping_add(self.before);
        if from_low > self.last || self.shift == EMPTY {
            return usize::MAX;
        }
        let (scaled, numbers) = (u64::from(distance) * bins as u64, self.numbers);
        // A division of 32 bits takes a fraction of the time.
        match (u32::try_from(scaled), u32::try_from(numbers)) {
            (Ok(scaled), Ok(numbers)) => (scaled / numbers) as usize,
            _ => (scaled / numbers) as usize,
        }
    }

    /// As [`bin`](Self::bin), with a shift.
    #[inline(always)]
    fn bin_by_shift(self, sample: u32) -> u32 {
        sample.wrapping_sub(self.low).wrapping_shr(self.shift)
    }
}

macro_rules! whole {
    ($($ty:ty)*) => {$(
        impl Sample for $ty {
            type Bound = i64;
            type Scale = WholeScale;

            fn scale(lower: i64, upper: i64, bins: usize, channel: usize) -> Result<WholeScale, Error> {
                let all = (i64::from(<$ty>::MIN), i64::from(<$ty>::MAX));
                WholeScale::new((lower, upper), all, bins, channel)
            }

            #[inline(always)]
            fn bin(self, scale: WholeScale, bins: usize) -> usize {
                scale.bin(self as u32, bins)
            }

            #[inline(always)]
            fn shifts(scale: WholeScale) -> bool {
                scale.shift < DIVIDED
            }

            #[inline(always)]
            fn bin_by_shift(self, scale: WholeScale) -> u32 {
                scale.bin_by_shift(self as u32)
            }
        }
    )*};
}
whole!(u8 u16 u32 i8 i16 i32);

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl Sample for $ty {
            type Bound = $ty;
            type Scale = [$ty; 3];

            fn scale(lower: $ty, upper: $ty, bins: usize, channel: usize) -> Result<[$ty; 3], Error> {
                // So written, NaNs are refused too.
                if lower < upper && (upper - lower).is_finite() {
                    Ok([lower, upper, bins as $ty / (upper - lower)])
                } else {
                    Err(Error::EmptyRange { channel })
                }
            }

            #[inline(always)]
            fn bin(self, [lower, upper, scale]: [$ty; 3], bins: usize) -> usize {
                if lower <= self && self < upper {
                    // The product may be rounded up to the number of bins.
                    (((self - lower) * scale) as usize).min(bins.wrapping_sub(1))
                } else {
                    usize::MAX
                }
            }
        }
    )*};
}
floats!(f32 f64);

/// Bins of equal width, of each channel.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(super) struct Even<S, const ACTIVE: usize>(pub(super) [S; ACTIVE]);

// SAFETY: plain values.
unsafe impl<S: Plain, const ACTIVE: usize> KernelArg for Even<S, ACTIVE> {}

impl<T: Sample, const ACTIVE: usize> Bins<T> for Even<T::Scale, ACTIVE> {
    #[inline(always)]
    fn bin(self, channel: usize, _: &[T], bins: usize, sample: T) -> usize {
        sample.bin(self.0[channel], bins)
    }

    #[inline(always)]
    fn shifts(self) -> bool {
        self.0.into_iter().all(T::shifts)
    }

    #[inline(always)]
    fn bin_by_shift(self, channel: usize, sample: T) -> u32 {
        sample.bin_by_shift(self.0[channel])
    }
}

/// Bins between borders, each with its lower border and without the upper one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Between;

// SAFETY: no bytes.
unsafe impl KernelArg for Between {}

impl<T: Plain + PartialOrd> Bins<T> for Between {
    #[inline(always)]
    fn bin(self, _: usize, borders: &[T], _: usize, sample: T) -> usize {
        // Below the first border: -1, which is no bin. Behind the last: as many as there are bins.
        let borders = borders.partition_point(|border| *border <= sample);
        borders.wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bin of a sample, if there is one.
    fn found<T: Sample>(x: T, scale: T::Scale, bins: usize) -> Option<usize> {
        Some(x.bin(scale, bins)).filter(|bin| *bin < bins)
    }

    #[test]
    fn whole_bins_are_found_by_shifts_and_divisions_alike() -> Result<(), Error> {
        for (lower, upper, bins) in [(0, 256, 256), (0, 256, 64), (-100, 100, 7), (3, 10, 20)] {
            let scale = i32::scale(lower, upper, bins, 0)?;
            for x in -120..300i32 {
                let distance = i64::from(x) - lower;
                let bin = (distance * bins as i64 / (upper - lower)) as usize;
                let expected = (lower..upper).contains(&x.into()).then_some(bin);
                assert_eq!(found(x, scale, bins), expected, "{x} of {lower}..{upper}");
            }
        }
        let all = u32::scale(0, 1 << 32, 3, 0)?;
        assert_eq!((0u32.bin(all, 3), u32::MAX.bin(all, 3)), (0, 2));
        Ok(())
    }

    #[test]
    fn ranges_beyond_the_numbers_of_a_type_have_the_bins_of_all_numbers() -> Result<(), Error> {
        let ranges = [
            (-10, 300, 31),
            (-300, 212, 64),
            (-500, -200, 3),
            (256, 300, 2),
            (100, 1000, 7),
            (-(1 << 40), -(1 << 40) + 512, 512),
            (0, 1 << 32, 1),
        ];
        for (lower, upper, bins) in ranges {
            let (of_u8, of_i8) = (
                u8::scale(lower, upper, bins, 0)?,
                i8::scale(lower, upper, bins, 0)?,
            );
            let expected = |x: i64| match x - lower {
                distance if (lower..upper).contains(&x) => {
                    let scaled = i128::from(distance) * bins as i128;
                    Some((scaled / i128::from(upper - lower)) as usize)
                }
                _ => None,
            };
            for x in 0..=255u8 {
                assert_eq!(
                    found(x, of_u8, bins),
                    expected(x.into()),
                    "{x} of {lower}..{upper}"
                );
                let y = x as i8;
                assert_eq!(
                    found(y, of_i8, bins),
                    expected(y.into()),
                    "{y} of {lower}..{upper}"
                );
            }
        }
        let below = i32::scale(i64::from(i32::MIN) - 5, 0, 9, 0)?;
        let of = |x| found(x, below, 9);
        assert_eq!(
            [i32::MIN, -1, 0, i32::MAX].map(of),
            [Some(0), Some(8), None, None]
        );
        Ok(())
    }

    #[test]
    fn samples_2_to_the_32_away_from_others_are_not_in_their_bins() -> Result<(), Error> {
        let whole = 1i64 << 32;
        let first = i64::from(i32::MIN) - 5;
        let below = i32::scale(first, first + whole, 4, 0)?;
        let of = |x| found(x, below, 4);
        let last = i32::MAX - 5;
        assert_eq!(
            [i32::MIN, last, last + 1, i32::MAX].map(of),
            [Some(0), Some(3), None, None]
        );
        let above = u32::scale(5, 5 + whole, 4, 0)?;
        let of = |x| found(x, above, 4);
        assert_eq!([0, 4, 5, u32::MAX].map(of), [None, None, Some(0), Some(3)]);
        Ok(())
    }

    #[test]
    fn empty_ranges_and_those_without_bounds_are_errors() {
        assert!(matches!(
            u8::scale(5, 5, 3, 2),
            Err(Error::EmptyRange { channel: 2 })
        ));
        assert!(f32::scale(0.0, f32::NAN, 3, 0).is_err());
        assert!(f64::scale(f64::MIN, f64::MAX, 3, 0).is_err());
        assert!(i32::scale(0, (1 << 32) + 1, 3, 0).is_err());
    }

    #[test]
    fn samples_that_are_rounded_up_stay_in_the_last_bin() -> Result<(), Error> {
        let scale = f32::scale(0.0, 0.7, 7, 0)?;
        assert_eq!(0.7f32.next_down().bin(scale, 7), 6);
        assert_eq!(0.7f32.bin(scale, 7), usize::MAX);
        assert_eq!(f32::NAN.bin(scale, 7), usize::MAX);
        Ok(())
    }
}
