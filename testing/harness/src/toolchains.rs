//! Which toolchains were tried, and what came of it, as `docs/generated/toolchains.md`. Takes the results that `testing/toolchains/run.sh` writes, and
//! those of a GPU; must not know how toolchains are brought.

use std::collections::BTreeMap;
use std::fmt::Write;

const HEAD: &str = "\
# Toolchains

<!-- Generated from testing/toolchains/matrix.tsv and benches/results/toolchains.tsv, toolchains-gpu.tsv. To write it anew: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test toolchains_doc -->

What releases of Rust and LLVM make of kernels. `testing/toolchains/run.sh` brings each of them from its packages, builds two crates as users build theirs
(`tests/outside/saxpy`, `tests/outside/kernels-user`) and the language suite (`tests/language`, `tests/five_kernels.rs`), all in release mode, assembles
every image of PTX with ptxas, and runs all tests on the emulator.
`rows` are those of the self-test ([how it works](../how-it-works.md#porting-to-a-new-rustc)). Images are counted with those for older architectures, which newer ones take too.

";

const TAIL: &str = "
`testing/toolchains/run.sh --bundle FOLDER` packs the test programs of all toolchains for a machine with a GPU.
";

/// The architectures that images were assembled for, in the order of the results.
const ARCHS: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

/// What came of one toolchain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// As in `matrix.tsv`.
    pub name: String,
    /// rustc's release.
    pub rustc: String,
    /// LLVM's version.
    pub llvm: String,
    /// The day.
    pub date: String,
    /// Whether both outside crates were built and ran.
    pub builds: bool,
    /// Rows of the self-test that passed, of all: `22/22`.
    pub rows: String,
    /// Images that ptxas accepts, of all, for each of the architectures.
    pub assembled: [String; 4],
    /// Tests that passed and failed on the emulator.
    pub emulator: (u32, u32),
}

/// What ran on a GPU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GpuRun {
    /// Comments at the file's head: GPU and driver, day.
    pub head: Vec<String>,
    /// Tests that passed on the GPU and that failed, by toolchain.
    pub tests: BTreeMap<String, (u32, u32)>,
}

/// Lines of a table with tabs, without comments.
fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split('\t').collect())
}

/// Name and title of each toolchain, of `testing/toolchains/matrix.tsv`.
///
/// # Errors
/// Names the line that has other columns.
pub fn titles(matrix: &str) -> Result<Vec<(String, String)>, String> {
    let of = |line: Vec<&str>| match line[..] {
        [name, _, _, _, title] => Ok((name.to_owned(), title.to_owned())),
        _ => Err(format!("matrix.tsv: {line:?} has not five columns")),
    };
    lines(matrix).map(of).collect()
}

/// The lines of `benches/results/toolchains.tsv`.
///
/// # Errors
/// Names the line that cannot be read.
pub fn results(text: &str) -> Result<Vec<Tried>, String> {
    let of = |line: Vec<&str>| {
        let wrong = || format!("toolchains.tsv: cannot read {line:?}");
        let [
            name,
            _,
            rustc,
            llvm,
            date,
            saxpy,
            user,
            rows,
            a,
            b,
            c,
            d,
            ok,
            bad,
            five_ok,
            five_bad,
        ] = line[..]
        else {
            return Err(wrong());
        };
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        Ok(Tried {
            name: name.to_owned(),
            rustc: rustc.to_owned(),
            llvm: llvm.to_owned(),
            date: date.to_owned(),
            builds: (saxpy, user) == ("yes", "yes"),
            rows: rows.to_owned(),
            assembled: [a, b, c, d].map(str::to_owned),
            emulator: (
                number(ok)? + number(five_ok)?,
                number(bad)? + number(five_bad)?,
            ),
        })
    };
    lines(text).map(of).collect()
}

/// `benches/results/toolchains-gpu.tsv`, which `run-on-gpu.sh` writes.
///
/// # Errors
/// Names the line that cannot be read.
pub fn gpu_run(text: &str) -> Result<GpuRun, String> {
    let head = text.lines().filter_map(|line| line.strip_prefix("# "));
    let mut run = GpuRun {
        head: head.map(str::to_owned).collect(),
        ..GpuRun::default()
    };
    for line in lines(text) {
        let wrong = || format!("toolchains-gpu.tsv: cannot read {line:?}");
        let [name, _, passed, failed] = line[..] else {
            return Err(wrong());
        };
        let sum = run.tests.entry(name.to_owned()).or_default();
        sum.0 += passed.parse::<u32>().map_err(|_| wrong())?;
        sum.1 += failed.parse::<u32>().map_err(|_| wrong())?;
    }
    Ok(run)
}

/// The whole document, with a row for each toolchain of the matrix.
#[must_use]
pub fn document(titles: &[(String, String)], results: &[Tried], gpu: &GpuRun) -> String {
    let mut text = HEAD.to_owned();
    let archs = ARCHS
        .map(|arch| format!("assembles for {arch}"))
        .join(" | ");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "| toolchain | rustc | LLVM | builds | rows | {archs} | suite on the emulator | suite on a GPU | tried on |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for (name, title) in titles {
        let Some(tried) = results.iter().find(|r| r.name == *name) else {
            let _ = writeln!(text, "| {title} | not tried | | | | | | | | | | |");
            continue;
        };
        let on_gpu = gpu
            .tests
            .get(name)
            .map_or_else(|| "not run".to_owned(), |tests| outcome(*tests));
        let _ = writeln!(
            text,
            "| {title} | {} | {} | {} | {} | {} | {} | {on_gpu} | {} |",
            tried.rustc,
            tried.llvm,
            if tried.builds { "yes" } else { "**no**" },
            tried.rows,
            tried.assembled.join(" | "),
            outcome(tried.emulator),
            tried.date,
        );
    }
    if gpu.head.is_empty() {
        text.push_str("\nNone of these programs has run on a GPU yet.\n");
    } else {
        let _ = writeln!(
            text,
            "\nThe GPU: {}. Tests are counted that passed and opened it.",
            gpu.head.join(", ")
        );
    }
    text + TAIL
}

fn outcome((passed, failed): (u32, u32)) -> String {
    match failed {
        0 => format!("{passed} passed"),
        _ => format!("{passed} passed, **{failed} failed**"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: &str = "# comment\na\thost\trustup 1\town\trustup\nb\tsid\tdebian\t23\tDebian\n";
    const RESULTS: &str = "# comment\na\thost\t1.95.0\t22.1.2\t2026-11-23\tyes\tyes\t22/22\t4/4\t5/5\t6/6\t7/7\t119\t0\t6\t1\n";

    #[test]
    fn a_row_has_what_came_of_the_toolchain() {
        let gpu = gpu_run(
            "# NVIDIA H200, 580.1\n# 2026-11-23\na\tlanguage\t118\t0\na\tfive_kernels\t6\t0\n",
        );
        let text = document(
            &titles(MATRIX).unwrap(),
            &results(RESULTS).unwrap(),
            &gpu.unwrap(),
        );
        let row = "| rustup | 1.95.0 | 22.1.2 | yes | 22/22 | 4/4 | 5/5 | 6/6 | 7/7 | 125 passed, **1 failed** | 124 passed | 2026-11-23 |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| Debian | not tried |"), "{text}");
        assert!(
            text.contains("The GPU: NVIDIA H200, 580.1, 2026-11-23."),
            "{text}"
        );
    }

    #[test]
    fn what_did_not_run_is_said() {
        let rows = results(RESULTS).unwrap();
        let text = document(&titles(MATRIX).unwrap(), &rows, &GpuRun::default());
        assert!(text.contains("| not run | 2026-11-23 |"), "{text}");
        assert!(text.contains("None of these programs has run"), "{text}");
        let failed = RESULTS.replace("yes\tyes", "yes\tno");
        let text = document(
            &titles(MATRIX).unwrap(),
            &results(&failed).unwrap(),
            &GpuRun::default(),
        );
        assert!(text.contains("| 22.1.2 | **no** |"), "{text}");
    }

    #[test]
    fn a_broken_line_is_named() {
        assert!(results("a\tb\n").unwrap_err().contains("[\"a\", \"b\"]"));
        assert!(gpu_run("a\tb\tc\td\n").unwrap_err().contains("\"c\""));
        assert!(titles("a\n").unwrap_err().contains("[\"a\"]"));
    }
}
