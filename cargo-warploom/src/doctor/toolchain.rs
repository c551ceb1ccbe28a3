//! rustc, the LLVM that reads its bitcode, and the linker of programs.

use super::Line;
use crate::project::rustc;
use crate::temporary::Folder;
use std::path::{Path, PathBuf};
use warploom_build::installation::{self, Llvm, Row, Rustc};

/// What was found of a toolchain.
struct Facts {
    rustc: Result<About, String>,
    linker: Option<PathBuf>,
    /// Whether a setting of cargo names the linker.
    linker_is_set: bool,
}

/// What a rustc says, and what there is for it.
struct About {
    release: String,
    host: String,
    makes_device_code: bool,
    llvm_major: u32,
    llvm: Result<Llvm, String>,
    untested: Option<String>,
    /// The rows of the self-test, if it was asked for.
    self_test: Option<Result<Vec<Row>, String>>,
}

pub(super) fn lines(with_self_test: bool) -> Vec<Line> {
    let rustc = Rustc::of(Path::new(&rustc())).map(|rustc| about(&rustc, with_self_test));
    lines_of(&Facts {
        rustc,
        linker: in_path("cc"),
        linker_is_set: linker_is_set(),
    })
}

fn about(rustc: &Rustc, with_self_test: bool) -> About {
    let llvm = rustc.llvm();
    let self_test = |llvm: &Llvm| {
        let folder = Folder::new()?;
        rustc.self_test(llvm, folder.path())
    };
    let usable = llvm.as_ref().ok();
    About {
        release: rustc.release().to_owned(),
        host: rustc.host().to_owned(),
        makes_device_code: rustc.makes_device_code(),
        llvm_major: rustc.llvm_major(),
        untested: usable.and_then(|llvm| rustc.untested(llvm)),
        self_test: usable.filter(|_| with_self_test).map(self_test),
        llvm,
    }
}

fn lines_of(facts: &Facts) -> Vec<Line> {
    let mut lines = Vec::new();
    match &facts.rustc {
        Err(why) => lines.push(Line::error(
            why,
            "install Rust from https://rustup.rs, or put rustc into PATH",
        )),
        Ok(about) => lines.extend(of_rustc(about)),
    }
    lines.push(match (&facts.linker, facts.linker_is_set) {
        (Some(path), _) => Line::ok(format!("linker: {}", path.display())),
        (None, true) => Line::ok("linker: as cargo's configuration has it"),
        (None, false) => Line::error(
            "no linker: there is no `cc` in PATH",
            "install a C compiler, such as the package gcc or build-essential",
        ),
    });
    lines
}

fn of_rustc(about: &About) -> Vec<Line> {
    let rustc = format!("rustc {} for {}", about.release, about.host);
    let mut lines = Vec::new();
    if !about.makes_device_code {
        let text =
            format!("{rustc}: no GPU code is built on this host, kernels run on the emulator");
        lines.push(Line::warning(text, "build on Linux with glibc"));
        return lines;
    }
    lines.push(Line::ok(rustc));
    match &about.llvm {
        Ok(llvm) => lines.push(Line::ok(format!(
            "LLVM {}: {}",
            llvm.major,
            llvm.path.display()
        ))),
        Err(why) => {
            // The last line of the search's text is what to do.
            let (text, remedy) = why
                .rsplit_once('\n')
                .unwrap_or((why, "unset WARPLOOM_LLVM"));
            let text = format!(
                "{text}\n(rustc {} was built with LLVM {})",
                about.release, about.llvm_major
            );
            let remedy =
                match text.contains("WARPLOOM_LLVM names") || text.contains("WARPLOOM_LLVM=") {
                    true => {
                        return [
                            lines,
                            vec![Line::error(
                                why,
                                "unset WARPLOOM_LLVM, or name another library",
                            )],
                        ]
                        .concat();
                    }
                    false => remedy.trim(),
                };
            lines.push(Line::error(text, remedy));
        }
    }
    if let Some(untested) = &about.untested {
        let remedy = format!(
            "the first build runs a self-test, which decides; tested are {}",
            installation::tested()
        );
        lines.push(Line::warning(
            format!("{untested}: not tested with this version of warploom"),
            remedy,
        ));
    }
    match &about.self_test {
        None => {}
        Some(Err(why)) => lines.push(Line::error(why, "report it")),
        Some(Ok(rows)) => lines.extend(rows.iter().map(|Row { name, problem }| match problem {
            None => Line::ok(format!("self-test: {name}")),
            Some(problem) => Line::error(
                format!("self-test: {name}: {problem}"),
                format!(
                    "use a toolchain that was tested: {}",
                    installation::tested()
                ),
            ),
        })),
    }
    lines
}

/// A program in the folders of `PATH`.
fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(&name));
    files.find(|file| file.is_file())
}

/// Whether a variable, or a configuration file of cargo above the working folder, names a linker; on Windows rustc finds its own.
fn linker_is_set() -> bool {
    let is_linker = |name: &str| name.starts_with("CARGO_TARGET_") && name.ends_with("_LINKER");
    if cfg!(windows) || std::env::vars_os().any(|(name, _)| is_linker(&name.to_string_lossy())) {
        return true;
    }
    let here = std::env::current_dir().unwrap_or_default();
    let home = std::env::home_dir();
    let folders = here.ancestors().map(Path::to_owned).chain(home);
    let mut files = folders
        .flat_map(|folder| ["config.toml", "config"].map(|name| folder.join(".cargo").join(name)));
    let names_one = |file: PathBuf| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines()
            .any(|line| line.trim_start().starts_with("linker"))
    };
    files.any(names_one)
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    fn facts() -> Facts {
        Facts {
            rustc: Ok(About {
                release: "1.95.0".into(),
                host: "x86_64-unknown-linux-gnu".into(),
                makes_device_code: true,
                llvm_major: 22,
                llvm: Ok(Llvm {
                    path: "/lib/libLLVM.so.22.1".into(),
                    major: 22,
                }),
                untested: None,
                self_test: None,
            }),
            linker: Some("/usr/bin/cc".into()),
            linker_is_set: false,
        }
    }

    fn changed(change: impl FnOnce(&mut About)) -> Vec<Line> {
        let mut facts = facts();
        change(facts.rustc.as_mut().unwrap());
        lines_of(&facts)
    }

    fn worst(lines: &[Line]) -> &Line {
        lines.iter().max_by_key(|line| line.state).unwrap()
    }

    #[test]
    fn all_is_there() {
        let lines = lines_of(&facts());
        let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
        let expected = [
            "rustc 1.95.0 for x86_64-unknown-linux-gnu",
            "LLVM 22: /lib/libLLVM.so.22.1",
            "linker: /usr/bin/cc",
        ];
        assert_eq!(texts, expected);
        assert!(lines.iter().all(|line| line.state == State::Ok));
    }

    #[test]
    fn without_rustc_nothing_else_is_said_of_it() {
        let mut facts = facts();
        facts.rustc = Err("cannot run rustc: not found".into());
        let lines = lines_of(&facts);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].state, State::Error);
        assert!(lines[0].remedy.as_deref().unwrap().contains("rustup.rs"));
    }

    #[test]
    fn without_llvm_the_search_tells_the_remedy() {
        let why = "no LLVM can be used; LLVM 22 or newer with the target NVPTX is needed\n  no libLLVM in /usr/lib\n  `apt install libllvm22` installs one";
        let lines = changed(|about| about.llvm = Err(why.into()));
        let line = worst(&lines);
        assert_eq!(line.state, State::Error);
        assert_eq!(
            line.remedy.as_deref(),
            Some("`apt install libllvm22` installs one")
        );
        assert!(
            line.text.contains("no libLLVM in /usr/lib"),
            "{}",
            line.text
        );
        let why = "WARPLOOM_LLVM names no LLVM that can be used\n  cannot load /x: no such file";
        let lines = changed(|about| about.llvm = Err(why.into()));
        assert_eq!(worst(&lines).text, why);
        assert!(
            worst(&lines)
                .remedy
                .as_deref()
                .unwrap()
                .starts_with("unset WARPLOOM_LLVM")
        );
    }

    #[test]
    fn an_untested_toolchain_and_another_host_are_warnings() {
        let lines = changed(|about| about.untested = Some("rustc 1.99.0".into()));
        assert_eq!(worst(&lines).state, State::Warning);
        assert!(
            worst(&lines)
                .remedy
                .as_deref()
                .unwrap()
                .contains("self-test")
        );
        let lines = changed(|about| {
            about.makes_device_code = false;
            about.host = "aarch64-apple-darwin".into();
        });
        assert_eq!(worst(&lines).state, State::Warning);
        assert!(worst(&lines).text.contains("kernels run on the emulator"));
    }

    #[test]
    fn rows_of_the_self_test_are_lines() {
        let row = |name: &str, problem: Option<&str>| Row {
            name: name.into(),
            problem: problem.map(str::to_owned),
        };
        let rows = vec![row("panics", None), row("flags", Some("gone"))];
        let lines = changed(|about| about.self_test = Some(Ok(rows)));
        assert!(lines.contains(&Line::ok("self-test: panics")));
        assert_eq!(worst(&lines).text, "self-test: flags: gone");
    }

    #[test]
    fn a_missing_linker_is_an_error_unless_one_is_named() {
        let mut facts = facts();
        facts.linker = None;
        assert_eq!(worst(&lines_of(&facts)).state, State::Error);
        facts.linker_is_set = true;
        assert_eq!(worst(&lines_of(&facts)).state, State::Ok);
    }
}
