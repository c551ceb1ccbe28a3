//! The one table of intrinsics: every operation that the hardware offers and Rust has no word for.
//!
//! A line gives the document, the signature and the symbol. In the device pass the function calls that symbol: `__warploom.llvm.nvvm.…`
//! is replaced by the LLVM intrinsic of that name and type, any other `__warploom.…` by a body of the device linker. Elsewhere it
//! calls the emulator's function of the same name and signature. Only scalars and pointers cross this boundary.
//!
//! Kernels rarely need this module: [`crate::Block`], [`crate::Warp`] and the free functions of [`crate::index`] are the same
//! operations with their obligations checked. [`TABLE`] lists the lines for documents and tests.

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intrinsic {
    /// The Rust function of this module.
    pub name: &'static str,
    /// What the device pass calls.
    pub symbol: &'static str,
    /// Whether the lanes of a warp or block meet in it, so that no compiler may move it into or out of a branch.
    pub convergent: bool,
}

macro_rules! intrinsics {
    (@convergent convergent) => { true };
    (@convergent scalar) => { false };
    ($(
        $(#[$doc:meta])*
        $kind:ident fn $name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? = $symbol:literal;
    )*) => {
        /// Every line of the table whose function is safe to call, or asks only for its lanes to meet.
        pub const TABLE: &[Intrinsic] = &[$(Intrinsic {
            name: stringify!($name),
            symbol: concat!("__warploom.", $symbol),
            convergent: intrinsics!(@convergent $kind),
        }),*];
        $(
            $(#[$doc])*
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)] // the emulator says where a stuck lane waits
            pub fn $name($($arg: $ty),*) $(-> $out)? {
                #[cfg(warploom_device)]
                {
                    unsafe extern "C" {
                        #[link_name = concat!("__warploom.", $symbol)]
                        fn device($($arg: $ty),*) $(-> $out)?;
                    }
                    // SAFETY: the device linker gives this symbol the type declared here; it touches no memory of the caller.
                    unsafe { device($($arg),*) }
                }
                #[cfg(not(warploom_device))]
                warploom_emulator::intrinsics::$name($($arg),*)
            }
        )*
    };
}

intrinsics! {
    /// The thread's x coordinate in its block. CUDA `threadIdx.x` · PTX `%tid.x`.
    scalar fn thread_idx_x() -> u32 = "llvm.nvvm.read.ptx.sreg.tid.x";
    /// The thread's y coordinate in its block. CUDA `threadIdx.y` · PTX `%tid.y`.
    scalar fn thread_idx_y() -> u32 = "llvm.nvvm.read.ptx.sreg.tid.y";
    /// The thread's z coordinate in its block. CUDA `threadIdx.z` · PTX `%tid.z`.
    scalar fn thread_idx_z() -> u32 = "llvm.nvvm.read.ptx.sreg.tid.z";
    /// The block's x coordinate in the grid. CUDA `blockIdx.x` · PTX `%ctaid.x`.
    scalar fn block_idx_x() -> u32 = "llvm.nvvm.read.ptx.sreg.ctaid.x";
    /// The block's y coordinate in the grid. CUDA `blockIdx.y` · PTX `%ctaid.y`.
    scalar fn block_idx_y() -> u32 = "llvm.nvvm.read.ptx.sreg.ctaid.y";
    /// The block's z coordinate in the grid. CUDA `blockIdx.z` · PTX `%ctaid.z`.
    scalar fn block_idx_z() -> u32 = "llvm.nvvm.read.ptx.sreg.ctaid.z";
    /// Threads of a block along x. CUDA `blockDim.x` · PTX `%ntid.x`.
    scalar fn block_dim_x() -> u32 = "llvm.nvvm.read.ptx.sreg.ntid.x";
    /// Threads of a block along y. CUDA `blockDim.y` · PTX `%ntid.y`.
    scalar fn block_dim_y() -> u32 = "llvm.nvvm.read.ptx.sreg.ntid.y";
    /// Threads of a block along z. CUDA `blockDim.z` · PTX `%ntid.z`.
    scalar fn block_dim_z() -> u32 = "llvm.nvvm.read.ptx.sreg.ntid.z";
    /// Blocks of the grid along x. CUDA `gridDim.x` · PTX `%nctaid.x`.
    scalar fn grid_dim_x() -> u32 = "llvm.nvvm.read.ptx.sreg.nctaid.x";
    /// Blocks of the grid along y. CUDA `gridDim.y` · PTX `%nctaid.y`.
    scalar fn grid_dim_y() -> u32 = "llvm.nvvm.read.ptx.sreg.nctaid.y";
    /// Blocks of the grid along z. CUDA `gridDim.z` · PTX `%nctaid.z`.
    scalar fn grid_dim_z() -> u32 = "llvm.nvvm.read.ptx.sreg.nctaid.z";
    /// The thread's lane in its warp, 0..32. PTX `%laneid`.
    scalar fn lane_id() -> u32 = "llvm.nvvm.read.ptx.sreg.laneid";
    /// Bytes of dynamic shared memory that the launch gave each block. PTX `%dynamic_smem_size`, 4.1.
    scalar fn dynamic_shared_bytes() -> u32 = "llvm.nvvm.read.ptx.sreg.dynamic_smem_size";

    /// Waits until every lane of `mask` that has not returned arrives with the same mask; orders their memory accesses.
    /// CUDA `__syncwarp` · PTX `bar.warp.sync`, 6.0 · sm_30.
    /// The caller is in `mask`; otherwise the result of the call is that it may wait for ever (the emulator reports it).
    convergent fn warp_sync(mask: u32) = "llvm.nvvm.bar.warp.sync";
    /// The lanes of `mask` that have not returned and in which `p` holds; the same answer in each.
    /// CUDA `__ballot_sync` · PTX `vote.sync.ballot.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn vote_ballot(mask: u32, p: bool) -> u32 = "llvm.nvvm.vote.ballot.sync";
    /// Whether `p` holds in any lane of `mask` that has not returned; the same answer in each.
    /// CUDA `__any_sync` · PTX `vote.sync.any.pred`, 6.0 · sm_30 · orders no memory.
    convergent fn vote_any(mask: u32, p: bool) -> bool = "llvm.nvvm.vote.any.sync";
    /// Whether `p` holds in all lanes of `mask` that have not returned; the same answer in each.
    /// CUDA `__all_sync` · PTX `vote.sync.all.pred`, 6.0 · sm_30 · orders no memory.
    convergent fn vote_all(mask: u32, p: bool) -> bool = "llvm.nvvm.vote.all.sync";
    /// The lanes that happen to run together with this one. A hint, no promise: lanes may part and join at any time.
    /// CUDA `__activemask` · PTX `activemask.b32`, 6.2 · sm_30.
    convergent fn active_mask() -> u32 = "llvm.nvvm.activemask";
    /// The `value` of lane `lane`, within the segments that `clamp` (PTX operand *c*) describes.
    /// CUDA `__shfl_sync` · PTX `shfl.sync.idx.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn shuffle_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.idx.i32";
    /// The `value` of the lane `delta` below, or the caller's own where that leaves the segment.
    /// CUDA `__shfl_up_sync` · PTX `shfl.sync.up.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn shuffle_up(mask: u32, value: u32, delta: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.up.i32";
    /// The `value` of the lane `delta` above, or the caller's own where that leaves the segment.
    /// CUDA `__shfl_down_sync` · PTX `shfl.sync.down.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn shuffle_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.down.i32";
    /// The `value` of the lane whose number differs in the bits of `flip`, or the caller's own where that leaves the segment.
    /// CUDA `__shfl_xor_sync` · PTX `shfl.sync.bfly.b32`, 6.0 · sm_30 · orders no memory.
    convergent fn shuffle_bfly(mask: u32, value: u32, flip: u32, clamp: u32) -> u32 = "llvm.nvvm.shfl.sync.bfly.i32";

    /// Orders this thread's accesses before the fence and those after it, as seen by its block.
    /// CUDA `__threadfence_block` · PTX `fence.sc.cta`, 6.0 · sm_70.
    scalar fn fence_block() = "fence.cta";
    /// Orders this thread's accesses before the fence and those after it, as seen by the device.
    /// CUDA `__threadfence` · PTX `fence.sc.gpu`, 6.0 · sm_70.
    scalar fn fence_device() = "fence.gpu";
    /// Orders this thread's accesses before the fence and those after it, as seen by the device, its peers and the host.
    /// CUDA `__threadfence_system` · PTX `fence.sc.sys`, 6.0 · sm_70.
    scalar fn fence_system() = "fence.sys";
}

macro_rules! unsafe_intrinsics {
    ($(
        $(#[$doc:meta])*
        unsafe fn $name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? = $symbol:literal;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub unsafe fn $name($($arg: $ty),*) $(-> $out)? {
            #[cfg(warploom_device)]
            {
                unsafe extern "C" {
                    #[link_name = concat!("__warploom.", $symbol)]
                    fn device($($arg: $ty),*) $(-> $out)?;
                }
                // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the section above.
                unsafe { device($($arg),*) }
            }
            #[cfg(not(warploom_device))]
            // SAFETY: the emulator's function of the same name asks for no more than the section above, which the caller keeps.
            unsafe { warploom_emulator::intrinsics::$name($($arg),*) }
        }
    )*};
}

unsafe_intrinsics! {
    /// The start of the block's dynamic shared memory, aligned to 128 bytes. CUDA `extern __shared__`.
    ///
    /// # Safety
    /// Reads and writes through the pointer stay within [`dynamic_shared_bytes`] and do not race.
    unsafe fn dynamic_shared() -> *mut u8 = "shared_dynamic";
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

/// Waits at the block's barrier `id` (0..16) until every thread of the block that has not returned arrives there; orders memory.
///
/// CUDA `__syncthreads` for id 0 · PTX `barrier.cta.sync`, 6.0 · sm_30, the aligned form: from compute capability 7.0 on, it completes when each thread of the block that has not returned is there.
///
/// # Safety
/// `id` is 0, or an id that no [`crate::SharedTile`] of this kernel uses (tile `k` uses `1 + 2k` and `2 + 2k`): a thread that arrives
/// at a tile's barrier from elsewhere would release the others before it has stopped writing. Safe code has [`crate::sync_threads`].
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub unsafe fn barrier(id: u32) {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.llvm.nvvm.barrier.cta.sync.aligned.all"]
            fn device(id: u32);
        }
        // SAFETY: the type of the LLVM intrinsic; the caller keeps the section above.
        unsafe { device(id) }
    }
    #[cfg(not(warploom_device))]
    warploom_emulator::intrinsics::barrier(id);
}

/// Ends the kernel with an error that costs the host its context. A panic is almost always better. CUDA `__trap` · PTX `trap`.
#[inline(always)]
pub fn trap() -> ! {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.trap"]
            fn device() -> !;
        }
        // SAFETY: takes nothing, never returns.
        unsafe { device() }
    }
    #[cfg(not(warploom_device))]
    warploom_emulator::intrinsics::trap()
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
pub(crate) fn shared_site<T: 'static, const N: usize, Site: 'static>() -> *mut u8 {
    struct Key<T, const N: usize, Site>(core::marker::PhantomData<fn() -> (T, Site)>);
    impl<T: 'static, const N: usize, Site: 'static> Key<T, N, Site> {
        const KEY: &'static warploom_emulator::SharedKey = &warploom_emulator::SharedKey {
            site: core::any::TypeId::of::<Self>(),
            type_name: "shared array",
        };
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
    /// At least 16, so that neighbours may be moved as one vector.
    const ALIGN: usize = if align_of::<T>() > 16 {
        align_of::<T>()
    } else {
        16
    };
}
