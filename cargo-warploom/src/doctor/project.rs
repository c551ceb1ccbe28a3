//! Packages with kernels: their dependencies, build scripts and versions, and what is built for the GPU.

use super::Line;
use crate::project::{self, Metadata, Package};
use std::path::Path;
use warploom_build::installation::may_have_kernels;

const LIBRARY: &str = "warploom";
const BUILD: &str = "warploom-build";
/// What a build dependency and its call look like.
const MANIFEST_REMEDY: &str = "add to Cargo.toml: [build-dependencies] warploom-build = \"0.1\"";
const SCRIPT_REMEDY: &str = "call warploom_build::compile(); in fn main() of build.rs";

/// What was found of a package.
#[derive(Debug, Default)]
struct Facts {
    name: String,
    has_library: bool,
    has_build: bool,
    has_script: bool,
    script_compiles: bool,
    /// Targets that may have kernels: `bin saxpy`.
    targets: Vec<String>,
}

pub(super) fn lines(manifest_path: Option<&Path>) -> Vec<Line> {
    let metadata =
        project::metadata(manifest_path, true).or_else(|_| project::metadata(manifest_path, false));
    let metadata = match metadata {
        Ok(metadata) => metadata,
        // No fault, unless a project was named.
        Err(why) if manifest_path.is_none() && why.contains("could not find `Cargo.toml`") => {
            return vec![Line::ok("project: none here")];
        }
        Err(why) => return vec![Line::error(why, "mend what cargo says")],
    };
    let members = metadata.packages.iter();
    let members = members.filter(|package| metadata.workspace_members.contains(&package.id));
    let mut lines: Vec<Line> = members
        .map(facts)
        .flat_map(|facts| lines_of(&facts))
        .collect();
    if lines.is_empty() {
        lines.push(Line::ok("project: no package here depends on warploom"));
        return lines;
    }
    lines.extend(versions(&metadata));
    lines
}

fn facts(package: &Package) -> Facts {
    let depends = |name: &str, kind: Option<&str>| {
        let mut all = package.dependencies.iter();
        all.any(|dependency| dependency.name == name && dependency.kind.as_deref() == kind)
    };
    let is_script = |kind: &[String]| kind.iter().any(|kind| kind == "custom-build");
    let script = package
        .targets
        .iter()
        .find(|target| is_script(&target.kind));
    let text = script.map(|script| std::fs::read_to_string(&script.src_path).unwrap_or_default());
    let targets = package
        .targets
        .iter()
        .filter(|target| !is_script(&target.kind));
    let targets = targets.filter(|target| may_have_kernels(&target.src_path));
    // The library itself has kernels in its examples and tests.
    let is_library = package.name == LIBRARY;
    let has_library = is_library || depends(LIBRARY, None) || depends(LIBRARY, Some("dev"));
    Facts {
        name: package.name.clone(),
        has_library,
        has_build: depends(BUILD, Some("build")),
        has_script: script.is_some(),
        script_compiles: text.is_some_and(|text| text.contains("warploom_build")),
        targets: match has_library {
            true => targets
                .map(|target| format!("{} {}", target.kind.join("+"), target.name))
                .collect(),
            false => vec![],
        },
    }
}

/// Nothing of packages that have nothing to do with us.
fn lines_of(facts: &Facts) -> Vec<Line> {
    let name = &facts.name;
    if !facts.has_library && !facts.has_build {
        return vec![];
    }
    let mut lines = Vec::new();
    let without = "its kernels run on the emulator only, without checks of memory";
    match (facts.has_build, facts.has_script, facts.script_compiles) {
        // A library of host code needs no GPU code.
        (false, _, false) if facts.targets.is_empty() => {}
        (false, _, true) => lines.push(Line::error(
            format!("{name}: build.rs calls warploom_build, which is no build dependency"),
            MANIFEST_REMEDY,
        )),
        (false, _, false) => lines.push(Line::warning(
            format!("{name}: no build dependency on warploom-build, {without}"),
            format!("{MANIFEST_REMEDY}; {SCRIPT_REMEDY}"),
        )),
        (true, false, _) => lines.push(Line::warning(
            format!("{name}: no build.rs, {without}"),
            SCRIPT_REMEDY,
        )),
        (true, true, false) => lines.push(Line::warning(
            format!("{name}: build.rs does not call warploom_build, {without}"),
            SCRIPT_REMEDY,
        )),
        (true, true, true) => lines.push(Line::ok(format!("{name}: build.rs compiles kernels"))),
    }
    if facts.has_build && !facts.has_library {
        lines.push(Line::warning(
            format!("{name}: no dependency on warploom, whose #[kernel] makes kernels"),
            "add to Cargo.toml: [dependencies] warploom = \"0.1\"",
        ));
    }
    if facts.script_compiles && facts.has_build {
        lines.push(Line::ok(match facts.targets.is_empty() {
            true => format!("{name}: no target mentions kernels"),
            false => format!("{name}: kernels are compiled of {}", some(&facts.targets)),
        }));
    }
    lines
}

/// The first of these names, and how many more there are.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Whether library, build dependency and this program are of one version.
fn versions(metadata: &Metadata) -> Vec<Line> {
    let of = |name: &str| -> Vec<&str> {
        let all = metadata
            .packages
            .iter()
            .filter(|package| package.name == name);
        let mut versions: Vec<&str> = all.map(|package| &*package.version).collect();
        versions.sort_unstable();
        versions
    };
    versions_of(&of(LIBRARY), &of(BUILD), env!("CARGO_PKG_VERSION"))
}

fn versions_of(library: &[&str], build: &[&str], own: &str) -> Vec<Line> {
    if library.is_empty() || build.is_empty() {
        // Not known before the first `cargo fetch`.
        return vec![];
    }
    let (libraries, builds) = (library.join(", "), build.join(", "));
    if library != build {
        return vec![Line::error(
            format!("warploom is {libraries}, warploom-build is {builds}"),
            "give both the same version in Cargo.toml, then `cargo update`",
        )];
    }
    let line = Line::ok(format!("warploom and warploom-build {libraries}"));
    if library != [own] {
        let text = format!("cargo-warploom {own} is of another version than warploom {libraries}");
        return vec![
            line,
            Line::warning(text, "install that of the project, if a subcommand fails"),
        ];
    }
    vec![line]
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    fn facts() -> Facts {
        Facts {
            name: "app".into(),
            has_library: true,
            has_build: true,
            has_script: true,
            script_compiles: true,
            targets: vec!["bin app".into(), "test kernels".into()],
        }
    }

    #[test]
    fn a_complete_package_says_what_is_compiled() {
        let lines = lines_of(&facts());
        assert!(lines.iter().all(|line| line.state == State::Ok));
        assert_eq!(
            lines[1].text,
            "app: kernels are compiled of bin app, test kernels"
        );
    }

    #[test]
    fn many_targets_are_counted() {
        let names: Vec<String> = (1..=9).map(|n| format!("test t{n}")).collect();
        assert_eq!(some(&names[..1]), "test t1");
        assert!(some(&names).ends_with("test t6 and 3 more"));
    }

    #[test]
    fn each_missing_part_has_its_remedy() {
        type Case = (fn(&mut Facts), State, &'static str, &'static str);
        let cases: [Case; 5] = [
            (
                |f| (f.has_script, f.script_compiles) = (false, false),
                State::Warning,
                "no build.rs",
                "build.rs",
            ),
            (
                |f| f.script_compiles = false,
                State::Warning,
                "does not call warploom_build",
                "compile()",
            ),
            (
                |f| f.has_build = false,
                State::Error,
                "is no build dependency",
                "[build-dependencies]",
            ),
            (
                |f| (f.has_build, f.script_compiles) = (false, false),
                State::Warning,
                "no build dependency on warploom-build",
                "[build-dependencies]",
            ),
            (
                |f| f.has_library = false,
                State::Warning,
                "no dependency on warploom",
                "[dependencies]",
            ),
        ];
        for (change, state, text, remedy) in cases {
            let mut facts = facts();
            change(&mut facts);
            let lines = lines_of(&facts);
            let line = lines.iter().find(|line| line.text.contains(text));
            let line = line.unwrap_or_else(|| panic!("no {text}: {lines:?}"));
            assert_eq!(line.state, state, "{text}");
            assert!(line.remedy.as_deref().unwrap().contains(remedy), "{text}");
        }
    }

    #[test]
    fn other_packages_are_left_out() {
        let other = Facts {
            name: "other".into(),
            ..Facts::default()
        };
        assert!(lines_of(&other).is_empty());
        let host_only = Facts {
            name: "tools".into(),
            has_library: true,
            ..Facts::default()
        };
        assert!(lines_of(&host_only).is_empty());
    }

    #[test]
    fn versions_have_to_agree() {
        let states = |library: &[&str], build: &[&str]| -> Vec<State> {
            let lines = versions_of(library, build, "0.1.0");
            lines.iter().map(|line| line.state).collect()
        };
        assert_eq!(states(&["0.1.0"], &["0.1.0"]), [State::Ok]);
        assert_eq!(states(&["0.1.0"], &["0.1.1"]), [State::Error]);
        assert_eq!(states(&["0.2.0"], &["0.2.0"]), [State::Ok, State::Warning]);
        assert_eq!(states(&[], &[]), []);
    }
}
