//! Modules: PTX that was read, its variables in memory, its kernels.

use std::collections::HashMap;
use std::ffi::CString;

use crate::code::Code;
use crate::memory::Kind;
use crate::ptx::{self, Entry, Variable, Wrong};
use crate::state::State;

/// Loaded device code.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) context: u64,
    pub(crate) entries: Vec<Kernel>,
    /// Address and bytes of each variable.
    pub(crate) variables: HashMap<String, (u64, usize)>,
    pub(crate) constant_bytes: usize,
    pub(crate) ptx_version: u32,
}

/// A kernel of a module.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) entry: Entry,
    /// Its handle, once it was asked for.
    pub(crate) handle: u64,
    /// Attributes that were set, by number.
    pub(crate) attributes: HashMap<i32, i32>,
    /// Whether it was loaded or launched.
    pub(crate) loaded: bool,
    pub(crate) c_name: CString,
}

/// What the assembler says of a text that it refuses.
pub(crate) struct Refused {
    pub(crate) code: Code,
    pub(crate) log: String,
}

/// The newest PTX that a driver for this CUDA version reads.
fn newest_ptx(version: u64) -> (u32, u32) {
    let (major, minor) = (version / 1000, version % 1000 / 10);
    let minor = match (major, minor) {
        (12, 6..) => minor - 1,
        _ => minor,
    };
    let major = if major == 13 { 9 } else { major - 4 };
    (major as u32, minor as u32)
}

impl State {
    /// Compiles and loads a text.
    pub(crate) fn load(&mut self, text: &str) -> Result<u64, Refused> {
        let refused = |code| Refused {
            code,
            log: String::new(),
        };
        let context = self.current().map_err(refused)?;
        let ptx = ptx::read(text).map_err(|Wrong { line, reason }| Refused {
            code: Code::INVALID_PTX,
            log: format!(
                "ptxas application ptx input, line {line}; error   : {reason}\nptxas fatal   : Ptx assembly aborted due to errors"
            ),
        })?;
        if ptx.version > newest_ptx(self.options.version) {
            return Err(Refused {
                code: Code::UNSUPPORTED_PTX_VERSION,
                log: format!(
                    "PTX version {}.{} is not supported by this driver",
                    ptx.version.0, ptx.version.1
                ),
            });
        }
        if ptx.target > 90 {
            return Err(refused(Code::NO_BINARY_FOR_GPU));
        }
        let variables = self.place(context, &ptx.variables).map_err(refused)?;
        let constants = ptx.variables.iter().filter(|v| v.constant);
        let kernel = |entry: Entry| Kernel {
            c_name: CString::new(&*entry.name).unwrap_or_default(),
            entry,
            handle: 0,
            attributes: HashMap::new(),
            loaded: false,
        };
        let module = Module {
            context,
            constant_bytes: constants.map(|v| v.bytes.len()).sum(),
            ptx_version: ptx.version.0 * 10 + ptx.version.1,
            entries: ptx.entries.into_iter().map(kernel).collect(),
            variables,
        };
        Ok(self.modules.add(module))
    }

    fn place(
        &mut self,
        context: u64,
        all: &[Variable],
    ) -> Result<HashMap<String, (u64, usize)>, Code> {
        let mut placed = HashMap::new();
        let own = || all.iter().filter(|v| !v.external && !v.bytes.is_empty());
        for variable in own() {
            let bytes = variable.bytes.len();
            let address = self.allocate_for(context, Kind::Variable, bytes, 0)?;
            placed.insert(variable.name.clone(), (address, bytes));
        }
        for variable in own() {
            let mut bytes = variable.bytes.clone();
            for (at, name, added) in &variable.addresses {
                let (address, _) = placed.get(name).copied().unwrap_or_default();
                if let Some(to) = bytes.get_mut(*at..at + 8) {
                    to.copy_from_slice(&(address + added).to_le_bytes());
                }
            }
            let (address, len) = placed[&variable.name];
            let to = self.resolve(address, len)?;
            // SAFETY: memory of `len` bytes, as was just allocated.
            unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), len) };
        }
        Ok(placed)
    }

    /// Takes a module away, with its variables and the handles of its kernels.
    pub(crate) fn unload(&mut self, module: u64) -> Result<(), Code> {
        let gone = self.modules.remove(module)?;
        self.functions.retain(|_, (of, _)| *of != module);
        for (address, _) in gone.variables.values() {
            self.free(*address, &[Kind::Variable])?;
        }
        Ok(())
    }

    /// A kernel by its handle.
    pub(crate) fn kernel(&self, function: u64) -> Result<(&Module, &Kernel), Code> {
        let (module, index) = *self.functions.get(function)?;
        let module = self.modules.get(module)?;
        Ok((
            module,
            module.entries.get(index).ok_or(Code::INVALID_HANDLE)?,
        ))
    }

    pub(crate) fn kernel_mut(&mut self, function: u64) -> Result<&mut Kernel, Code> {
        let (module, index) = *self.functions.get(function)?;
        let module = self.modules.get_mut(module)?;
        module.entries.get_mut(index).ok_or(Code::INVALID_HANDLE)
    }
}

impl Kernel {
    /// Most threads of a block.
    pub(crate) fn max_threads(&self) -> u32 {
        self.entry.max_threads.unwrap_or(1024).min(1024)
    }

    /// Registers of a thread, which are not counted.
    pub(crate) fn registers(&self) -> u32 {
        self.entry.max_registers.unwrap_or(255).min(24)
    }

    /// Most bytes of dynamic shared memory of a block.
    pub(crate) fn max_dynamic_shared(&self) -> usize {
        let usual = 49_152usize.saturating_sub(self.entry.shared_bytes);
        let set = self.attributes.get(&8).copied();
        set.and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(usual)
    }

    /// Blocks that one multiprocessor of an H200 has places for.
    pub(crate) fn places(&self, threads: u32, dynamic_shared: usize) -> u32 {
        let warps = threads.div_ceil(32).max(1);
        let shared = self.entry.shared_bytes + dynamic_shared + 1024;
        let by_shared = u32::try_from(233_472 / shared).unwrap_or(u32::MAX);
        (64 / warps).min(32).min(by_shared)
    }
}
