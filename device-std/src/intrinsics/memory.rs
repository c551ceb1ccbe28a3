//! Loads and stores that say how they want to be cached, prefetches, and where an address lies.

use super::Intrinsic;

intrinsics! {
    /// Whether `p` points into global memory. CUDA `__isGlobal` · PTX `isspacep.global`, 2.0 · sm_20.
    scalar fn is_global(p: *const u8) -> bool = "llvm.nvvm.isspacep.global";
    /// Whether `p` points into the shared memory of the block. CUDA `__isShared` · PTX `isspacep.shared`, 2.0 · sm_20.
    scalar fn is_shared(p: *const u8) -> bool = "llvm.nvvm.isspacep.shared";
    /// Whether `p` points into constant memory. CUDA `__isConstant` · PTX `isspacep.const`, 3.1 · sm_20.
    scalar fn is_constant(p: *const u8) -> bool = "llvm.nvvm.isspacep.const";
    /// Whether `p` points into the thread's own memory. CUDA `__isLocal` · PTX `isspacep.local`, 2.0 · sm_20.
    scalar fn is_local(p: *const u8) -> bool = "llvm.nvvm.isspacep.local";
    /// Whether `p` points into a parameter of the kernel. CUDA `__isGridConstant` · PTX `isspacep.param`, 7.7 · sm_70.
    scalar fn is_grid_constant(p: *const u8) -> bool = "asm:ptx77|{ .reg .pred q; isspacep.param q, $1; selp.u32 $0, 1, 0, q; }";
    /// The address in global memory; without meaning elsewhere. CUDA `__cvta_generic_to_global` · PTX `cvta.to.global`, 2.0 · sm_20.
    scalar fn address_to_global(p: *const u8) -> u64 = "address.to.global";
    /// The address in shared memory; without meaning elsewhere. CUDA `__cvta_generic_to_shared` · PTX `cvta.to.shared`, 2.0 · sm_20.
    scalar fn address_to_shared(p: *const u8) -> u32 = "address.to.shared";
    /// The address in constant memory; without meaning elsewhere. CUDA `__cvta_generic_to_constant` · PTX `cvta.to.const`, 3.1 · sm_20.
    scalar fn address_to_constant(p: *const u8) -> u32 = "address.to.constant";
    /// The address in the thread's own memory; without meaning elsewhere. CUDA `__cvta_generic_to_local` · PTX `cvta.to.local`, 2.0 · sm_20.
    scalar fn address_to_local(p: *const u8) -> u32 = "address.to.local";
    /// The generic address of one in global memory. CUDA `__cvta_global_to_generic` · PTX `cvta.global`, 2.0 · sm_20.
    scalar fn address_from_global(address: u64) -> *mut u8 = "address.from.global";
    /// The generic address of one in shared memory. CUDA `__cvta_shared_to_generic` · PTX `cvta.shared`, 2.0 · sm_20.
    scalar fn address_from_shared(address: u32) -> *mut u8 = "address.from.shared";
    /// The generic address of one in constant memory. CUDA `__cvta_constant_to_generic` · PTX `cvta.const`, 3.1 · sm_20.
    scalar fn address_from_constant(address: u32) -> *mut u8 = "address.from.constant";
    /// The generic address of one in the thread's own memory. CUDA `__cvta_local_to_generic` · PTX `cvta.local`, 2.0 · sm_20.
    scalar fn address_from_local(address: u32) -> *mut u8 = "address.from.local";
    /// Gives way for about so many nanoseconds: for loops that wait for another thread. PTX `nanosleep`, 6.3 · sm_70.
    /// The emulator runs the other threads of the block meanwhile.
    scalar fn spin_wait(nanoseconds: u32) = "asm:volatile+memory|nanosleep.u32 $0;";
}

unsafe_intrinsics! {
    /// Asks for the line of `p` in the first-level cache, if it is in global memory. PTX `prefetch.L1`, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` points into memory of the kernel.
    unsafe fn prefetch_l1(p: *const u8) = "asm:volatile|prefetch.L1 [$0];";
    /// Asks for the line of `p` in the second-level cache, if it is in global memory. PTX `prefetch.L2`, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` points into memory of the kernel.
    unsafe fn prefetch_l2(p: *const u8) = "asm:volatile|prefetch.L2 [$0];";
    /// The value of `*p`. `hint`: 0 `ca`, 1 `cg`, 2 `cs`, 3 `lu`, 4 `cv`, 5 `nc`. CUDA `__ldca` … `__ldcv`, `__ldg` · PTX `ld.ca.b8` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned and valid for reads, and no thread writes it at the same time; `hint` is such a constant. For `nc` it is in global memory, and
    /// no thread writes it while the kernel runs.
    unsafe fn load_hinted_u8(p: *const u8, hint: u32) -> u8 = "memory.load.b8";
    /// The value of `*p`. `hint`: 0 `ca`, 1 `cg`, 2 `cs`, 3 `lu`, 4 `cv`, 5 `nc`. CUDA `__ldca` … `__ldcv`, `__ldg` · PTX `ld.ca.b16` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned and valid for reads, and no thread writes it at the same time; `hint` is such a constant. For `nc` it is in global memory, and
    /// no thread writes it while the kernel runs.
    unsafe fn load_hinted_u16(p: *const u16, hint: u32) -> u16 = "memory.load.b16";
    /// The value of `*p`. `hint`: 0 `ca`, 1 `cg`, 2 `cs`, 3 `lu`, 4 `cv`, 5 `nc`. CUDA `__ldca` … `__ldcv`, `__ldg` · PTX `ld.ca.b32` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned and valid for reads, and no thread writes it at the same time; `hint` is such a constant. For `nc` it is in global memory, and
    /// no thread writes it while the kernel runs.
    unsafe fn load_hinted_u32(p: *const u32, hint: u32) -> u32 = "memory.load.b32";
    /// The value of `*p`. `hint`: 0 `ca`, 1 `cg`, 2 `cs`, 3 `lu`, 4 `cv`, 5 `nc`. CUDA `__ldca` … `__ldcv`, `__ldg` · PTX `ld.ca.b64` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned and valid for reads, and no thread writes it at the same time; `hint` is such a constant. For `nc` it is in global memory, and
    /// no thread writes it while the kernel runs.
    unsafe fn load_hinted_u64(p: *const u64, hint: u32) -> u64 = "memory.load.b64";
    /// Copies the 16 bytes at `p` to `out`. `hint`: 0 `ca`, 1 `cg`, 2 `cs`, 3 `lu`, 4 `cv`, 5 `nc`. PTX `ld.ca.v2.b64` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned to 16 bytes and valid for reads of 16, and no thread writes these at the same time; `out` is aligned to 8 and valid for as many
    /// writes; `hint` is such a constant. For `nc` `p` is in global memory, and no thread writes there while the kernel runs.
    unsafe fn load_hinted_u128(p: *const u64, out: *mut u64, hint: u32) = "memory.load.b128";
    /// Replaces `*p`. `hint`: 0 `wb`, 1 `cg`, 2 `cs`, 3 `wt`. CUDA `__stwb`, `__stcg`, `__stcs`, `__stwt` · PTX `st.wb.b8` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned and valid for writes, and no other thread accesses it at the same time; `hint` is such a constant.
    unsafe fn store_hinted_u8(p: *mut u8, v: u8, hint: u32) = "memory.store.b8";
    /// Replaces `*p`. `hint`: 0 `wb`, 1 `cg`, 2 `cs`, 3 `wt`. CUDA `__stwb`, `__stcg`, `__stcs`, `__stwt` · PTX `st.wb.b16` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned and valid for writes, and no other thread accesses it at the same time; `hint` is such a constant.
    unsafe fn store_hinted_u16(p: *mut u16, v: u16, hint: u32) = "memory.store.b16";
    /// Replaces `*p`. `hint`: 0 `wb`, 1 `cg`, 2 `cs`, 3 `wt`. CUDA `__stwb`, `__stcg`, `__stcs`, `__stwt` · PTX `st.wb.b32` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned and valid for writes, and no other thread accesses it at the same time; `hint` is such a constant.
    unsafe fn store_hinted_u32(p: *mut u32, v: u32, hint: u32) = "memory.store.b32";
    /// Replaces `*p`. `hint`: 0 `wb`, 1 `cg`, 2 `cs`, 3 `wt`. CUDA `__stwb`, `__stcg`, `__stcs`, `__stwt` · PTX `st.wb.b64` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned and valid for writes, and no other thread accesses it at the same time; `hint` is such a constant.
    unsafe fn store_hinted_u64(p: *mut u64, v: u64, hint: u32) = "memory.store.b64";
    /// Copies 16 bytes from `v` to `p`. `hint`: 0 `wb`, 1 `cg`, 2 `cs`, 3 `wt`. PTX `st.wb.v2.b64` …, 2.0 · sm_20.
    ///
    /// # Safety
    /// `p` is aligned to 16 bytes and valid for writes of 16, and no other thread accesses these at the same time; `v` is aligned to 8 and valid for
    /// as many reads; `hint` is such a constant.
    unsafe fn store_hinted_u128(p: *mut u64, v: *const u64, hint: u32) = "memory.store.b128";
}
