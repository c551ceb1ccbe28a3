//! Atomic reads and writes with an order and a scope: what [`crate::atomic`] is built on.
//!
//! The last argument, `how`, is 4 × order + scope: relaxed 0, acquire 1, release 2, both 3, sequentially consistent 4; block 0, cluster 1,
//! device 2, system 3. It is a constant after inlining. A load does not release, a store does not acquire.

use super::Intrinsic;

intrinsics! {
    /// Orders this thread's accesses before the fence and those after it, as seen by the threads of the scope; `how` is not relaxed.
    /// CUDA `__nv_atomic_thread_fence` · PTX `fence.acq_rel`, `fence.sc`, 6.0 · sm_70; of a cluster 7.8 · sm_90.
    scalar fn atomic_fence(how: u32) = "atomic.fence";
}

unsafe_intrinsics! {
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.u32`.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and no thread accesses it non-atomically at the same time.
    unsafe fn atomic_add_u32(p: *mut u32, v: u32) -> u32 = "atomic_add.u32";
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.s32`.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and no thread accesses it non-atomically at the same time.
    unsafe fn atomic_add_i32(p: *mut i32, v: i32) -> i32 = "atomic_add.i32";
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.u64`.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and no thread accesses it non-atomically at the same time.
    unsafe fn atomic_add_u64(p: *mut u64, v: u64) -> u64 = "atomic_add.u64";
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.f32`.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and no thread accesses it non-atomically at the same time.
    unsafe fn atomic_add_f32(p: *mut f32, v: f32) -> f32 = "atomic_add.f32";
    /// Adds to `*p` as one step, relaxed, device scope; returns the value before. CUDA `atomicAdd` · PTX `atom.global.add.f64`, sm_60.
    ///
    /// # Safety
    /// `p` is aligned and valid for atomic access, and no thread accesses it non-atomically at the same time.
    unsafe fn atomic_add_f64(p: *mut f64, v: f64) -> f64 = "atomic_add.f64";
    /// The value of `*p` now. CUDA `__nv_atomic_load_n` · PTX `ld.relaxed`, `ld.acquire`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_load_u8(p: *mut u8, how: u32) -> u8 = "atomic.load.u8";
    /// The value of `*p` now. CUDA `__nv_atomic_load_n` · PTX `ld.relaxed`, `ld.acquire`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_load_u16(p: *mut u16, how: u32) -> u16 = "atomic.load.u16";
    /// The value of `*p` now. CUDA `__nv_atomic_load_n` · PTX `ld.relaxed`, `ld.acquire`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_load_u32(p: *mut u32, how: u32) -> u32 = "atomic.load.u32";
    /// The value of `*p` now. CUDA `__nv_atomic_load_n` · PTX `ld.relaxed`, `ld.acquire`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_load_u64(p: *mut u64, how: u32) -> u64 = "atomic.load.u64";
    /// The value of `*p` now. CUDA `__nv_atomic_load_n` · PTX `ld.relaxed`, `ld.acquire`, 8.3 (system 8.4) · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_load_u128(p: *mut u128, how: u32) -> u128 = "atomic.load.u128";
    /// Replaces `*p`. CUDA `__nv_atomic_store_n` · PTX `st.relaxed`, `st.release`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_store_u8(p: *mut u8, v: u8, how: u32) = "atomic.store.u8";
    /// Replaces `*p`. CUDA `__nv_atomic_store_n` · PTX `st.relaxed`, `st.release`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_store_u16(p: *mut u16, v: u16, how: u32) = "atomic.store.u16";
    /// Replaces `*p`. CUDA `__nv_atomic_store_n` · PTX `st.relaxed`, `st.release`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_store_u32(p: *mut u32, v: u32, how: u32) = "atomic.store.u32";
    /// Replaces `*p`. CUDA `__nv_atomic_store_n` · PTX `st.relaxed`, `st.release`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_store_u64(p: *mut u64, v: u64, how: u32) = "atomic.store.u64";
    /// Replaces `*p`. CUDA `__nv_atomic_store_n` · PTX `st.relaxed`, `st.release`, 8.3 (system 8.4) · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_store_u128(p: *mut u128, v: u128, how: u32) = "atomic.store.u128";
    /// Replaces `*p`; returns the value before. CUDA `atomicExch` · PTX `atom.exch.b32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_swap_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.swap.u32";
    /// Replaces `*p`; returns the value before. CUDA `atomicExch` · PTX `atom.exch.b64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_swap_u64(p: *mut u64, v: u64, how: u32) -> u64 = "atomic.swap.u64";
    /// Replaces `*p`; returns the value before. CUDA `atomicExch` · PTX `atom.exch.b128`, 8.3 (system 8.4) · sm_90.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_swap_u128(p: *mut u128, v: u128, how: u32) -> u128 = "atomic.swap.u128";
    /// Replaces `*p` by `v` if it is `c`; returns the value before. CUDA `atomicCAS` · PTX `atom.cas.b16`, 6.3 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_cas_u16(p: *mut u16, c: u16, v: u16, how: u32) -> u16 = "atomic.cas.u16";
    /// Replaces `*p` by `v` if it is `c`; returns the value before. CUDA `atomicCAS` · PTX `atom.cas.b32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_cas_u32(p: *mut u32, c: u32, v: u32, how: u32) -> u32 = "atomic.cas.u32";
    /// Replaces `*p` by `v` if it is `c`; returns the value before. CUDA `atomicCAS` · PTX `atom.cas.b64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_cas_u64(p: *mut u64, c: u64, v: u64, how: u32) -> u64 = "atomic.cas.u64";
    /// Replaces `*p` by `v` if it is `c`; returns the value before. CUDA `atomicCAS` · PTX `atom.cas.b128`, 8.3 (system 8.4) · sm_90.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_cas_u128(p: *mut u128, c: u128, v: u128, how: u32) -> u128 = "atomic.cas.u128";
    /// Adds to `*p`, wrapping; returns the value before. CUDA `atomicAdd` · PTX `atom.add.u32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_add_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.add.u32";
    /// Subtracts from `*p`, wrapping; returns the value before. CUDA `atomicSub` · PTX `atom.add.u32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_sub_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.sub.u32";
    /// The bits of `*p` and those of `v`; returns the value before. CUDA `atomicAnd` · PTX `atom.and.b32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_and_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.and.u32";
    /// The bits of `*p` or those of `v`; returns the value before. CUDA `atomicOr` · PTX `atom.or.b32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_or_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.or.u32";
    /// The bits of `*p` xor those of `v`; returns the value before. CUDA `atomicXor` · PTX `atom.xor.b32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_xor_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.xor.u32";
    /// The smaller of `*p` and `v`; returns the value before. CUDA `atomicMin` · PTX `atom.min.u32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_min_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.umin.u32";
    /// The smaller of `*p` and `v`; returns the value before. CUDA `atomicMin` · PTX `atom.min.s32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_min_i32(p: *mut i32, v: i32, how: u32) -> i32 = "atomic.min.i32";
    /// The larger of `*p` and `v`; returns the value before. CUDA `atomicMax` · PTX `atom.max.u32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_max_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.umax.u32";
    /// The larger of `*p` and `v`; returns the value before. CUDA `atomicMax` · PTX `atom.max.s32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_max_i32(p: *mut i32, v: i32, how: u32) -> i32 = "atomic.max.i32";
    /// Adds to `*p`, wrapping; returns the value before. CUDA `atomicAdd` · PTX `atom.add.u64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_add_u64(p: *mut u64, v: u64, how: u32) -> u64 = "atomic.add.u64";
    /// Subtracts from `*p`, wrapping; returns the value before. CUDA `atomicSub` · PTX `atom.add.u64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_sub_u64(p: *mut u64, v: u64, how: u32) -> u64 = "atomic.sub.u64";
    /// The bits of `*p` and those of `v`; returns the value before. CUDA `atomicAnd` · PTX `atom.and.b64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_and_u64(p: *mut u64, v: u64, how: u32) -> u64 = "atomic.and.u64";
    /// The bits of `*p` or those of `v`; returns the value before. CUDA `atomicOr` · PTX `atom.or.b64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_or_u64(p: *mut u64, v: u64, how: u32) -> u64 = "atomic.or.u64";
    /// The bits of `*p` xor those of `v`; returns the value before. CUDA `atomicXor` · PTX `atom.xor.b64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_xor_u64(p: *mut u64, v: u64, how: u32) -> u64 = "atomic.xor.u64";
    /// The smaller of `*p` and `v`; returns the value before. CUDA `atomicMin` · PTX `atom.min.u64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_min_u64(p: *mut u64, v: u64, how: u32) -> u64 = "atomic.umin.u64";
    /// The smaller of `*p` and `v`; returns the value before. CUDA `atomicMin` · PTX `atom.min.s64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_min_i64(p: *mut i64, v: i64, how: u32) -> i64 = "atomic.min.i64";
    /// The larger of `*p` and `v`; returns the value before. CUDA `atomicMax` · PTX `atom.max.u64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_max_u64(p: *mut u64, v: u64, how: u32) -> u64 = "atomic.umax.u64";
    /// The larger of `*p` and `v`; returns the value before. CUDA `atomicMax` · PTX `atom.max.s64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_max_i64(p: *mut i64, v: i64, how: u32) -> i64 = "atomic.max.i64";
    /// One more, or 0 where `*p` is at least `v`; returns the value before. CUDA `atomicInc` · PTX `atom.inc.u32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_inc_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.inc.u32";
    /// One less, or `v` where `*p` is 0 or above `v`; returns the value before. CUDA `atomicDec` · PTX `atom.dec.u32`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_dec_u32(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.dec.u32";
    /// Adds to `*p`, rounded to nearest; returns the value before. CUDA `atomicAdd` · PTX `atom.add.f32`, 6.0 · sm_70; subnormals in global memory may be flushed.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_add_f32(p: *mut f32, v: f32, how: u32) -> f32 = "atomic.add.f32";
    /// Adds to `*p`, rounded to nearest; returns the value before. CUDA `atomicAdd` · PTX `atom.add.f64`, 6.0 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_add_f64(p: *mut f64, v: f64, how: u32) -> f64 = "atomic.add.f64";
    /// Adds to `*p`, as the bits of `f16`, rounded to nearest; returns the bits before. CUDA `atomicAdd` · PTX `atom.add.noftz.f16`, 6.3 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_add_f16(p: *mut u16, v: u16, how: u32) -> u16 = "atomic.add.f16";
    /// Adds to `*p`, as the bits of `bf16`, rounded to nearest; returns the bits before. CUDA `atomicAdd` · PTX `atom.add.noftz.bf16`, 7.8 · sm_90.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_add_bf16(p: *mut u16, v: u16, how: u32) -> u16 = "atomic.add.bf16";
    /// Adds to `*p`, as the bits of `f16x2`, rounded to nearest; returns the bits before. CUDA `atomicAdd` · PTX `atom.add.noftz.f16x2`, 6.2 · sm_70.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_add_f16x2(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.add.f16x2";
    /// Adds to `*p`, as the bits of `bf16x2`, rounded to nearest; returns the bits before. CUDA `atomicAdd` · PTX `atom.add.noftz.bf16x2`, 7.8 · sm_90.
    ///
    /// # Safety
    /// `p` is aligned to its size and valid for atomic access, no thread accesses it non-atomically at the same time, and `how` is such a constant.
    unsafe fn atomic_fetch_add_bf16x2(p: *mut u32, v: u32, how: u32) -> u32 = "atomic.add.bf16x2";
    /// Adds to 2 floats in global memory, each for itself; the values before are written to `out`. CUDA `atomicAdd` of `float2` · PTX `atom.global.add.v2.f32`, 8.1 · sm_90.
    ///
    /// # Safety
    /// `p` is aligned to 8 bytes and valid for atomic access to 2 `f32` in global memory, which no thread accesses non-atomically at the same time;
    /// `out` is valid for writes of as many; `how` is such a constant.
    unsafe fn atomic_fetch_add_f32x2(p: *mut f32, a: f32, b: f32, out: *mut f32, how: u32) = "atomic.add.f32x2";
    /// Adds to 4 floats in global memory, each for itself; the values before are written to `out`. CUDA `atomicAdd` of `float4` · PTX `atom.global.add.v4.f32`, 8.1 · sm_90.
    ///
    /// # Safety
    /// `p` is aligned to 16 bytes and valid for atomic access to 4 `f32` in global memory, which no thread accesses non-atomically at the same time;
    /// `out` is valid for writes of as many; `how` is such a constant.
    unsafe fn atomic_fetch_add_f32x4(p: *mut f32, a: f32, b: f32, c: f32, d: f32, out: *mut f32, how: u32) = "atomic.add.f32x4";
}
