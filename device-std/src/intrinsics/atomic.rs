//! Reads and writes that nobody comes between.

unsafe_intrinsics! {
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.u32`.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and nobody accesses it otherwise at the same time.
    unsafe fn atomic_add_u32(p: *mut u32, v: u32) -> u32 = "atomic_add.u32";
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.s32`.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and nobody accesses it otherwise at the same time.
    unsafe fn atomic_add_i32(p: *mut i32, v: i32) -> i32 = "atomic_add.i32";
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.u64`.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and nobody accesses it otherwise at the same time.
    unsafe fn atomic_add_u64(p: *mut u64, v: u64) -> u64 = "atomic_add.u64";
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.f32`.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and nobody accesses it otherwise at the same time.
    unsafe fn atomic_add_f32(p: *mut f32, v: f32) -> f32 = "atomic_add.f32";
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.f64`, sm_60.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and nobody accesses it otherwise at the same time.
    unsafe fn atomic_add_f64(p: *mut f64, v: f64) -> f64 = "atomic_add.f64";
}
