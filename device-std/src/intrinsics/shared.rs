//! The memory of the block.

unsafe_intrinsics! {
    /// The start of the block's dynamic shared memory, aligned to 128 bytes. CUDA `extern __shared__`.
    ///
    /// # Safety
    /// Reads and writes through the pointer stay within [`dynamic_shared_bytes`](super::dynamic_shared_bytes) and do not race.
    unsafe fn dynamic_shared() -> *mut u8 = "shared_dynamic";
    /// As [`dynamic_shared`]. Where it is named, the memory begins at a multiple of 1024 bytes. CUDA `extern __shared__ __align__(1024)`.
    ///
    /// # Safety
    /// As for [`dynamic_shared`].
    unsafe fn dynamic_shared_1024() -> *mut u8 = "shared_dynamic_1024";
}

/// The block's own `N` elements of `T` for the place in the program that `Site` names; the same address in every thread of a block.
///
/// In the device pass each instance of this function becomes one allocation in shared memory: the device linker replaces its body.
/// Therefore it is one call with constant arguments and is never inlined. The value found there is unspecified.
#[cfg(warploom_device)]
#[inline(never)]
#[expect(
    clippy::extra_unused_type_parameters,
    reason = "`Site` makes instances, hence allocations, different"
)]
pub(crate) fn shared_site<T: 'static, const N: usize, Site: 'static>() -> *mut u8 {
    unsafe extern "C" {
        #[link_name = "__warploom.shared_static"]
        fn shared_static(bytes: usize, align: usize) -> *mut u8;
    }
    // SAFETY: the device linker gives this symbol the type declared here.
    unsafe { shared_static(Extent::<T, N>::BYTES, Extent::<T, N>::ALIGN) }
}

/// The block's own `N` elements of `T` for the place in the program that `Site` names; the same address in every thread of a block.
#[cfg(not(warploom_device))]
#[inline]
#[track_caller]
pub(crate) fn shared_site<T: 'static, const N: usize, Site: 'static>() -> *mut u8 {
    struct Key<T, const N: usize, Site>(core::marker::PhantomData<fn() -> (T, Site)>);
    impl<T: 'static, const N: usize, Site: 'static> Key<T, N, Site> {
        const KEY: &'static warploom_emulator::SharedKey =
            &warploom_emulator::SharedKey::new(core::any::TypeId::of::<Self>(), "shared array");
    }
    // SAFETY: one key always comes with one size and one alignment: all three follow from `T`, `N` and `Site`.
    unsafe {
        warploom_emulator::intrinsics::shared_static(
            Key::<T, N, Site>::KEY,
            Extent::<T, N>::BYTES,
            Extent::<T, N>::ALIGN,
        )
    }
}

/// Size and alignment of `[T; N]` in shared memory, as constants: the device linker reads them out of the call.
struct Extent<T, const N: usize>(core::marker::PhantomData<T>);

impl<T, const N: usize> Extent<T, N> {
    const BYTES: usize = size_of::<[T; N]>();
    /// At least 16, so that neighbours may be moved as one vector; 32 where a matrix of a warp may begin (see [`crate::wmma`]), whose smallest has 128 bytes.
    const ALIGN: usize = {
        let least = if Self::BYTES >= 128 && Self::BYTES.is_multiple_of(32) {
            32
        } else {
            16
        };
        if align_of::<T>() > least {
            align_of::<T>()
        } else {
            least
        }
    };
}
