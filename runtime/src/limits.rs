//! What a device runs at most.

/// What one device runs at most. Counts and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Threads of one block.
    pub threads_per_block: u32,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Blocks of a grid along x, y and z.
    pub grid: [u32; 3],
    /// Bytes of shared memory that a block has without asking for more.
    pub shared_bytes: u32,
    /// Bytes of shared memory that a block can ask for; launches do it by themselves.
    pub shared_bytes_opt_in: u32,
    /// Bytes of all parameters of a kernel.
    pub parameter_bytes: u32,
    /// Bytes of constant memory.
    pub constant_bytes: u32,
    /// Threads of a warp.
    pub warp: u32,
    /// Blocks of a cluster; 0 where there are no clusters. Some GPUs run larger ones: see
    /// [`Launch::large_clusters`](crate::Launch::large_clusters).
    pub cluster_blocks: u32,
    /// Multiprocessors of the device; on the emulator, those of the board that its [model](crate::model::Model) names.
    pub multiprocessors: u32,
    /// Threads that are on one multiprocessor at a time.
    pub threads_per_multiprocessor: u32,
    /// Blocks that are on one multiprocessor at a time.
    pub blocks_per_multiprocessor: u32,
    /// Bytes of shared memory of one multiprocessor.
    pub shared_bytes_per_multiprocessor: u32,
    /// Bytes of shared memory that each block takes beside its own.
    pub shared_bytes_reserved: u32,
}
