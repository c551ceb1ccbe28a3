//! What GPUs of each compute capability have room for: the one table.
//!
//! Sources: the limits per multiprocessor and block are those of the CUDA C++ Programming Guide 13.0, appendix "Compute Capabilities",
//! table "Technical Specifications per Compute Capability"; blocks per multiprocessor and the granularity of shared memory were checked
//! against `cuda_occupancy.h` of CUDA 13.0; clusters: the guide, "Thread Block Clusters" (8 blocks are portable), 16 blocks on request
//! where the GPU has them. Multiprocessors are those of the board that stands beside them. Registers are not modelled.

use std::fmt;
use std::str::FromStr;

/// A compute capability that the emulator can stand for. The default is 9.0, with as many multiprocessors as an H200.
///
/// ```
/// use warploom_emulator::Model;
/// let turing: Model = "7.5".parse()?;
/// assert_eq!(turing, Model::CC_7_5);
/// assert_eq!(turing.limits().shared_bytes_opt_in, 64 * 1024);
/// assert_eq!(turing.to_string(), "7.5 (T4)");
/// # Ok::<(), warploom_emulator::UnknownModel>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Model(u8);

/// What a device of one [`Model`] has room for. Counts and bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelLimits {
    /// Compute capability: major, minor.
    pub compute_capability: (u32, u32),
    /// A board of this capability, whose multiprocessors are counted.
    pub board: &'static str,
    /// Multiprocessors of that board.
    pub multiprocessors: u32,
    /// Threads that are on one multiprocessor at a time.
    pub threads_per_multiprocessor: u32,
    /// Blocks that are on one multiprocessor at a time.
    pub blocks_per_multiprocessor: u32,
    /// Shared memory of one multiprocessor.
    pub shared_bytes_per_multiprocessor: u32,
    /// Shared memory that a block can ask for, static and dynamic together.
    pub shared_bytes_opt_in: u32,
    /// Shared memory that each block takes beside its own.
    pub shared_bytes_reserved: u32,
    /// A block's shared memory takes a multiple of this.
    pub shared_granularity: u32,
    /// Blocks of a cluster that every GPU of the capability runs; 0: no clusters.
    pub cluster_blocks: u32,
    /// Blocks of a cluster on request.
    pub largest_cluster: u32,
}

impl ModelLimits {
    /// Threads of a warp.
    pub const WARP: u32 = 32;
    /// Threads of a block, on every model.
    pub const THREADS_PER_BLOCK: u32 = 1024;
    /// Threads of a block along x, y and z, on every model.
    pub const BLOCK: [u32; 3] = [1024, 1024, 64];
    /// Blocks of a grid along x, y and z, on every model.
    pub const GRID: [u32; 3] = [0x7fff_ffff, 65_535, 65_535];
    /// Shared memory that a block has without asking, and all that its static arrays can have, on every model.
    pub const SHARED_BYTES: u32 = 48 * 1024;
    /// Constant memory, on every model.
    pub const CONSTANT_BYTES: u32 = 64 * 1024;
    /// Bytes of all parameters of a kernel, on every model (with CUDA 12.1 or newer).
    pub const PARAMETER_BYTES: u32 = 32_764;

    /// Blocks of this size that one multiprocessor has room for.
    #[must_use]
    pub fn blocks_of(&self, threads: u32, shared_bytes: u32) -> u32 {
        let threads = threads.clamp(1, Self::THREADS_PER_BLOCK);
        let by_threads = self.threads_per_multiprocessor / threads.next_multiple_of(Self::WARP);
        let shared = shared_bytes.saturating_add(self.shared_bytes_reserved);
        let shared = shared
            .checked_next_multiple_of(self.shared_granularity)
            .unwrap_or(u32::MAX);
        let by_shared = self
            .shared_bytes_per_multiprocessor
            .checked_div(shared)
            .unwrap_or(u32::MAX);
        by_threads
            .min(by_shared)
            .min(self.blocks_per_multiprocessor)
    }
}

/// Shared memory is given in KiB; what a block reserves follows from it.
#[rustfmt::skip]
static TABLE: [ModelLimits; 9] = [
    //   capability  board                       SMs  threads blocks   KiB  block reserved granule clusters
    row((7, 5),  "T4",                            40, 1024, 16,         64,  64,  0, 256, (0, 0)),
    row((8, 0),  "A100",                         108, 2048, 32,        164, 163,  1, 128, (0, 0)),
    row((8, 6),  "A10",                           72, 1536, 16,        100,  99,  1, 128, (0, 0)),
    row((8, 7),  "Jetson AGX Orin",               16, 1536, 16,        164, 163,  1, 128, (0, 0)),
    row((8, 9),  "L40S",                         142, 1536, 24,        100,  99,  1, 128, (0, 0)),
    row((9, 0),  "H200",                         132, 2048, 32,        228, 227,  1, 128, (8, 16)),
    row((10, 0), "B200",                         148, 2048, 32,        228, 227,  1, 128, (8, 16)),
    row((12, 0), "RTX 5090",                     170, 1536, 24,        100,  99,  1, 128, (8, 8)),
    row((12, 1), "GB10",                          48, 1536, 24,        100,  99,  1, 128, (8, 8)),
];

#[expect(clippy::too_many_arguments, reason = "a row of a table")]
const fn row(
    compute_capability: (u32, u32),
    board: &'static str,
    multiprocessors: u32,
    threads_per_multiprocessor: u32,
    blocks_per_multiprocessor: u32,
    shared_kib: u32,
    block_kib: u32,
    reserved_kib: u32,
    shared_granularity: u32,
    (cluster_blocks, largest_cluster): (u32, u32),
) -> ModelLimits {
    ModelLimits {
        compute_capability,
        board,
        multiprocessors,
        threads_per_multiprocessor,
        blocks_per_multiprocessor,
        shared_bytes_per_multiprocessor: shared_kib * 1024,
        shared_bytes_opt_in: block_kib * 1024,
        shared_bytes_reserved: reserved_kib * 1024,
        shared_granularity,
        cluster_blocks,
        largest_cluster,
    }
}

impl Model {
    /// Turing.
    pub const CC_7_5: Model = Model(0);
    /// Ampere, data centre.
    pub const CC_8_0: Model = Model(1);
    /// Ampere.
    pub const CC_8_6: Model = Model(2);
    /// Ampere, Jetson Orin.
    pub const CC_8_7: Model = Model(3);
    /// Ada.
    pub const CC_8_9: Model = Model(4);
    /// Hopper.
    pub const CC_9_0: Model = Model(5);
    /// Blackwell, data centre.
    pub const CC_10_0: Model = Model(6);
    /// Blackwell.
    pub const CC_12_0: Model = Model(7);
    /// Blackwell, GB10.
    pub const CC_12_1: Model = Model(8);

    /// All of them, oldest first.
    #[must_use]
    pub fn all() -> impl ExactSizeIterator<Item = Model> {
        (0..TABLE.len() as u8).map(Model)
    }

    /// The model of a compute capability; `None` if there is none.
    #[must_use]
    pub fn of(major: u32, minor: u32) -> Option<Model> {
        Model::all().find(|model| model.limits().compute_capability == (major, minor))
    }

    /// What it has room for.
    #[must_use]
    pub fn limits(self) -> &'static ModelLimits {
        &TABLE[usize::from(self.0)]
    }

    /// How many blocks of this size are there at a time: what a cooperative grid can have.
    ///
    /// ```
    /// use warploom_emulator::Model;
    /// assert_eq!(Model::CC_9_0.resident_blocks(1024, 0), 264);
    /// assert_eq!(Model::CC_7_5.resident_blocks(1024, 0), 40);
    /// assert_eq!(Model::CC_8_6.resident_blocks(32, 40 * 1024), 144);
    /// ```
    #[must_use]
    pub fn resident_blocks(self, threads: u32, shared_bytes: u32) -> u64 {
        let limits = self.limits();
        u64::from(limits.multiprocessors) * u64::from(limits.blocks_of(threads, shared_bytes))
    }
}

impl Default for Model {
    fn default() -> Self {
        Model::CC_9_0
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.limits().compute_capability;
        write!(f, "Model({major}.{minor})")
    }
}

/// The compute capability and the board: `8.6 (A10)`.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = self.limits();
        let (major, minor) = limits.compute_capability;
        write!(f, "{major}.{minor} ({})", limits.board)
    }
}

/// A text that names no [`Model`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{given}` is no compute capability that can be emulated; there are {}",
    capabilities()
)]
pub struct UnknownModel {
    /// The text.
    pub given: String,
}

/// `7.5, 8.0, 8.6 …`
fn capabilities() -> String {
    let texts = Model::all().map(|model| {
        let (major, minor) = model.limits().compute_capability;
        format!("{major}.{minor}")
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// Reads `8.6`.
impl FromStr for Model {
    type Err = UnknownModel;

    fn from_str(text: &str) -> Result<Self, UnknownModel> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
            digits.then(|| text.parse().ok()).flatten()
        };
        text.split_once('.')
            .and_then(|(major, minor)| Model::of(number(major)?, number(minor)?))
            .ok_or_else(|| UnknownModel {
                given: text.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_models_and_back() {
        for model in Model::all() {
            let (major, minor) = model.limits().compute_capability;
            assert_eq!(format!("{major}.{minor}").parse(), Ok(model));
        }
        for wrong in [
            "",
            "9",
            "9.",
            ".0",
            "8.1",
            "+8.6",
            "8.6.0",
            "sm_86",
            "99999999999.0",
        ] {
            let text = wrong.parse::<Model>().unwrap_err().to_string();
            assert!(
                text.starts_with(&format!("`{wrong}` is no compute")),
                "{text}"
            );
            assert!(
                text.ends_with("7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0, 12.0, 12.1"),
                "{text}"
            );
        }
    }

    #[test]
    fn the_constants_are_what_their_names_say() {
        let constants = [
            (Model::CC_7_5, (7, 5)),
            (Model::CC_8_0, (8, 0)),
            (Model::CC_8_6, (8, 6)),
            (Model::CC_8_7, (8, 7)),
            (Model::CC_8_9, (8, 9)),
            (Model::CC_9_0, (9, 0)),
            (Model::CC_10_0, (10, 0)),
            (Model::CC_12_0, (12, 0)),
            (Model::CC_12_1, (12, 1)),
        ];
        assert_eq!(constants.len(), Model::all().len());
        for (model, capability) in constants {
            assert_eq!(model.limits().compute_capability, capability);
        }
    }

    //@ rows: GCC-13, GCC-14
    #[test]
    fn a_block_of_any_size_allowed_fits_on_a_multiprocessor() {
        for model in Model::all() {
            let limits = model.limits();
            let largest = (ModelLimits::THREADS_PER_BLOCK, limits.shared_bytes_opt_in);
            assert_eq!(limits.blocks_of(largest.0, largest.1), 1, "{model}");
            assert_eq!(limits.blocks_of(largest.0, largest.1 + 1), 0, "{model}");
        }
    }

    //@ rows: GCC-17, GCC-19, GCC-21
    #[test]
    fn places_are_limited_by_blocks_threads_or_shared_memory() {
        for model in Model::all() {
            let limits = model.limits();
            assert_eq!(limits.blocks_of(1, 0), limits.blocks_per_multiprocessor);
            let warps = limits.threads_per_multiprocessor / 32;
            assert_eq!(limits.blocks_of(512, 0), warps / 16);
            assert_eq!(limits.blocks_of(513, 0), warps / 17, "a warp more");
            let half = (limits.shared_bytes_per_multiprocessor / 2 / limits.shared_granularity)
                * limits.shared_granularity
                - limits.shared_bytes_reserved;
            assert_eq!(limits.blocks_of(32, half), 2, "{model}");
            assert_eq!(limits.blocks_of(32, half + 1), 1, "{model}");
        }
    }
}
