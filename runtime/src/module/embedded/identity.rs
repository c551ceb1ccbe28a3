//! Whether a kernel or static of the device code is the one that the host's code means.

use warploom_manifest as manifest;

use crate::kernel::Kernel;
use crate::launch::error::LaunchError;

/// Whether it stands in this line of a file of this name. What comes before the name may differ: paths can be remapped in one of the
/// two compilations.
pub(super) fn is_at_place(described: &manifest::Kernel, kernel: &Kernel<'_>) -> bool {
    let same_line = described.line == kernel.line;
    described.file.is_empty() || (same_line && name(&described.file) == name(kernel.file))
}

/// The last part of a path.
fn name(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).next()
}

pub(crate) fn is_at(at: &manifest::Location, (file, line, column): (&str, u32, u32)) -> bool {
    is_same_file(&at.file, file) && (at.line, at.column) == (line, column)
}

/// The device pass may have run in another folder: paths that end alike are the same file.
pub(super) fn is_same_file(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let before = long.strip_suffix(short);
    before.is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
}

/// The program has device code of another kernel of the name alone.
#[cold]
pub(super) fn other_kernel(kernel: &Kernel<'_>, other: &manifest::Kernel) -> LaunchError {
    let manifest::Kernel { package, .. } = other;
    let wanted = kernel.package;
    let reason = if package == wanted {
        let name = wanted.split(' ').next().unwrap_or_default();
        format!(
            "the device code of `{wanted}` has it at {}:{}, the program at {}:{}: they were compiled from different sources; build both again with `cargo clean -p {name}`",
            other.file, other.line, kernel.file, kernel.line
        )
    } else {
        format!(
            "it has that of package `{package}`, and this launch is of `{wanted}`; add a build.rs with `warploom_build::compile()` to `{wanted}`, or let the program use one version of it; WARPLOOM_DEVICE=emulator runs it on the CPU"
        )
    };
    LaunchError::NoDeviceCode {
        kernel: kernel.name,
        reason,
    }
}
