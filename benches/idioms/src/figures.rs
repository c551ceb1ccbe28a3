//! What both forms of each pair become, against the limit and the committed exceptions. Needs ptxas and nvdisasm, no GPU.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use warploom_harness::idioms::{
    EXCEPTIONS, Form, ROWS, Row, exceptions_from_text, from_text, to_text, violations,
};
use warploom_harness::ptx::{self, Image};
use warploom_harness::static_comparison::{Figures, MachineCode, newest, tools};

use super::FILES;

/// The architecture that the build script asks for.
const ARCH: &str = "sm_90";
/// Its number.
const SM: u32 = 90;
/// The crate target, in the names of images and kernels.
const TARGET: &str = "warploom_idioms";

/// Counts, writes the figures if they are to be blessed, and compares with the limit.
pub(crate) fn compare() -> Result<(), Box<dyn Error>> {
    let (Some(images), Some(tools)) = (ptx::images(), tools(ARCH)) else {
        return Ok(());
    };
    let kernels = newest(&images, TARGET, SM);
    let of_kernels: Vec<&Image> = kernels.iter().map(|(_, _, image)| *image).collect();
    let code = tools.assemble_all(&of_kernels)?;
    let rows = rows(&kernels, &code)?;
    let (path, text) = (root().join(ROWS), to_text(&rows));
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &text).map_err(|error| format!("cannot write {ROWS}: {error}"))?;
        println!("wrote {} rows to {ROWS}", rows.len());
    } else {
        let committed = from_text(Path::new(ROWS), &read(ROWS)?)?;
        is_of_these_pairs(&committed, &rows)?;
    }
    let exceptions = exceptions_from_text(Path::new(EXCEPTIONS), &read(EXCEPTIONS)?)?;
    let found = violations(&rows, &exceptions);
    if !found.is_empty() {
        return Err(found.join("\n").into());
    }
    println!(
        "{} idioms are within the limit, {} are listed in {EXCEPTIONS}, with ptxas {}",
        rows.len() - exceptions.len(),
        exceptions.len(),
        tools.version()?
    );
    Ok(())
}

fn rows(kernels: &[(&str, &str, &Image)], code: &MachineCode) -> Result<Vec<Row>, Box<dyn Error>> {
    let form = |pair: &str, form: &str| -> Result<Form, Box<dyn Error>> {
        let name = format!("{TARGET}::{pair}::{form}");
        let kernel = kernels.iter().find(|(full, ..)| *full == name);
        let (_, entry, _) = kernel.ok_or_else(|| {
            format!("this program's device code for {ARCH} has no kernel `{name}`; build it again")
        })?;
        let figures: Figures = code.figures(entry)?;
        Ok(Form::of(&figures))
    };
    let mut rows = Vec::new();
    for (file, of_file) in FILES {
        for declared in of_file {
            let pair = format!("{file}::{}", declared.module);
            rows.push(Row {
                title: declared.title.trim().to_owned(),
                idiom: form(&pair, "idiom")?,
                plain: form(&pair, "plain")?,
                pair,
            });
        }
    }
    Ok(rows)
}

/// The page shows the committed rows. Other figures are told: every change of the compiler makes some. Other pairs are an error.
fn is_of_these_pairs(committed: &[Row], now: &[Row]) -> Result<(), Box<dyn Error>> {
    const ANEW: &str =
        "run WARPLOOM_BLESS=1 cargo run --release -p warploom-idioms, then the test idioms_doc";
    let names = |rows: &[Row]| -> Vec<(String, String)> {
        let names = rows.iter().map(|r| (r.pair.clone(), r.title.clone()));
        names.collect()
    };
    if names(committed) != names(now) {
        return Err(format!("{ROWS} has other pairs than this program; {ANEW}").into());
    }
    let differ = committed.iter().zip(now).filter(|(a, b)| a != b);
    match differ.count() {
        0 => {}
        count => println!("{count} pairs have other figures than in {ROWS}; {ANEW}"),
    }
    Ok(())
}

fn read(path: &str) -> Result<String, Box<dyn Error>> {
    let text = fs::read_to_string(root().join(path));
    text.map_err(|error| format!("cannot read {path}: {error}").into())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
