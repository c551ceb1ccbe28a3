//! Barriers by number, for tests: the emulator asks for `unsafe` because the tiles of a kernel have barriers of their own.

/// Barrier `id`.
#[track_caller]
pub(crate) fn named_barrier(id: u32) {
    // SAFETY: the kernels of these tests have no tiles.
    unsafe { warploom_emulator::intrinsics::barrier(id) };
}
