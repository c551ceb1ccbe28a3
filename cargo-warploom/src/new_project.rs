//! `cargo warploom new`: a project that runs.

use crate::command_line::NewOptions;
use crate::{Verdict, print, write};
use std::path::{Path, PathBuf};

/// The version that a project depends on where no checkout is named.
const VERSION: &str = "\"0.1\"";

/// What a project with paths to a checkout has in its manifest besides.
const PATH_PROFILE: &str = "
# Cargo keeps incremental data of crates given by path as it does of this one, and warploom's would be nearly half of the target folder.
# For changes to warploom itself, remove these lines.
[profile.dev.package.\"*\"]
incremental = false
";

/// The files of a project, with `{name}` and the dependencies to be filled in. Their names end with `.txt` here, so that nothing takes them
/// for a package.
const FILES: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    ("build.rs", include_str!("template/build.rs.txt")),
    ("src/main.rs", include_str!("template/main.rs.txt")),
    (".gitignore", include_str!("template/gitignore.txt")),
    ("README.md", include_str!("template/README.md.txt")),
    (
        ".github/workflows/ci.yml",
        include_str!("template/ci.yml.txt"),
    ),
];

/// Names that packages cannot have: Rust's words, and crates that every program has.
const RESERVED: [&str; 46] = [
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue",
    "core", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen",
    "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "pub", "ref",
    "return", "self", "static", "std", "struct", "super", "test", "trait", "true", "type", "use",
    "warploom",
];

pub(crate) fn run(options: &NewOptions) -> Result<Verdict, String> {
    let folder = &options.folder;
    let name = match &options.name {
        Some(name) => name.clone(),
        None => name_of(folder)?,
    };
    check_name(&name)?;
    let (library, build) = dependencies(options.path.as_deref())?;
    let path_profile = match options.path {
        Some(_) => PATH_PROFILE,
        None => "",
    };
    if std::fs::symlink_metadata(folder).is_ok() {
        return Err(format!(
            "{} exists already; choose another folder, or remove it",
            folder.display()
        ));
    }
    for (file, text) in FILES {
        let text = text
            .replace("{name}", &name)
            .replace("{warploom}", &library)
            .replace("{warploom-build}", &build)
            .replace("{path-profile}", path_profile);
        write(&folder.join(file), &text)?;
    }
    let shown = folder.display();
    print(&format!(
        "made the project `{name}` in {shown}; to run it: cd {shown} && cargo run\n"
    ))?;
    Ok(Verdict::Fine)
}

fn name_of(folder: &Path) -> Result<String, String> {
    let name = folder.file_name().map(|name| name.to_string_lossy());
    name.map(std::borrow::Cow::into_owned).ok_or_else(|| {
        format!(
            "{} has no name that the package could have; give one with --name",
            folder.display()
        )
    })
}

/// What cargo accepts as the name of a package with a binary.
fn check_name(name: &str) -> Result<(), String> {
    let wrong = |why: &str| {
        Err(format!(
            "`{name}` cannot be a package's name: {why}; give another one with --name"
        ))
    };
    if name.is_empty() {
        return wrong("it is empty");
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return wrong("it starts with a digit");
    }
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if let Some(c) = name.chars().find(|c| !is_fine(*c)) {
        return wrong(&format!(
            "it has the character `{c}`, and only ASCII letters, digits, `-` and `_` are allowed"
        ));
    }
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return wrong("it does not start with a letter");
    }
    if RESERVED.contains(&name.replace('-', "_").as_str()) {
        return wrong("it is a word of Rust, or the name of a crate that the project uses");
    }
    Ok(())
}

/// The dependencies as TOML: versions, or paths to a checkout.
fn dependencies(path: Option<&Path>) -> Result<(String, String), String> {
    let Some(path) = path else {
        return Ok((VERSION.to_owned(), VERSION.to_owned()));
    };
    let checkout = std::path::absolute(path).map_err(|error| error.to_string())?;
    for (folder, name) in [
        (checkout.clone(), "warploom"),
        (checkout.join("kernel-build"), "warploom-build"),
    ] {
        if !is_package(&folder, name) {
            return Err(format!(
                "{} is no checkout of warploom: {} is not the package {name}",
                path.display(),
                folder.join("Cargo.toml").display()
            ));
        }
    }
    let toml = |folder: PathBuf| format!("{{ path = {} }}", quoted(&folder.display().to_string()));
    Ok((toml(checkout.clone()), toml(checkout.join("kernel-build"))))
}

fn is_package(folder: &Path, name: &str) -> bool {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let wanted = format!("name = \"{name}\"");
    manifest.lines().any(|line| line.trim() == wanted)
}

/// A text in TOML.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_cargo_accepts() {
        for name in ["hello", "hello-gpu", "k2_x"] {
            assert_eq!(check_name(name), Ok(()));
        }
        for (name, why) in [
            ("", "it is empty"),
            ("2k", "starts with a digit"),
            ("a b", "the character ` `"),
            ("grün", "the character `ü`"),
            ("-x", "does not start with a letter"),
            ("fn", "a word of Rust"),
            ("warploom", "a crate that the project uses"),
        ] {
            let error = check_name(name).unwrap_err();
            assert!(error.contains(why) && error.contains("--name"), "{error}");
        }
    }

    #[test]
    fn a_checkout_is_named_by_its_absolute_path() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (library, build) = dependencies(Some(&root)).unwrap();
        assert!(library.starts_with("{ path = \"/"), "{library}");
        assert!(build.ends_with("kernel-build\" }"), "{build}");
        let error = dependencies(Some(Path::new("src"))).unwrap_err();
        assert!(
            error.starts_with("src is no checkout of warploom: "),
            "{error}"
        );
        assert_eq!(quoted(r#"C:\a "b""#), r#""C:\\a \"b\"""#);
    }

    /// Nothing is left to be filled in, and each file ends its last line.
    #[test]
    fn templates_are_complete() {
        for (file, text) in FILES {
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{file}");
            for mark in ["{name}", "{warploom}", "{warploom-build}", "{path-profile}"] {
                let wanted = match (file, mark) {
                    ("Cargo.toml", _) => 1,
                    ("README.md", "{name}") => 1,
                    _ => 0,
                };
                assert_eq!(text.matches(mark).count(), wanted, "{mark} in {file}");
            }
        }
    }
}
