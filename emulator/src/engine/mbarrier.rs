//! The 8 bytes of a barrier in memory: the number of threads that arrive in each phase, how many of them have not yet, and the number of
//! the phase.

/// Bits of a count. PTX allows 2^20 - 1 arrivals.
pub(crate) const COUNT_BITS: u32 = 20;
pub(crate) const COUNT: u64 = (1 << COUNT_BITS) - 1;
pub(crate) const PHASE_SHIFT: u32 = 2 * COUNT_BITS;

/// The phase, how many arrive in each, and how many have not yet in this, of a barrier in this state.
pub(crate) fn phase(state: u64) -> (u64, u64, u64) {
    (
        state >> PHASE_SHIFT,
        state & COUNT,
        state >> COUNT_BITS & COUNT,
    )
}
