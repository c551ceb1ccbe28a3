//! Modules, their kernels and variables, and launches.

use std::ffi::{CStr, c_char, c_void};

use crate::code::Code;
use crate::link;
use crate::probe::readable;
use crate::state::{Held, driver, not_null, put};
use crate::work::{Launch, Work, drain_all, submit};

/// Numbers of options for the assembler (`CUjit_option`): buffers and bytes of what it says, and of its errors; whether it says much.
const INFO: [i32; 2] = [3, 4];
const ERRORS: [i32; 2] = [5, 6];
const VERBOSE: i32 = 12;
/// Most blocks of a grid, and threads of a block, along each axis.
const GRID: [u32; 3] = [2_147_483_647, 65_535, 65_535];
const BLOCK: [u32; 3] = [1024, 1024, 64];
/// Multiprocessors of an H200.
const MULTIPROCESSORS: u64 = 132;

/// Numbers of launch attributes: cooperative grid, clusters, a start before the kernels ahead have ended.
const COOPERATIVE: i32 = 2;
const CLUSTER: i32 = 4;
const DEPENDENT: i32 = 6;
/// Number of the function attribute that allows clusters of 16 blocks.
const LARGE_CLUSTERS: i32 = 14;

/// What `cuLaunchKernelEx` is told of a launch.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Config {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared: u32,
    pub(super) stream: u64,
    pub(super) attributes: *const Attribute,
    pub(super) n_attributes: u32,
}

/// One fact about a launch.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Attribute {
    id: i32,
    pad: i32,
    value: [u32; 16],
}

const _: () = assert!(size_of::<Config>() == 56 && size_of::<Attribute>() == 72);

/// Where the assembler is to write, as the options say it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Logs {
    info: (usize, usize),
    errors: (usize, usize),
    verbose: bool,
}

impl Logs {
    /// Checks the options of a compilation.
    ///
    /// # Safety
    /// `n` options with as many values; a buffer has the size that the option after it says.
    pub(super) unsafe fn of(n: u32, options: *mut i32, values: *mut usize) -> Result<Logs, Code> {
        let mut logs = Logs::default();
        if n > 0 {
            not_null(options)?;
            not_null(values)?;
        }
        for i in 0..n as usize {
            // SAFETY: the caller promises `n` of each.
            let option = unsafe { *options.wrapping_add(i) };
            // SAFETY: as above.
            let value = unsafe { *values.wrapping_add(i) };
            // The size itself stands in the pointer's place; only its low half counts.
            let low = value & 0xFFFF_FFFF;
            match option {
                _ if option == INFO[0] => logs.info.0 = value,
                _ if option == INFO[1] => logs.info.1 = low,
                _ if option == ERRORS[0] => logs.errors.0 = value,
                _ if option == ERRORS[1] => logs.errors.1 = low,
                VERBOSE => logs.verbose = low != 0,
                0..=40 => {}
                _ => return Err(Code::INVALID_VALUE),
            }
        }
        Ok(logs)
    }

    /// Writes an error.
    ///
    /// # Safety
    /// The buffers are there still.
    pub(super) unsafe fn error(self, text: &str) {
        // SAFETY: the caller's promise.
        unsafe { write(self.errors, text) }
    }
}

/// # Safety
/// As many bytes can be written there, unless it is null.
unsafe fn write((at, room): (usize, usize), text: &str) {
    if at == 0 || room == 0 {
        return;
    }
    let kept = text.len().min(room - 1);
    let to: *mut u8 = std::ptr::with_exposed_provenance_mut(at);
    // SAFETY: the caller promises a buffer of `room` bytes.
    unsafe { to.copy_from_nonoverlapping(text.as_ptr(), kept) };
    // SAFETY: as above; less than `room` bytes are kept.
    unsafe { to.wrapping_add(kept).write(0) };
}

/// # Safety
/// As for [`Logs::of`]; `image` is a C string if it is neither an ELF nor a fat binary.
unsafe fn load(
    state: &mut Held,
    image: *const c_void,
    (n, options, values): (u32, *mut i32, *mut usize),
) -> Result<u64, Code> {
    not_null(image)?;
    // SAFETY: the caller's promise.
    let logs = unsafe { Logs::of(n, options, values)? };
    // SAFETY: the caller's promise: at least one byte.
    let byte = unsafe { *image.cast::<u8>() };
    let text = if byte == 0x7F {
        // SAFETY: an ELF has a whole header.
        if !link::is_ours(unsafe { &*image.cast::<[u8; 64]>() }) {
            return Err(Code::NO_BINARY_FOR_GPU);
        }
        image.wrapping_byte_add(link::TEXT)
    // SAFETY: the caller's promise: at least four bytes, or an end before, which is no 0x50.
    } else if byte == 0x50 && unsafe { *image.cast::<[u8; 4]>() } == [0x50, 0xED, 0x55, 0xBA] {
        // Machine code, which the fake cannot read.
        return Err(Code::NO_BINARY_FOR_GPU);
    } else {
        image
    };
    // SAFETY: the caller's promise: a zero-ended text, behind the header if there is one.
    let text = unsafe { CStr::from_ptr(text.cast()) };
    let text = text.to_str().map_err(|_| Code::INVALID_IMAGE)?;
    if text.trim().is_empty() {
        return Err(Code::INVALID_IMAGE);
    }
    let module = state.load(text).map_err(|refused| {
        // SAFETY: the caller promises buffers of the sizes that he names.
        unsafe { logs.error(&refused.log) };
        refused.code
    })?;
    if logs.verbose {
        let names = state.modules.get(module)?.entries.iter();
        let said = names.map(|kernel| {
            let (name, registers) = (&kernel.entry.name, kernel.registers());
            format!("ptxas info    : Function '{name}' used {registers} registers\n")
        });
        let said: String = said.collect();
        // SAFETY: the caller promises buffers of the sizes that he names.
        unsafe { write(logs.info, &said) };
    }
    Ok(module)
}

fn attribute(state: &Held, function: u64, number: i32) -> Result<i32, Code> {
    let (module, kernel) = state.kernel(function)?;
    let bytes = |bytes: usize| i32::try_from(bytes).unwrap_or(i32::MAX);
    let value = match number {
        0 => kernel.max_threads().cast_signed(),
        1 => bytes(kernel.entry.shared_bytes),
        2 => bytes(module.constant_bytes),
        3 => bytes(kernel.entry.local_bytes),
        4 => kernel.registers().cast_signed(),
        5 => module.ptx_version.cast_signed(),
        6 => 90,
        7 => 0,
        8 => bytes(kernel.max_dynamic_shared()),
        9..=15 => kernel.attributes.get(&number).copied().unwrap_or(0),
        _ => return Err(Code::INVALID_VALUE),
    };
    Ok(value)
}

/// The handle of a module's kernel.
fn handle(state: &mut Held, module: u64, index: usize) -> Result<u64, Code> {
    let kernels = &state.modules.get(module)?.entries;
    let known = kernels.get(index).ok_or(Code::NOT_FOUND)?.handle;
    if known != 0 {
        return Ok(known);
    }
    let handle = state.functions.add((module, index));
    state.kernel_mut(handle)?.handle = handle;
    Ok(handle)
}

/// Checks a launch and gives its stream the work.
///
/// # Safety
/// `params` is null or has an address for each parameter.
unsafe fn launch(
    state: &mut Held,
    function: u64,
    config: &Config,
    params: (*mut *mut c_void, *mut *mut c_void),
) -> Result<(), Code> {
    state.stream(config.stream)?;
    // SAFETY: the caller's promise.
    let launch = unsafe { checked(state, function, config, params)? };
    state.launches += 1;
    state.kernel_mut(function)?.loaded = true;
    submit(state, config.stream, Work::Launch(launch))
}

/// Checks a launch and copies its arguments.
///
/// # Safety
/// `params` is null or has an address for each parameter.
pub(super) unsafe fn checked(
    state: &Held,
    function: u64,
    config: &Config,
    (params, extra): (*mut *mut c_void, *mut *mut c_void),
) -> Result<Launch, Code> {
    let (module, kernel) = state.kernel(function)?;
    if module.context != state.current()? {
        return Err(Code::INVALID_HANDLE);
    }
    for axis in 0..3 {
        let (grid, block) = (config.grid[axis], config.block[axis]);
        if !(1..=GRID[axis]).contains(&grid) || !(1..=BLOCK[axis]).contains(&block) {
            return Err(Code::INVALID_VALUE);
        }
    }
    let threads: u64 = config
        .block
        .iter()
        .map(|extent| u64::from(*extent))
        .product();
    if threads > 1024 || config.shared as usize > kernel.max_dynamic_shared() {
        return Err(Code::INVALID_VALUE);
    }
    if threads > u64::from(kernel.max_threads()) {
        return Err(Code::LAUNCH_OUT_OF_RESOURCES);
    }
    // SAFETY: the caller's promise.
    unsafe { together(config, kernel)? };
    let bytes = kernel
        .entry
        .params
        .last()
        .map_or(0, |last| last.offset + last.size);
    let mut block = vec![0u8; bytes];
    let entry_params = &kernel.entry.params;
    if !params.is_null() && !extra.is_null() || params.is_null() && extra.is_null() && bytes > 0 {
        return Err(Code::INVALID_VALUE);
    }
    if !extra.is_null() {
        return Err(Code::NOT_SUPPORTED);
    }
    for (i, param) in entry_params.iter().enumerate() {
        // SAFETY: the caller's promise.
        let from = unsafe { *params.wrapping_add(i) }.cast::<u8>();
        if from.is_null() || state.options.probe != 0 && !readable(from, param.size) {
            return Err(Code::INVALID_VALUE);
        }
        let to = &mut block[param.offset..param.offset + param.size];
        // SAFETY: as many bytes can be read there, as the caller promises and was looked up.
        unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from, to.len()) };
    }
    Ok(Launch {
        function,
        grid: config.grid,
        block: config.block,
        shared: config.shared,
        params: block,
    })
}

/// Checks what clusters, cooperative grids and dependent launches need.
///
/// # Safety
/// `config` has as many attributes as it says.
unsafe fn together(config: &Config, kernel: &crate::module::Kernel) -> Result<(), Code> {
    if config.n_attributes > 0 {
        not_null(config.attributes)?;
    }
    for i in 0..config.n_attributes as usize {
        // SAFETY: the caller's promise.
        let Attribute { id, value, .. } = unsafe { *config.attributes.wrapping_add(i) };
        let threads = config.block.iter().product();
        let places = u64::from(kernel.places(threads, config.shared as usize)) * MULTIPROCESSORS;
        let blocks: u64 = config
            .grid
            .iter()
            .map(|extent| u64::from(*extent))
            .product();
        match id {
            COOPERATIVE if value[0] != 0 && blocks > places => {
                return Err(Code::COOPERATIVE_LAUNCH_TOO_LARGE);
            }
            CLUSTER => {
                let large = kernel
                    .attributes
                    .get(&LARGE_CLUSTERS)
                    .is_some_and(|set| *set != 0);
                let size = value[..3]
                    .iter()
                    .fold(1u32, |n, extent| n.saturating_mul(*extent));
                let divides =
                    |axis: usize| value[axis] > 0 && config.grid[axis].is_multiple_of(value[axis]);
                if size > if large { 16 } else { 8 } || !(0..3).all(divides) {
                    return Err(Code::INVALID_CLUSTER_SIZE);
                }
            }
            // A driver would start it, and the kernel would read what is not written yet.
            DEPENDENT if value[0] != 0 && !kernel.entry.waits => return Err(Code::INVALID_VALUE),
            0..=20 => {}
            _ => return Err(Code::INVALID_VALUE),
        }
    }
    Ok(())
}

driver! {
    /// Compiles and loads PTX.
    fn cuModuleLoadData(state; module: *mut u64, image: *const c_void) needs Context {
        not_null(module)?;
        let loaded = load(state, image, (0, std::ptr::null_mut(), std::ptr::null_mut()))?;
        put(module, loaded)
    }

    /// Compiles and loads PTX, with options.
    fn cuModuleLoadDataEx(state; module: *mut u64, image: *const c_void, n: u32, options: *mut i32, values: *mut usize) needs Context {
        not_null(module)?;
        let loaded = load(state, image, (n, options, values))?;
        put(module, loaded)
    }

    /// Unloads a module. Waits for the context, and complains if a queued launch needs it.
    fn cuModuleUnload(state; module: u64) needs Context {
        let context = state.modules.get(module)?.context;
        state.check_idle(module);
        drain_all(state, context)?;
        state.unload(module)
    }

    /// A kernel by its name.
    fn cuModuleGetFunction(state; function: *mut u64, module: u64, name: *const c_char) needs Context {
        not_null(function)?;
        not_null(name)?;
        let name = CStr::from_ptr(name).to_str().map_err(|_| Code::NOT_FOUND)?;
        let kernels = &state.modules.get(module)?.entries;
        let index = kernels.iter().position(|kernel| kernel.entry.name == name).ok_or(Code::NOT_FOUND)?;
        let found = handle(state, module, index)?;
        put(function, found)
    }

    /// Address and bytes of a variable; either may be left out.
    fn cuModuleGetGlobal_v2(state; address: *mut u64, bytes: *mut usize, module: u64, name: *const c_char) needs Context {
        not_null(name)?;
        let name = CStr::from_ptr(name).to_str().map_err(|_| Code::NOT_FOUND)?;
        let found = state.modules.get(module)?.variables.get(name).copied();
        let (at, len) = found.ok_or(Code::NOT_FOUND)?;
        if !address.is_null() {
            put(address, at)?;
        }
        if !bytes.is_null() {
            put(bytes, len)?;
        }
        Ok(())
    }

    /// How many kernels a module has.
    fn cuModuleGetFunctionCount(state; count: *mut u32, module: u64) needs Context {
        let kernels = state.modules.get(module)?.entries.len();
        put(count, kernels as u32)
    }

    /// The kernels of a module, up to a number.
    fn cuModuleEnumerateFunctions(state; functions: *mut u64, most: u32, module: u64) needs Context {
        not_null(functions)?;
        let kernels = state.modules.get(module)?.entries.len();
        for index in 0..kernels.min(most as usize) {
            let function = handle(state, module, index)?;
            put(functions.add(index), function)?;
        }
        Ok(())
    }

    /// The name of a kernel, as long as its module is loaded.
    fn cuFuncGetName(state; name: *mut *const c_char, function: u64) needs Context {
        let (_, kernel) = state.kernel(function)?;
        put(name, kernel.c_name.as_ptr())
    }

    /// Whether functions are loaded when they are first launched: 2, rather than 1.
    fn cuModuleGetLoadingMode(_state; mode: *mut i32) needs Init {
        let eager = std::env::var_os("CUDA_MODULE_LOADING").is_some_and(|value| value == "EAGER");
        put(mode, if eager { 1 } else { 2 })
    }

    /// Whether a function was loaded or launched.
    fn cuFuncIsLoaded(state; loaded: *mut i32, function: u64) needs Context {
        let (_, kernel) = state.kernel(function)?;
        let eager = std::env::var_os("CUDA_MODULE_LOADING").is_some_and(|value| value == "EAGER");
        put(loaded, i32::from(eager || kernel.loaded))
    }

    /// Loads a function ahead of its first launch.
    fn cuFuncLoad(state; function: u64) needs Context {
        state.kernel_mut(function)?.loaded = true;
        Ok(())
    }

    /// What the assembler found out about a kernel.
    fn cuFuncGetAttribute(state; value: *mut i32, number: i32, function: u64) needs Context {
        let found = attribute(state, function, number)?;
        put(value, found)
    }

    /// Allows a kernel more.
    fn cuFuncSetAttribute(state; function: u64, number: i32, value: i32) needs Context {
        let shared = state.kernel(function)?.1.entry.shared_bytes;
        let limit = match number {
            8 => 232_448 - i32::try_from(shared).unwrap_or(232_448),
            9 => 100,
            10..=13 => 16,
            LARGE_CLUSTERS => 1,
            15 => 2,
            _ => return Err(Code::INVALID_VALUE),
        };
        if value > limit || value < if number == 9 { -1 } else { 0 } {
            return Err(Code::INVALID_VALUE);
        }
        state.kernel_mut(function)?.attributes.insert(number, value);
        Ok(())
    }

    /// Says whether a kernel prefers shared memory or cache.
    fn cuFuncSetCacheConfig(state; function: u64, config: i32) needs Context {
        state.kernel(function)?;
        if (0..=3).contains(&config) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }

    /// Where a parameter of a kernel is, and its bytes.
    fn cuFuncGetParamInfo(state; function: u64, index: usize, offset: *mut usize, size: *mut usize) needs Context {
        not_null(offset)?;
        let (_, kernel) = state.kernel(function)?;
        let param = kernel.entry.params.get(index).ok_or(Code::INVALID_VALUE)?;
        put(offset, param.offset)?;
        if size.is_null() { Ok(()) } else { put(size, param.size) }
    }

    /// Blocks that one multiprocessor has places for.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(state; blocks: *mut i32, function: u64, threads: i32, shared: usize) needs Context {
        let (_, kernel) = state.kernel(function)?;
        let threads = u32::try_from(threads).ok().filter(|n| (1..=1024).contains(n)).ok_or(Code::INVALID_VALUE)?;
        put(blocks, kernel.places(threads, shared).cast_signed())
    }

    /// Launches a kernel.
    fn cuLaunchKernel(
        state;
        function: u64,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared: u32,
        stream: u64,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) needs Context {
        let config = Config {
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            shared,
            stream,
            attributes: std::ptr::null(),
            n_attributes: 0,
        };
        launch(state, function, &config, (params, extra))
    }

    /// Launches a kernel, with attributes.
    fn cuLaunchKernelEx(state; config: *const Config, function: u64, params: *mut *mut c_void, extra: *mut *mut c_void) needs Context {
        let config = *not_null(config)?;
        launch(state, function, &config, (params, extra))
    }
}
