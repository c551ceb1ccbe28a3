//! Rules about the attribute's numbers: what a launch may look like.

use crate::arguments::Cluster;
use crate::errors::Errors;
use crate::kernel::{Kernel, ParamKind};

/// Threads in a block, on every NVIDIA GPU.
const MAX_THREADS: u64 = 1024;
/// Extent of a block in z.
const MAX_DEPTH: u32 = 64;
/// Blocks of a cluster, on every GPU that has clusters; a kernel may be launched with larger ones where the GPU has them.
const MAX_CLUSTER: u64 = 8;
/// Blocks of a cluster on any GPU.
const LARGEST_CLUSTER: u32 = 16;
/// Limits of registers per thread that the assembler accepts.
const REGISTERS: std::ops::RangeInclusive<u32> = 16..=255;

pub(super) fn all(errors: &mut Errors, kernel: &Kernel) {
    dim_agrees_with_index(errors, kernel);
    block_fits_the_hardware(errors, kernel);
    block_has_the_dims(errors, kernel);
    launch_bounds_fit_the_hardware(errors, kernel);
    block_keeps_launch_bounds(errors, kernel);
    cluster_fits_the_hardware(errors, kernel);
    cluster_has_the_dims(errors, kernel);
    cluster_keeps_launch_bounds(errors, kernel);
    cooperative_grid_is_declared(errors, kernel);
    dependent_or_cooperative(errors, kernel);
    registers_in_range(errors, kernel);
    registers_or_bounds(errors, kernel);
}

/// The cluster that the kernel fixes.
fn fixed_cluster(kernel: &Kernel) -> Option<[u32; 3]> {
    match kernel.arguments.cluster.as_ref()?.value {
        Cluster::Fixed(extents) => Some(extents),
        Cluster::AtLaunch => None,
    }
}

// Rule: cluster-fits-the-hardware
// No launch could ever have it, or only one on a certain GPU.
fn cluster_fits_the_hardware(errors: &mut Errors, kernel: &Kernel) {
    let Some(cluster) = &kernel.arguments.cluster else {
        return;
    };
    let blocks = fixed_cluster(kernel).map_or(1, n_threads);
    if blocks == 0 {
        errors.push(
            cluster,
            "a cluster has at least one block; write 1 for a dimension that is not used",
        );
    } else if blocks > MAX_CLUSTER {
        errors.push(
            cluster,
            format_args!("a cluster of {blocks} blocks: every GPU with clusters supports {MAX_CLUSTER}, few support more; use a smaller one, or write `cluster` and choose the size at the launch"),
        );
    }
}

// Rule: cluster-has-the-dims
// A grid of fewer dimensions is never a multiple of the cluster.
fn cluster_has_the_dims(errors: &mut Errors, kernel: &Kernel) {
    let (Some(cluster), Some(extents), Some(dims)) = (
        &kernel.arguments.cluster,
        fixed_cluster(kernel),
        kernel.dims(),
    ) else {
        return;
    };
    let used = extents.iter().rposition(|extent| *extent > 1);
    if let Some(last) = used
        && last >= usize::from(dims)
    {
        errors.push(
            cluster,
            format_args!("a {}-D cluster in a {dims}-D kernel; give the cluster {dims} dimension(s), or take an `Index{}D`", last + 1, last + 1),
        );
    }
}

// Rule: cluster-keeps-launch-bounds
// The one cluster shape that is allowed would always be refused.
fn cluster_keeps_launch_bounds(errors: &mut Errors, kernel: &Kernel) {
    let (Some(extents), Some(bounds)) = (fixed_cluster(kernel), &kernel.arguments.launch_bounds)
    else {
        return;
    };
    let blocks = n_threads(extents);
    if let Some(most) = bounds.value.max_cluster
        && blocks > u64::from(most)
    {
        errors.push(
            bounds,
            format_args!("`cluster` has {blocks} blocks but `launch_bounds` allows {most}; write `max_blocks_per_cluster = {blocks}`"),
        );
    }
}

// Rule: cooperative-grid-is-declared
// In any other launch a block that waits may keep the block that it waits for from starting.
fn cooperative_grid_is_declared(errors: &mut Errors, kernel: &Kernel) {
    if kernel.arguments.cooperative.is_some() {
        return;
    }
    for param in &kernel.params {
        if param.kind == ParamKind::CooperativeGrid {
            errors.push(
                &param.ty,
                "only a cooperative launch has all blocks of the grid resident at the same time; write `#[kernel(cooperative)]`",
            );
        }
    }
}

// Rule: dependent-or-cooperative
// Between a cooperative launch and the kernel ahead of it the stream sets the word at which the blocks meet, so that nothing could overlap.
fn dependent_or_cooperative(errors: &mut Errors, kernel: &Kernel) {
    if let (Some(dependent), Some(_)) = (
        &kernel.arguments.dependent_launch,
        &kernel.arguments.cooperative,
    ) {
        errors.push(
            dependent,
            "a cooperative kernel starts when the kernels ahead of it have ended; keep `dependent_launch` or `cooperative`",
        );
    }
}

// Rule: registers-or-bounds
// Both decide how many registers a thread gets, and the assembler would have to ignore one.
fn registers_or_bounds(errors: &mut Errors, kernel: &Kernel) {
    if let (Some(registers), Some(_)) = (
        &kernel.arguments.max_registers,
        &kernel.arguments.launch_bounds,
    ) {
        errors.push(
            registers,
            "`launch_bounds` limits the registers already, so that its blocks fit; keep one of the two",
        );
    }
}

// Rule: dim-agrees-with-index
// An index is unique only in a launch of its own dimensions, so it decides; a second number would have to be ignored.
fn dim_agrees_with_index(errors: &mut Errors, kernel: &Kernel) {
    let Some(dim) = &kernel.arguments.dim else {
        return;
    };
    let index = kernel.params.iter().find_map(|param| match param.kind {
        ParamKind::Index(dims) => Some((dims, &param.name)),
        _ => None,
    });
    if let Some((dims, name)) = index
        && dims != dim.value
    {
        errors.push(
            dim,
            format_args!("`{name}: Index{dims}D` makes this a {dims}-D kernel; remove `dim(..)`, or take an `Index{}D`", dim.value),
        );
    }
}

// Rule: block-fits-the-hardware
// No device could ever run it, so it need not wait for a launch to fail.
fn block_fits_the_hardware(errors: &mut Errors, kernel: &Kernel) {
    let Some(block) = &kernel.arguments.block else {
        return;
    };
    let threads = n_threads(block.value);
    if threads == 0 {
        errors.push(
            block,
            "a block has at least one thread; write 1 for a dimension that is not used",
        );
    } else if threads > MAX_THREADS {
        errors.push(
            block,
            format_args!("a block of {threads} threads: a GPU runs at most {MAX_THREADS} in one; launch more and smaller blocks"),
        );
    } else if block.value[2] > MAX_DEPTH {
        errors.push(
            block,
            format_args!("a block may be at most {MAX_DEPTH} threads deep (z), not {}; make it wider instead", block.value[2]),
        );
    }
}

// Rule: block-has-the-dims
// A block of more dimensions than the kernel has could not be launched at all.
fn block_has_the_dims(errors: &mut Errors, kernel: &Kernel) {
    let (Some(block), Some(dims)) = (&kernel.arguments.block, kernel.dims()) else {
        return;
    };
    let used = block.value.iter().rposition(|extent| *extent > 1);
    if let Some(last) = used
        && last >= usize::from(dims)
    {
        errors.push(
            block,
            format_args!("a {}-D block in a {dims}-D kernel; give the block {dims} dimension(s), or take an `Index{}D`", last + 1, last + 1),
        );
    }
}

// Rule: launch-bounds-fit-the-hardware
// The compiler divides the registers by these numbers.
fn launch_bounds_fit_the_hardware(errors: &mut Errors, kernel: &Kernel) {
    let Some(bounds) = &kernel.arguments.launch_bounds else {
        return;
    };
    let threads = bounds.value.max_threads;
    if threads == 0 || u64::from(threads) > MAX_THREADS {
        errors.push(
            bounds,
            format_args!("`launch_bounds` of {threads} threads; write the largest block that you launch, 1 to {MAX_THREADS} threads"),
        );
    }
    if bounds.value.min_blocks == Some(0) {
        errors.push(
            bounds,
            "at least one block runs on a multiprocessor; write 1 or more, or leave the second number out",
        );
    }
    if let Some(blocks) = bounds.value.max_cluster
        && !(1..=LARGEST_CLUSTER).contains(&blocks)
    {
        errors.push(
            bounds,
            format_args!("`launch_bounds` of {blocks} blocks per cluster; write the largest cluster that you launch, 1 to {LARGEST_CLUSTER} blocks"),
        );
    }
}

// Rule: block-keeps-launch-bounds
// The one block shape that is allowed would always be refused.
fn block_keeps_launch_bounds(errors: &mut Errors, kernel: &Kernel) {
    let (Some(block), Some(bounds)) = (&kernel.arguments.block, &kernel.arguments.launch_bounds)
    else {
        return;
    };
    let (threads, most) = (n_threads(block.value), bounds.value.max_threads);
    if threads > u64::from(most) {
        errors.push(
            bounds,
            format_args!("`block` has {threads} threads but `launch_bounds` allows {most}; write `launch_bounds({threads})`"),
        );
    }
}

// Rule: registers-in-range
// PTX assemblers accept no other limit.
fn registers_in_range(errors: &mut Errors, kernel: &Kernel) {
    if let Some(registers) = &kernel.arguments.max_registers
        && !REGISTERS.contains(&registers.value)
    {
        errors.push(
            registers,
            format_args!(
                "the limit of registers per thread is {} to {}, not {}; choose one of these, or leave it to the compiler",
                REGISTERS.start(),
                REGISTERS.end(),
                registers.value
            ),
        );
    }
}

fn n_threads(block: [u32; 3]) -> u64 {
    block
        .iter()
        .map(|extent| u64::from(*extent))
        .fold(1, u64::saturating_mul)
}
