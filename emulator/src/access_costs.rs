//! What the accesses of a run cost in all, by memory and direction: the numbers that a GPU's counters have as well.

use std::ops::AddAssign;

/// What the plain loads and stores of a run cost. Atomics and volatile accesses are not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AccessCosts {
    /// Loads from global memory.
    pub global_loads: GlobalCost,
    /// Stores to global memory.
    pub global_stores: GlobalCost,
    /// Loads from the block's shared memory.
    pub shared_loads: SharedCost,
    /// Stores to it.
    pub shared_stores: SharedCost,
}

/// What accesses to global memory cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct GlobalCost {
    /// Instructions that warps execute for them.
    pub instructions: u64,
    /// Sectors of 32 bytes that they touched, each counted once per instruction.
    pub sectors: u64,
    /// As few sectors as could hold the bytes that each instruction accesses.
    pub ideal_sectors: u64,
}

/// What accesses to shared memory cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SharedCost {
    /// Instructions that warps execute for them.
    pub instructions: u64,
    /// Passes over the banks. Nsight Compute: wavefronts.
    pub passes: u64,
    /// Passes if no bank had to give two words in one; the others are bank conflicts.
    pub ideal_passes: u64,
}

impl AddAssign for AccessCosts {
    fn add_assign(&mut self, other: Self) {
        self.global_loads += other.global_loads;
        self.global_stores += other.global_stores;
        self.shared_loads += other.shared_loads;
        self.shared_stores += other.shared_stores;
    }
}

impl AddAssign for GlobalCost {
    fn add_assign(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.sectors += other.sectors;
        self.ideal_sectors += other.ideal_sectors;
    }
}

impl AddAssign for SharedCost {
    fn add_assign(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.passes += other.passes;
        self.ideal_passes += other.ideal_passes;
    }
}
