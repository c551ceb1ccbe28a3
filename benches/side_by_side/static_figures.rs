//! `--static`: what the kernels of this program cost before they run, against the committed figures. Needs ptxas and nvdisasm, no GPU.
//!
//! With `WARPLOOM_BLESS=1` the figures are written instead, and with `NVCC` set to a compiler those of the twins too.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use warploom_harness::ptx::{self, Image};
use warploom_harness::static_comparison::{
    MachineCode, Row, Side, StaticError, Tools, from_text, kernels, newest, short, to_text, tools,
    worse,
};

/// That of the GPUs on which the benchmarks are measured.
const ARCH: &str = "sm_90";
/// Its number, and that of older images that run there.
const SM: u32 = 90;
const FIGURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results/static.tsv");
const TWINS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/cuda");
/// The end of the names of kernels that have no twin of their own.
const UNCHECKED: &str = "_unchecked";

/// Compares, or writes.
pub(crate) fn compare() -> Result<(), Box<dyn Error>> {
    let (Some(images), Some(tools)) = (ptx::images(), tools(ARCH)) else {
        return Ok(());
    };
    let path = Path::new(FIGURES);
    let committed = fs::read_to_string(path).unwrap_or_default();
    let committed = from_text(path, &committed)?;
    let sources = sources()?;
    let now = ours(&images, &tools, &sources)?;
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        let mut rows = now;
        rows.extend(match std::env::var_os("NVCC") {
            Some(nvcc) => twins(&rows, &tools, &sources, &nvcc)?,
            None => {
                let of_nvcc = committed.into_iter().filter(|r| r.side == Side::Nvcc);
                of_nvcc.collect()
            }
        });
        fs::write(path, to_text(&rows)).map_err(|source| in_file(path, source))?;
        println!("wrote {} rows to {FIGURES}", rows.len());
        return Ok(());
    }
    let found = worse(&committed, &now);
    if found.is_empty() {
        println!(
            "{} kernels are not worse than in {FIGURES}, with ptxas {}",
            now.len(),
            tools.version()?
        );
        Ok(())
    } else {
        Err(format!(
            "worse than in {FIGURES}; if that is meant, run it again with WARPLOOM_BLESS=1\n{}",
            found.join("\n")
        )
        .into())
    }
}

/// Our kernels that are compared with a twin, or stand beside one that is; each from the image that a GPU of this architecture would run.
fn ours(images: &[Image], tools: &Tools, sources: &[Source]) -> Result<Vec<Row>, StaticError> {
    let mut rows = Vec::new();
    // A program has one image for an architecture, with all of its kernels.
    let mut assembled: Option<(&Image, MachineCode)> = None;
    for (name, entry, image) in newest(images, "side_by_side", SM) {
        let kernel = short(name);
        if twin(sources, kernel.trim_end_matches(UNCHECKED)).is_some() {
            let code = match assembled.take() {
                Some((of, code)) if std::ptr::eq(of, image) => code,
                _ => tools.assemble(&image.ptx)?,
            };
            rows.push(Row {
                kernel: kernel.to_owned(),
                side: Side::Ours,
                figures: code.figures(entry)?,
            });
            assembled = Some((image, code));
        }
    }
    Ok(rows)
}

/// The twins of these kernels.
fn twins(
    rows: &[Row],
    tools: &Tools,
    sources: &[Source],
    nvcc: &OsString,
) -> Result<Vec<Row>, StaticError> {
    let mut twins = Vec::new();
    for kernel in rows.iter().map(|r| &r.kernel) {
        if let Some(path) = twin(sources, kernel) {
            twins.push(Row {
                kernel: kernel.clone(),
                side: Side::Nvcc,
                figures: tools.compile(nvcc, path)?.figures(kernel)?,
            });
        }
    }
    Ok(twins)
}

/// A file of twins, and what is in it.
type Source = (PathBuf, String);

fn sources() -> Result<Vec<Source>, StaticError> {
    let folder = Path::new(TWINS);
    let entries = fs::read_dir(folder).map_err(|source| in_file(folder, source))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    files.sort();
    let read = |path: PathBuf| match fs::read_to_string(&path) {
        Ok(text) => Ok((path, text)),
        Err(source) => Err(in_file(&path, source)),
    };
    files.into_iter().map(read).collect()
}

/// The file with a function of this name.
fn twin<'a>(sources: &'a [Source], kernel: &str) -> Option<&'a Path> {
    let has = |text: &str| kernels(text).contains(&kernel);
    let found = sources.iter().find(|(_, text)| has(text));
    found.map(|(path, _)| path.as_path())
}

fn in_file(path: &Path, source: std::io::Error) -> StaticError {
    StaticError::File {
        path: path.display().to_string(),
        source,
    }
}
