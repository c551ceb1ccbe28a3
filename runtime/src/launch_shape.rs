//! The shape of a launch that passed its checks.

/// Grid and block that the device and the kernel's contract allow. Only `check_shape` makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CheckedShape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) cluster: Cluster,
    pub(crate) cooperative: bool,
}

impl CheckedShape {
    pub(crate) fn threads_per_block(&self) -> u32 {
        // At most the device's limit, as was checked.
        self.block.iter().product()
    }
}

/// The cluster of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// Blocks along x, y and z.
    pub(crate) extents: [u32; 3],
    /// The code does not say it: the driver must be told.
    pub(crate) at_launch: bool,
    /// More blocks than every GPU of the generation has room for.
    pub(crate) large: bool,
}

impl Cluster {
    /// Each block for itself.
    pub(crate) const NONE: Cluster = Cluster {
        extents: [1; 3],
        at_launch: false,
        large: false,
    };
}
