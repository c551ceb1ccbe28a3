//! What is refused before the driver or the emulator sees it.

use crate::cuda::peer_access::peer_access;
use crate::device::Device;
use crate::kernel::{Kernel, Param};
use crate::launch::arguments::Arg;
use crate::launch::error::LaunchError;
use crate::launch::peers::{check_reach, refuse_peers};
use crate::launch::request::LaunchRequest;
use crate::launch::residency::{check_cluster, check_residency};
use crate::launch_config::{Extent, Threads};
use crate::launch_shape::CheckedShape;

/// Threads of a block that covers one dimension, and along each of two.
const LINE: u32 = 256;
const SQUARE: [u32; 2] = [16, 16];

const GRID: [&str; 3] = ["grid.x", "grid.y", "grid.z"];
const BLOCK: [&str; 3] = ["block.x", "block.y", "block.z"];

/// What a launch that passed comes to.
pub(super) struct Checked {
    /// `None` if there is nothing to cover.
    pub(super) shape: Option<CheckedShape>,
    /// Whether some arguments are memory of other devices.
    pub(super) has_peers: bool,
}

/// Checks all that can be checked without the kernel's code: arguments, then the shape.
pub(super) fn check(request: &LaunchRequest<'_>) -> Result<Checked, LaunchError> {
    if request.stream.recording().is_some() {
        refuse_peers(request)?;
    }
    Ok(Checked {
        has_peers: check_arguments(request)?,
        shape: check_shape(request)?,
    })
}

/// The shape of the launch, if the device and the contract allow it; `None` if there is nothing to cover.
fn check_shape(request: &LaunchRequest<'_>) -> Result<Option<CheckedShape>, LaunchError> {
    let (launch, kernel, device) = (&request.launch, request.kernel, request.device());
    let limits = device.0.limits;
    let cluster = check_cluster(request)?;
    let (grid, block) = match launch.extent {
        Extent::Exact { grid, block } => (grid.map(u64::from), block),
        Extent::Covering(covered)
        | Extent::CoveringBy {
            threads: covered, ..
        } => {
            let threads = covered.extents();
            if threads.contains(&0) {
                return Ok(None);
            }
            check_covered(covered, kernel)?;
            let block = match launch.extent {
                Extent::CoveringBy { block, .. } => block,
                _ => covering_block(threads, kernel),
            };
            let along = |axis: usize| {
                let blocks = blocks_for(threads[axis], block[axis].max(1));
                match cluster.extents[axis] {
                    1 => blocks,
                    // More than any grid has, where it cannot be counted.
                    extent => blocks
                        .checked_next_multiple_of(u64::from(extent))
                        .unwrap_or(u64::MAX),
                }
            };
            let depth = u64::from(cluster.extents[2]);
            ([along(0), along(1), depth], block)
        }
    };
    // Before the extents: the remedy for too many threads fits a block that is too long as well.
    let threads = block
        .iter()
        .fold(1, |n: u64, extent| n.saturating_mul(u64::from(*extent)));
    if threads > u64::from(limits.threads_per_block) {
        return Err(LaunchError::BlockTooLarge {
            kernel: kernel.base,
            given: threads,
            limit: limits.threads_per_block,
            device: device.name().to_owned(),
        });
    }
    for axis in 0..3 {
        check_dimension(kernel, device, GRID[axis], grid[axis], limits.grid[axis])?;
        let extent = u64::from(block[axis]);
        check_dimension(kernel, device, BLOCK[axis], extent, limits.block[axis])?;
    }
    let grid = grid.map(|extent| u32::try_from(extent).unwrap_or(u32::MAX));
    let shape = CheckedShape {
        grid,
        block,
        dynamic_shared_bytes: launch.dynamic_shared_bytes.unwrap_or(0),
        cluster,
        cooperative: kernel.contract.cooperative,
    };
    // None at all is a size too, but one that the launch has to name.
    if kernel.contract.dynamic_shared && launch.dynamic_shared_bytes.is_none() {
        return Err(LaunchError::NoDynamicShared {
            kernel: kernel.base,
        });
    }
    check_contract(&shape, request)?;
    check_windows(&shape, request)?;
    if shape.dynamic_shared_bytes > limits.shared_bytes_opt_in {
        return Err(request.too_much_shared(&shape, 0));
    }
    check_residency(request, &shape)?;
    Ok(Some(shape))
}

/// Refuses to cover fewer dimensions than the kernel's index has: most elements would get no thread, and nothing would say so.
fn check_covered(covered: Threads, kernel: &Kernel<'_>) -> Result<(), LaunchError> {
    let dims = match covered {
        Threads::Line(_) => 1,
        Threads::Plane(_) => 2,
    };
    if kernel.index <= dims {
        return Ok(());
    }
    Err(too_few_dimensions(covered, kernel))
}

#[cold]
fn too_few_dimensions(covered: Threads, kernel: &Kernel<'_>) -> LaunchError {
    let (given, covered) = match covered {
        Threads::Line(n) => (format!("Launch::covering({n})"), "x alone"),
        Threads::Plane([width, height]) => {
            (format!("Launch::covering_2d({width}, {height})"), "x and y")
        }
    };
    LaunchError::TooFewDimensions {
        kernel: kernel.base,
        given,
        covered,
        dims: kernel.index,
        remedy: match kernel.index {
            2 => "`Launch::covering_2d(width, height)`",
            _ => {
                "`Launch::new(grid, block)` with triples, such as `Launch::new((2, 4, 4), (32, 4, 4))`"
            }
        },
    }
}

/// Blocks of so many threads along one axis. Most blocks have a power of two of them, and a division costs as much as several other checks.
fn blocks_for(threads: u64, block: u32) -> u64 {
    if block.is_power_of_two() {
        let whole = threads >> block.trailing_zeros();
        return whole + u64::from(threads & u64::from(block - 1) != 0);
    }
    threads.div_ceil(u64::from(block))
}

fn covering_block([_, height]: [u64; 2], kernel: &Kernel<'_>) -> [u32; 3] {
    let contract = &kernel.contract;
    let declared = contract.block;
    if declared != [0; 3] {
        return declared.map(|extent| extent.max(1));
    }
    let limit = if contract.max_threads == 0 {
        LINE
    } else {
        contract.max_threads
    };
    let [x, y] = if height > 1 { SQUARE } else { [LINE, 1] };
    if x * y <= limit {
        return [x, y, 1];
    }
    // Whole warps if there is room for one.
    let line = if limit < 32 { limit } else { limit / 32 * 32 };
    [line, 1, 1]
}

fn check_dimension(
    kernel: &Kernel<'_>,
    device: &Device,
    what: &'static str,
    given: u64,
    limit: u32,
) -> Result<(), LaunchError> {
    let kernel = kernel.base;
    if given == 0 {
        return Err(LaunchError::ZeroDimension { kernel, what });
    }
    if given > u64::from(limit) {
        return Err(LaunchError::DimensionTooLarge {
            kernel,
            what,
            given,
            limit,
            device: device.name().to_owned(),
        });
    }
    Ok(())
}

fn check_contract(shape: &CheckedShape, request: &LaunchRequest<'_>) -> Result<(), LaunchError> {
    let kernel = request.kernel;
    let contract = &kernel.contract;
    let dims = match contract.dims {
        1 => 1,
        2 => 2,
        _ => 3u8,
    };
    for axis in usize::from(dims)..3 {
        for (what, given) in [
            (GRID[axis], shape.grid[axis]),
            (BLOCK[axis], shape.block[axis]),
        ] {
            if given != 1 {
                return Err(LaunchError::TooManyDimensions {
                    kernel: kernel.base,
                    dims,
                    what,
                    given,
                    remedy: match dims {
                        1 => "`Launch::covering(n)`",
                        _ => "`Launch::covering_2d(width, height)`",
                    },
                });
            }
        }
    }
    let fits = |(given, needed): (&u32, &u32)| *needed == 0 || given == needed;
    if !shape.block.iter().zip(&contract.block).all(fits) {
        return Err(LaunchError::WrongBlock {
            kernel: kernel.base,
            given: shape.block,
            needed: contract.block,
            remedy: match contract.block {
                [_, 1, 1] => ", or with `Launch::covering(n)`, which takes it",
                [_, _, 1] => ", or with `Launch::covering_2d(width, height)`, which takes it",
                _ => "",
            },
        });
    }
    let limit = contract.max_threads;
    if limit != 0 && shape.threads_per_block() > limit {
        return Err(request.too_many_threads(shape, limit));
    }
    Ok(())
}

/// Refuses outputs of which blocks write a part each, if there are fewer blocks than parts.
fn check_windows(shape: &CheckedShape, request: &LaunchRequest<'_>) -> Result<(), LaunchError> {
    for arg in request.args {
        if let Some((axis, core, len)) = arg.uncovered(&shape.grid) {
            return Err(LaunchError::TooFewBlocks {
                kernel: request.kernel.base,
                output: arg.name(),
                what: GRID[axis],
                given: shape.grid[axis],
                core,
                len,
                needed: len.div_ceil(core),
            });
        }
    }
    Ok(())
}

/// Refuses arguments of a device that this one does not reach, of other kinds or layouts than the kernel describes, or too large together.
/// Says whether some are of another device.
fn check_arguments(request: &LaunchRequest<'_>) -> Result<bool, LaunchError> {
    let (kernel, device, args) = (request.kernel, request.device(), request.args);
    if args.len() != kernel.params.len() {
        return Err(wrong_argument(
            kernel,
            args.len().min(kernel.params.len()),
            args,
        ));
    }
    // Where the parameters end, if each has the largest gap before it: no division for what is far from the limit.
    let (mut most, mut has_peers) = (0u64, false);
    for (i, (arg, param)) in args.iter().zip(kernel.params).enumerate() {
        if arg.param() != *param {
            return Err(wrong_argument(kernel, i, args));
        }
        if arg.is_misaligned() {
            return Err(misaligned(kernel, i, arg));
        }
        if let Some(buffer) = arg.buffer()
            && !buffer.device().is_same(device)
        {
            check_reach(request, i, buffer, &peer_access())?;
            has_peers = true;
        }
        most = most
            .saturating_add(param.device_align())
            .saturating_add(param.device_bytes());
    }
    let limit = device.0.limits.parameter_bytes;
    if most <= u64::from(limit) {
        return Ok(has_peers);
    }
    let bytes = kernel.params.iter().fold(0, param_end);
    if bytes > u64::from(limit) {
        return Err(LaunchError::ParametersTooLarge {
            kernel: kernel.base,
            given: bytes,
            limit,
            device: device.name().to_owned(),
        });
    }
    Ok(has_peers)
}

/// Where the parameter space ends once `param` stands behind the `bytes` bytes before it.
fn param_end(bytes: u64, param: &Param) -> u64 {
    let align = param.device_align().max(1);
    bytes
        .div_ceil(align)
        .saturating_mul(align)
        .saturating_add(param.device_bytes())
}

#[cold]
fn misaligned(kernel: &Kernel<'_>, i: usize, arg: &Arg<'_>) -> LaunchError {
    LaunchError::Misaligned {
        kernel: kernel.base,
        argument: i + 1,
        name: arg.name(),
        address: arg.address(),
        size: arg.param().size,
        align: arg.param().start_align(),
    }
}

#[cold]
fn wrong_argument(kernel: &Kernel<'_>, i: usize, args: &[Arg<'_>]) -> LaunchError {
    let text = |param: Option<Param>| param.map_or_else(|| "absent".to_owned(), |p| p.to_string());
    LaunchError::WrongArgument {
        kernel: kernel.base,
        argument: i + 1,
        given: text(args.get(i).map(Arg::param)),
        needed: text(kernel.params.get(i).copied()),
    }
}
