//! Packs what a GPU machine without Rust needs: test, benchmark and example binaries, the programs of the gallery, the sources that reports
//! quote, twins, scripts, the photograph.
//!
//! `target/bundle/warploom-gpu/` and, packed, `target/bundle/warploom-gpu.tar.xz`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// The archive must be smaller than this, or it does not travel well.
pub const MOST_BYTES: u64 = 60 << 20;

/// Test targets that run cargo or rustc, or read the sources: they have nothing to show on a GPU machine.
const HOST_ONLY: &[&str] = &[
    "repo_checks",
    "profile",
    "ui",
    "outside",
    "pages",
    "numpy",
    "benchmarks_doc",
    "coverage_doc",
];

/// Where the test programs lie: the folder's name tells them, as cargo's own does, that they are tests.
const PROGRAMS: &str = "deps";

/// The driver that tests bring along, where cargo puts it and where they look for it: beside the programs, or in the folder above.
const FAKE_DRIVER: &str = "libwarploom_fake_driver.so";

/// Where the sources of the tests' kernels are: the emulator's reports quote them, and comments there say which findings are meant.
const SOURCES: &[&str] = &[
    "src",
    "tests",
    "testing/conformance",
    "runtime",
    "device-std",
    "emulator",
    "gallery",
];

/// What `run-all.sh` in the bundle is.
const RUN_ALL: &str = include_str!("run-all.sh");

/// Why there is no bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// A program could not be started.
    #[error("cannot start `{program}`; is it installed?")]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A program ran and failed; what it said is on the terminal.
    #[error("`{command}` ended with {status}; its messages are above")]
    Failed {
        /// The whole command.
        command: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
    /// Cargo finished, but built no program of this kind.
    #[error("`{command}` built no program to pack")]
    Nothing {
        /// The whole command.
        command: String,
    },
    /// A file cannot be copied or written.
    #[error("cannot write {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The archive is too large.
    #[error(
        "{path} has {bytes} bytes, {MOST_BYTES} are the limit; pack fewer test programs (HOST_ONLY in testing/harness/src/bundle.rs)"
    )]
    TooLarge {
        /// The archive.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
}

/// A program that cargo built.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Program {
    target: String,
    path: PathBuf,
}

/// Builds everything in release mode, packs it and returns the path of the archive. `root` is the workspace's folder.
///
/// # Errors
/// [`BundleError`] names the command or the file that failed.
pub fn pack(root: &Path) -> Result<PathBuf, BundleError> {
    let place = root.join("target/bundle");
    let bundle = place.join("warploom-gpu");
    if bundle.exists() {
        fs::remove_dir_all(&bundle).map_err(in_file(&bundle))?;
    }
    for folder in [
        PROGRAMS,
        "gallery/programs",
        "assets",
        "benches/cuda",
        "benches/twins",
        "benches/unseen/cuda",
    ] {
        let folder = bundle.join(folder);
        fs::create_dir_all(&folder).map_err(in_file(&folder))?;
    }
    build_programs(root, &bundle)?;
    copy_folder(&root.join("benches/cuda"), &bundle.join("benches/cuda"))?;
    copy_folder(
        &root.join("benches/unseen/cuda"),
        &bundle.join("benches/unseen/cuda"),
    )?;
    copy_folder(&root.join("assets"), &bundle.join("assets"))?;
    copy(
        &root.join("benches/run-on-gpu.sh"),
        &bundle.join("benches/run-on-gpu.sh"),
    )?;
    for folder in SOURCES {
        copy_sources(&root.join(folder), &bundle.join(folder))?;
    }
    twins(root, &bundle)?;
    let run_all = bundle.join("run-all.sh");
    fs::write(&run_all, RUN_ALL).map_err(in_file(&run_all))?;
    for script in ["run-all.sh", "benches/run-on-gpu.sh"] {
        run(Command::new("chmod").arg("+x").arg(bundle.join(script)))?;
    }
    archive(&place)
}

/// Builds tests, examples and benchmarks, and puts each kind where `run-all.sh` looks for it.
fn build_programs(root: &Path, bundle: &Path) -> Result<(), BundleError> {
    let tests = [
        "test",
        "--no-run",
        "--release",
        "-p",
        "warploom-tests",
        "-p",
        "warploom-runtime",
        "-p",
        "warploom-conformance",
        "--tests",
        "--lib",
    ];
    for program in built(root, &tests)? {
        if !HOST_ONLY.contains(&program.target.as_str()) {
            take(
                &program.path,
                &bundle
                    .join(PROGRAMS)
                    .join(program.path.file_name().unwrap_or_default()),
            )?;
            let fake = program.path.with_file_name(FAKE_DRIVER);
            if fake.exists() {
                copy(&fake, &bundle.join(FAKE_DRIVER))?;
            }
        }
    }
    for program in built(
        root,
        &[
            "build",
            "--release",
            "-p",
            "warploom-examples",
            "--example",
            "photo",
            "--example",
            "overlap",
        ],
    )? {
        take(&program.path, &bundle.join(&program.target))?;
    }
    let gallery = ["build", "--release", "-p", "warploom-gallery", "--examples"];
    for program in built(root, &gallery)? {
        take(
            &program.path,
            &bundle.join("gallery/programs").join(&program.target),
        )?;
    }
    for program in built(
        root,
        &[
            "bench",
            "--no-run",
            "-p",
            "warploom-benches",
            "--bench",
            "side_by_side",
            "--bench",
            "math",
        ],
    )? {
        take(&program.path, &bundle.join("benches").join(&program.target))?;
    }
    for program in built(root, &["build", "--release", "-p", "warploom-unseen"])? {
        // Beside the folder `unseen`, in which the twins' sources are.
        take(&program.path, &bundle.join("benches/unseen-kernels"))?;
    }
    Ok(())
}

/// Runs cargo and returns the programs that it built.
fn built(root: &Path, arguments: &[&str]) -> Result<Vec<Program>, BundleError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(root)
        .args(arguments)
        .arg("--message-format=json-render-diagnostics");
    let messages = run(command.stdout(Stdio::piped()))?;
    let programs = programs(&messages);
    if programs.is_empty() {
        return Err(BundleError::Nothing {
            command: shown(&command),
        });
    }
    Ok(programs)
}

/// The programs in cargo's JSON messages, one message per line.
fn programs(messages: &str) -> Vec<Program> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
        target: Option<Target>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
    }
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Message>(line).ok());
    messages
        .filter_map(|message| {
            Some(Program {
                target: message.target?.name,
                path: message.executable?,
            })
        })
        .collect()
}

/// Copies a program without what debuggers read, but with the names for backtraces; with all if there is no `strip`.
fn take(from: &Path, to: &Path) -> Result<(), BundleError> {
    copy(from, to)?;
    match Command::new("strip").arg("--strip-debug").arg(to).status() {
        Ok(status) if !status.success() => Err(BundleError::Failed {
            command: "strip".to_owned(),
            status,
        }),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Compiles the twins here if `NVCC` names a compiler, for GPU machines that have none. `run-on-gpu.sh` compiles its own if it can.
fn twins(root: &Path, bundle: &Path) -> Result<(), BundleError> {
    let Some(nvcc) = std::env::var_os("NVCC") else {
        return Ok(());
    };
    let mut sources = files(&root.join("benches/cuda"))?;
    sources.extend(files(&root.join("benches/unseen/cuda"))?);
    for source in sources {
        let cubin = bundle.join("benches/twins").join(
            source
                .with_extension("cubin")
                .file_name()
                .unwrap_or_default(),
        );
        run(Command::new(&nvcc)
            .args(["-O3", "-arch=sm_90", "-cubin", "-o"])
            .arg(cubin)
            .arg(source))?;
    }
    Ok(())
}

fn archive(place: &Path) -> Result<PathBuf, BundleError> {
    let path = place.join("warploom-gpu.tar.xz");
    // The test programs of a package share their images: a window over several of them leaves little.
    run(Command::new("tar")
        .env("XZ_OPT", "-1 --lzma2=preset=1,dict=128MiB")
        .arg("-cJf")
        .arg(&path)
        .arg("-C")
        .arg(place)
        .arg("warploom-gpu"))?;
    let bytes = fs::metadata(&path).map_err(in_file(&path))?.len();
    if bytes > MOST_BYTES {
        return Err(BundleError::TooLarge { path, bytes });
    }
    Ok(path)
}

/// Runs `command`, its errors on the terminal, and returns what it printed if its output is piped.
fn run(command: &mut Command) -> Result<String, BundleError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let child = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn();
    let output = child
        .and_then(std::process::Child::wait_with_output)
        .map_err(|source| BundleError::Start { program, source })?;
    if !output.status.success() {
        return Err(BundleError::Failed {
            command: shown(command),
            status: output.status,
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), BundleError> {
    for file in files(from)? {
        copy(&file, &to.join(file.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

/// Copies the files with Rust code below a folder.
fn copy_sources(from: &Path, to: &Path) -> Result<(), BundleError> {
    fs::create_dir_all(to).map_err(in_file(to))?;
    for file in files(from)? {
        if file.extension().is_some_and(|extension| extension == "rs") {
            copy(&file, &to.join(file.file_name().unwrap_or_default()))?;
        }
    }
    for entry in fs::read_dir(from).map_err(in_file(from))? {
        let entry = entry.map_err(in_file(from))?;
        if entry.path().is_dir() {
            copy_sources(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, BundleError> {
    let entries = fs::read_dir(folder).map_err(in_file(folder))?;
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(in_file(folder))?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

fn copy(from: &Path, to: &Path) -> Result<(), BundleError> {
    fs::copy(from, to).map(drop).map_err(in_file(to))
}

fn in_file(path: &Path) -> impl FnOnce(io::Error) -> BundleError {
    let path = path.to_owned();
    move |source| BundleError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"photo"},"executable":"/t/photo"}
{"reason":"compiler-artifact","target":{"name":"warploom"},"executable":null}
{"reason":"build-script-executed","package_id":"p"}
not json
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            programs(messages),
            [Program {
                target: "photo".to_owned(),
                path: "/t/photo".into()
            }]
        );
    }

    #[test]
    fn a_failing_command_is_named() {
        let error = run(Command::new("sh").args(["-c", "exit 3"]))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("`sh -c exit 3` ended with exit status: 3"),
            "{error}"
        );
        let error = run(&mut Command::new("/there/is/no/such/program"))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "cannot start `/there/is/no/such/program`; is it installed?"
        );
    }
}
