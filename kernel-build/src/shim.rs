//! A throw-away package in `OUT_DIR` that depends on the package with kernels, so that its library can be built where its own folder is
//! read-only, has no lock file, or is resolved to other features than in the final program.
//!
//! A pin is a dependency on exactly one package of the outer build with exactly its features: cargo unifies it with what the library asks for.

use crate::graph::Pin;
use crate::package::{Package, PackageError, write_if_changed};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Writes it to `folder`.
pub(crate) fn write(
    package: &Package,
    folder: &Path,
    pins: &BTreeSet<Pin>,
    lock: Option<PathBuf>,
) -> Result<(), PackageError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| PackageError::Io { path, source }
    };
    std::fs::create_dir_all(folder.join("src")).map_err(io(folder))?;
    let manifest = manifest(package, pins, &patched_sources(package));
    write_if_changed(&folder.join("src/lib.rs"), b"")?;
    // Cargo takes dependencies of build scripts into account where there is one.
    write_if_changed(&folder.join("build.rs"), b"fn main() {}\n")?;
    let path = folder.join("Cargo.toml");
    let is_new = std::fs::read(&path).ok().as_deref() != Some(manifest.as_bytes());
    write_if_changed(&path, manifest.as_bytes())?;
    if let Some(lock) = lock {
        let copied = folder.join("outer.lock");
        let content = std::fs::read(&lock).map_err(io(&lock))?;
        if is_new || std::fs::read(&copied).ok().as_deref() != Some(&*content) {
            std::fs::write(folder.join("Cargo.lock"), &content).map_err(io(folder))?;
            std::fs::write(&copied, &content).map_err(io(&copied))?;
        }
    }
    Ok(())
}

fn manifest(package: &Package, pins: &BTreeSet<Pin>, patched: &BTreeSet<String>) -> String {
    let features = |of: &[String]| {
        let quoted: Vec<String> = of.iter().map(|f| format!("{f:?}")).collect();
        quoted.join(", ")
    };
    let mut text = "[package]\nname = \"warploom-device-pass\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n[dependencies]\n".to_owned();
    let folder = package.folder.display().to_string();
    let _ = writeln!(
        text,
        "{} = {{ path = {folder:?}, default-features = false, features = [{}] }}",
        package.name,
        features(&package.features)
    );
    for for_host in [false, true] {
        if for_host {
            text.push_str("\n[build-dependencies]\n");
        }
        for (number, pin) in pins.iter().enumerate() {
            let Some(source) = source(pin).filter(|_| pin.for_host == for_host) else {
                continue;
            };
            let _ = writeln!(
                text,
                "pin-{number} = {{ package = {:?}, {source}, default-features = false, features = [{}] }}",
                pin.id.name,
                features(&pin.features)
            );
        }
    }
    text.push_str("\n[workspace]\nresolver = \"2\"\n");
    if !pins.is_empty() {
        profiles(package, pins, &mut text);
    }
    for patched in patched {
        let mut names = BTreeSet::new();
        let lines: Vec<String> = pins
            .iter()
            .filter(|p| !is_registry(&p.id.source) && names.insert(p.id.clone()))
            .enumerate()
            .filter_map(|(number, p)| {
                let source = source(p)?;
                Some(format!(
                    "patch-{number} = {{ package = {:?}, {source} }}\n",
                    p.id.name
                ))
            })
            .collect();
        if !lines.is_empty() {
            let _ = write!(text, "\n[patch.{patched}]\n{}", lines.concat());
        }
    }
    text
}

/// The profile's checks, which `cfg` shows to sources, package by package.
fn profiles(package: &Package, pins: &BTreeSet<Pin>, text: &mut String) {
    let profile = &package.profile;
    let _ = write!(text, "\n[profile.{profile}]\n");
    if profile != "dev" && profile != "release" {
        let inherits = if profile == "bench" { "release" } else { "dev" };
        let _ = writeln!(text, "inherits = {inherits:?}");
    }
    if let Some(checks) = &package.checks {
        let _ = writeln!(
            text,
            "debug-assertions = {}\noverflow-checks = {}",
            checks.debug_assertions, checks.overflow_checks
        );
    }
    let mut seen = BTreeSet::new();
    for pin in pins.iter().filter(|p| !p.for_host) {
        if source(pin).is_some() && seen.insert(&pin.id) {
            let spec = format!("{}#{}@{}", pin.id.source, pin.id.name, pin.id.version);
            let _ = write!(
                text,
                "\n[profile.{profile}.package.{spec:?}]\ndebug-assertions = {}\noverflow-checks = {}\n",
                pin.debug_assertions, pin.overflow_checks
            );
        }
    }
}

fn is_registry(source: &str) -> bool {
    source.starts_with("registry+") || source.starts_with("sparse+")
}

/// Where a package comes from, as a manifest says it; `None` for sources that a manifest cannot name.
fn source(pin: &Pin) -> Option<String> {
    let source = &*pin.id.source;
    let version = pin.id.version.split('+').next().unwrap_or_default();
    if let Some(path) = source.strip_prefix("path+file://") {
        return Some(format!("path = {:?}", decoded(path)));
    }
    if let Some(git) = source.strip_prefix("git+") {
        let (url, reference) = git.split_once('?').unwrap_or((git, ""));
        let mut text = format!("git = {url:?}");
        if let Some((key @ ("branch" | "tag" | "rev"), value)) = reference.split_once('=') {
            let _ = write!(text, ", {key} = {:?}", decoded(value));
        }
        return Some(text);
    }
    let version = format!("version = \"={version}\"");
    match source {
        "registry+https://github.com/rust-lang/crates.io-index" => Some(version),
        _ => {
            let index = source
                .strip_prefix("registry+")
                .or_else(|| source.starts_with("sparse+").then_some(source))?;
            Some(format!("{version}, registry-index = {index:?}"))
        }
    }
}

/// Undoes the `%20` of URLs.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| std::str::from_utf8(after.get(..2)?).ok());
        match code
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
        {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The sources that the outer workspace's manifest patches, as it writes them: patches of a workspace do not reach a package outside of it.
fn patched_sources(package: &Package) -> BTreeSet<String> {
    let manifest = package.outer_root().map(|root| root.join("Cargo.toml"));
    let text = manifest.and_then(|path| std::fs::read_to_string(path).ok());
    patch_keys(&text.unwrap_or_default())
}

fn patch_keys(manifest: &str) -> BTreeSet<String> {
    let headers = manifest
        .lines()
        .filter_map(|line| line.trim().strip_prefix("[patch."));
    headers
        .filter_map(|rest| {
            let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'');
            let end = match quote {
                Some(quote) => rest[1..].find(quote)? + 2,
                None => rest.find(['.', ']'])?,
            };
            Some(rest[..end].to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::PackageId;

    fn named(id: &str) -> Option<String> {
        source(&Pin {
            id: PackageId::parse(id),
            features: vec![],
            for_host: false,
            debug_assertions: true,
            overflow_checks: true,
        })
    }

    #[test]
    fn sources_are_named_as_manifests_do() {
        let of = |id: &str| named(id).unwrap();
        assert_eq!(of("path+file:///a%20b/c#0.1.0"), "path = \"/a b/c\"");
        assert_eq!(
            of("git+https://x.y/z?branch=main#z@1.0.0"),
            "git = \"https://x.y/z\", branch = \"main\""
        );
        assert_eq!(
            of("registry+https://github.com/rust-lang/crates.io-index#libc@0.2.1+b"),
            "version = \"=0.2.1\""
        );
        assert_eq!(
            of("sparse+https://x.y/#z@1.0.0"),
            "version = \"=1.0.0\", registry-index = \"sparse+https://x.y/\""
        );
        assert_eq!(named("unknown+https://x.y#z@1.0.0"), None);
    }

    #[test]
    fn patched_sources_are_read_from_the_manifest() {
        let keys = patch_keys(
            "[patch.crates-io]\n[patch.\"https://a.b/c\".x]\n[patch.'d']\n# [patch.no]\n",
        );
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert_eq!(keys, ["\"https://a.b/c\"", "'d'", "crates-io"]);
    }
}
