//! Why device code from elsewhere cannot be loaded, linked or used.

use crate::cuda::DriverError;
use crate::launch::error::LaunchError;
use crate::module::images::Arch;
use crate::stream::StreamError;
use crate::unsupported::Unsupported;

/// Why device code from elsewhere cannot be loaded, linked or used.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ModuleError {
    /// A file cannot be read.
    #[error("cannot read device code from {path}: {reason}; check the path and its permissions")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// Bytes that are no device code, or not all of it.
    #[error("{name} is no device code that can be loaded: {reason}")]
    NotCode {
        /// The code's name.
        name: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// Code for other GPUs.
    #[error(
        "{name} is for {arch}, which {device} (compute capability {}.{}) does not run; {remedy}",
        capability.0,
        capability.1
    )]
    WrongArch {
        /// The code's name.
        name: String,
        /// What the code was made for.
        arch: Arch,
        /// The device's name.
        device: String,
        /// The device's compute capability, major and minor.
        capability: (u32, u32),
        /// What to do.
        remedy: &'static str,
    },
    /// An option of the compiler has a value that it does not take.
    #[error("option {option} is {given}, but the driver's compiler takes {allowed}")]
    Setting {
        /// The option's name.
        option: &'static str,
        /// The value.
        given: u64,
        /// The values that there are.
        allowed: &'static str,
    },
    /// The driver's compiler, linker or loader refused the code.
    #[error("the driver refused {name}{}: {source}; it says: {log}", place.as_deref().unwrap_or_default())]
    Refused {
        /// The code's name.
        name: String,
        /// The line of PTX that the log names first.
        line: Option<u32>,
        /// That line as messages show it.
        place: Option<Box<str>>,
        /// All that the driver said.
        log: String,
        /// The driver's error.
        source: Box<DriverError>,
    },
    /// Nothing was added to a link.
    #[error("there is nothing to link; add code with `Linker::add` first")]
    NothingToLink,
    /// The module has no such kernel.
    #[error("{module} has no kernel `{name}`: {known}")]
    NoKernel {
        /// The module's name.
        module: String,
        /// The kernel's name.
        name: String,
        /// What there is, if the driver can tell.
        known: String,
    },
    /// The types that the host gives are not those of the kernel.
    #[error(
        "kernel `{kernel}` has {found} as parameter {parameter}, but its types on the host make that {given}; give the types of its source, a pointer for each pointer"
    )]
    Signature {
        /// The kernel's name.
        kernel: String,
        /// Position of the parameter among those of the device function, from 1.
        parameter: usize,
        /// What the types of the host make of it.
        given: String,
        /// What the driver says.
        found: String,
    },
    /// The module has no such variable.
    #[error(
        "{module} has no variable `{name}`; declare it `.visible .global` or `.visible .const`, and give the name that it has in PTX"
    )]
    NoSymbol {
        /// The module's name.
        module: String,
        /// The variable's name.
        name: String,
    },
    /// Host and device disagree about a variable.
    #[error("variable `{name}` has {found} bytes, but its type on the host has {given}")]
    SymbolSize {
        /// The variable's name.
        name: String,
        /// Bytes of the type on the host.
        given: usize,
        /// Bytes of the variable.
        found: usize,
    },
    /// Module and stream belong to different devices.
    #[error(
        "{module} was loaded on another device ({device}) than the stream's ({stream}); make both from the same `Device` or its clones"
    )]
    WrongDevice {
        /// The module's name.
        module: String,
        /// The module's device.
        device: String,
        /// The stream's device.
        stream: String,
    },
    /// A kernel's figures cannot be had.
    #[error(transparent)]
    Launch(Box<LaunchError>),
    /// Earlier work failed: a kernel panicked, for example.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// The driver refused a call.
    #[error("cannot use a module of the GPU: {0}")]
    Driver(#[from] DriverError),
    /// The device does not do that.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

impl From<LaunchError> for ModuleError {
    fn from(error: LaunchError) -> ModuleError {
        ModuleError::Launch(Box::new(error))
    }
}

/// The line that the assembler's log names first in an error, with its text: `, line 12 (`add.f32 …`)`.
pub(super) fn place(log: &str, ptx: Option<&str>) -> (Option<u32>, Option<Box<str>>) {
    let is_error = |line: &&str| line.contains("error") || line.contains("fatal");
    let named = |line: &str| {
        let digits = line.split("line ").nth(1)?;
        let end = digits.find(|c: char| !c.is_ascii_digit());
        digits[..end.unwrap_or(digits.len())].parse::<u32>().ok()
    };
    let Some(line) = log.lines().filter(is_error).find_map(named) else {
        return (None, None);
    };
    let text = ptx.and_then(|ptx| ptx.lines().nth((line as usize).checked_sub(1)?));
    let text = match text.map(str::trim) {
        Some(text) if !text.is_empty() => format!(", line {line} (`{text}`)"),
        _ => format!(", line {line}"),
    };
    (Some(line), Some(text.into_boxed_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "ptxas warning : nothing of note, line 1\n\
        ptxas application ptx input, line 3; error   : Unknown symbol 'y'\n\
        ptxas application ptx input, line 2; error   : later\n\
        ptxas fatal   : Ptx assembly aborted due to errors";

    //@ rows: GDR-8
    #[test]
    fn the_first_line_with_an_error_is_shown() {
        let ptx = ".version 7.0\n.target sm_75\n  add.u32 x, y, 1;\n";
        let (line, text) = place(LOG, Some(ptx));
        assert_eq!(line, Some(3));
        assert_eq!(text.as_deref(), Some(", line 3 (`add.u32 x, y, 1;`)"));
    }

    #[test]
    fn a_log_may_name_no_line_or_one_that_is_not_there() {
        assert_eq!(place("ptxas fatal : no target", None), (None, None));
        assert_eq!(place("", Some("x")), (None, None));
        assert_eq!(place("error, line x", None), (None, None));
        let (line, text) = place(LOG, Some("one line"));
        assert_eq!((line, text.as_deref()), (Some(3), Some(", line 3")));
        assert_eq!(place("error, line 0", Some("x")).0, Some(0));
    }
}
