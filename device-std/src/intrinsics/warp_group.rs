//! Products of matrices by the four warps of a group, of which some operands are in shared memory. What kind of product it is says a number, which the device
//! linker reads out of the call: instructions differ in what are no operands.

unsafe_intrinsics! {
    /// Ends a group of products of this warp. PTX `wgmma.commit_group.sync.aligned`, 8.0 · sm_90a.
    ///
    /// # Safety
    /// All lanes of the warp make this call together.
    unsafe fn wgmma_commit() = "asm:volatile+memory+convergent+exact90+ptx80|wgmma.commit_group.sync.aligned;";
    /// Whether this lane is the one that is chosen of those that make this call. PTX `elect.sync`, 8.0 · sm_90.
    ///
    /// # Safety
    /// All lanes of the warp make this call together.
    unsafe fn elect_one() -> bool = "asm:volatile+convergent+sm90+ptx80|{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 $0, 1, 0, p; }";
}

coded_intrinsics! {
    /// `d = a · b + d`, begun. PTX `wgmma.mma_async.sync.aligned`, 8.0 · sm_90a.
    ///
    /// # Safety
    /// `d` and, where A is in registers, `of_a` are those of as many registers as the instruction has. Where A is in shared memory `a` is where it begins, as
    /// `b` for B, and the descriptors say how they lie there; no thread writes them until the product has been waited for. All threads of the group make
    /// this call together, and use the registers of D again when they have waited.
    unsafe fn wgmma_product(d: *mut u32, of_a: *const u32, a: *const u8, layout_a: u64, b: *const u8, layout_b: u64) = "wgmma.product";
    /// Orders accesses to the registers of D before products. PTX `wgmma.fence.sync.aligned`, 8.0 · sm_90a.
    ///
    /// # Safety
    /// `d` is that of as many registers as the number says. All threads of the group make this call together.
    unsafe fn wgmma_fence(d: *mut u32) = "wgmma.fence";
    /// Waits until at most so many of the latest groups of products are under way. PTX `wgmma.wait_group.sync.aligned`, 8.0 · sm_90a.
    ///
    /// # Safety
    /// As for [`wgmma_fence`].
    unsafe fn wgmma_wait(d: *mut u32) = "wgmma.wait";
    /// Gives registers of each thread back to the multiprocessor, or asks for more. PTX `setmaxnreg.sync.aligned`, 8.0 · sm_90a.
    ///
    /// # Safety
    /// All threads of the group make this call together.
    unsafe fn set_registers() = "setmaxnreg";
}
