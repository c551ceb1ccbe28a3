//! Where a crate target's sources may hold kernels, as far as their text says: a device pass for nothing costs time.
//!
//! Follows `mod name;` from the root file. Whatever cannot be followed counts as holding kernels.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What the sources of a target mention.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    pub(crate) kernels: bool,
    /// In unit tests.
    pub(crate) test_kernels: bool,
    /// Outside of unit tests: whether `#[kernel]` is expanded, which compares host and device.
    pub(crate) attribute: bool,
}

struct File {
    path: PathBuf,
    /// Where its modules lie.
    modules: PathBuf,
    is_test: bool,
}

/// Reads a target's root file and its modules.
pub(crate) fn scan(root: &Path) -> Mentions {
    let mut found = Mentions::default();
    let mut seen = HashSet::new();
    let mut todo = vec![File {
        path: root.to_owned(),
        modules: root.parent().unwrap_or(root).to_owned(),
        is_test: false,
    }];
    while let Some(file) = todo.pop() {
        if !seen.insert(file.path.clone()) {
            continue;
        }
        match std::fs::read_to_string(&file.path) {
            Ok(text) => read(&file, &text, &mut found, &mut todo),
            Err(_) => found.kernels = true,
        }
    }
    found
}

fn read(file: &File, text: &str, found: &mut Mentions, todo: &mut Vec<File>) {
    let mut in_tests = file.is_test;
    let mut of_next = (None, file.is_test);
    for line in text.lines().map(str::trim) {
        if line.starts_with("//") {
            continue;
        }
        if line.contains("cfg(test)") {
            in_tests = true;
            of_next.1 = true;
        }
        if mentions(line) {
            found.kernels = true;
            found.test_kernels |= in_tests;
            let is_attribute =
                line.starts_with("#[") && ["kernel]", "kernel("].iter().any(|t| line.contains(t));
            found.attribute |= is_attribute && !in_tests;
        }
        if let Some((_, rest)) = line.split_once("#[path = \"") {
            of_next.0 = rest.split('"').next();
        }
        if let Some(name) = module(line) {
            todo.push(named(file, name, of_next.0, of_next.1));
        }
        if !(line.starts_with("#[") && line.ends_with(']')) {
            of_next = (None, file.is_test);
        }
    }
}

fn mentions(line: &str) -> bool {
    // The last two: kernels behind functions of a library, and sources that cannot be followed.
    [
        "kernel]",
        "kernel(",
        "::launch(",
        ".launch(",
        "warploom::",
        "include!(",
    ]
    .iter()
    .any(|text| line.contains(text))
}

/// `name` of `mod name;`, whatever stands before.
fn module(line: &str) -> Option<&str> {
    let code = line.split("//").next()?.trim_end().strip_suffix(';')?;
    let (before, name) = code.rsplit_once("mod ")?;
    let is_item = before.is_empty() || before.ends_with(' ');
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_item && is_name).then_some(name)
}

fn named(file: &File, name: &str, path: Option<&str>, is_test: bool) -> File {
    if let Some(path) = path {
        let path = file.path.parent().unwrap_or(&file.path).join(path);
        return File {
            modules: path.parent().unwrap_or(&path).to_owned(),
            path,
            is_test,
        };
    }
    let folder = file.modules.join(name);
    let inner = folder.join("mod.rs");
    let path = if inner.is_file() {
        inner
    } else {
        folder.with_extension("rs")
    };
    File {
        path,
        modules: folder,
        is_test,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_of(files: &[(&str, &str)]) -> Mentions {
        let folder = std::env::temp_dir().join(format!(
            "warploom-sources-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        let _ = std::fs::remove_dir_all(&folder);
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = scan(&folder.join(files[0].0));
        std::fs::remove_dir_all(&folder).unwrap();
        found
    }

    const BOTH: Mentions = Mentions {
        kernels: true,
        test_kernels: true,
        attribute: false,
    };
    const ATTRIBUTE: Mentions = Mentions {
        attribute: true,
        ..CODE
    };
    const CODE: Mentions = Mentions {
        kernels: true,
        test_kernels: false,
        attribute: false,
    };

    #[test]
    fn modules_are_followed() {
        let deep = [
            ("t.rs", "pub(crate) mod a; // first\n"),
            ("a.rs", "mod b;"),
            ("a/b.rs", "#[kernel]"),
        ];
        assert_eq!(crate_of(&deep), ATTRIBUTE);
        let inner = [
            ("t.rs", "mod a;"),
            ("a/mod.rs", "mod b;"),
            ("a/b.rs", "kernel(fma)"),
        ];
        assert_eq!(crate_of(&inner), CODE);
        let path = [
            ("t/t.rs", "#[path = \"../x.rs\"]\nmod a;"),
            ("x.rs", "f::launch(&s)"),
        ];
        assert_eq!(crate_of(&path), CODE);
    }

    #[test]
    fn tests_are_told_from_code() {
        let file = [
            ("t.rs", "mod a;\n#[cfg(test)]\nmod tests;"),
            ("a.rs", "fn f() {}"),
            ("tests.rs", "use warploom::prelude::*;"),
        ];
        assert_eq!(crate_of(&file), BOTH);
        let inline = [("t.rs", "#[kernel]\n#[cfg(test)]\nmod tests {\n}")];
        assert_eq!(crate_of(&inline), ATTRIBUTE);
    }

    #[test]
    fn what_is_not_found_counts() {
        assert_eq!(crate_of(&[("t.rs", "mod generated;")]), CODE);
        assert_eq!(crate_of(&[("t.rs", "include!(\"x.rs\");")]), CODE);
    }

    #[test]
    fn comments_and_other_words_do_not_count() {
        let none = [(
            "t.rs",
            "//! `#[kernel]`\nlet modified = model;\n/// x::launch()\nfn f() {}",
        )];
        assert_eq!(crate_of(&none), Mentions::default());
    }
}
