//! `--static`: registers, spills and instructions of the worked half, beside nvcc's. Needs ptxas and nvdisasm, no GPU.
//!
//! Kernels of the held-out half are assembled with the others, but their figures are not made: their code is not to be read. With `WARPLOOM_BLESS=1` the figures are written to
//! `benches/results/unseen/static.tsv`; with `NVCC` set to a compiler those of the twins are made too, else they are taken from that file.

use std::fs;
use std::path::Path;

use warploom_harness::ptx::{self, Image};
use warploom_harness::static_comparison::{
    Figures, Row, Side, from_text, newest, overhead, short, to_text, tools,
};
use warploom_harness::unseen::{Half, half};

use super::Outcome;
use super::cases::CASES;

/// That of the GPUs on which the corpus is measured.
const ARCH: &str = "sm_90";
const SM: u32 = 90;
const FIGURES: &str = "benches/results/unseen/static.tsv";
const TWINS: &str = "benches/unseen/cuda";

/// Makes the figures and prints them; writes them if they are to be blessed.
pub(crate) fn compare() -> Outcome {
    let (Some(images), Some(tools)) = (ptx::images(), tools(ARCH)) else {
        return Ok(());
    };
    let path = Path::new(FIGURES);
    let committed = fs::read_to_string(path).unwrap_or_default();
    let committed = from_text(path, &committed)?;
    let nvcc = std::env::var_os("NVCC");
    let kernels = newest(&images, "unseen", SM);
    let of_kernels: Vec<&Image> = kernels.iter().map(|(_, _, image)| *image).collect();
    let code = tools.assemble_all(&of_kernels)?;
    let mut rows = Vec::new();
    for case in CASES
        .iter()
        .filter(|c| half(c.suite, c.name) == Half::Worked)
    {
        let module = format!("unseen::{}::{}::", case.suite, case.name);
        let source = format!("{TWINS}/{}_{}.cu", case.suite, case.name);
        let twins = match &nvcc {
            Some(nvcc) => Some(tools.compile(nvcc, Path::new(&source))?),
            None => None,
        };
        for (name, entry, _) in kernels.iter().filter(|k| k.0.starts_with(&module)) {
            let kernel = format!("{}/{}/{}", case.suite, case.name, short(name));
            let ours = code.figures(entry)?;
            let peer = match &twins {
                Some(twins) => Some(twins.figures(short(name))?),
                None => {
                    let mut known = committed.iter().filter(|r| r.side == Side::Nvcc);
                    known
                        .find(|r| r.kernel == kernel)
                        .map(|r| r.figures.clone())
                }
            };
            println!("{kernel:56} ours {}", shown(&ours));
            let row = |side, figures| Row {
                kernel: kernel.clone(),
                side,
                figures,
            };
            rows.push(row(Side::Ours, ours));
            if let Some(peer) = peer {
                println!("{:56} nvcc {}", "", shown(&peer));
                rows.push(row(Side::Nvcc, peer));
            }
        }
    }
    if rows.is_empty() {
        return Err("no kernel of the worked half is in this program's device code".into());
    }
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, to_text(&rows))?;
        println!("wrote {} rows to {FIGURES}", rows.len());
    }
    Ok(())
}

fn shown(figures: &Figures) -> String {
    let (registers, spilled, whole) = (figures.registers, figures.spilled, &figures.whole);
    let hottest = figures.hottest.as_ref().map_or(0, |work| work.instructions);
    format!(
        "{registers:4} registers {spilled:5} bytes spilled {:6} instructions {:4} branches {hottest:6} in the hottest loop, {:.2} per useful one",
        whole.instructions,
        whole.branches,
        overhead(figures)
    )
}
