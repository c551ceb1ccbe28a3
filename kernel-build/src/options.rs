//! What the device linker can be told: architectures and options of code generation.

use serde::{Deserialize, Serialize};

/// A GPU architecture that PTX is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arch {
    pub(crate) sm: u32,
    pub(crate) exact: bool,
}

impl Arch {
    /// Portable code for compute capability `sm / 10` (75 for 7.5) and everything newer. Below 75 the build fails with an error.
    #[must_use]
    pub const fn sm(sm: u32) -> Arch {
        Arch { sm, exact: false }
    }

    /// Code that may use features of exactly this architecture, as `sm_90a`.
    #[must_use]
    pub const fn exactly(sm: u32) -> Arch {
        Arch { sm, exact: true }
    }

    /// The name that ptxas and LLVM use.
    pub(crate) fn name(self) -> String {
        format!("sm_{}{}", self.sm, if self.exact { "a" } else { "" })
    }
}

/// What the device linker is told, through the environment of the nested build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Options {
    pub(crate) archs: Vec<Arch>,
    pub(crate) fma: bool,
    pub(crate) line_info: bool,
    /// Registers of a thread in kernels that set no limit themselves; 0 for any number.
    pub(crate) max_registers: u32,
    /// Whether kernels are compiled for the emulator's checks as well.
    pub(crate) instrumented: bool,
    /// The names of passes that do not run.
    pub(crate) passes_off: Vec<String>,
}

/// One portable PTX (`sm_75`), no FMA contraction, no line information, instrumented code beside it.
impl Default for Options {
    fn default() -> Options {
        Options {
            archs: vec![Arch::sm(75)],
            fma: false,
            line_info: false,
            max_registers: 0,
            instrumented: true,
            passes_off: vec![],
        }
    }
}
