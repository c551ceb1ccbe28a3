//! A parameter that all threads read at one address.

use core::fmt;
use core::ops::Deref;

use crate::KernelArg;
use crate::scope::{Brand, Tied};

/// A value that the launch passes and all threads read in place, without copies of their own. Comes as a kernel parameter.
///
/// Any other parameter is a value of each thread's own, which is copied to local memory as soon as its address is taken; this one is not,
/// however large it is and wherever its address goes. It is valid as long as the launch and cannot be changed. The launch takes a `T`.
/// CUDA: a `const __grid_constant__` parameter. PTX: `cvta.param`, 7.7. Compute capability: 7.0.
///
/// ```
/// use warploom_device_std::GridConst;
/// #[derive(Clone, Copy)]
/// # #[repr(C)]
/// struct Filter { taps: [f32; 64] }
/// # // SAFETY: numbers alone.
/// # unsafe impl warploom_device_std::KernelArg for Filter {}
/// #[inline(never)]
/// fn apply(filter: &Filter, i: usize) -> f32 { filter.taps[i % 64] }
/// fn kernel(filter: GridConst<Filter>, i: usize) -> f32 {
///     apply(&filter, i)
/// }
/// # let filter = Filter { taps: [0.5; 64] };
/// # // SAFETY: valid until the end.
/// # assert_eq!(kernel(unsafe { GridConst::from_launch(&raw const filter) }, 70), 0.5);
/// ```
/// It is read-only, and nothing in it can change behind a reference:
/// ```compile_fail,E0594
/// fn kernel(n: warploom_device_std::GridConst<[u32; 2]>) { let mut n = n; n[0] = 1; }
/// ```
/// ```compile_fail,E0277
/// fn kernel(n: warploom_device_std::GridConst<core::cell::Cell<u32>>) { n.set(1); }
/// ```
pub struct GridConst<'k, T: KernelArg> {
    value: *const T,
    _brand: Brand<'k>,
}

impl<T: KernelArg> Clone for GridConst<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: KernelArg> Copy for GridConst<'_, T> {}

impl<T: KernelArg> Deref for GridConst<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: as `get`.
        unsafe { &*self.value }
    }
}

impl<'k, T: KernelArg> Tied<'k> for GridConst<'k, T> {}

impl<'k, T: KernelArg> GridConst<'k, T> {
    /// The value, for as long as the kernel runs.
    #[inline(always)]
    #[must_use]
    pub fn get(self) -> &'k T {
        // SAFETY: a valid value for the whole launch, which no thread writes: its type has no interior mutability, for it is
        // `Copy`.
        unsafe { &*self.value }
    }

    /// # Safety
    /// Called by the code around a kernel. `value` points to a value that is valid and unchanged for the whole launch.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_launch(value: *const T) -> Self {
        GridConst {
            value,
            _brand: Brand::new(),
        }
    }
}

impl<T: KernelArg + fmt::Debug> fmt::Debug for GridConst<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
