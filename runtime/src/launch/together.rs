//! Clusters and cooperative grids: which blocks are there at the same time, and what is refused.

use crate::device::{Backend, Device};
use crate::launch::check::CheckedShape;
use crate::launch::{Kernel, Launch, LaunchError};

/// Most blocks of a cluster where a GPU has more than its generation promises, and the launch asks for it. What a GPU has not, its
/// driver refuses.
const LARGEST_CLUSTER: u32 = 16;

const CLUSTER: [&str; 3] = ["cluster.x", "cluster.y", "cluster.z"];

/// The cluster of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// Blocks along x, y and z.
    pub(crate) extents: [u32; 3],
    /// The code does not say it: the driver must be told.
    pub(crate) told: bool,
    /// More blocks than every GPU of the generation has room for.
    pub(crate) large: bool,
}

impl Cluster {
    /// Each block for itself.
    const NONE: Cluster = Cluster {
        extents: [1; 3],
        told: false,
        large: false,
    };
}

/// What the kernel declares and the launch asks for, together.
pub(crate) fn check_cluster(
    launch: &Launch,
    kernel: &Kernel<'_>,
    device: &Device,
) -> Result<Cluster, LaunchError> {
    let contract = &kernel.contract;
    let fixed = (contract.cluster != [0; 3]).then(|| contract.cluster.map(|extent| extent.max(1)));
    let kernel = kernel.base;
    let extents = match (fixed, launch.cluster) {
        (Some(needed), Some(given)) if given != needed => {
            return Err(LaunchError::WrongCluster {
                kernel,
                given,
                needed,
            });
        }
        (None, None) if contract.cluster_at_launch => {
            return Err(LaunchError::NoClusterGiven { kernel });
        }
        (None, None) => return Ok(Cluster::NONE),
        (Some(extents), _) | (None, Some(extents)) => extents,
    };
    for (what, extent) in CLUSTER.into_iter().zip(extents) {
        if extent == 0 {
            return Err(LaunchError::ZeroDimension { kernel, what });
        }
    }
    let portable = device.0.limits.cluster_blocks;
    if portable == 0 {
        return Err(LaunchError::NoClusters {
            kernel,
            device: device.name().to_owned(),
        });
    }
    let given = extents
        .iter()
        .fold(1, |n: u64, extent| n.saturating_mul(u64::from(*extent)));
    let limit = if launch.large_clusters {
        largest(device)
    } else {
        portable
    };
    if given > u64::from(limit) {
        return Err(LaunchError::ClusterTooLarge {
            kernel,
            given,
            limit,
            device: device.name().to_owned(),
        });
    }
    if contract.max_cluster != 0 && given > u64::from(contract.max_cluster) {
        return Err(LaunchError::TooManyBlocksPerCluster {
            kernel,
            given,
            limit: contract.max_cluster,
        });
    }
    Ok(Cluster {
        extents,
        told: fixed.is_none(),
        large: given > u64::from(portable),
    })
}

fn largest(device: &Device) -> u32 {
    match &device.0.backend {
        Backend::Emulator(emulated) => emulated.model.unwrap_or_default().limits().largest_cluster,
        Backend::Cuda(_) => LARGEST_CLUSTER,
    }
}

/// Refuses grids that are no whole number of clusters, and on the emulator cooperative ones that it has no room for.
pub(crate) fn check_together(
    kernel: &Kernel<'_>,
    device: &Device,
    shape: &CheckedShape,
) -> Result<(), LaunchError> {
    for axis in 0..3 {
        let (given, cluster) = (shape.grid[axis], shape.cluster.extents[axis]);
        if cluster == 1 {
            continue;
        }
        if !given.is_multiple_of(cluster) {
            return Err(LaunchError::PartialCluster {
                kernel: kernel.base,
                what: ["grid.x", "grid.y", "grid.z"][axis],
                given,
                cluster,
            });
        }
    }
    if kernel.contract.cooperative
        && let Backend::Emulator(emulated) = &device.0.backend
    {
        let model = emulated.model.unwrap_or_default();
        let threads = shape.threads_per_block();
        let limit = model.resident_blocks(threads, shape.dynamic_shared_bytes);
        check_resident(kernel, device, shape, limit)?;
    }
    Ok(())
}

/// Refuses a cooperative grid of more blocks than are there at the same time.
pub(crate) fn check_resident(
    kernel: &Kernel<'_>,
    device: &Device,
    shape: &CheckedShape,
    limit: u64,
) -> Result<(), LaunchError> {
    let given = shape.grid.iter().map(|n| u64::from(*n)).product();
    if given <= limit {
        return Ok(());
    }
    Err(LaunchError::GridTooLarge {
        kernel: kernel.base,
        given,
        limit,
        device: device.name().to_owned(),
    })
}
