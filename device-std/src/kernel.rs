//! What the device pass tells the device linker about a kernel. Written by macros, evaluated at compile time, read out of the bitcode.
//!
//! ```text
//! instantiate(k, at)  ->  DeviceKernel { name, base, entry, params, … }  ->  [DeviceParam]
//! ```
//! A launch in the user's code calls [`instantiate`]; whatever kernel descriptions are reachable through such calls, or through a
//! [`Root`], become entry points of the device code.

use core::panic::Location;

/// One kernel, with all types known.
#[repr(C)]
#[derive(Debug)]
pub struct DeviceKernel {
    /// The kernel's name with its types; the host asks for it by this name.
    pub name: &'static str,
    /// The name of the Rust function.
    pub base: &'static str,
    /// The function that builds the parameters and runs the body.
    pub entry: *const (),
    /// The parameters that a launch passes, in order.
    pub params: &'static [DeviceParam],
    /// Where the kernel is written.
    pub file: &'static str,
    /// Where the kernel is written.
    pub line: u32,
    /// The dimensions that a launch may have: 1, 2 or 3.
    pub dims: u32,
    /// The block that a launch must have; 0 for any extent.
    pub block: [u32; 3],
    /// The most threads of a block, or 0: PTX `.maxntid`.
    pub max_threads: u32,
    /// Blocks that should fit on a multiprocessor, or 0: PTX `.minnctapersm`.
    pub min_blocks: u32,
    /// The most registers of a thread, or 0: PTX `.maxnreg`.
    pub max_registers: u32,
    /// 1 if `a * b + c` may become one fused operation.
    pub fma: u16,
    /// 1 if arithmetic of `f32` is to be fast rather than accurate.
    pub fast_math: u16,
    /// The cluster that a launch must have; 0 if the kernel does not say: PTX `.reqnctapercluster`.
    pub cluster: [u32; 3],
    /// The most blocks of a cluster, or 0: PTX `.maxclusterrank`.
    pub max_cluster: u32,
    /// Whether launches must say how large a cluster is: PTX `.explicitcluster`.
    pub cluster_at_launch: bool,
    /// Whether launches must say how much dynamic shared memory a block has.
    pub dynamic_shared: bool,
    /// Whether all blocks run at the same time.
    pub cooperative: bool,
    /// Whether the kernel may start before the kernels ahead of it in its stream have ended: its code begins with `griddepcontrol.wait`.
    pub dependent_launch: bool,
    /// Hash of the launch conditions that the code takes for granted, with the values of their constants; 0 without conditions.
    pub conditions: u64,
    /// Name and version of the package that has the kernel.
    pub package: &'static str,
}

// SAFETY: a constant; `entry` is the address of a function, which is never written.
unsafe impl Sync for DeviceKernel {}

/// One parameter of a kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceParam {
    /// [`BY_VALUE`](Self::BY_VALUE), [`SLICE`](Self::SLICE), [`SLICE_MUT`](Self::SLICE_MUT) or [`SLICE_2D_MUT`](Self::SLICE_2D_MUT).
    pub kind: u32,
    /// 1 if the parameter is a slice that nothing changes during the launch, or a value that all threads read at one place.
    pub readonly: u32,
    /// Bytes of the value, or of one element.
    pub size: u64,
    /// Alignment of the value, or of one element.
    pub align: u64,
    /// Fingerprint of the type, see [`layout`](crate::layout).
    pub layout: u64,
}

impl DeviceParam {
    /// Passed by value.
    pub const BY_VALUE: u32 = 0;
    /// `&[T]`: pointer and length.
    pub const SLICE: u32 = 1;
    /// `DisjointSlice<T>`: pointer and length.
    pub const SLICE_MUT: u32 = 2;
    /// `DisjointSlice2D<T>`: pointer, width and height.
    pub const SLICE_2D_MUT: u32 = 3;

    /// A parameter of type `T`, by value. In the device pass this does not compile if a `T` may hold an address of the host's memory.
    #[must_use]
    #[track_caller]
    pub const fn by_value<T>() -> Self {
        #[cfg(warploom_device)]
        crate::host_address::refuse::<T>();
        Self::of::<T>(Self::BY_VALUE, 0)
    }

    /// A raw pointer of an `unsafe` kernel: what it points to is the caller's matter.
    #[must_use]
    pub const fn pointer<T>() -> Self {
        Self::of::<T>(Self::BY_VALUE, 0)
    }

    /// `&[T]`.
    #[must_use]
    pub const fn slice<T: crate::SliceElement>() -> Self {
        Self::of::<T>(Self::SLICE, T::READ_ONLY as u32)
    }

    /// `DisjointSlice<T, _>`.
    #[must_use]
    pub const fn slice_mut<T: crate::Plain>() -> Self {
        let _ = T::LAYOUT;
        Self::of::<T>(Self::SLICE_MUT, 0)
    }

    /// `DisjointSlice2D<T>`.
    #[must_use]
    pub const fn slice_2d_mut<T: crate::Plain>() -> Self {
        let _ = T::LAYOUT;
        Self::of::<T>(Self::SLICE_2D_MUT, 0)
    }

    /// `GridConst<T>`: a value that stays where the launch put it. Refuses addresses as [`by_value`](Self::by_value) does.
    #[must_use]
    #[track_caller]
    pub const fn grid_const<T>() -> Self {
        #[cfg(warploom_device)]
        crate::host_address::refuse::<T>();
        Self::of::<T>(Self::BY_VALUE, 1)
    }

    const fn of<T>(kind: u32, readonly: u32) -> Self {
        DeviceParam {
            kind,
            readonly,
            size: size_of::<T>() as u64,
            align: align_of::<T>() as u64,
            layout: 0,
        }
    }

    /// The same with the type's fingerprint.
    #[must_use]
    pub const fn with_layout(self, layout: u64) -> Self {
        DeviceParam { layout, ..self }
    }
}

/// Names a kernel without launching it: a static of this type makes the kernel an entry point.
#[repr(transparent)]
#[derive(Debug)]
pub struct Root(pub &'static DeviceKernel);

/// Marks `k` as launched at `at`. In the device pass the linker finds the call; elsewhere it does nothing.
///
/// # Safety
/// `k` is the description that `#[kernel]` made: launches pass what it says to its entry.
#[inline(always)]
pub unsafe fn instantiate(k: &'static DeviceKernel, at: &'static Location<'static>) {
    #[cfg(warploom_device)]
    {
        #[expect(
            improper_ctypes,
            reason = "never called: the device linker follows the two pointers in the bitcode"
        )]
        unsafe extern "C" {
            #[link_name = "__warploom.instantiate"]
            fn mark(k: *const DeviceKernel, at: *const Location<'static>);
        }
        // SAFETY: never run: the device linker reads the call and removes it. Both pointers are `'static`.
        unsafe { mark(k, at) }
    }
    #[cfg(not(warploom_device))]
    let _ = (k, at);
}
