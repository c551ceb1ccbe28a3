//! What `build.rs` may choose.

use crate::options::{Arch, Options};
use crate::pass;

/// Options of the device pass; see [`compile`](crate::compile) for the usual case.
///
/// ```no_run
/// use warploom_build::{Arch, Builder};
/// Builder::new().archs(&[Arch::sm(75), Arch::exactly(90)]).line_info(true).compile();
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    pub(crate) options: Options,
    pub(crate) enabled: bool,
    pub(crate) dev_targets: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// One portable PTX (`sm_75`), no FMA contraction, no line information, all targets of the package.
    #[must_use]
    pub fn new() -> Builder {
        Builder {
            options: Options::default(),
            enabled: true,
            dev_targets: true,
        }
    }

    /// Makes PTX for these architectures; the runtime takes the best that fits the GPU.
    #[must_use]
    pub fn archs(mut self, archs: &[Arch]) -> Builder {
        self.options.archs = archs.to_vec();
        self
    }

    /// Lets LLVM fuse `a * b + c` in all kernels, as nvcc does by default.
    ///
    /// Off by default, so that results are bit-equal to the emulator's; a single kernel asks with `#[kernel(fma)]`.
    #[must_use]
    pub fn fma(mut self, allowed: bool) -> Builder {
        self.options.fma = allowed;
        self
    }

    /// Puts source lines into the PTX (`.loc`), for profilers and `cuda-gdb`; nvcc's `-lineinfo`. `WARPLOOM_LINE_INFO=1` does the same
    /// from outside.
    #[must_use]
    pub fn line_info(mut self, wanted: bool) -> Builder {
        self.options.line_info = wanted;
        self
    }

    /// Holds threads to `n` registers (16 to 255), in kernels without `max_registers` and `launch_bounds` of their own; 0 for no limit.
    ///
    /// nvcc's `-maxrregcount`.
    #[must_use]
    pub fn max_registers(mut self, n: u32) -> Builder {
        self.options.max_registers = n;
        self
    }

    /// Whether kernels are compiled a second time for the host's processor, so that the emulator can check each access to memory.
    ///
    /// On by default. Without it the emulator sees barriers, warp operations and panics only. `WARPLOOM_INSTRUMENTED=0` does the same
    /// from outside.
    #[must_use]
    pub fn instrumented(mut self, wanted: bool) -> Builder {
        self.options.instrumented = wanted;
        self
    }

    /// Turns the device pass off: kernels then run on the emulator only. `WARPLOOM_DEVICE_CODE=0` does the same from outside.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Builder {
        self.enabled = enabled;
        self
    }

    /// Whether examples and tests get device code too (they do by default, when this package's own workspace is built).
    #[must_use]
    pub fn dev_targets(mut self, wanted: bool) -> Builder {
        self.dev_targets = wanted;
        self
    }

    /// Runs the device pass; see [`compile`](crate::compile).
    pub fn compile(self) {
        pass::enter(&self);
    }
}
