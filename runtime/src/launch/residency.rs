//! Clusters and cooperative grids: which blocks are there at the same time, and what is refused.

use crate::device::{Backend, Device};
use crate::launch::error::LaunchError;
use crate::launch::request::LaunchRequest;
use crate::launch_shape::{CheckedShape, Cluster};

/// Most blocks of a cluster where a GPU has more than its generation promises, and the launch asks for it. What a GPU has not, its
/// driver refuses.
const LARGEST_CLUSTER: u32 = 16;

const CLUSTER: [&str; 3] = ["cluster.x", "cluster.y", "cluster.z"];

/// What the kernel declares and the launch asks for, together.
pub(super) fn check_cluster(request: &LaunchRequest<'_>) -> Result<Cluster, LaunchError> {
    let (launch, kernel, device) = (&request.launch, request.kernel, request.device());
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
        at_launch: fixed.is_none(),
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
pub(super) fn check_residency(
    request: &LaunchRequest<'_>,
    shape: &CheckedShape,
) -> Result<(), LaunchError> {
    let (kernel, device) = (request.kernel, request.device());
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
        check_resident(request, shape, limit)?;
    }
    Ok(())
}

/// Refuses a cooperative grid of more blocks than are there at the same time.
pub(super) fn check_resident(
    request: &LaunchRequest<'_>,
    shape: &CheckedShape,
    limit: u64,
) -> Result<(), LaunchError> {
    let given = shape.grid.iter().map(|n| u64::from(*n)).product();
    if given <= limit {
        return Ok(());
    }
    Err(LaunchError::GridTooLarge {
        kernel: request.kernel.base,
        given,
        limit,
        device: request.device().name().to_owned(),
    })
}
