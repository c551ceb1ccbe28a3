//! Tensor memory: its columns, moves between them and registers, and products whose sums are there. What kind of instruction it is says a number, as for warp groups:
//! `kernel-build/src/lower/tensor_memory.rs` says what its bits mean.

unsafe_intrinsics! {
    /// Allocates columns of tensor memory, and writes their address to `*to`; waits while other blocks have them. PTX `tcgen05.alloc.cta_group::1.sync.aligned.b32`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// `to` is in shared memory. `columns` is a power of 2 from 32 to 512. All lanes of the warp make this call together, and the block releases the columns before it ends.
    unsafe fn tcgen05_alloc(to: *mut u32, columns: u32) = "asm:volatile+memory+convergent+exact100+ptx86|tcgen05.alloc.cta_group::1.sync.aligned.b32 [$0], $1;";
    /// Releases columns of tensor memory. PTX `tcgen05.dealloc.cta_group::1.sync.aligned.b32`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// `tcgen05_alloc` gave this address for as many columns. All lanes of the warp make this call together, and nothing uses the columns any more.
    unsafe fn tcgen05_dealloc(address: u32, columns: u32) = "asm:volatile+memory+convergent+exact100+ptx86|tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, $1;";
    /// Says that the block allocates no more. PTX `tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// All lanes of the warp make this call together, and the block does not allocate again.
    unsafe fn tcgen05_relinquish() = "asm:volatile+memory+convergent+exact100+ptx86|tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;";
    /// Performs an arrive operation on an mbarrier when the products and copies that this thread has begun are complete. PTX `tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// `at` is an mbarrier in shared memory that is valid until then, and its current phase expects the arrival.
    unsafe fn tcgen05_commit(at: *mut u64) = "asm:volatile+memory+exact100+ptx86|tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [$0];";
    /// Waits for all loads of tensor memory of this thread. PTX `tcgen05.wait::ld.sync.aligned`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// All lanes of the warp make this call together.
    unsafe fn tcgen05_wait_loads() = "asm:volatile+memory+convergent+exact100+ptx86|tcgen05.wait::ld.sync.aligned;";
    /// Waits for all stores to tensor memory of this thread. PTX `tcgen05.wait::st.sync.aligned`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// All lanes of the warp make this call together.
    unsafe fn tcgen05_wait_stores() = "asm:volatile+memory+convergent+exact100+ptx86|tcgen05.wait::st.sync.aligned;";
    /// Orders what this thread did with tensor memory before a barrier that follows. PTX `tcgen05.fence::before_thread_sync`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// None beside a kernel that runs.
    unsafe fn tcgen05_before_sync() = "asm:volatile+memory+exact100+ptx86|tcgen05.fence::before_thread_sync;";
    /// Orders what this thread does with tensor memory after a barrier that it has passed. PTX `tcgen05.fence::after_thread_sync`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// None beside a kernel that runs.
    unsafe fn tcgen05_after_sync() = "asm:volatile+memory+exact100+ptx86|tcgen05.fence::after_thread_sync;";
    /// Begins to copy 128 rows of 32 bytes from shared memory to 8 columns. PTX `tcgen05.cp.cta_group::1.128x256b`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// `address` is that of 8 allocated columns, `matrix` the descriptor of a matrix in shared memory; nothing writes either until a commit of this thread has arrived.
    unsafe fn tcgen05_copy(address: u32, matrix: u64) = "asm:volatile+memory+exact100+ptx86|tcgen05.cp.cta_group::1.128x256b [$0], $1;";
    /// Begins to shift 32 bytes of each row of tensor memory to the row before it. PTX `tcgen05.shift.cta_group::1.down`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// `address` is that of 8 allocated columns, with a lane that is a multiple of 32; nothing accesses them until a commit of this thread has arrived.
    unsafe fn tcgen05_shift(address: u32) = "asm:volatile+memory+exact100+ptx86|tcgen05.shift.cta_group::1.down [$0];";
}

coded_intrinsics! {
    /// Begins to load registers from tensor memory. PTX `tcgen05.ld.sync.aligned`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// `d` is that of as many registers as the number says, which are used again behind [`tcgen05_loaded`]. `address` is that of as many allocated columns, in lanes
    /// that the warp may access. All lanes of the warp make this call together.
    unsafe fn tcgen05_load(d: *mut u32, address: u32) = "tcgen05.load";
    /// Waits for loads, of which one has these registers. PTX `tcgen05.wait::ld.sync.aligned`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// `d` is that of as many registers as the number says. All lanes of the warp make this call together.
    unsafe fn tcgen05_loaded(d: *mut u32) = "tcgen05.loaded";
    /// Begins to store registers to tensor memory. PTX `tcgen05.st.sync.aligned`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// As for [`tcgen05_load`]; nothing else accesses the columns until the stores have been waited for.
    unsafe fn tcgen05_store(from: *const u32, address: u32) = "tcgen05.store";
    /// Begins `d = a · b + d` in tensor memory. PTX `tcgen05.mma.cta_group::1`, 8.6 · sm_100a.
    ///
    /// # Safety
    /// `d` is that of as many allocated columns as the instruction's descriptor says, `a` the address of A in tensor memory or `matrix_a` its descriptor, `matrix_b` that
    /// of B in shared memory, as the number says; nothing writes them, or accesses D otherwise, until a commit of this thread has arrived. One thread makes this call.
    unsafe fn tcgen05_product(d: u32, a: u32, matrix_a: u64, matrix_b: u64, instruction: u32) = "tcgen05.product";
}
