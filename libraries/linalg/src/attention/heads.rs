//! Heads in device memory: where the rows of each are.

use warploom::device_std::Plain;
use warploom::{DeviceSlice, DeviceSliceMut};

use crate::Error;
use crate::kernels::attention::work::Strides;
use crate::matrix::{IntoElements, IntoElementsMut};

/// The largest number of tokens, heads and batches of [`Heads`].
pub(crate) const MOST: usize = 1 << 30;

/// How many rows there are, and how long they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadExtents {
    /// Batches, each with the same number of tokens.
    pub batches: usize,
    /// Heads of a batch.
    pub heads: usize,
    /// Tokens of a batch, each with a row in each head.
    pub tokens: usize,
    /// Elements of a row.
    pub dimension: usize,
}

/// Where the rows are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arranged {
    pub(crate) extents: HeadExtents,
    /// Elements from one token, head and batch to the next.
    strides: [usize; 3],
}

impl Arranged {
    fn head_major(extents: HeadExtents) -> Self {
        let HeadExtents {
            heads,
            tokens,
            dimension,
            ..
        } = extents;
        let head = dimension.saturating_mul(tokens);
        Arranged {
            extents,
            strides: [dimension, head, head.saturating_mul(heads)],
        }
    }

    fn token_major(extents: HeadExtents) -> Self {
        let HeadExtents {
            heads,
            tokens,
            dimension,
            ..
        } = extents;
        let token = dimension.saturating_mul(heads);
        Arranged {
            extents,
            strides: [token, dimension, token.saturating_mul(tokens)],
        }
    }

    fn counts(&self) -> [usize; 3] {
        [
            self.extents.tokens,
            self.extents.heads,
            self.extents.batches,
        ]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counts().contains(&0)
    }

    /// That the rows are within `len` elements.
    fn check(&self, what: &'static str, len: usize) -> Result<(), Error> {
        let named = [
            ("the number of tokens of a batch", self.extents.tokens),
            ("the number of heads", self.extents.heads),
            ("the number of batches", self.extents.batches),
        ];
        for (what, value) in named {
            if value > MOST {
                return Err(Error::TooLarge {
                    what,
                    value,
                    most: MOST,
                });
            }
        }
        if self.is_empty() {
            return Ok(());
        }
        let end = self
            .counts()
            .into_iter()
            .zip(self.strides)
            .try_fold(self.extents.dimension, |end, (count, stride)| {
                (count - 1).checked_mul(stride)?.checked_add(end)
            });
        match end {
            Some(end) if end <= len => Ok(()),
            end => Err(Error::HeadsTooShort {
                what,
                len,
                needed: end.unwrap_or(usize::MAX),
            }),
        }
    }

    /// That no two rows have an element in common.
    fn check_apart(&self, what: &'static str) -> Result<(), Error> {
        if self.is_empty() {
            return Ok(());
        }
        let mut levels: Vec<(usize, usize)> = self
            .strides
            .into_iter()
            .zip(self.counts())
            .filter(|(_, count)| *count > 1)
            .collect();
        levels.sort_unstable();
        let mut length = self.extents.dimension;
        for (stride, count) in levels {
            if stride < length {
                return Err(Error::RowsOverlap {
                    what,
                    stride,
                    length,
                });
            }
            // Within the buffer, as was checked before.
            length = (count - 1).saturating_mul(stride).saturating_add(length);
        }
        Ok(())
    }

    /// Bytes from one token, head and batch to the next; 128 where there is one.
    pub(crate) fn byte_strides(&self, element_bytes: usize) -> [usize; 3] {
        let counts = self.counts();
        std::array::from_fn(|i| match counts[i] {
            0 | 1 => 128,
            _ => self.strides[i].saturating_mul(element_bytes),
        })
    }

    pub(crate) fn strides(&self) -> Strides {
        let [token, head, batch] = self.strides.map(|stride| stride as u64);
        Strides { token, head, batch }
    }
}

macro_rules! heads {
    ($name:ident $trait:ident $elements:ident) => {
        impl<'a, T: Plain> $name<'a, T> {
            /// The rows of a head follow each other, then come the other heads and batches: `[batch][head][token]`.
            pub fn head_major(elements: impl $trait<'a, T>, extents: HeadExtents) -> Self {
                Self {
                    elements: elements.$elements(),
                    arranged: Arranged::head_major(extents),
                }
            }

            /// The rows of a token follow each other, then come the other tokens and batches: `[batch][token][head]`.
            pub fn token_major(elements: impl $trait<'a, T>, extents: HeadExtents) -> Self {
                Self {
                    elements: elements.$elements(),
                    arranged: Arranged::token_major(extents),
                }
            }

            /// Rows begin every so many elements, from one token, head and batch to the next.
            pub fn strides(mut self, token: usize, head: usize, batch: usize) -> Self {
                self.arranged.strides = [token, head, batch];
                self
            }

            /// How many rows there are, and how long they are.
            #[must_use]
            pub fn extents(&self) -> HeadExtents {
                self.arranged.extents
            }

            pub(crate) fn check(&self, what: &'static str) -> Result<(), Error> {
                self.arranged.check(what, self.elements.len())
            }
        }
    };
}

/// Rows of heads, to read: queries, keys or values.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_linalg::{HeadExtents, Heads};
/// # let device = Device::emulator();
/// let extents = HeadExtents { batches: 2, heads: 3, tokens: 5, dimension: 64 };
/// // Queries, keys and values of a token beside each other.
/// let all = device.zeroed::<F16>(2 * 5 * 3 * 3 * 64)?;
/// let values = all.slice(2 * 3 * 64..)?;
/// let values = Heads::token_major(values, extents).strides(3 * 3 * 64, 64, 5 * 3 * 3 * 64);
/// assert_eq!(values.extents(), extents);
/// # Ok::<(), warploom::Error>(())
/// ```
#[derive(Clone, Copy)]
#[must_use = "rows of heads are what attention is computed of"]
pub struct Heads<'a, T: Plain> {
    pub(crate) elements: DeviceSlice<'a, T>,
    pub(crate) arranged: Arranged,
}

/// Rows of heads, to write. None of their elements is in two places.
#[must_use = "rows of heads are what attention is written to"]
pub struct HeadsMut<'a, T: Plain> {
    pub(crate) elements: DeviceSliceMut<'a, T>,
    pub(crate) arranged: Arranged,
}

heads!(Heads IntoElements elements);
heads!(HeadsMut IntoElementsMut elements_mut);

impl<T: Plain> HeadsMut<'_, T> {
    pub(crate) fn check_apart(&self, what: &'static str) -> Result<(), Error> {
        self.arranged.check_apart(what)
    }
}
