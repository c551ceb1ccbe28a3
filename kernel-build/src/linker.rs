//! The device linker: the link line of one crate target in, a container of PTX out; [`pipeline`](crate::pipeline) is what happens between.
//!
//! Never fails rustc's link: problems of kernels are written where the container would be, and the build script reports them.

mod deferred;
mod line;
mod notes;
mod output;
mod supervision;

use crate::archive::embedded_bitcode;
use crate::environment::DUMP;
use crate::llvm::{self, Context, LlvmError, LoadError, Module};
use crate::pipeline::{self, Input, LastResult, Part, PipelineError};
pub(crate) use deferred::run as run_deferred;
use line::LinkLine;
use notes::{GAVE_UP, Notes};
pub(crate) use output::Linked;
use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use warploom_manifest::{Manifest, container};

const PROBLEMS: &[u8] = b"warploom problems\n";

/// Why there is no container.
#[derive(Debug, thiserror::Error)]
enum LinkError {
    #[error("the device linker was started outside the device pass")]
    NoOptions,
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot write the manifest: {0}")]
    Manifest(#[from] serde_json::Error),
}

/// Keeps what rustc asked for, for [`run_deferred`]; or links it, in the process that was started for that. Returns the exit code, which is 0 unless not even
/// problems could be written.
///
/// LLVM runs in a process of its own, since a crash of it would take this one with it.
pub(crate) fn run(args: &[OsString]) -> i32 {
    let line = LinkLine::parse(args);
    if let Some(notes) = Notes::of_this_process() {
        return compile(&line, &notes);
    }
    let Err(error) = deferred::defer(&line) else {
        return 0;
    };
    let problem = format!(
        "the device linker cannot keep its inputs for `{}`: {error}",
        target_name()
    );
    exit_code(
        &line.output,
        write(&line.output, &problems_file(&[problem])),
    )
}

/// Does the work, in the process that LLVM may crash.
fn compile(line: &LinkLine, notes: &Notes) -> i32 {
    let note = notes.reason();
    llvm::on_fatal_error(move |reason| {
        note(reason);
        GAVE_UP
    });
    let content = match link(line, notes) {
        Ok(container) => container,
        Err(LinkError::Pipeline(PipelineError::Kernels(problems))) => problems_file(&problems),
        Err(other) => problems_file(&[format!(
            "the device linker failed for `{}`: {other}",
            target_name()
        )]),
    };
    exit_code(&notes.container, write(&notes.container, &content))
}

/// Writes the whole file or none.
fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, content)?;
    std::fs::rename(new, path)
}

fn exit_code(path: &Path, written: std::io::Result<()>) -> i32 {
    match written {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("cannot write {}: {error}", path.display());
            1
        }
    }
}

/// What the linker wrote, device code or problems; `None` if it did not write this file (a library that was only a dependency).
/// `target_folder` is that of the nested build.
pub(crate) fn read_output(
    path: &Path,
    target_folder: &Path,
) -> Option<Result<Linked, Vec<String>>> {
    let read = std::fs::read(path);
    let read = read.map_err(|error| format!("cannot read {}: {error}", path.display()));
    let read = read
        .and_then(|content| deferred::container(&content, target_folder).unwrap_or(Ok(content)));
    let content = match read {
        Ok(content) => content,
        Err(problem) => return Some(Err(vec![problem])),
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
    std::env::var(crate::environment::TARGET).unwrap_or_default()
}

fn link(line: &LinkLine, notes: &Notes) -> Result<Vec<u8>, LinkError> {
    let (mut options, llvm) = crate::environment::linker_options().ok_or(LinkError::NoOptions)?;
    options.instrumented &= notes.instrument();
    // This process ends when the output is written. To take a context apart that has a thousand modules behind it takes seconds.
    let context = ManuallyDrop::new(Context::new(&llvm)?);
    let module = own_module(&context, line)?;
    let target = target_name();
    let dump = |extension: &str, text: &dyn Fn() -> String| dump(&line.output, extension, text);
    dump("own.ll", &|| module.to_text());
    let compiler = crate::environment::compiler();
    let compiler = compiler.filter(|_| std::env::var_os(DUMP).is_none());
    let last_result = compiler.map(|compiler| LastResult {
        path: line.output.with_extension("last"),
        compiler,
    });
    let compiled = pipeline::compile(
        module,
        &Input {
            options: &options,
            archives: &line.archives,
            target: &target,
            dump: &dump,
            last_result: last_result.as_ref(),
            watch: notes,
        },
    )?;
    let mut parts = compiled.parts;
    if parts.is_empty() {
        parts.push(Part::default()); // says that there is nothing
    }
    let mut containers = Vec::new();
    for part in parts {
        let manifest = Manifest {
            target: target.clone(),
            failure: None,
            kernels: part.kernels,
            images: vec![],
            symbols: part.symbols,
        };
        containers.extend(container::pack(manifest, &part.texts)?);
    }
    Ok(output::join(containers, &compiled.instrumented))
}

/// Writes an intermediate result next to the output, if the user asked for it.
fn dump(output: &Path, extension: &str, text: &dyn Fn() -> String) {
    let path = output.with_extension(extension);
    if std::env::var_os(DUMP).is_some()
        && let Err(error) = std::fs::write(&path, text())
    {
        eprintln!("cannot write {}: {error}", path.display());
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
