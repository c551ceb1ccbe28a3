//! `cargo warploom`, from an empty folder to a report: a new project is built, run, shown, measured and checked. What the commands print is
//! kept in `docs/generated/cargo-warploom/`.

use crate::support::{CommandOutput, Outside, repository, target_folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The version of ptxas whose figures are kept.
const PTXAS: &str = "13.0.88";

/// A race between the warps of a block: the barrier after the writes is missing.
const RACE: &str = "
/// Reverses each block, through shared memory.
#[kernel(block(64))]
fn reverse(block: Block, i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let tile = warploom::shared_array!(f32, 64);
    let t = block.thread();
    // SAFETY: each thread writes its own slot. The barrier before the reads is missing.
    unsafe { tile.set(t, x[i.get()]) };
    // SAFETY: wrong: another warp may not have written yet.
    let value = unsafe { tile.get(63 - t) };
    if let Some(y) = y.get_mut(i) {
        *y = value;
    }
}

#[cfg(test)]
mod race {
    use super::*;

    #[test]
    fn blocks_are_reversed() -> warploom::Result<()> {
        let device = Device::open()?;
        let stream = device.stream()?;
        let (x, mut y) = (device.upload(&[1.0; 64])?, device.zeroed(64)?);
        reverse::launch(&stream, Launch::new(1, 64), &x, &mut y)?;
        stream.synchronize()?;
        Ok(())
    }
}
";

/// The program, built as `cargo install --path` does, but in the repository's own target folder.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let status = Command::new(std::env::var_os("CARGO").unwrap())
            .args(["build", "--package", "cargo-warploom", "--target-dir"])
            .arg(target)
            .current_dir(repository())
            .status();
        assert!(status.unwrap().success(), "cargo-warploom does not build");
        target.join("debug/cargo-warploom")
    })
}

/// A project that `cargo warploom new` has made, with this repository's lock file.
fn new_project(name: &str) -> Outside {
    let cargo = std::env::var("CARGO").unwrap();
    let place = Outside::empty(name, name).env("CARGO", cargo);
    let path = repository().display().to_string();
    let said = place.run(program(), &["warploom", "new", name, "--path", &path]);
    assert!(said.ok, "{}", said.text);
    let made = format!("made the project `{name}` in {name}; to run it: cd {name} && cargo run\n");
    assert_eq!(said.printed, made);
    fs::rename(
        place.folder.join("Cargo.lock"),
        place.folder.join(name).join("Cargo.lock"),
    )
    .unwrap();
    place.within(name)
}

fn warploom(project: &Outside, line: &str) -> CommandOutput {
    let words: Vec<&str> = std::iter::once("warploom").chain(line.split(' ')).collect();
    let said = project.run(program(), &words);
    eprintln!("$ cargo warploom {line}\n{}", said.text);
    said
}

/// What a command printed, without what differs between machines and builds.
fn transcript(line: &str, said: &CommandOutput, project: &Outside) -> String {
    let mut text = said.printed.clone();
    let target = target_folder().display().to_string();
    let folder = project.folder.display().to_string();
    for (path, shown) in [(target, "target"), (folder, "."), (home(), "~")] {
        text = text.replace(&path, shown);
    }
    for (before, is_part) in [
        // Constants and crates have hashes in their names.
        ("anon_", (|c| c.is_ascii_hexdigit()) as fn(char) -> bool),
        ("anon.", |c| c.is_ascii_hexdigit()),
        ("Cs", |c| c.is_ascii_alphanumeric()),
    ] {
        text = without(&text, before, is_part);
    }
    let code = match said.code {
        Some(0) => String::new(),
        code => format!("(exit code {})\n", code.unwrap_or(-1)),
    };
    let text = text
        .lines()
        .map(|line| without_places(line.trim_end()) + "\n");
    format!(
        "$ cargo warploom {line}\n{}{code}",
        text.collect::<String>()
    )
}

/// The file alone of a line of source that is not the project's: others change with each version.
fn without_places(line: &str) -> String {
    let is_comment = ["// ", "; "].iter().any(|start| line.starts_with(start));
    let is_own = line.contains("src/") && !line.contains("/src/");
    match line.split_once(".rs:").filter(|_| is_comment && !is_own) {
        Some((file, _)) => format!("{file}.rs"),
        None => line.to_owned(),
    }
}

fn home() -> String {
    std::env::home_dir().unwrap().display().to_string()
}

/// Replaces names of at least eight such characters behind a prefix, up to the next one that is none.
fn without(text: &str, before: &str, is_part: fn(char) -> bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(before) {
        let start = at + before.len();
        let end = rest[start..]
            .find(|c| !is_part(c))
            .map_or(rest.len(), |end| start + end);
        out.push_str(&rest[..start]);
        match end - start >= 8 {
            true => out.push('…'),
            false => out.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    out + rest
}

/// Compares a transcript with the one that is kept, or writes it.
#[track_caller]
fn compare(name: &str, text: &str) {
    let path = repository()
        .join("docs/generated/cargo-warploom")
        .join(name);
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        text,
        kept,
        "{} has another text; WARPLOOM_BLESS=1 writes it",
        path.display()
    );
}

#[test]
fn a_new_project_runs_and_its_kernel_is_shown() {
    let project = new_project("hello");
    let help = warploom(&project, "--help");
    compare("help.txt", &transcript("--help", &help, &project));
    let made = "made the project `hello` in hello; to run it: cd hello && cargo run";
    compare(
        "new.txt",
        &format!("$ cargo warploom new hello --path ../warploom\n{made}\n"),
    );
    let said = project.works(&["run"]);
    assert_eq!(said.printed, "emulator: y[0] = 5, all equal: true\n");
    let said = project.works(&["test"]);
    assert!(
        said.printed
            .contains("test tests::saxpy_is_as_on_the_cpu ... ok"),
        "{}",
        said.text
    );
    if project.cargo(&["fmt", "--version"]).ok {
        project.works(&["fmt", "--check"]);
    }

    let line = "ptx saxpy";
    let said = warploom(&project, line);
    assert!(
        said.ok
            && said
                .printed
                .contains("// src/main.rs:7: *y += a * x[i.get()];")
    );
    compare("ptx.txt", &transcript(line, &said, &project));
    let plain = warploom(&project, "ptx saxpy --no-source");
    let is_code = |line: &&str| !line.starts_with("// ");
    let code = |said: &CommandOutput| {
        said.printed
            .lines()
            .filter(is_code)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        code(&plain),
        code(&said),
        "line information changes the code"
    );

    let line = "ir saxpy";
    let said = warploom(&project, line);
    assert!(
        said.ok
            && said
                .printed
                .contains("; src/main.rs:7: *y += a * x[i.get()];")
    );
    assert!(said.printed.contains("define ptx_kernel void @saxpy("));
    compare("ir.txt", &transcript(line, &said, &project));

    let line = "ptx axpy";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(2));
    assert!(
        said.text.ends_with(
            "error: no kernel is called `axpy`; there are\n  hello::saxpy  saxpy  src/main.rs:4\n"
        ),
        "{}",
        said.text
    );
}

#[test]
fn reports_are_compared() {
    let Some(ptxas) = ptxas() else { return };
    let project = new_project("measured").env("WARPLOOM_PTXAS", ptxas.display().to_string());
    let is_kept = version(&ptxas).contains(&format!("V{PTXAS}"));
    let keep = |name: &str, line: &str, said: &CommandOutput| {
        if is_kept {
            compare(name, &transcript(line, said, &project));
        }
    };
    let line = "report --json before.json --html report.html";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(
        said.printed.contains("measured::saxpy  sm_75"),
        "{}",
        said.printed
    );
    keep("report.txt", line, &said);
    let page = fs::read_to_string(project.folder.join("report.html")).unwrap();
    assert!(page.contains("<h2>measured::saxpy</h2>") && page.contains(">sm_100</td>"));
    if is_kept {
        compare("report.html", &page);
    }

    let line = "report --compare before.json";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(
        said.printed.ends_with("\n0 figures worse, 0 better\n"),
        "{}",
        said.printed
    );

    project.replace(
        "src/main.rs",
        "*y += a * x[i.get()];",
        "*y += (a * x[i.get()]).sqrt().recip();",
    );
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(1), "{}", said.text);
    assert!(
        said.printed
            .contains("\nworse: measured::saxpy for sm_90: instructions "),
        "{}",
        said.printed
    );
    keep("compare.txt", line, &said);
    let said = warploom(&project, "report --compare before.json --tolerance 1000");
    assert_eq!(said.code, Some(0), "{}", said.text);

    let line = "sass saxpy --arch sm_90";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(
        said.printed.contains("// src/main.rs:7: ") && said.printed.contains("STG.E "),
        "{}",
        said.printed
    );
    keep("sass.txt", line, &said);
}

#[test]
fn checks_find_a_race_and_write_a_page() {
    let project = new_project("checked");
    let line = "check";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    assert!(
        said.printed
            .contains("4 runs under 4 schedules: 0 failed; found 0 errors, 0 warnings")
    );
    compare("check.txt", &transcript(line, &said, &project));

    let project = project.append("src/main.rs", RACE);
    let line = "check --schedules forward,random:7 --lints --html findings/index.html -- blocks_are_reversed";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(1), "{}", said.text);
    assert!(said.printed.contains("error[WL0101]"), "{}", said.printed);
    assert!(
        said.printed
            .contains("= found in checked (unit tests) under forward, random:7")
    );
    compare("check-race.txt", &transcript(line, &said, &project));
    let page = fs::read_to_string(project.folder.join("findings/index.html")).unwrap();
    assert!(page.contains("<span class=\"code error\">WL0101</span>"));
    assert!(
        page.contains("<a href=\"kernels/0/reverse.html\">reverse, in checked (unit tests)</a>")
    );
    let of_kernel = project.folder.join("findings/kernels/0/reverse.html");
    assert!(
        fs::read_to_string(of_kernel)
            .unwrap()
            .contains("<h1>reverse</h1>")
    );
}

#[test]
fn the_doctor_knows_the_new_project() {
    let mut project = new_project("examined");
    let tools = project.folder.join("cuda/bin");
    fs::create_dir_all(&tools).unwrap();
    for (file, variable) in [
        ("ptxas", "WARPLOOM_PTXAS"),
        ("nvdisasm", "WARPLOOM_NVDISASM"),
        ("compute-sanitizer", "WARPLOOM_COMPUTE_SANITIZER"),
    ] {
        fs::write(tools.join(file), "").unwrap();
        project = project.env(variable, tools.join(file).display().to_string());
    }
    let line = "doctor";
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0), "{}", said.text);
    for there in [
        "\nok       examined: build.rs compiles kernels\n",
        "\nok       examined: kernels are compiled of bin examined\n",
        "\nok       warploom and warploom-build 0.1.0\n",
        "\n0 errors, ",
    ] {
        assert!(
            said.printed.contains(there),
            "no {there:?} in\n{}",
            said.printed
        );
    }
    // Where there is a GPU, it has lines of its own.
    if said.printed.contains("found no NVIDIA driver") {
        compare("doctor.txt", &transcript(line, &said, &project));
    }
    project.write("build.rs", "fn main() {}\n");
    let said = warploom(&project, line);
    assert_eq!(said.code, Some(0));
    assert!(
        said.printed
            .contains("\nwarning  examined: build.rs does not call warploom_build"),
        "{}",
        said.printed
    );
    let no_llvm = project.env("WARPLOOM_LLVM", "/nowhere");
    assert_eq!(warploom(&no_llvm, line).code, Some(1));
}

/// NVIDIA's assembler, if `WARPLOOM_PTXAS` names it.
fn ptxas() -> Option<PathBuf> {
    let named = std::env::var_os("WARPLOOM_PTXAS").map(PathBuf::from);
    if named.is_none() {
        let required = std::env::var("WARPLOOM_REQUIRE_PTXAS").is_ok_and(|value| value == "1");
        assert!(!required, "WARPLOOM_PTXAS does not name ptxas");
        eprintln!("skipped: WARPLOOM_PTXAS does not name ptxas");
    }
    named
}

fn version(ptxas: &Path) -> String {
    let said = Command::new(ptxas).arg("--version").output().unwrap();
    String::from_utf8_lossy(&said.stdout).into_owned()
}

#[test]
fn hashes_in_names_are_left_out() {
    let hex: fn(char) -> bool = |c| c.is_ascii_hexdigit();
    assert_eq!(
        without("[anon_0123456789abcdef_22]", "anon_", hex),
        "[anon_…_22]"
    );
    assert_eq!(
        without("anon_12 and anon_", "anon_", hex),
        "anon_12 and anon_"
    );
}
