//! Tensors as kernels get them.

use core::marker::PhantomData;

use super::{ReduceAdd, ReduceBits, ReduceCount, ReduceMinMax, TensorElement};
use crate::scope::{Brand, Tied};
use crate::{KernelArg, Mbarrier, intrinsics as raw};

/// The bytes of a tensor map: only the driver, or the emulator, can read them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct RawTensorMap(pub [u64; 16]);

// SAFETY: numbers alone, in `repr(C)`.
unsafe impl KernelArg for RawTensorMap {}

/// A tensor of `R` dimensions, 1 to 5, of which copies read boxes. Comes as a kernel parameter; the launch takes a `&TensorMap` of the runtime.
///
/// Coordinates count elements; the first is the one along which elements lie side by side. They may be outside of the tensor, also negative: elements there are zeros, or what the
/// map says, and count among the bytes of the copy. The first coordinate of a box is that of a multiple of 16 bytes. CUDA: a `const __grid_constant__ CUtensorMap`. Compute
/// capability: 9.0.
///
/// ```
/// # use warploom_emulator::{run, Shape, tensor};
/// # use warploom_device_std::tma::RawTensorMap;
/// use warploom_device_std::{Block, Mbarrier, TensorSource, shared_array, tma};
/// # #[derive(Clone, Copy)]
/// #[repr(C, align(128))]
/// struct Line([u32; 32]);
/// # // SAFETY: numbers alone, without padding.
/// # unsafe impl warploom_device_std::Plain for Line {}
/// fn kernel(block: Block, x: TensorSource<u32, 2>) {
///     let (tile, memory) = (shared_array!(Line, 2), shared_array!(u64, 1)); // a box of 8 by 8 elements
///     // SAFETY: one thread initialises the barrier and begins the copy; all wait for its end before they read what it wrote.
///     unsafe {
///         let full = Mbarrier::new(memory, 0);
///         if block.thread() == 0 {
///             full.init(1);
///             tma::fence_mbarrier_init();
///         }
///         block.sync();
///         if block.thread() == 0 {
///             let _ = full.arrive_expecting(256);
///             x.load(tile.as_ptr().cast(), [8, 3], full);
///         }
///         full.wait_parity(0);
///         let (column, row) = (block.thread() % 8, block.thread() / 8);
///         let word = tile.as_ptr().cast::<u32>().add(8 * row + column).read();
///         assert_eq!(word as usize, if row < 2 { 16 * (row + 3) + column + 8 } else { 0 }); // the matrix has 5 rows
///     }
/// }
/// # let x: Vec<u32> = (0..16 * 5).collect();
/// # let map = tensor::TensorMap {
/// #     base: x.as_ptr().expose_provenance() as u64, element: tensor::Element::U32, rank: 2, dims: [16, 5, 1, 1, 1], strides: [4, 64, 0, 0, 0],
/// #     extents: [8, 8, 1, 1, 1], steps: [1; 5], swizzle: tensor::Swizzle::None, fill: tensor::Fill::Zeros,
/// # };
/// # let map = RawTensorMap(map.to_words());
/// # run(Shape::new([1, 1, 1], [64, 1, 1]), &|| unsafe { kernel(Block::from_launch(), TensorSource::from_launch(&map)) })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub struct TensorSource<'k, T: TensorElement, const R: usize> {
    map: *const RawTensorMap,
    _brand: Brand<'k>,
    _element: PhantomData<T>,
}

/// A tensor of `R` dimensions, 1 to 5, of which copies write boxes. Comes as a kernel parameter; the launch takes a `&mut TensorMapMut` of the runtime.
///
/// Coordinates are those of [`TensorSource`], but none is negative; elements outside of the tensor are not written, but for those in the 16 bytes in which a row ends. CUDA: a `const __grid_constant__ CUtensorMap`. Compute capability: 9.0.
///
/// ```
/// use warploom_device_std::{Block, TensorTarget, tma};
/// # #[allow(dead_code)]
/// /// What the threads of the block have written to `tile` becomes a box of `y`.
/// ///
/// /// # Safety
/// /// The tile has room for a box, and begins at a multiple of 128 bytes in shared memory; no thread writes it afterwards.
/// unsafe fn store(block: Block, tile: *const u8, y: TensorTarget<f32, 2>, at: [i32; 2]) {
///     tma::fence_proxy_async();
///     block.sync();
///     if block.thread() == 0 {
///         // SAFETY: written before the fence, as the caller promises; these are the thread's only groups.
///         unsafe {
///             y.store(tile, at);
///             tma::commit_group();
///             tma::wait_group_read::<0>();
///         }
///     }
/// }
/// ```
pub struct TensorTarget<'k, T: TensorElement, const R: usize> {
    map: *const RawTensorMap,
    _brand: Brand<'k>,
    _element: PhantomData<T>,
}

/// Calls the intrinsic of the rank: known when the kernel is compiled.
macro_rules! by_rank {
    ($at:ident: $one:ident $two:ident $three:ident $four:ident $five:ident ($($arg:expr),*)) => {
        const { assert!(R >= 1 && R <= 5, "a tensor has 1 to 5 dimensions") };
        match *$at.as_slice() {
            // SAFETY: the caller of the function promises what the instruction asks for.
            [x] => unsafe { raw::$one($($arg,)* x) },
            // SAFETY: as above.
            [x, y] => unsafe { raw::$two($($arg,)* x, y) },
            // SAFETY: as above.
            [x, y, z] => unsafe { raw::$three($($arg,)* x, y, z) },
            // SAFETY: as above.
            [x, y, z, u] => unsafe { raw::$four($($arg,)* x, y, z, u) },
            // SAFETY: as above.
            [x, y, z, u, v] => unsafe { raw::$five($($arg,)* x, y, z, u, v) },
            _ => {}
        }
    };
}

macro_rules! parameters {
    ($($name:ident)*) => {$(
        impl<T: TensorElement, const R: usize> Clone for $name<'_, T, R> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T: TensorElement, const R: usize> Copy for $name<'_, T, R> {}
        impl<'k, T: TensorElement, const R: usize> Tied<'k> for $name<'k, T, R> {}

        impl<T: TensorElement, const R: usize> $name<'_, T, R> {
            /// Asks for the map to be brought to a cache, which the first copy would wait for. PTX: `prefetch.tensormap`.
            #[inline(always)]
            pub fn prefetch_map(self) {
                // SAFETY: the map is that of a launch.
                unsafe { raw::tensor_map_prefetch(self.as_ptr()) }
            }

            /// Where the map lies.
            #[inline(always)]
            #[must_use]
            pub fn as_ptr(self) -> *const u8 {
                self.map.cast()
            }

            /// # Safety
            /// Called by the code around a kernel. `map` points to a map of a tensor with elements `T` and `R` dimensions, which is valid and unchanged for the whole launch.
            #[doc(hidden)]
            #[inline(always)]
            #[must_use]
            pub unsafe fn from_launch(map: *const RawTensorMap) -> Self {
                $name {
                    map,
                    _brand: Brand::new(),
                    _element: PhantomData,
                }
            }
        }
    )*};
}

parameters! { TensorSource TensorTarget }

impl<T: TensorElement, const R: usize> TensorSource<'_, T, R> {
    /// Begins to copy the box at `at` to shared memory, rows one behind the other, permuted as the map says; the copy ends in the current phase of `barrier`.
    ///
    /// One thread makes the call for all. CUDA: `cuda::ptx::cp_async_bulk_tensor`. PTX: `cp.async.bulk.tensor.shared::cluster.global.tile.mbarrier::complete_tx::bytes`.
    ///
    /// # Safety
    /// `to` is in the block's shared memory, a multiple of 128, and valid for writes of a box. Until the phase has ended no thread accesses the target, and other accesses of it are
    /// ordered before this call. The phase expects the bytes of the box. `barrier` is one. `at[0]` elements are a multiple of 16 bytes.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn load(self, to: *mut u8, at: [i32; R], barrier: Mbarrier<'_>) {
        by_rank!(at: tensor_load_1d tensor_load_2d tensor_load_3d tensor_load_4d tensor_load_5d
            (to, self.as_ptr(), barrier.as_ptr()));
    }

    /// As [`load`](Self::load), into the shared memory of each block of the cluster whose bit in `blocks` is set: to the offset that `to` has, ending at the barrier at the offset
    /// that `barrier` has there.
    ///
    /// PTX: `cp.async.bulk.tensor…multicast::cluster`.
    ///
    /// # Safety
    /// As for [`load`](Self::load), in each of these blocks, which are there until the copy has ended.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn load_multicast(
        self,
        to: *mut u8,
        at: [i32; R],
        barrier: Mbarrier<'_>,
        blocks: u16,
    ) {
        by_rank!(at: tensor_load_multicast_1d tensor_load_multicast_2d tensor_load_multicast_3d tensor_load_multicast_4d tensor_load_multicast_5d
            (to, self.as_ptr(), barrier.as_ptr(), blocks));
    }

    /// Asks for the box at `at` to be brought to the second cache. PTX: `cp.async.bulk.prefetch.tensor.L2.global.tile`.
    ///
    /// # Safety
    /// `at[0]` elements are a multiple of 16 bytes.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn prefetch(self, at: [i32; R]) {
        by_rank!(at: tensor_prefetch_1d tensor_prefetch_2d tensor_prefetch_3d tensor_prefetch_4d tensor_prefetch_5d
            (self.as_ptr()));
    }
}

impl<T: TensorElement, const R: usize> TensorTarget<'_, T, R> {
    /// Begins to copy a box from shared memory to `at`; [`commit_group`](super::commit_group) and [`wait_group`](super::wait_group) follow.
    ///
    /// One thread makes the call for all. CUDA: `cuda::ptx::cp_async_bulk_tensor`. PTX: `cp.async.bulk.tensor.global.shared::cta.tile.bulk_group`.
    ///
    /// # Safety
    /// `from` is in the block's shared memory, a multiple of 128, and valid for reads of a box. No thread writes it before [`wait_group_read`](super::wait_group_read), and the
    /// block does not end before that. What threads wrote to it lies before a [`fence_proxy_async`](super::fence_proxy_async) of theirs, and that before this call. Nothing else
    /// accesses these elements of the tensor before [`wait_group`](super::wait_group), or the end of the launch. No coordinate is negative, and `at[0]` elements are a multiple of 16 bytes.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn store(self, from: *const u8, at: [i32; R]) {
        by_rank!(at: tensor_store_1d tensor_store_2d tensor_store_3d tensor_store_4d tensor_store_5d
            (self.as_ptr(), from));
    }
}

impl<T: ReduceAdd, const R: usize> TensorTarget<'_, T, R> {
    /// As [`store`](Self::store), but adds the elements of the box to those of the tensor, each in one step. PTX: `cp.reduce.async.bulk.tensor….add`.
    ///
    /// # Safety
    /// As for [`store`](Self::store); but other copies and atomics may change the elements meanwhile.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_add(self, from: *const u8, at: [i32; R]) {
        by_rank!(at: tensor_add_1d tensor_add_2d tensor_add_3d tensor_add_4d tensor_add_5d
            (self.as_ptr(), from));
    }
}

impl<T: ReduceMinMax, const R: usize> TensorTarget<'_, T, R> {
    /// As [`store`](Self::store), but keeps the lesser of each two elements. PTX: `cp.reduce.async.bulk.tensor….min`.
    ///
    /// # Safety
    /// As for [`store`](Self::store); but other copies and atomics may change the elements meanwhile.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_min(self, from: *const u8, at: [i32; R]) {
        by_rank!(at: tensor_min_1d tensor_min_2d tensor_min_3d tensor_min_4d tensor_min_5d
            (self.as_ptr(), from));
    }

    /// As [`store`](Self::store), but keeps the greater of each two elements. PTX: `cp.reduce.async.bulk.tensor….max`.
    ///
    /// # Safety
    /// As for [`store`](Self::store); but other copies and atomics may change the elements meanwhile.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_max(self, from: *const u8, at: [i32; R]) {
        by_rank!(at: tensor_max_1d tensor_max_2d tensor_max_3d tensor_max_4d tensor_max_5d
            (self.as_ptr(), from));
    }
}

impl<T: ReduceBits, const R: usize> TensorTarget<'_, T, R> {
    /// As [`store`](Self::store), but keeps the bits that both elements have. PTX: `cp.reduce.async.bulk.tensor….and`.
    ///
    /// # Safety
    /// As for [`store`](Self::store); but other copies and atomics may change the elements meanwhile.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_and(self, from: *const u8, at: [i32; R]) {
        by_rank!(at: tensor_and_1d tensor_and_2d tensor_and_3d tensor_and_4d tensor_and_5d
            (self.as_ptr(), from));
    }

    /// As [`store`](Self::store), but keeps the bits that either element has. PTX: `cp.reduce.async.bulk.tensor….or`.
    ///
    /// # Safety
    /// As for [`store`](Self::store); but other copies and atomics may change the elements meanwhile.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_or(self, from: *const u8, at: [i32; R]) {
        by_rank!(at: tensor_or_1d tensor_or_2d tensor_or_3d tensor_or_4d tensor_or_5d
            (self.as_ptr(), from));
    }

    /// As [`store`](Self::store), but keeps the bits that one of the two elements has. PTX: `cp.reduce.async.bulk.tensor….xor`.
    ///
    /// # Safety
    /// As for [`store`](Self::store); but other copies and atomics may change the elements meanwhile.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_xor(self, from: *const u8, at: [i32; R]) {
        by_rank!(at: tensor_xor_1d tensor_xor_2d tensor_xor_3d tensor_xor_4d tensor_xor_5d
            (self.as_ptr(), from));
    }
}

impl<T: ReduceCount, const R: usize> TensorTarget<'_, T, R> {
    /// As [`store`](Self::store), but counts each element of the tensor up, and to 0 where that of the box is reached. PTX: `cp.reduce.async.bulk.tensor….inc`.
    ///
    /// # Safety
    /// As for [`store`](Self::store); but other copies and atomics may change the elements meanwhile.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_inc(self, from: *const u8, at: [i32; R]) {
        by_rank!(at: tensor_inc_1d tensor_inc_2d tensor_inc_3d tensor_inc_4d tensor_inc_5d
            (self.as_ptr(), from));
    }

    /// As [`store`](Self::store), but counts each element of the tensor down; from 0, or from above that of the box, to that. PTX: `cp.reduce.async.bulk.tensor….dec`.
    ///
    /// # Safety
    /// As for [`store`](Self::store); but other copies and atomics may change the elements meanwhile.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn reduce_dec(self, from: *const u8, at: [i32; R]) {
        by_rank!(at: tensor_dec_1d tensor_dec_2d tensor_dec_3d tensor_dec_4d tensor_dec_5d
            (self.as_ptr(), from));
    }
}
