//! Everything that depends on a release of rustc or LLVM: what to change for another one, and the check of it.

use super::kernels::{self, ASSEMBLY, ATOMICS, FAST_MATH, FLOATS, INDICES, PANICS, SHARED};
use super::probe::Probe;
use super::{libraries, llvm_rows, rustc_rows};

/// One line of the table.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Where warploom depends on it: what a port to another release changes.
    pub(super) change: &'static str,
    /// An error says what is different.
    pub(super) check: fn(&Probe) -> Result<(), String>,
}

const fn row(
    name: &'static str,
    change: &'static str,
    check: fn(&Probe) -> Result<(), String>,
) -> Row {
    Row {
        name,
        change,
        check,
    }
}

/// The table, each row after those that it needs.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("C functions of LLVM", "`functions!` in kernel-build/src/llvm/ffi.rs", llvm_rows::functions),
    row("options of LLVM", "`ARGUMENTS` and `FOR_LARGE_FUNCTIONS` in kernel-build/src/llvm/mod.rs", llvm_rows::options),
    row("numbers of instructions", "`BRANCHES` in kernel-build/src/versions.rs, `operations!` in kernel-build/src/llvm/operation.rs", llvm_rows::operations),
    row("attributes", "the names of attributes in kernel-build/src/lower/ and kernel-build/src/instrument/", llvm_rows::attributes),
    row("LLVM's passes", "kernel-build/src/llvm/target.rs", llvm_rows::passes),
    row("PTX versions and architectures", "`gpu` in kernel-build/src/pipeline.rs", llvm_rows::architectures),
    row("LLVM's intrinsics", "device-std/src/intrinsics/, kernel-build/src/self_test/intrinsics.txt", llvm_rows::intrinsics),
    row("instructions of the host", "kernel-build/src/lower/host_code/intrinsics.rs", llvm_rows::host_instructions),
    row("flags of rustc", "`DEVICE_FLAGS` in kernel-build/src/wrapper.rs", rustc_rows::flags),
    row("libraries without code", "`HOST_CRATE_FLAGS` in kernel-build/src/wrapper.rs", rustc_rows::host_crates),
    row("unstable features", "device-std/src/host_address.rs, kernel-build/src/wrapper.rs", rustc_rows::features),
    row("bitcode of rustc", "kernel-build/src/archive.rs, or a newer LLVM", rustc_rows::bitcode),
    row("layout of Location", "`read_location` in kernel-build/src/roots.rs, kernel-build/src/lower/locations.rs", rustc_rows::locations),
    row("core's panic functions", "`PANICS` in kernel-build/src/lower/symbols.rs, device-std/src/panic.rs", libraries::panics),
    row("callers of the panic handler", "`PANICS` in kernel-build/src/lower/symbols.rs, device-std/src/panic.rs", libraries::panic_handler),
    row("arguments of panics", "kernel-build/src/lower/format_template.rs", libraries::arguments),
    row("functions of the heap", "`HEAP` in kernel-build/src/lower/symbols.rs, device-std/src/heap.rs", libraries::heap),
    row("std's ends of a thread", "`ENDS` in kernel-build/src/lower/symbols.rs, device-std/src/panic.rs", libraries::ends),
    row("a kernel with indices", "kernel-build/src/lower/symbols.rs, kernel-build/src/instrument/", |probe| kernels::check(probe, &INDICES)),
    row("a kernel with shared memory and a barrier", "kernel-build/src/lower/shared.rs", |probe| kernels::check(probe, &SHARED)),
    row("a kernel with atomics", "kernel-build/src/lower/atomics.rs", |probe| kernels::check(probe, &ATOMICS)),
    row("a kernel that panics", "kernel-build/src/lower/symbols.rs, kernel-build/src/lower/panics.rs", |probe| kernels::check(probe, &PANICS)),
    row("a kernel with floating point", "`INTRINSIC_MATH` in kernel-build/src/lower/symbols.rs", |probe| kernels::check(probe, &FLOATS)),
    row("a kernel with `fast_math`", "kernel-build/src/lower/fast_math.rs", |probe| kernels::check(probe, &FAST_MATH)),
    row("a kernel with inline PTX", "kernel-build/src/lower/asm.rs", |probe| kernels::check(probe, &ASSEMBLY)),
];
