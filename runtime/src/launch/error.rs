//! Why a kernel cannot be launched.

use std::panic::Location;

use crate::cuda::DriverError;
use crate::stream::StreamError;

/// Why a kernel cannot be launched. Nothing ran, and no buffer was touched; but see [`Failed`](LaunchError::Failed).
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The stream recorded a graph that is complete.
    #[error(
        "cannot launch `{kernel}` on a stream that recorded a graph: the graph is complete; launch within the closure that got the stream"
    )]
    Recorded {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// A dimension of the grid or the block is zero.
    #[error(
        "cannot launch `{kernel}` with {what} = 0: every dimension is at least 1; for no elements use `Launch::covering(0)` or do not launch"
    )]
    ZeroDimension {
        /// The kernel's name.
        kernel: &'static str,
        /// Which dimension, e.g. `grid.x`.
        what: &'static str,
    },
    /// A dimension of the grid or the block is larger than the device can have.
    #[error(
        "cannot launch `{kernel}` with {what} = {given}: {device} has at most {limit}; use more work per thread, or another dimension"
    )]
    DimensionTooLarge {
        /// The kernel's name.
        kernel: &'static str,
        /// Which dimension, e.g. `grid.x`.
        what: &'static str,
        /// Its size.
        given: u64,
        /// The device's limit.
        limit: u32,
        /// The device's name.
        device: String,
    },
    /// The block has more threads than the device runs in one.
    #[error(
        "cannot launch `{kernel}` with {given} threads per block: {device} runs at most {limit}; use more blocks, or lower the block size"
    )]
    BlockTooLarge {
        /// The kernel's name.
        kernel: &'static str,
        /// Threads of the block.
        given: u64,
        /// The device's limit.
        limit: u32,
        /// The device's name.
        device: String,
    },
    /// The launch has more dimensions than the kernel's index, so that several threads would have the same index.
    #[error(
        "cannot launch `{kernel}` with {what} = {given}: the kernel is {dims}-dimensional, so {what} must be 1; use a {dims}-dimensional launch such as {remedy}, or an index of more dimensions in the kernel"
    )]
    TooManyDimensions {
        /// The kernel's name.
        kernel: &'static str,
        /// Dimensions of the kernel.
        dims: u8,
        /// Which dimension, e.g. `block.y`.
        what: &'static str,
        /// Its size.
        given: u32,
        /// A launch of the kernel's dimensions.
        remedy: &'static str,
    },
    /// The launch covers fewer dimensions than the kernel's index has, so that most elements would get no thread.
    #[error(
        "cannot launch `{kernel}` with `{given}`, which covers {covered}: the kernel's index has {dims} dimensions; use {remedy}"
    )]
    TooFewDimensions {
        /// The kernel's name.
        kernel: &'static str,
        /// The shape asked for, as it is written.
        given: String,
        /// The axes that it covers.
        covered: &'static str,
        /// Dimensions of the kernel's index.
        dims: u8,
        /// A launch of these dimensions.
        remedy: &'static str,
    },
    /// Each block writes a part of an output, and there are fewer blocks than parts.
    #[error(
        "cannot launch `{kernel}` with {what} = {given}: each block writes {core} elements of `{output}` along this axis, and it has {len}; launch at least {needed} blocks along it, with `Launch::new(grid, block)` (`Launch::covering` counts threads, of which some write nothing)"
    )]
    TooFewBlocks {
        /// The kernel's name.
        kernel: &'static str,
        /// The output's name.
        output: &'static str,
        /// Which dimension, e.g. `grid.x`.
        what: &'static str,
        /// Its size.
        given: u32,
        /// Elements of a block.
        core: u64,
        /// Elements of the output along the axis.
        len: u64,
        /// Blocks that write all of them.
        needed: u64,
    },
    /// The kernel was written for blocks of one shape.
    #[error(
        "cannot launch `{kernel}` with blocks of {given:?} threads: the kernel is declared for {needed:?}; launch it with this block{remedy}"
    )]
    WrongBlock {
        /// The kernel's name.
        kernel: &'static str,
        /// The block asked for.
        given: [u32; 3],
        /// The block that the kernel declares.
        needed: [u32; 3],
        /// The other launch that has it, if there is one.
        remedy: &'static str,
    },
    /// The kernel was compiled for smaller blocks.
    #[error(
        "cannot launch `{kernel}` with {given} threads per block: the kernel runs with at most {limit} (its launch bounds, or its registers); lower the block size, or raise the bounds"
    )]
    TooManyThreads {
        /// The kernel's name.
        kernel: &'static str,
        /// Threads of the block.
        given: u32,
        /// The kernel's limit.
        limit: u32,
    },
    /// More shared memory than a block can have. The emulator knows what a kernel declares itself when a thread first asks for it: threads
    /// have run up to there.
    #[error(
        "cannot launch `{kernel}` with {given} bytes of dynamic shared memory beside {fixed} bytes of its own: a block on {device} has at most {limit}; use a smaller tile"
    )]
    SharedTooLarge {
        /// The kernel's name.
        kernel: &'static str,
        /// Bytes asked for by the launch.
        given: u32,
        /// Bytes that the kernel declares itself.
        fixed: u32,
        /// The device's limit for both.
        limit: u32,
        /// The device's name.
        device: String,
    },
    /// More static shared memory than a block can have. On the emulator only: device code of such a kernel is not built.
    #[error(
        "cannot run `{kernel}`: its static shared arrays have {given} bytes (the last: of `{array}`, {place}), and a block on {device} has at most {limit}, more only as dynamic shared memory; take a `DynamicShared`, or use smaller arrays"
    )]
    StaticSharedTooLarge {
        /// The kernel's name.
        kernel: &'static str,
        /// Bytes of the arrays, up to the first that has no room.
        given: u32,
        /// The device's limit.
        limit: u32,
        /// The element type of the array that has no room.
        array: String,
        /// Where a thread asked for it: `file:line:column`.
        place: String,
        /// The device's name.
        device: String,
    },
    /// The kernel takes dynamic shared memory, and the launch gives it none.
    #[error(
        "cannot launch `{kernel}` without saying how much dynamic shared memory a block gets: the kernel takes a `DynamicShared`; say it with `Launch::dynamic_shared`, 0 for none"
    )]
    NoDynamicShared {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// The GPU has no clusters.
    #[error(
        "cannot launch `{kernel}` in clusters: {device} has none, they came with compute capability 9.0; launch a kernel that does without"
    )]
    NoClusters {
        /// The kernel's name.
        kernel: &'static str,
        /// The device's name.
        device: String,
    },
    /// The kernel demands that the launch says how large a cluster is.
    #[error(
        "cannot launch `{kernel}` without a cluster: the kernel leaves its size to the launch; give it with `Launch::cluster`"
    )]
    NoClusterGiven {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// The kernel was written for clusters of one shape.
    #[error(
        "cannot launch `{kernel}` in clusters of {given:?} blocks: the kernel is declared for {needed:?}; leave the cluster out of the launch"
    )]
    WrongCluster {
        /// The kernel's name.
        kernel: &'static str,
        /// The cluster asked for.
        given: [u32; 3],
        /// The cluster that the kernel declares.
        needed: [u32; 3],
    },
    /// The cluster has more blocks than the device runs in one.
    #[error(
        "cannot launch `{kernel}` in clusters of {given} blocks: {device} runs at most {limit} here; use smaller clusters, or, up to 16 and where the GPU has them, `Launch::large_clusters`"
    )]
    ClusterTooLarge {
        /// The kernel's name.
        kernel: &'static str,
        /// Blocks of the cluster.
        given: u64,
        /// The limit.
        limit: u32,
        /// The device's name.
        device: String,
    },
    /// The kernel was compiled for smaller clusters.
    #[error(
        "cannot launch `{kernel}` in clusters of {given} blocks: its launch bounds allow at most {limit}; use smaller clusters, or raise the bounds"
    )]
    TooManyBlocksPerCluster {
        /// The kernel's name.
        kernel: &'static str,
        /// Blocks of the cluster.
        given: u64,
        /// The kernel's limit.
        limit: u32,
    },
    /// The grid is no whole number of clusters.
    #[error(
        "cannot launch `{kernel}` with {what} = {given} in clusters of {cluster} along that axis: the grid is a whole number of clusters; use a multiple of {cluster}"
    )]
    PartialCluster {
        /// The kernel's name.
        kernel: &'static str,
        /// Which dimension, e.g. `grid.x`.
        what: &'static str,
        /// Its size.
        given: u32,
        /// Blocks of a cluster along it.
        cluster: u32,
    },
    /// A cooperative grid has more blocks than the device has places for at a time.
    #[error(
        "cannot launch `{kernel}` cooperatively with {given} blocks: {device} has places for {limit} of them at a time; use fewer blocks, and let each do more"
    )]
    GridTooLarge {
        /// The kernel's name.
        kernel: &'static str,
        /// Blocks of the grid.
        given: u64,
        /// Blocks of this size that are there at a time.
        limit: u64,
        /// The device's name.
        device: String,
    },
    /// The parameters are larger than a launch can carry.
    #[error(
        "cannot launch `{kernel}` with {given} bytes of parameters: {device} takes at most {limit}; put large values into a buffer and pass a slice"
    )]
    ParametersTooLarge {
        /// The kernel's name.
        kernel: &'static str,
        /// Bytes of all parameters.
        given: u64,
        /// The device's limit.
        limit: u32,
        /// The device's name.
        device: String,
    },
    /// A condition that the kernel's author declared does not hold.
    #[error(
        "cannot launch `{kernel}`: it requires `{condition}`, but {extents}; pass arguments that meet it"
    )]
    Requires {
        /// The kernel's name.
        kernel: &'static str,
        /// The condition, as the author wrote it.
        condition: &'static str,
        /// The lengths that it may be about, e.g. `x.len() = 5, y.len() = 4`.
        extents: String,
    },
    /// A buffer and the stream belong to different devices.
    #[error(
        "cannot launch `{kernel}`: argument {argument} belongs to another device ({buffer}) than the stream ({stream}); {remedy}"
    )]
    WrongDevice {
        /// The kernel's name.
        kernel: &'static str,
        /// Position of the argument, from 1.
        argument: usize,
        /// The buffer's device.
        buffer: String,
        /// The stream's device.
        stream: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Memory of another owner starts where a GPU cannot access its elements as vectors.
    #[error(
        "cannot launch `{kernel}`: argument {argument} (`{name}`) starts at address {address:#x}, and its elements of {size} bytes are accessed as vectors, which takes a multiple of {align}; copy the elements to a `DeviceBuffer`, or import memory that starts at such a multiple"
    )]
    Misaligned {
        /// The kernel's name.
        kernel: &'static str,
        /// Position of the argument, from 1.
        argument: usize,
        /// The parameter's name; empty if unknown.
        name: &'static str,
        /// Where the elements start.
        address: u64,
        /// Bytes of an element.
        size: u64,
        /// What the address has to be a multiple of.
        align: u64,
    },
    /// A share of memory that there is not.
    #[error(
        "`{kernel}` cannot have {given} percent of a multiprocessor's shared memory; ask for 0 to 100, or leave it to the driver with `None`"
    )]
    WrongCarveout {
        /// The kernel's name.
        kernel: &'static str,
        /// The percentage asked for.
        given: u8,
    },
    /// A kernel of a loaded module is launched on a stream of another device.
    #[error(
        "cannot launch `{kernel}`: it was loaded on another device ({module}) than the stream's ({stream}); make both from the same `Device` or its clones"
    )]
    WrongStream {
        /// The kernel's name.
        kernel: &'static str,
        /// The module's device.
        module: String,
        /// The stream's device.
        stream: String,
    },
    /// The arguments are not those of the kernel's description.
    #[error(
        "cannot launch `{kernel}`: argument {argument} is {given}, but the kernel's description says {needed}; build with one version of warploom"
    )]
    WrongArgument {
        /// The kernel's name.
        kernel: &'static str,
        /// Position of the argument, from 1.
        argument: usize,
        /// What was given.
        given: String,
        /// What the description says.
        needed: String,
    },
    /// The program carries no device code for the kernel.
    #[error("no device code for kernel `{kernel}` in this program: {reason}")]
    NoDeviceCode {
        /// The kernel's full name.
        kernel: &'static str,
        /// Why, and what to do.
        reason: String,
    },
    /// Several device functions could be the one meant.
    #[error(
        "the program carries {count} versions of kernel `{kernel}` that cannot be told apart at {caller}; launch each from a line of its own"
    )]
    Ambiguous {
        /// The kernel's full name.
        kernel: &'static str,
        /// How many.
        count: usize,
        /// Where it is launched.
        caller: &'static Location<'static>,
    },
    /// Host and device disagree about a parameter.
    #[error(
        "cannot launch `{kernel}`: parameter {parameter} is {host} on the host, but {device} in the device code; rebuild the crate, and give the type `#[repr(C)]`"
    )]
    LayoutMismatch {
        /// The kernel's name.
        kernel: &'static str,
        /// Position of the parameter, from 1.
        parameter: usize,
        /// How the host sees it.
        host: String,
        /// How the device sees it.
        device: String,
    },
    /// Host and device code have different fields in a parameter's type.
    #[error(
        "cannot launch `{kernel}`: the type of parameter {parameter} has other fields, variants or places of fields in the device code than on the host; host and device code are compiled separately, so make no field depend on `cfg(panic)`, `cfg(warploom_device)` or an environment variable, and rebuild the crate"
    )]
    FieldMismatch {
        /// The kernel's name.
        kernel: &'static str,
        /// Position of the parameter, from 1.
        parameter: usize,
    },
    /// Host and device code disagree about what a launch has to keep to.
    #[error(
        "cannot launch `{kernel}`: its {part} is {host} on the host, but {device} in the device code; host and device code are compiled separately, so make no constant and no argument of `#[kernel]` depend on `cfg(panic)`, `cfg(warploom_device)` or an environment variable, and rebuild the crate"
    )]
    ContractMismatch {
        /// The kernel's name.
        kernel: &'static str,
        /// What differs.
        part: &'static str,
        /// Its value on the host.
        host: String,
        /// Its value in the device code.
        device: String,
    },
    /// The device code was built for other GPUs.
    #[error(
        "no device code of kernel `{kernel}` runs on {device} (compute capability {capability}): the program has it for {available}; build for this GPU too"
    )]
    NoImage {
        /// The kernel's name.
        kernel: &'static str,
        /// The device's name.
        device: String,
        /// The device's compute capability, e.g. `7.5`.
        capability: String,
        /// What there is, e.g. `sm_80 and newer, sm_90a (compute capability 9.0 only)`.
        available: String,
    },
    /// The device code that the program carries cannot be read.
    #[error("the device code in this program is damaged: {reason}; rebuild the program")]
    DamagedImages {
        /// What is wrong, and where.
        reason: String,
    },
    /// The kernel uses a managed static, and the GPU does not let host and kernels use memory at the same time.
    #[error(
        "cannot launch `{kernel}`: {device} does not let host and kernels use managed static `{name}` at the same time; use a `device_static!`"
    )]
    NoManagedMemory {
        /// The kernel's name.
        kernel: &'static str,
        /// The static's module and name.
        name: String,
        /// The device's name.
        device: String,
    },
    /// The driver refused the device code.
    #[error("the driver refused the device code of kernel `{kernel}` ({target}): {source}; {log}")]
    Refused {
        /// The kernel's name.
        kernel: &'static str,
        /// The crate target that the code is of.
        target: String,
        /// What the driver's assembler says.
        log: String,
        /// The driver's error.
        source: Box<DriverError>,
    },
    /// The emulator cannot run the kernel.
    #[error("the emulator cannot run kernel `{kernel}`: {reason}")]
    Emulator {
        /// The kernel's name.
        kernel: &'static str,
        /// What the emulator says.
        reason: String,
    },
    /// The kernel ran and failed, which its launch knows because [launches wait](crate::Device::set_launch_blocking).
    #[error("kernel `{kernel}`, launched at {at}, failed, or work before it did: {source}")]
    Failed {
        /// The kernel's name.
        kernel: &'static str,
        /// Where it was launched.
        at: &'static Location<'static>,
        /// What the wait for it reports.
        source: Box<StreamError>,
    },
    /// A host function of a stream launches a kernel.
    #[error(
        "cannot launch `{kernel}` from a host function of a stream, which must not use the device; tell another thread to do it, with a channel for example"
    )]
    InsideHostFunction {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// The driver refused the launch, or reports that earlier work failed.
    #[error("cannot launch `{kernel}`: {source}")]
    Driver {
        /// The kernel's name.
        kernel: &'static str,
        /// The driver's error.
        source: DriverError,
    },
}

/// A `requires(..)` of a kernel that does not hold. Called by the expansion of `kernel`.
#[doc(hidden)]
#[must_use]
#[cold]
pub fn requires_failed(
    kernel: &'static str,
    condition: &'static str,
    extents: &[(&'static str, usize)],
) -> LaunchError {
    let extents: Vec<_> = extents
        .iter()
        .map(|(name, extent)| format!("{name} = {extent}"))
        .collect();
    LaunchError::Requires {
        kernel,
        condition,
        extents: if extents.is_empty() {
            "that does not hold".to_owned()
        } else {
            extents.join(", ")
        },
    }
}
