//! How many blocks and warps of a kernel are on one multiprocessor at a time: the rules alone, for GPUs that are not there.
//!
//! A loaded kernel knows its own figures: [`Function::occupancy`](crate::module::Function::occupancy) asks the driver, and on the emulator
//! these rules. In short: a multiprocessor has places for blocks and warps, registers, and shared memory; each block takes of all of them
//! in whole units, and the scarcest decides.
//!
//! ```
//! use warploom_runtime::model::Model;
//! use warploom_runtime::occupancy::{BlockNeeds, Multiprocessor};
//!
//! let hopper = Multiprocessor::of(Model::CC_9_0);
//! let room = hopper.occupancy_of(&BlockNeeds { threads: 256, registers: 40, shared_bytes: 0 });
//! assert_eq!((room.blocks, room.warps, room.max_warps), (6, 48, 64));
//! assert_eq!(room.occupancy(), 0.75);
//! assert_eq!(room.by_registers, Some(6)); // registers are what there is too little of
//! ```

use std::fmt;

use crate::device::Limits;
use crate::model::Model;

/// What one multiprocessor has, and in which units it gives it away.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Multiprocessor {
    /// Threads of a warp.
    pub warp: u32,
    /// Threads of a block at most.
    pub threads_per_block: u32,
    /// Blocks at a time.
    pub blocks: u32,
    /// Warps at a time.
    pub warps: u32,
    /// Registers of 32 bits.
    pub registers: u32,
    /// Registers of a block at most.
    pub registers_per_block: u32,
    /// Registers of a thread at most.
    pub registers_per_thread: u32,
    /// In which units registers are given away.
    pub register_unit: RegisterUnit,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
    /// Bytes of shared memory of a block at most.
    pub shared_bytes_per_block: u32,
    /// Bytes that a block takes a multiple of.
    pub shared_unit: u32,
    /// Bytes that each block takes beside its own.
    pub shared_reserved: u32,
}

/// In which units registers are given away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterUnit {
    /// To blocks: the warps are rounded up to a multiple of `warps`, then the registers to a multiple of `registers`.
    Block {
        /// Warps.
        warps: u32,
        /// Registers.
        registers: u32,
    },
    /// To warps, a multiple of `registers` each, from one of so many `partitions` of the registers.
    Warp {
        /// Registers.
        registers: u32,
        /// Parts that the registers, and the warps of a block, are dealt out to.
        partitions: u32,
    },
}

/// What a block takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockNeeds {
    /// Threads of the block.
    pub threads: u32,
    /// Registers of each thread; 0 if unknown: they are left out then.
    pub registers: u32,
    /// Bytes of shared memory of the block, static and dynamic together.
    pub shared_bytes: u32,
}

/// What there is room for at a time on one multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occupancy {
    /// Blocks; 0 if such a block cannot run at all.
    pub blocks: u32,
    /// Warps of these blocks.
    pub warps: u32,
    /// Warps that there are places for.
    pub max_warps: u32,
    /// Blocks that there are places for.
    pub by_blocks: u32,
    /// Blocks whose warps there are places for.
    pub by_warps: u32,
    /// Blocks that there are registers for; `None` if they do not matter.
    pub by_registers: Option<u32>,
    /// Blocks that there is shared memory for; `None` if it does not matter.
    pub by_shared: Option<u32>,
    /// Registers that a block takes, in whole units.
    pub registers_per_block: u32,
    /// Bytes of shared memory that a block takes, in whole units.
    pub shared_bytes_per_block: u32,
}

impl Occupancy {
    /// Warps that are there, as a part of those that there are places for: 1.0 is full.
    #[must_use]
    pub fn occupancy(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.max_warps.max(1))
    }
}

impl Multiprocessor {
    /// That of an emulated compute capability.
    ///
    /// Registers: 65,536 of them, in units of 256 per warp from one of four parts, as CUDA 13.0 has it for all of these.
    #[must_use]
    pub fn of(model: Model) -> Multiprocessor {
        let limits = model.limits();
        let warp = warploom_emulator::ModelLimits::WARP;
        Multiprocessor {
            warp,
            threads_per_block: warploom_emulator::ModelLimits::THREADS_PER_BLOCK,
            blocks: limits.blocks_per_multiprocessor,
            warps: limits.threads_per_multiprocessor / warp,
            registers: 64 * 1024,
            registers_per_block: 64 * 1024,
            registers_per_thread: 255,
            register_unit: RegisterUnit::Warp {
                registers: 256,
                partitions: 4,
            },
            shared_bytes: limits.shared_bytes_per_multiprocessor,
            shared_bytes_per_block: limits.shared_bytes_opt_in,
            shared_unit: limits.shared_granularity,
            shared_reserved: limits.shared_bytes_reserved,
        }
    }

    /// That of a GPU that is there, by the limits that its driver names.
    pub(crate) fn of_gpu(limits: &Limits) -> Multiprocessor {
        Multiprocessor {
            warp: limits.warp,
            threads_per_block: limits.threads_per_block,
            blocks: limits.blocks_per_multiprocessor,
            warps: limits.threads_per_multiprocessor / limits.warp.max(1),
            shared_bytes: limits.shared_bytes_per_multiprocessor,
            shared_bytes_per_block: limits.shared_bytes_opt_in,
            shared_reserved: limits.shared_bytes_reserved,
            // As of all GPUs since compute capability 8.0; earlier ones round more.
            ..Multiprocessor::of(Model::default())
        }
    }

    /// That of the GPUs that CUDA's first guides were written for, 1.0 to 1.3 and 2.0, which no driver of today runs: to check the rules by
    /// the guides' own figures. `None` for others.
    #[must_use]
    pub fn historical(major: u32, minor: u32) -> Option<Multiprocessor> {
        let (warps, registers, unit) = match (major, minor) {
            (1, 0 | 1) => (24, 8, 256),
            (1, 2 | 3) => (32, 16, 512),
            (2, 0) => (48, 32, 64),
            _ => return None,
        };
        let first = major == 1;
        let shared_bytes = if first { 16 * 1024 } else { 48 * 1024 };
        Some(Multiprocessor {
            warp: 32,
            threads_per_block: if first { 512 } else { 1024 },
            blocks: 8,
            warps,
            registers: registers * 1024,
            registers_per_block: registers * 1024,
            registers_per_thread: if first { 124 } else { 63 },
            register_unit: if first {
                RegisterUnit::Block {
                    warps: 2,
                    registers: unit,
                }
            } else {
                RegisterUnit::Warp {
                    registers: unit,
                    partitions: 1,
                }
            },
            shared_bytes,
            shared_bytes_per_block: shared_bytes,
            shared_unit: if first { 512 } else { 128 },
            shared_reserved: 0,
        })
    }

    /// How many such blocks are there at a time. CUDA: `cudaOccupancyMaxActiveBlocksPerMultiprocessor`.
    #[must_use]
    pub fn occupancy_of(&self, block: &BlockNeeds) -> Occupancy {
        let warps = block.threads.div_ceil(self.warp).max(1);
        let (by_registers, registers_per_block) = self.by_registers(block.registers, warps);
        let (by_shared, shared_bytes_per_block) = self.by_shared(block.shared_bytes);
        let by_warps = self.warps / warps;
        let possible = (1..=self.threads_per_block).contains(&block.threads);
        let blocks = if possible {
            self.blocks
                .min(by_warps)
                .min(by_registers.unwrap_or(u32::MAX))
                .min(by_shared.unwrap_or(u32::MAX))
        } else {
            0
        };
        Occupancy {
            blocks,
            warps: blocks * warps,
            max_warps: self.warps,
            by_blocks: self.blocks,
            by_warps,
            by_registers,
            by_shared,
            registers_per_block,
            shared_bytes_per_block,
        }
    }

    /// Blocks by registers, and the registers of one.
    fn by_registers(&self, per_thread: u32, warps: u32) -> (Option<u32>, u32) {
        if per_thread == 0 {
            return (None, 0);
        }
        let up = |n: u32, unit: u32| n.checked_next_multiple_of(unit).unwrap_or(u32::MAX);
        let per_warp = per_thread.saturating_mul(self.warp);
        let (blocks, registers, checked) = match self.register_unit {
            RegisterUnit::Block {
                warps: unit,
                registers,
            } => {
                let block = up(per_warp.saturating_mul(up(warps, unit)), registers);
                (self.registers / block, block, block)
            }
            RegisterUnit::Warp {
                registers,
                partitions,
            } => {
                let warp = up(per_warp, registers);
                let places = self.registers / partitions / warp * partitions;
                // A launch is checked as if each part had as many of its warps.
                let checked = warp.saturating_mul(up(warps, partitions));
                (places / warps, warp.saturating_mul(warps), checked)
            }
        };
        let fits = checked <= self.registers_per_block && per_thread <= self.registers_per_thread;
        (Some(if fits { blocks } else { 0 }), registers)
    }

    /// Blocks by shared memory, and the bytes of one.
    fn by_shared(&self, bytes: u32) -> (Option<u32>, u32) {
        let taken = bytes
            .saturating_add(self.shared_reserved)
            .checked_next_multiple_of(self.shared_unit)
            .unwrap_or(u32::MAX);
        if bytes > self.shared_bytes_per_block {
            return (Some(0), taken);
        }
        (self.shared_bytes.checked_div(taken), taken)
    }
}

/// The largest block with the most threads at a time, from `most` threads down in whole warps, or in one step if `only` is a size; with the
/// blocks of it that one multiprocessor has places for. `None` if no block runs.
pub(crate) fn best_block<E>(
    (most, warp): (u32, u32),
    only: Option<u32>,
    full: u32,
    mut blocks_of: impl FnMut(u32) -> Result<u32, E>,
) -> Result<Option<(u32, u32)>, E> {
    let mut best: Option<(u32, u32)> = None;
    let sizes = (1..=most.div_ceil(warp))
        .rev()
        .map(|warps| (warps * warp).min(most));
    let sizes: Vec<u32> = only.map_or_else(|| sizes.collect(), |only| vec![only]);
    for threads in sizes {
        let blocks = blocks_of(threads)?;
        let all = threads.saturating_mul(blocks);
        if all > best.map_or(0, |(threads, blocks)| threads.saturating_mul(blocks)) {
            best = Some((threads, blocks));
        }
        if all >= full {
            break;
        }
    }
    Ok(best)
}

impl fmt::Display for Occupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.occupancy();
        let (blocks, warps, most) = (self.blocks, self.warps, self.max_warps);
        write!(
            f,
            "{blocks} blocks, {warps} of {most} warps ({percent:.0} %)"
        )
    }
}

#[cfg(test)]
#[path = "occupancy_tests.rs"]
mod tests;
