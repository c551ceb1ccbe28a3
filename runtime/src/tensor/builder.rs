//! How a map is described: what is asked for is checked before the driver sees it.

use std::fmt;
use std::marker::PhantomData;

use warploom_device_std::tma::{RawTensorMap, TensorElement};
use warploom_emulator::tensor::{self, Element, Fill, MOST_DIMENSIONS, Swizzle};

use super::{MapBytes, TensorMap, TensorMapError, TensorMapMut};
use crate::cuda::tensor::Tiled;
use crate::device::Backend;
use crate::view::Span;

/// How much the second cache fetches at least, of what a copy asks for. CUDA: `CUtensorMapL2promotion`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum L2Promotion {
    /// What is asked for.
    #[default]
    None = 0,
    /// 64 bytes.
    B64 = 1,
    /// 128 bytes.
    B128 = 2,
    /// 256 bytes.
    B256 = 3,
}

/// What all elements of a tensor have in common.
struct Described<'a, T, const R: usize> {
    memory: Span<'a, T>,
    extents: [usize; R],
    strides: Option<[usize; R]>,
    block: [usize; R],
    steps: [usize; R],
    swizzle: Swizzle,
    fill: Fill,
    promotion: L2Promotion,
    /// Copies write it.
    is_written: bool,
}

macro_rules! builders {
    ($($(#[$doc:meta])* $builder:ident $map:ident $borrow:ty, $is_written:literal;)*) => {$(
        $(#[$doc])*
        #[must_use = "nothing is made before `build`"]
        pub struct $builder<'a, T, const R: usize> {
            described: Described<'a, T, R>,
            borrow: PhantomData<$borrow>,
        }

        impl<T, const R: usize> fmt::Debug for $builder<'_, T, R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($builder))
                    .field("extents", &self.described.extents)
                    .field("block", &self.described.block)
                    .finish_non_exhaustive()
            }
        }

        impl<'a, T: TensorElement, const R: usize> $builder<'a, T, R> {
            pub(super) fn new(memory: Span<'a, T>, extents: [usize; R]) -> Self {
                $builder {
                    described: Described {
                        memory,
                        extents,
                        strides: None,
                        block: [0; R],
                        steps: [1; R],
                        swizzle: Swizzle::None,
                        fill: Fill::Zeros,
                        promotion: L2Promotion::None,
                        is_written: $is_written,
                    },
                    borrow: PhantomData,
                }
            }

            /// Bytes from one element to the next along each dimension; the first is that of an element. Without this call elements lie side by side.
            pub fn strides(mut self, bytes: [usize; R]) -> Self {
                self.described.strides = Some(bytes);
                self
            }

            /// Elements of a box along each dimension, at most 256. A copy moves one box. CUDA: `boxDim`.
            pub fn block(mut self, elements: [usize; R]) -> Self {
                self.described.block = elements;
                self
            }

            /// Of how many elements along each dimension one is taken, at most 8; along the first it is 1. A box has so many fewer elements in shared memory.
            /// CUDA: `elementStrides`.
            pub fn steps(mut self, elements: [usize; R]) -> Self {
                self.described.steps = elements;
                self
            }

            /// How the 16-byte parts of a box are permuted in shared memory. CUDA: `CUtensorMapSwizzle`.
            pub fn swizzle(mut self, swizzle: Swizzle) -> Self {
                self.described.swizzle = swizzle;
                self
            }

            /// What elements outside of the tensor are in a box. CUDA: `CUtensorMapFloatOOBfill`.
            pub fn fill(mut self, fill: Fill) -> Self {
                self.described.fill = fill;
                self
            }

            /// How much the second cache fetches at least. CUDA: `CUtensorMapL2promotion`.
            pub fn l2_promotion(mut self, promotion: L2Promotion) -> Self {
                self.described.promotion = promotion;
                self
            }

            /// Makes the map. CUDA: `cuTensorMapEncodeTiled`.
            ///
            /// # Errors
            /// [`TensorMapError`] names what is beyond a limit; the driver refuses the call, or has no such function; the device's compute capability is below 9.0.
            pub fn build(self) -> Result<$map<'a, T, R>, TensorMapError> {
                Ok($map {
                    bytes: self.described.build()?,
                    element: PhantomData,
                })
            }
        }
    )*};
}

builders! {
    /// Describes a [`TensorMap`].
    TensorMapBuilder TensorMap &'a [T], false;
    /// Describes a [`TensorMapMut`].
    TensorMapMutBuilder TensorMapMut &'a mut [T], true;
}

/// The least compute capability whose devices have bulk copies.
const CAPABILITY: (u32, u32) = (9, 0);

/// Limits of maps, as the driver's manual has them.
const MOST_EXTENT: u64 = 1 << 32;
const STRIDE_END: u64 = 1 << 40;
const MOST_BOX: usize = 256;
const MOST_STEP: usize = 8;
const ALIGN: u64 = 16;

impl<'a, T: TensorElement, const R: usize> Described<'a, T, R> {
    fn build(self) -> Result<MapBytes<'a>, TensorMapError> {
        const {
            assert!(
                R >= 1 && R <= MOST_DIMENSIONS,
                "a tensor has 1 to 5 dimensions"
            )
        };
        let device = self.memory.buffer.device();
        let found = device.compute_capability();
        if found < CAPABILITY {
            return Err(TensorMapError::Capability {
                device: device.name().to_owned(),
                found,
            });
        }
        let map = self.checked()?;
        let raw = match &device.0.backend {
            Backend::Emulator(_) => RawTensorMap(map.to_words()),
            Backend::Cuda(gpu) => {
                let tiled = Tiled {
                    map,
                    promotion: self.promotion as u32,
                };
                RawTensorMap(tiled.encode(&gpu.context)?)
            }
        };
        Ok(MapBytes {
            buffer: self.memory.buffer,
            raw,
            box_bytes: map.box_bytes(),
            shared_bytes: map.shared_bytes(),
        })
    }

    /// The map, if it keeps all limits.
    fn checked(&self) -> Result<tensor::TensorMap, TensorMapError> {
        let element = element::<T>();
        let size = element.bytes();
        let base = self.memory.ptr.addr() as u64;
        if !base.is_multiple_of(ALIGN) {
            return Err(TensorMapError::Misaligned { address: base });
        }
        let mut map = tensor::TensorMap {
            base,
            element,
            rank: R,
            dims: [1; MOST_DIMENSIONS],
            strides: [0; MOST_DIMENSIONS],
            extents: [1; MOST_DIMENSIONS],
            steps: [1; MOST_DIMENSIONS],
            swizzle: self.swizzle,
            fill: self.fill,
        };
        self.check_extents(&mut map)?;
        self.check_strides(&mut map)?;
        self.check_memory(&map)?;
        self.check_box(&mut map)?;
        let row = map.taken(0) * size;
        if !row.is_multiple_of(ALIGN as usize) {
            return Err(TensorMapError::BoxRow { bytes: row });
        }
        if self.swizzle != Swizzle::None && row > self.swizzle.span() {
            return Err(TensorMapError::Swizzle {
                bytes: row,
                span: self.swizzle.span(),
                columns: self.swizzle.span() / size,
            });
        }
        if self.fill == Fill::Nan && !element.is_float() {
            return Err(TensorMapError::Fill {
                element: std::any::type_name::<T>(),
            });
        }
        Ok(map)
    }

    fn check_extents(&self, map: &mut tensor::TensorMap) -> Result<(), TensorMapError> {
        for (dimension, given) in self.extents.into_iter().enumerate() {
            if given == 0 || given as u64 > MOST_EXTENT {
                return Err(TensorMapError::Extent { dimension, given });
            }
            map.dims[dimension] = given as u64;
        }
        Ok(())
    }

    fn check_strides(&self, map: &mut tensor::TensorMap) -> Result<(), TensorMapError> {
        let size = map.element.bytes() as u64;
        let mut dense = size;
        for dimension in 0..R {
            let stride = self.strides.map_or(dense, |given| given[dimension] as u64);
            dense = dense.saturating_mul(map.dims[dimension]);
            if dimension == 0 && stride != size {
                return Err(TensorMapError::FirstStride {
                    given: stride,
                    size,
                });
            }
            if dimension > 0 && !stride.is_multiple_of(ALIGN) {
                return Err(TensorMapError::StrideAlign {
                    dimension,
                    given: stride,
                });
            }
            if stride == 0 || stride >= STRIDE_END {
                return Err(TensorMapError::Stride {
                    dimension,
                    given: stride,
                });
            }
            map.strides[dimension] = stride;
        }
        Ok(())
    }

    /// All elements lie in the memory, and what copies write beyond the end of a row.
    fn check_memory(&self, map: &tensor::TensorMap) -> Result<(), TensorMapError> {
        let size = map.element.bytes();
        let beyond = match self.is_written {
            true => (map.written_extent() - map.dims[0]) as usize * size,
            false => 0,
        };
        // Below 5 · 2^72.
        let last: u128 = (0..R)
            .map(|i| u128::from(map.dims[i] - 1) * u128::from(map.strides[i]))
            .sum();
        let needed = u64::try_from(last + (size + beyond) as u128).unwrap_or(u64::MAX);
        let bytes = self.memory.len * size;
        if needed > bytes as u64 {
            return Err(TensorMapError::Memory { needed, bytes });
        }
        Ok(())
    }

    fn check_box(&self, map: &mut tensor::TensorMap) -> Result<(), TensorMapError> {
        for dimension in 0..R {
            let (given, step) = (self.block[dimension], self.steps[dimension]);
            if !(1..=MOST_BOX).contains(&given) {
                return Err(TensorMapError::Box { dimension, given });
            }
            let most = if dimension == 0 { 1 } else { MOST_STEP };
            if !(1..=most).contains(&step) {
                return Err(TensorMapError::Step {
                    dimension,
                    given: step,
                    most,
                });
            }
            map.extents[dimension] = given as u32;
            map.steps[dimension] = step as u32;
        }
        Ok(())
    }
}

/// The type of elements, as the driver and the emulator count them.
fn element<T: TensorElement>() -> Element {
    match T::TYPE {
        0 => Element::U8,
        1 => Element::U16,
        2 => Element::U32,
        3 => Element::S32,
        4 => Element::U64,
        5 => Element::S64,
        6 => Element::F16,
        7 => Element::F32,
        8 => Element::F64,
        9 => Element::Bf16,
        _ => Element::Tf32,
    }
}
