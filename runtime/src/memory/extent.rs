//! How far rows and planes reach, and parts of host memory that have such an extent.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use super::MemoryError;
use super::slice3d::resolve_all;
use crate::buffer::PitchedRegion;

/// Width, height and depth in elements. Made of a pair or a triple: `(640, 480)`, `(64, 64, 64)`.
///
/// ```
/// use warploom_runtime::Extent3;
/// let plane = Extent3::from((640, 480));
/// assert_eq!((plane.depth, plane.to_string()), (1, "640x480x1".to_owned()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extent3 {
    /// Elements of a row.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Planes.
    pub depth: usize,
}

impl Extent3 {
    /// Elements in all; `None` if they are more than any memory holds.
    #[must_use]
    pub fn elements(self) -> Option<usize> {
        if [self.width, self.height, self.depth].contains(&0) {
            return Some(0);
        }
        self.width.checked_mul(self.height)?.checked_mul(self.depth)
    }

    /// Refuses a slice of another length.
    #[inline]
    pub(in crate::memory) fn check_length(self, given: usize) -> Result<(), MemoryError> {
        if self.elements() == Some(given) {
            return Ok(());
        }
        Err(MemoryError::LengthMismatch {
            given,
            extent: self,
        })
    }

    /// Refuses a copy between areas of different extents.
    #[inline]
    pub(in crate::memory) fn check_same(
        from: [usize; 3],
        to: [usize; 3],
    ) -> Result<(), MemoryError> {
        if from == to {
            return Ok(());
        }
        Err(MemoryError::ExtentMismatch {
            from: from.into(),
            to: to.into(),
        })
    }
}

impl From<(usize, usize)> for Extent3 {
    fn from((width, height): (usize, usize)) -> Extent3 {
        Extent3::from([width, height, 1])
    }
}

impl From<(usize, usize, usize)> for Extent3 {
    fn from((width, height, depth): (usize, usize, usize)) -> Extent3 {
        Extent3::from([width, height, depth])
    }
}

impl From<[usize; 3]> for Extent3 {
    fn from([width, height, depth]: [usize; 3]) -> Extent3 {
        Extent3 {
            width,
            height,
            depth,
        }
    }
}

impl From<Extent3> for [usize; 3] {
    fn from(extent: Extent3) -> [usize; 3] {
        [extent.width, extent.height, extent.depth]
    }
}

impl fmt::Display for Extent3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Extent3 {
            width,
            height,
            depth,
        } = self;
        write!(f, "{width}x{height}x{depth}")
    }
}

macro_rules! host_parts {
    ($($(#[$doc:meta])* $name:ident($start:ident $(, $mutable:tt)?);)*) => { $(
        $(#[$doc])*
        pub struct $name<'a, T> {
            area: PitchedRegion,
            element: PhantomData<&'a $($mutable)? [T]>,
        }

        impl<'a, T> $name<'a, T> {
            /// `elements` as rows and planes without gaps.
            ///
            /// # Errors
            /// [`MemoryError::LengthMismatch`] if there are not as many as `extent` has.
            pub fn new(elements: &'a $($mutable)? [T], extent: impl Into<Extent3>) -> Result<Self, MemoryError> {
                let extent = extent.into();
                extent.check_length(elements.len())?;
                let start: *const T = elements.$start();
                Ok($name {
                    area: PitchedRegion::tight(start.cast_mut(), extent),
                    element: PhantomData,
                })
            }

            /// The elements of three ranges (counted within this part).
            ///
            /// # Errors
            /// [`MemoryError::OutOfRange`] names the first range that does not fit.
            pub fn part(
                self,
                x: impl RangeBounds<usize>,
                y: impl RangeBounds<usize>,
                z: impl RangeBounds<usize>,
            ) -> Result<Self, MemoryError> {
                Ok($name {
                    area: self.area.part(resolve_all(self.area.extent, x, y, z)?),
                    element: PhantomData,
                })
            }

            /// Width, height and depth in elements.
            #[must_use]
            pub fn extent(&self) -> Extent3 {
                self.area.extent.into()
            }

            pub(in crate::memory) fn area(&self) -> PitchedRegion {
                self.area
            }
        }

        impl<T> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("extent", &self.area.extent)
                    .finish_non_exhaustive()
            }
        }
    )* };
}

host_parts! {
    /// A rectangle or box of host memory, as the source of a copy.
    ///
    /// ```
    /// use warploom_runtime::HostPart;
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let image: Vec<u8> = (0..12).collect(); // 4 x 3
    /// let middle = HostPart::new(&image, (4, 3))?.part(1..3, 1.., ..)?;
    /// let mut x = device.pitched_zeroed::<u8>((2, 2))?;
    /// x.as_slice_mut().copy_from_host(middle, &stream)?;
    /// assert_eq!(x.to_vec(&stream)?, [5, 6, 9, 10]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    HostPart(as_ptr);
    /// A rectangle or box of host memory, as the target of a copy.
    ///
    /// ```
    /// use warploom_runtime::HostPartMut;
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut image = [0u8; 6]; // 3 x 2
    /// let corner = HostPartMut::new(&mut image, (3, 2))?.part(2.., .., ..)?;
    /// let x = device.upload(&[7u8, 8])?;
    /// x.as_slice().shaped((1, 2))?.copy_to_host(corner, &stream)?;
    /// assert_eq!(image, [0, 0, 7, 0, 0, 8]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    HostPartMut(as_mut_ptr, mut);
}
