//! Sort by digits: *onesweep*.
//!
//! One launch counts the digits of all passes ([`histogram`]), then each pass moves all items once ([`onesweep`]): 1 + 2 · passes times the keys' size in memory
//! traffic. A pass sorts stably by 8 bits, from the lowest. Few elements are sorted by one block ([`one_tile`]).

mod exchange; // from threads to threads, through shared memory
mod fields; // keys of several fields
mod histogram; // counts of all digits
pub(crate) mod key; // what can be sorted
mod one_tile; // few elements
mod onesweep; // one pass
mod part; // the items of a tile
mod passes; // the launches
mod plan; // memory
mod rank; // places in a tile

use std::ops::Range;

use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut};

pub use fields::RadixFields;
pub use key::{RadixBits, RadixKey};
pub use plan::SortPlan;

use crate::Error;
use crate::input::{Elements, IntoInput, One};
use crate::output::IntoOutput;
use onesweep::MOST_ITEMS;
use passes::Job;
pub(crate) use rank::{DIGIT_BITS, DIGITS, Order};

/// What can be sorted: `&DeviceBuffer<T>` or [`DeviceSlice`].
pub trait IntoSlice<'a, T: Plain>: IntoInput<'a, Memory = One<T>, Fetch = Elements> {}

impl<'a, T: Plain, I: IntoInput<'a, Memory = One<T>, Fetch = Elements>> IntoSlice<'a, T> for I {}

/// A sort of keys that was described and has not run; see [`crate::Sorts::sort`](crate::Sorts::sort).
#[must_use = "nothing runs before `into`"]
pub struct Sort<'s, 'a, K: RadixKey> {
    stream: &'s Stream,
    keys: DeviceSlice<'a, K>,
    by: By,
    plan: Option<&'s mut SortPlan<K>>,
}

/// A sort of keys with values that was described and has not run; see [`crate::Sorts::sort_pairs`](crate::Sorts::sort_pairs).
#[must_use = "nothing runs before `into`"]
pub struct SortPairs<'s, 'a, K: RadixKey, V: Plain> {
    stream: &'s Stream,
    keys: DeviceSlice<'a, K>,
    values: DeviceSlice<'a, V>,
    by: By,
    plan: Option<&'s mut SortPlan<K, V>>,
}

/// A sort in place that was described and has not run; see [`crate::Sorts::sort_in_place`](crate::Sorts::sort_in_place).
#[must_use = "nothing runs before `run`"]
pub struct SortInPlace<'s, 'a, K: RadixKey> {
    stream: &'s Stream,
    keys: DeviceSliceMut<'a, K>,
    by: By,
    plan: Option<&'s mut SortPlan<K>>,
}

/// By what is sorted.
#[derive(Clone)]
struct By {
    bits: Range<u32>,
    descending: bool,
}

impl By {
    fn all<K: RadixKey>() -> Self {
        By {
            bits: 0..K::Bits::BITS,
            descending: false,
        }
    }

    /// For the kernels; an error if a key of type `K` has no such bits, or `n` elements are too many.
    fn order<K: RadixKey>(self, n: usize) -> Result<Order, Error> {
        let Range { start, end } = self.bits;
        for (what, value) in [
            ("the end of a sort's bits", end),
            ("the start of a sort's bits", start),
        ] {
            if value > K::Bits::BITS {
                return Err(Error::Argument {
                    what,
                    value: value.into(),
                    must: "at most the number of bits of a key",
                });
            }
        }
        if u32::try_from(n).is_err() {
            return Err(Error::TooMany {
                what: "a radix sort",
                most: u32::MAX.into(),
                len: n,
            });
        }
        Ok(Order {
            start: start.min(end),
            end,
            descending: self.descending,
        })
    }
}

macro_rules! options {
    ($([$($generics:tt)*] $name:ty, $plan:ty;)*) => {$(
        impl<'s, $($generics)*> $name {
            /// From the largest key to the smallest. Equal keys keep their order.
            pub fn descending(mut self) -> Self {
                self.by.descending = true;
                self
            }

            /// Sorts by these bits alone, bit 0 being the lowest of [`RadixKey::bits`]. Keys that are equal in them keep their order. Each 8 bits that are
            /// left out save a pass.
            pub fn bits(mut self, bits: Range<u32>) -> Self {
                self.by.bits = bits;
                self
            }

            /// Uses the memory of `plan` instead of some of the device's pool.
            pub fn plan(mut self, plan: &'s mut $plan) -> Self {
                self.plan = Some(plan);
                self
            }
        }
    )*};
}
options! {
    ['a, K: RadixKey] Sort<'s, 'a, K>, SortPlan<K>;
    ['a, K: RadixKey, V: Plain] SortPairs<'s, 'a, K, V>, SortPlan<K, V>;
    ['a, K: RadixKey] SortInPlace<'s, 'a, K>, SortPlan<K>;
}

impl<'s, 'a, K: RadixKey> Sort<'s, 'a, K> {
    pub(crate) fn new(stream: &'s Stream, keys: impl IntoSlice<'a, K>) -> Self {
        Sort {
            stream,
            keys: keys.input().slices.0,
            by: By::all::<K>(),
            plan: None,
        }
    }

    /// Queues the sort into the first elements of `out`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` has fewer elements than there are keys, or the plan is for fewer; [`Error::TooMany`] from 2^32 keys on;
    /// [`Error::Argument`] if a key has not all bits of [`bits`](Self::bits); what launches and allocations report.
    pub fn into(self, out: impl IntoOutput<K>) -> Result<(), Error> {
        self.queue(out.output(), |job, plan| job.run::<false>(plan))
    }

    /// [`into`](Self::into) with kernels for `ITEMS` items of a thread and `BLOCKS` blocks of a multiprocessor, whatever the table of tunings has: for the tuner.
    /// Not with a plan, which is made for the table.
    #[doc(hidden)]
    pub fn into_tuned<const ITEMS: usize, const BLOCKS: usize>(
        self,
        out: impl IntoOutput<K>,
    ) -> Result<(), Error> {
        self.queue(out.output(), |job, plan| {
            job.tiles::<ITEMS, BLOCKS, false>(plan)
        })
    }

    fn queue(
        self,
        out: DeviceSliceMut<'_, K>,
        run: impl FnOnce(Job<K, u8>, Option<&mut SortPlan<K>>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let n = self.keys.len();
        Error::check_room("the output of a sort", out.len(), n)?;
        let mut none = self.stream.device().alloc_uninit(0)?;
        let no_input = self.stream.device().alloc_uninit(0)?;
        let job = Job {
            stream: self.stream,
            order: self.by.order::<K>(n)?,
            input: Some((self.keys, no_input.as_slice())),
            keys_out: out.into_slice(..n)?,
            values_out: none.as_slice_mut(),
            portion: MOST_ITEMS,
        };
        run(job, self.plan)
    }
}

impl<'s, 'a, K: RadixKey, V: Plain> SortPairs<'s, 'a, K, V> {
    pub(crate) fn new(
        stream: &'s Stream,
        keys: impl IntoSlice<'a, K>,
        values: impl IntoSlice<'a, V>,
    ) -> Self {
        SortPairs {
            stream,
            keys: keys.input().slices.0,
            values: values.input().slices.0,
            by: By::all::<K>(),
            plan: None,
        }
    }

    /// Queues the sort into the first elements of `keys_out` and `values_out`. Does not wait.
    ///
    /// # Errors
    /// [`Error::DifferentLengths`] if there are not as many values as keys; else as [`Sort::into`].
    pub fn into(
        self,
        keys_out: impl IntoOutput<K>,
        values_out: impl IntoOutput<V>,
    ) -> Result<(), Error> {
        let out = (keys_out.output(), values_out.output());
        self.queue(out, |job, plan| job.run::<true>(plan))
    }

    /// As [`Sort::into_tuned`].
    #[doc(hidden)]
    pub fn into_tuned<const ITEMS: usize, const BLOCKS: usize>(
        self,
        keys_out: impl IntoOutput<K>,
        values_out: impl IntoOutput<V>,
    ) -> Result<(), Error> {
        let out = (keys_out.output(), values_out.output());
        self.queue(out, |job, plan| job.tiles::<ITEMS, BLOCKS, true>(plan))
    }

    fn queue(
        self,
        (keys_out, values_out): (DeviceSliceMut<'_, K>, DeviceSliceMut<'_, V>),
        run: impl FnOnce(Job<K, V>, Option<&mut SortPlan<K, V>>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let n = self.keys.len();
        if self.values.len() != n {
            return Err(Error::DifferentLengths {
                first: "the slice of keys",
                first_len: n,
                second: "the slice of values",
                second_len: self.values.len(),
            });
        }
        Error::check_room("the output of a sort's keys", keys_out.len(), n)?;
        Error::check_room("the output of a sort's values", values_out.len(), n)?;
        let job = Job {
            stream: self.stream,
            order: self.by.order::<K>(n)?,
            input: Some((self.keys, self.values)),
            keys_out: keys_out.into_slice(..n)?,
            values_out: values_out.into_slice(..n)?,
            portion: MOST_ITEMS,
        };
        run(job, self.plan)
    }
}

impl<'s, 'a, K: RadixKey> SortInPlace<'s, 'a, K> {
    pub(crate) fn new(stream: &'s Stream, keys: impl IntoOutput<K> + 'a) -> Self {
        SortInPlace {
            stream,
            keys: keys.output(),
            by: By::all::<K>(),
            plan: None,
        }
    }

    /// Queues the sort. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if the plan is for fewer elements; else as [`Sort::into`].
    pub fn run(self) -> Result<(), Error> {
        let mut none = self.stream.device().alloc_uninit(0)?;
        Job {
            stream: self.stream,
            order: self.by.order::<K>(self.keys.len())?,
            input: None,
            keys_out: self.keys,
            values_out: none.as_slice_mut(),
            portion: MOST_ITEMS,
        }
        .run::<false>(self.plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_2_to_the_32_keys_on_a_sort_is_refused() {
        assert!(By::all::<u8>().order::<u8>(u32::MAX as usize).is_ok());
        let error = By::all::<u8>().order::<u8>(1 << 32);
        assert_eq!(
            error.expect_err("too many").to_string(),
            "a radix sort takes at most 4294967295 elements, and there are 4294967296; split the input"
        );
    }
}
