//! The device linker: the link line of one crate target in, a container of PTX out.
//!
//! ```text
//! own objects ─ roots ─ keep what kernels reach ⇄ archives, on demand ─ lower ─ per architecture: O3, atomics, PTX ─ container
//! ```
//! Never fails rustc's link: problems of kernels are written where the container would be, and the build script reports them.

mod images;
mod line;
#[cfg(test)]
mod loops_tests;
pub(crate) mod needs;
mod output;
mod split;
#[cfg(test)]
mod tests;

use crate::archive::{ArchiveError, Archives, MemberId, embedded_bitcode};
use crate::instrument;
use crate::llvm::{self, Context, Linkage, LlvmError, LoadError, Machine, Module, Passes, Value};
use crate::lower::{kernels, library, retarget, shared, sines, statics, symbols};
use crate::options::{Arch, Options};
use crate::reach::{self, Graph};
use crate::roots::{self, Root};
use line::LinkLine;
pub(crate) use output::Linked;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use warploom_manifest::{Kernel, Manifest, Symbol, container};

const TRIPLE: &str = "nvptx64-nvidia-cuda";
const PROBLEMS: &[u8] = b"warploom problems\n";
/// Keeps the device module and the PTX beside the container, for people who want to look.
const DUMP: &str = "WARPLOOM_DUMP";

/// Why there is no container.
#[derive(Debug, thiserror::Error)]
enum LinkError {
    #[error("the device linker was started outside the device pass")]
    NoOptions,
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot write the manifest: {0}")]
    Manifest(#[from] serde_json::Error),
    #[error("{}", .0.join("\n"))]
    Kernels(Vec<String>),
}

/// Links as rustc asked; the exit code is 0 unless not even problems could be written.
pub(crate) fn run(args: &[OsString]) -> i32 {
    let line = LinkLine::parse(args);
    let output = line.output.clone();
    llvm::on_fatal_error(move |reason| {
        let problem = format!(
            "the device linker failed for `{}`: LLVM gave up: {reason}",
            target_name()
        );
        let _ = std::fs::write(&output, problems_file(&[problem]));
    });
    let content = match link(&line) {
        Ok(container) => container,
        Err(LinkError::Kernels(problems)) => problems_file(&problems),
        Err(other) => problems_file(&[format!(
            "the device linker failed for `{}`: {other}",
            target_name()
        )]),
    };
    match std::fs::write(&line.output, content) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("cannot write {}: {error}", line.output.display());
            1
        }
    }
}

/// What the linker wrote, device code or problems; `None` if it did not write this file (a library that was only a dependency).
pub(crate) fn read_output(path: &Path) -> Option<Result<Linked, Vec<String>>> {
    let content = match std::fs::read(path) {
        Ok(content) => content,
        Err(error) => {
            let problem = format!("cannot read {}: {error}", path.display());
            return Some(Err(vec![problem]));
        }
    };
    if let Some(json) = content.strip_prefix(PROBLEMS) {
        let problems = serde_json::from_slice(json);
        return Some(Err(problems.unwrap_or_else(|e| vec![e.to_string()])));
    }
    container::starts(&content).then(|| Ok(output::split(content)))
}

fn problems_file(problems: &[String]) -> Vec<u8> {
    let mut content = PROBLEMS.to_vec();
    content.extend(serde_json::to_vec(problems).unwrap_or_default());
    content
}

/// The crate target that is being linked.
fn target_name() -> String {
    std::env::var(crate::wrapper::TARGET).unwrap_or_default()
}

fn link(line: &LinkLine) -> Result<Vec<u8>, LinkError> {
    let (options, llvm) = crate::pass::linker_options().ok_or(LinkError::NoOptions)?;
    let context = Context::new(&llvm)?;
    let module = own_module(&context, line)?;
    dump(&line.output, "own.ll", || module.to_text());
    let (mut parts, instrumented) = compile(module, options, line)?;
    if parts.is_empty() {
        parts.push(Part::default()); // says that there is nothing
    }
    let mut containers = Vec::new();
    for part in parts {
        let manifest = Manifest {
            target: target_name(),
            failure: None,
            kernels: part.kernels,
            images: vec![],
            symbols: part.symbols,
        };
        containers.extend(container::pack(manifest, &part.texts)?);
    }
    Ok(output::join(containers, &instrumented))
}

/// Kernels that share an image; for each architecture its number, whether it is exact, and PTX.
#[derive(Debug, Default)]
struct Part {
    kernels: Vec<Kernel>,
    symbols: Vec<Symbol>,
    texts: Vec<(u32, bool, String)>,
}

impl Part {
    fn has(&self, arch: Arch) -> bool {
        let same = |text: &(u32, bool, String)| (text.0, text.1) == (arch.sm, arch.exact);
        self.texts.iter().any(same)
    }

    /// An architecture's code may use a static that another's does not.
    fn add_symbols(&mut self, symbols: Vec<Symbol>) {
        for symbol in symbols {
            if !self.symbols.contains(&symbol) {
                self.symbols.push(symbol);
            }
        }
    }
}

/// From a crate's own module to PTX.
fn compile(
    mut module: Module<'_>,
    options: Options,
    line: &LinkLine,
) -> Result<(Vec<Part>, Vec<u8>), LinkError> {
    expose(&mut module)?;
    let mut roots = roots::find(&module.functions(), &module.globals())
        .map_err(|e| LinkError::Kernels(vec![e]))?;
    for root in &mut roots {
        if root.max_registers == 0 && root.max_threads == 0 {
            root.max_registers = options.max_registers;
        }
    }
    if roots.is_empty() {
        return Ok((vec![], vec![]));
    }
    let problems = roots::check_names(&roots);
    if !problems.is_empty() {
        return Err(LinkError::Kernels(problems));
    }
    let owned = statics::owned(&module);
    keep_only(&mut module, &roots)?;
    resolve(&mut module, &roots, &line.archives)?;
    let host_assembly = host_assembly(&module);
    // No other host has intrinsics that instrumented code can call: its kernels run natively on the emulator.
    let can_call = crate::elf::Machine::of_triple(&module.triple()).is_some();
    let whole = (options.instrumented && can_call).then(|| module.duplicate());
    let statics = lower(&mut module, &owned)?;
    let graph = Graph::of(&module.functions());
    let mangled: Vec<String> = roots.iter().map(|r| r.entry.name()).collect();
    let layout = machine(module.context(), Arch::sm(75), 0)?.data_layout();
    let names = kernels::add(&mut module, &roots, TRIPLE, &layout)?;
    module.verify()?;
    dump(&line.output, "device.ll", || module.to_text());
    let instrumented = match whole {
        Some(whole) => {
            let show = |extension: &str, text: &dyn Fn() -> String| {
                dump(&line.output, extension, text);
            };
            instrument::build(whole, &roots, &names, &target_name(), &show)?
        }
        None => vec![],
    };
    let lines = kernels::lines(&roots);
    module.run(Passes::inline_always(), None)?;
    kernels::keep_lines(&module, &names, &lines);
    kernels::state_index_facts(&module, &roots, &names);
    let program = Program {
        module,
        roots,
        names,
        mangled,
        graph,
        host_assembly,
        statics,
        options,
    };
    let groups = split::groups(&program.module, &program.names);
    let described = describe(&program.roots, &program.names);
    let mut parts: Vec<Part> = groups
        .iter()
        .map(|group| Part {
            kernels: group.iter().map(|k| described[*k].clone()).collect(),
            symbols: vec![],
            texts: vec![],
        })
        .collect();
    images::make(&program, &groups, &mut parts, &line.output)?;
    Ok((parts, instrumented))
}

/// Writes an intermediate result beside the output, if the user asked for it.
fn dump(output: &Path, extension: &str, content: impl FnOnce() -> String) {
    if std::env::var_os(DUMP).is_some()
        && let Err(error) = std::fs::write(output.with_extension(extension), content())
    {
        eprintln!(
            "cannot write {}: {error}",
            output.with_extension(extension).display()
        );
    }
}

/// The crate's own objects as one module.
fn own_module<'ctx>(context: &'ctx Context, line: &LinkLine) -> Result<Module<'ctx>, LinkError> {
    let mut module = Module::new(context, "device");
    for path in &line.objects {
        let data = std::fs::read(path).map_err(|source| LinkError::Read {
            path: path.clone(),
            source,
        })?;
        if let Some(bitcode) = embedded_bitcode(&data) {
            module.link(Module::from_bitcode(context, bitcode)?)?;
        }
    }
    Ok(module)
}

/// Makes constants visible where launches name kernels and places.
fn expose(module: &mut Module<'_>) -> Result<(), LinkError> {
    retarget::mark_convergent(module);
    roots::expose_callers(module);
    module.run(Passes::expose_arguments(), None)?;
    Ok(())
}

/// Drops everything that no kernel reaches.
fn keep_only(module: &mut Module<'_>, roots: &[Root<'_>]) -> Result<(), LinkError> {
    for global in module.globals() {
        if global.name().starts_with("llvm.") {
            // SAFETY: lists such as `llvm.used` are never referred to, and the handle is dropped here.
            unsafe { global.delete_global() };
        } else if !global.is_declaration() {
            global.set_linkage(Linkage::Internal);
        }
    }
    for function in module.functions() {
        if roots.iter().any(|r| r.entry == function) {
            function.set_linkage(Linkage::External);
        } else if !function.is_declaration() {
            function.clear_host_placement();
            function.set_linkage(Linkage::Internal);
        }
    }
    module.run(Passes::drop_unreachable(), None)?;
    Ok(())
}

/// Links what is undefined from the archives, again and again, until nothing more is found.
fn resolve(
    module: &mut Module<'_>,
    roots: &[Root<'_>],
    archives: &[PathBuf],
) -> Result<(), LinkError> {
    let mut index = Archives::default();
    for path in archives {
        index.add(path)?;
    }
    // Ours first: a definition that is there already wins over core's.
    let panics: Vec<MemberId> = symbols::panic_providers()
        .filter_map(|name| index.find(name))
        .collect();
    let mut wanted: Vec<MemberId> = panics;
    wanted.dedup();
    let mut visited: HashSet<(MemberId, Vec<String>)> = HashSet::new();
    let mut forced: Vec<String> = symbols::panic_providers().map(str::to_owned).collect();
    loop {
        sines::pair(module);
        symbols::call_remainders(module);
        symbols::redirect(module);
        let mut undefined = undefined_symbols(module);
        undefined.append(&mut forced);
        wanted.extend(undefined.iter().filter_map(|name| index.find(name)));
        wanted.sort_unstable();
        wanted.dedup();
        let mut progress = false;
        for member in std::mem::take(&mut wanted) {
            let mut here: Vec<String> = undefined
                .iter()
                .filter(|n| index.find(n) == Some(member))
                .cloned()
                .collect();
            here.sort();
            if !visited.insert((member, here.clone())) {
                continue;
            }
            let Some(bitcode) = index.bitcode(member) else {
                continue;
            };
            let mut offered = Module::lazily_from_bitcode(module.context(), bitcode)?;
            if index.is_of_std(member) {
                // Its lines are of use to nobody here, and their form would make ptxas expect full debug information.
                offered.strip_debug_info();
            }
            symbols::offer(&mut offered, &format!("{member:?}"));
            for name in &here {
                if let Some(function) = offered.function(name).filter(|f| !f.is_declaration()) {
                    function.set_linkage(Linkage::WeakOdr);
                }
            }
            module.link(offered)?;
            progress = true;
        }
        if !progress {
            break;
        }
        retarget::mark_convergent(module);
    }
    for function in module.functions() {
        if !function.is_declaration() && !roots.iter().any(|r| r.entry == function) {
            function.set_linkage(Linkage::Internal);
        }
    }
    for global in module.globals() {
        if !global.is_declaration() && !global.has_local_linkage() {
            global.set_linkage(Linkage::Internal);
        }
    }
    module.run(Passes::no_unwinding(), None)?;
    retarget::mark_convergent(module);
    module.run(Passes::drop_unreachable(), None)?;
    Ok(())
}

/// What is declared, used and not defined; LLVM's and our own intrinsics aside.
fn undefined_symbols(module: &Module<'_>) -> Vec<String> {
    let unknown = |name: &String| {
        !name.starts_with("llvm.")
            && !name.starts_with(symbols::INTRINSIC)
            && !symbols::OF_THE_DRIVER.contains(&name.as_str())
    };
    let functions = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && f.is_used())
        .map(|f| f.name());
    let globals = module
        .globals()
        .into_iter()
        .filter(|g| g.is_declaration() && g.is_used() && g.name() != "__warploom_dynamic_shared")
        .map(|g| g.name());
    functions.chain(globals).filter(unknown).collect()
}

/// Assembly that was there before any of ours came: the host processor's.
fn host_assembly(module: &Module<'_>) -> HashSet<String> {
    assembly(module).collect()
}

fn assembly<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = String> + use<'ctx> {
    let calls = module
        .functions()
        .into_iter()
        .flat_map(Value::instructions)
        .filter_map(Value::as_call);
    calls
        .filter_map(|c| c.callee().asm_text())
        .filter(|text| !text.trim().is_empty())
}

fn lower(module: &mut Module<'_>, owned: &HashSet<String>) -> Result<Vec<Symbol>, LinkError> {
    let mut problems = symbols::bind_intrinsics(module);
    problems.extend(shared::place(module));
    let (statics, more) = statics::place(module, owned);
    problems.extend(more);
    let wanted: Vec<_> = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && f.is_used() && f.name().starts_with(symbols::INTRINSIC))
        .map(|f| (f.name(), f.value_type()))
        .collect();
    let (text, more) = library::definitions(&wanted);
    problems.extend(more);
    if !problems.is_empty() {
        return Err(LinkError::Kernels(problems));
    }
    let mut definitions = Module::from_text(module.context(), &text)?;
    retarget::mark_convergent(&definitions);
    let machine = machine(module.context(), Arch::sm(75), 0)?;
    let layout = machine.data_layout();
    retarget::strip_host(module);
    module.set_target(TRIPLE, &layout);
    definitions.set_target(TRIPLE, &layout);
    module.link(definitions)?;
    Ok(statics)
}

fn machine<'ctx>(
    context: &'ctx Context,
    arch: Arch,
    least: u32,
) -> Result<Machine<'ctx>, LlvmError> {
    // The oldest PTX version that has what the architecture and the code need, so that older drivers accept it.
    let version = match (arch.sm, arch.exact) {
        (..=80, _) => 71,
        (..=89, _) => 78,
        (..=90, _) => 80,
        _ => 86,
    };
    let version = format!("+ptx{}", least.max(version));
    Machine::new(context, TRIPLE, &arch.name(), &version)
}

/// Device IR before optimisation, and what is known about it.
struct Program<'ctx> {
    module: Module<'ctx>,
    roots: Vec<Root<'ctx>>,
    /// The kernels' names in the PTX.
    names: Vec<String>,
    /// Their names in `graph`, which was taken before they were renamed.
    mangled: Vec<String>,
    graph: Graph,
    host_assembly: HashSet<String>,
    /// Those that the host can ask for.
    statics: Vec<Symbol>,
    options: Options,
}

/// One message per kernel that reaches what no device has.
fn explain(program: &Program<'_>, unavailable: &[String]) -> Vec<String> {
    let entries = program.mangled.iter().map(String::as_str);
    let found = reach::first_reached(&program.graph, entries, unavailable);
    let messages: Vec<String> = found
        .into_iter()
        .filter_map(|(index, (symbol, steps))| {
            let root = program.roots.get(index)?;
            Some(reach::explain(
                &root.base, &root.file, root.line, &symbol, &steps,
            ))
        })
        .collect();
    if messages.is_empty() {
        let names = unavailable
            .iter()
            .map(|s| format!("{:#}", rustc_demangle::demangle(s)));
        return vec![format!(
            "device code needs what no device has: {}",
            names.collect::<Vec<_>>().join(", ")
        )];
    }
    messages
}

fn describe(roots: &[Root<'_>], names: &[String]) -> Vec<Kernel> {
    roots
        .iter()
        .zip(names)
        .zip(1..)
        .map(|((root, entry), id)| Kernel {
            name: root.name.clone(),
            entry: entry.clone(),
            file: root.file.clone(),
            line: root.line,
            launched_at: root.launched_at.iter().flatten().cloned().collect(),
            params: root.params.iter().map(|p| p.param.clone()).collect(),
            id,
        })
        .collect()
}
