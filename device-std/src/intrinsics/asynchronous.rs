//! Barriers in memory, and copies that go on while the thread does something else.

use super::Intrinsic;

unsafe_intrinsics! {
    /// Makes `*at` a barrier at which `count` threads arrive in each phase. PTX `mbarrier.init.b64`, 7.0 · sm_80.
    ///
    /// # Safety
    /// `at` is valid and aligned, in shared memory, and no other thread uses it before the next barrier of the block. `count` is at
    /// least 1 and below 2^20.
    unsafe fn mbarrier_init(at: *mut u64, count: u32) = "asm:volatile+memory+sm80+ptx70|mbarrier.init.b64 [$0], $1;";
    /// Ends the use of `*at` as a barrier; the memory may be used otherwise. PTX `mbarrier.inval.b64`, 7.0 · sm_80.
    ///
    /// # Safety
    /// `*at` is a barrier at which no thread waits or arrives any more.
    unsafe fn mbarrier_inval(at: *mut u64) = "asm:volatile+memory+sm80+ptx70|mbarrier.inval.b64 [$0];";
    /// Arrives; gives what [`mbarrier_test_wait`] wants. Orders what the thread did before, for those that wait.
    /// PTX `mbarrier.arrive.b64`, 7.0 · sm_80.
    ///
    /// # Safety
    /// `*at` is a barrier: a barrier of the block lies between its initialisation and this call. No phase gets more arrivals than its count.
    unsafe fn mbarrier_arrive(at: *mut u64) -> u64 = "asm:volatile+memory+sm80+ptx70|mbarrier.arrive.b64 $0, [$1];";
    /// Whether the phase has ended in which `state` was given. PTX `mbarrier.test_wait.b64`, 7.0 · sm_80.
    ///
    /// # Safety
    /// `*at` is a barrier, and `state` comes from its current or its last phase.
    unsafe fn mbarrier_test_wait(at: *mut u64, state: u64) -> bool = "asm:volatile+memory+sm80+ptx70|{ .reg .pred p; mbarrier.test_wait.b64 p, [$1], $2; selp.u32 $0, 1, 0, p; }";
    /// Whether the phase of this parity has ended; the first phase has parity 0. PTX `mbarrier.test_wait.parity.b64`, 7.1 · sm_80.
    ///
    /// # Safety
    /// `*at` is a barrier, and `parity` is that of its current or its last phase, 0 or 1.
    unsafe fn mbarrier_test_parity(at: *mut u64, parity: u32) -> bool = "asm:volatile+memory+sm80+ptx71|{ .reg .pred p; mbarrier.test_wait.parity.b64 p, [$1], $2; selp.u32 $0, 1, 0, p; }";
    /// As [`mbarrier_test_parity`]; the thread may sleep for a while first. PTX `mbarrier.try_wait.parity.b64`, 7.8 · sm_90.
    ///
    /// # Safety
    /// As for [`mbarrier_test_parity`].
    unsafe fn mbarrier_try_parity(at: *mut u64, parity: u32) -> bool = "asm:volatile+memory+sm90+ptx78|{ .reg .pred p; mbarrier.try_wait.parity.b64 p, [$1], $2; selp.u32 $0, 1, 0, p; }";
    /// Waits until the phase has ended in which `state` was given: a loop around [`mbarrier_test_wait`]. PTX 7.0 · sm_80.
    ///
    /// # Safety
    /// As for [`mbarrier_test_wait`].
    unsafe fn mbarrier_wait(at: *mut u64, state: u64) = "asm:volatile+memory+sm80+ptx70|{ .reg .pred p; AGAIN: mbarrier.test_wait.b64 p, [$0], $1; @!p bra AGAIN; }";
    /// Waits until the phase of this parity has ended: a loop around [`mbarrier_test_parity`]. PTX 7.1 · sm_80.
    ///
    /// # Safety
    /// As for [`mbarrier_test_parity`].
    unsafe fn mbarrier_wait_parity(at: *mut u64, parity: u32) = "asm:volatile+memory+sm80+ptx71|{ .reg .pred p; AGAIN: mbarrier.test_wait.parity.b64 p, [$0], $1; @!p bra AGAIN; }";
    /// Arrives, once for this thread, when all copies have ended that it has begun. PTX `cp.async.mbarrier.arrive.noinc.b64`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As for [`mbarrier_arrive`], and as promised for each copy.
    unsafe fn copy_async_arrive(at: *mut u64) = "asm:volatile+memory+sm80+ptx70|cp.async.mbarrier.arrive.noinc.b64 [$0];";
    /// Begins to copy 4 bytes from global into shared memory. PTX `cp.async.ca.shared.global`, 7.0 · sm_80.
    ///
    /// # Safety
    /// Both are valid for 4 bytes, and aligned to them, until the copy has been waited for; `to` is in shared memory, `from` in global
    /// memory, and no other thread uses the target meanwhile.
    unsafe fn copy_async_4(to: *mut u8, from: *const u8) = "asm:volatile+memory+sm80+ptx70|{ .reg .u64 s, g; cvta.to.shared.u64 s, $0; cvta.to.global.u64 g, $1; cp.async.ca.shared.global [s], [g], 4; }";
    /// Begins to copy 8 bytes from global into shared memory. PTX `cp.async.ca.shared.global`, 7.0 · sm_80.
    ///
    /// # Safety
    /// Both are valid for 8 bytes, and aligned to them, until the copy has been waited for; `to` is in shared memory, `from` in global
    /// memory, and no other thread uses the target meanwhile.
    unsafe fn copy_async_8(to: *mut u8, from: *const u8) = "asm:volatile+memory+sm80+ptx70|{ .reg .u64 s, g; cvta.to.shared.u64 s, $0; cvta.to.global.u64 g, $1; cp.async.ca.shared.global [s], [g], 8; }";
    /// Begins to copy 16 bytes from global into shared memory, past the first cache. PTX `cp.async.cg.shared.global`, 7.0 · sm_80.
    ///
    /// # Safety
    /// Both are valid for 16 bytes, and aligned to them, until the copy has been waited for; `to` is in shared memory, `from` in global
    /// memory, and no other thread uses the target meanwhile.
    unsafe fn copy_async_16(to: *mut u8, from: *const u8) = "asm:volatile+memory+sm80+ptx70|{ .reg .u64 s, g; cvta.to.shared.u64 s, $0; cvta.to.global.u64 g, $1; cp.async.cg.shared.global [s], [g], 16; }";
    /// Makes a group of the copies that this thread has begun since the last group. PTX `cp.async.commit_group`, 7.0 · sm_80.
    ///
    /// # Safety
    /// All code that counts the thread's groups meanwhile allows for one more, as [`crate::AsyncTiles`] does.
    unsafe fn copy_async_commit() = "asm:volatile+memory+sm80+ptx70|cp.async.commit_group;";
    /// Waits until at most 0 of the thread's groups of copies are under way, the latest. PTX `cp.async.wait_group 0`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As promised for each copy; other threads see what was copied after a barrier.
    unsafe fn copy_async_wait_0() = "asm:volatile+memory+sm80+ptx70|cp.async.wait_group 0;";
    /// Waits until at most 1 of the thread's groups of copies are under way, the latest. PTX `cp.async.wait_group 1`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As promised for each copy; other threads see what was copied after a barrier.
    unsafe fn copy_async_wait_1() = "asm:volatile+memory+sm80+ptx70|cp.async.wait_group 1;";
    /// Waits until at most 2 of the thread's groups of copies are under way, the latest. PTX `cp.async.wait_group 2`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As promised for each copy; other threads see what was copied after a barrier.
    unsafe fn copy_async_wait_2() = "asm:volatile+memory+sm80+ptx70|cp.async.wait_group 2;";
    /// Waits until at most 3 of the thread's groups of copies are under way, the latest. PTX `cp.async.wait_group 3`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As promised for each copy; other threads see what was copied after a barrier.
    unsafe fn copy_async_wait_3() = "asm:volatile+memory+sm80+ptx70|cp.async.wait_group 3;";
    /// Waits until at most 4 of the thread's groups of copies are under way, the latest. PTX `cp.async.wait_group 4`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As promised for each copy; other threads see what was copied after a barrier.
    unsafe fn copy_async_wait_4() = "asm:volatile+memory+sm80+ptx70|cp.async.wait_group 4;";
    /// Waits until at most 5 of the thread's groups of copies are under way, the latest. PTX `cp.async.wait_group 5`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As promised for each copy; other threads see what was copied after a barrier.
    unsafe fn copy_async_wait_5() = "asm:volatile+memory+sm80+ptx70|cp.async.wait_group 5;";
    /// Waits until at most 6 of the thread's groups of copies are under way, the latest. PTX `cp.async.wait_group 6`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As promised for each copy; other threads see what was copied after a barrier.
    unsafe fn copy_async_wait_6() = "asm:volatile+memory+sm80+ptx70|cp.async.wait_group 6;";
    /// Waits until at most 7 of the thread's groups of copies are under way, the latest. PTX `cp.async.wait_group 7`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As promised for each copy; other threads see what was copied after a barrier.
    unsafe fn copy_async_wait_7() = "asm:volatile+memory+sm80+ptx70|cp.async.wait_group 7;";
    /// Waits until all copies have ended that this thread has begun. PTX `cp.async.wait_all`, 7.0 · sm_80.
    ///
    /// # Safety
    /// As promised for each copy; other threads see what was copied after a barrier.
    unsafe fn copy_async_wait_all() = "asm:volatile+memory+sm80+ptx70|cp.async.wait_all;";
}

intrinsics! {
    /// Whether copies may begin at `p`: it points into global memory. PTX `isspacep.global`, 2.0 · sm_20.
    scalar fn copy_async_from_global(p: *const u8) -> bool = "asm:|{ .reg .pred p; isspacep.global p, $1; selp.u32 $0, 1, 0, p; }";
}
