//! `cargo warploom ptx|sass|ir`: a kernel's code on the terminal.

use crate::command_line::{Form, ShowOptions};
use crate::device_code::{self, Arch, DeviceKernel, Image};
use crate::project::{self, Package, Program, Programs};
use crate::ptxas::Assembler;
use crate::source_lines::{Line, Sources};
use crate::{Verdict, llvm_ir, machine_code, print, ptx, select};
use std::path::Path;

/// The architecture of machine code, if none is named: that of the emulator's default model.
const MACHINE: Arch = Arch {
    sm: 90,
    exact: false,
};

pub(crate) fn run(options: &ShowOptions) -> Result<Verdict, String> {
    let arch = options.arch.as_deref().map(Arch::parse).transpose()?;
    // What cannot be done is said before the build.
    let assembler = match options.form {
        Form::Sass => Some(Assembler::find()?),
        _ => None,
    };
    if let Some(missing) = assembler.as_ref().and_then(Assembler::without_disassembler) {
        return Err(missing.to_owned());
    }
    let mut settings = Vec::new();
    if !options.without_source {
        settings.push(("WARPLOOM_LINE_INFO", "1"));
    }
    if options.form == Form::Ir {
        settings.push(("WARPLOOM_DUMP", "1"));
    }
    let programs = project::build(&options.selection, Programs::Binaries, &settings)?;
    let code = device_code::read_all(&programs)?;
    let kernel = select::kernel(&code, &options.kernel, options.by_entry)?;
    let mut sources = sources(options)?;
    let image = image(kernel, options.form, arch)?;
    let (lines, comment) = match options.form {
        Form::Ptx => (ptx::listing(&image.ptx, &kernel.entry), "//"),
        Form::Sass => {
            let assembler = assembler.map_or_else(Assembler::find, Ok)?;
            let assembled = assembler.assemble(image, arch.unwrap_or(MACHINE))?;
            let text = assembler.disassemble(&assembled)?;
            (machine_code::listing(&text, &kernel.entry), "//")
        }
        Form::Ir => {
            let program = &programs[kernel.program];
            let module = llvm_ir::find(&program.path, &image.arch.name(), &kernel.entry)?;
            (llvm_ir::listing(&module, &kernel.entry, &sources), ";")
        }
    };
    let lines = lines.ok_or_else(|| {
        format!(
            "the code of `{}` has no entry `{}`",
            kernel.name, kernel.entry
        )
    })?;
    let target = match options.form {
        Form::Sass if !image.arch.exact => arch.unwrap_or(MACHINE).name(),
        _ => image.arch.name(),
    };
    print(&heading(kernel, &programs, &target, comment))?;
    print(&match options.without_source {
        true => plain(&lines),
        false => sources.interleave(&lines, comment),
    })?;
    Ok(Verdict::Fine)
}

/// The image to be shown: the best for an architecture; without one the most portable PTX.
fn image(kernel: &DeviceKernel, form: Form, arch: Option<Arch>) -> Result<&Image, String> {
    let least = || {
        kernel
            .images
            .iter()
            .map(|image| &**image)
            .min_by_key(|i| i.arch)
    };
    let image = match (form, arch) {
        (Form::Sass, arch) => kernel.image(arch.unwrap_or(MACHINE)),
        (_, Some(arch)) => kernel.image(arch),
        (_, None) => least(),
    };
    image.ok_or_else(|| {
        let names: Vec<String> = kernel.images.iter().map(|i| i.arch.name()).collect();
        format!(
            "`{}` has no code for {}, only for {}",
            kernel.name,
            arch.unwrap_or(MACHINE).name(),
            names.join(", ")
        )
    })
}

fn heading(kernel: &DeviceKernel, programs: &[Program], target: &str, comment: &str) -> String {
    let at = match kernel.file.is_empty() {
        true => String::new(),
        false => format!(" at {}:{}", kernel.file, kernel.line),
    };
    format!(
        "{comment} {}{at}, for {target}, in {}\n",
        kernel.name, programs[kernel.program].name
    )
}

fn plain(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.clone() + "\n").collect()
}

fn sources(options: &ShowOptions) -> Result<Sources, String> {
    let metadata = project::metadata(options.selection.manifest_path.as_deref(), true)?;
    let sysroot = project::folder_of_rustc("sysroot");
    let library = sysroot.map(|root| root.join("lib/rustlib/src/rust/library"));
    let folder_of = |package: &Package| package.manifest_path.parent().map(Path::to_owned);
    let packages = metadata.packages.iter();
    let packages = packages.filter_map(|p| Some((folder_of(p)?, p.name.clone())));
    Ok(Sources::new(
        &metadata.workspace_root,
        library,
        packages.collect(),
    ))
}
