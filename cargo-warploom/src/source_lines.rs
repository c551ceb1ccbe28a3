//! Code with the lines of source that it came from.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: u32,
}

/// A line of code, with the place that it came from if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) place: Option<Place>,
}

impl Line {
    pub(crate) fn of(text: impl Into<String>, place: Option<&Place>) -> Line {
        Line {
            text: text.into(),
            place: place.cloned(),
        }
    }
}

/// Source files, read when they are asked for.
#[derive(Debug)]
pub(crate) struct Sources {
    /// What relative paths start from, and what absolute ones are shown without.
    workspace: PathBuf,
    /// The source of the standard library, if the component `rust-src` is installed.
    library: Option<PathBuf>,
    /// Folders of packages, and their names.
    packages: Vec<(PathBuf, String)>,
    files: HashMap<String, Vec<String>>,
}

impl Sources {
    pub(crate) fn new(
        workspace: &Path,
        library: Option<PathBuf>,
        mut packages: Vec<(PathBuf, String)>,
    ) -> Sources {
        // A package may lie in the folder of another.
        packages.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.components().count()));
        Sources {
            workspace: workspace.to_owned(),
            library,
            packages,
            files: HashMap::new(),
        }
    }

    /// Lines of code, each run of one place below a comment with its line of source. `comment`: what starts a comment.
    pub(crate) fn interleave(&mut self, lines: &[Line], comment: &str) -> String {
        let mut text = String::new();
        let mut shown: Option<&Place> = None;
        for line in lines {
            if let Some(place) = line.place.as_ref().filter(|place| Some(*place) != shown) {
                let source = self.line(place);
                text.push_str(&format!(
                    "{comment} {}:{}{}{}\n",
                    self.short(&place.file),
                    place.line,
                    if source.is_empty() { "" } else { ": " },
                    source
                ));
            }
            if line.place.is_some() {
                shown = line.place.as_ref();
            }
            text.push_str(&line.text);
            text.push('\n');
        }
        text
    }

    /// Whether a file is one of the project.
    pub(crate) fn is_own(&self, file: &str) -> bool {
        let path = self.workspace.join(file);
        path.starts_with(&self.workspace) && !file.starts_with('<')
    }

    /// A line without its indentation; empty if it cannot be read.
    fn line(&mut self, place: &Place) -> String {
        if !self.files.contains_key(&place.file) {
            let path = self.path(&place.file);
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let lines = text.lines().map(|line| line.trim().to_owned()).collect();
            self.files.insert(place.file.clone(), lines);
        }
        let number = (place.line as usize).checked_sub(1);
        let lines = &self.files[&place.file];
        number
            .and_then(|number| lines.get(number))
            .cloned()
            .unwrap_or_default()
    }

    /// Where a file is on this machine.
    fn path(&self, file: &str) -> PathBuf {
        match (in_library(file), &self.library) {
            (Some(rest), Some(library)) => library.join(rest),
            _ => self.workspace.join(file),
        }
    }

    /// A path as people want to read it: in the project, in the standard library, in a package.
    fn short(&self, file: &str) -> String {
        if let Some(rest) = in_library(file) {
            return rest.to_owned();
        }
        if let Ok(own) = Path::new(file).strip_prefix(&self.workspace) {
            return own.display().to_string();
        }
        let of_package = |(folder, name): &(PathBuf, String)| {
            let rest = Path::new(file).strip_prefix(folder).ok()?;
            Some(format!("{name}/{}", rest.display()))
        };
        let in_package = self.packages.iter().find_map(of_package);
        in_package.unwrap_or_else(|| file.to_owned())
    }
}

/// The path below `library/` of a file of the standard library: `/rustc/HASH/library/core/src/ptr/mod.rs`.
fn in_library(file: &str) -> Option<&str> {
    let (_, rest) = file.strip_prefix("/rustc/")?.split_once("/library/")?;
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::Folder;

    fn place(file: &str, line: u32) -> Place {
        Place {
            file: file.into(),
            line,
        }
    }

    #[test]
    fn each_run_of_one_place_has_its_line_of_source() {
        let folder = Folder::new().unwrap();
        std::fs::write(folder.path().join("a.rs"), "one\n  two;\n").unwrap();
        let mut sources = Sources::new(folder.path(), None, vec![]);
        let absolute = folder.path().join("a.rs").display().to_string();
        let (two, elsewhere) = (
            place(&absolute, 2),
            place("/rustc/1f/library/core/src/ptr.rs", 7),
        );
        let lines = [
            Line::of("{", None),
            Line::of("  add", Some(&two)),
            Line::of("  mul", Some(&two)),
            Line::of("  ld", Some(&elsewhere)),
            Line::of("label:", None),
            Line::of("  st", Some(&elsewhere)),
            Line::of("  ret", Some(&place("a.rs", 9))),
        ];
        assert_eq!(
            sources.interleave(&lines, "//"),
            "{\n// a.rs:2: two;\n  add\n  mul\n// core/src/ptr.rs:7\n  ld\nlabel:\n  st\n// a.rs:9\n  ret\n"
        );
    }

    #[test]
    fn paths_are_short() {
        let packages = [
            ("/crates/warploom", "warploom"),
            ("/crates/warploom/std", "std"),
        ];
        let packages = packages.map(|(folder, name)| (folder.into(), name.into()));
        let sources = Sources::new(Path::new("/src/app"), None, packages.to_vec());
        for (path, short) in [
            ("/src/app/src/main.rs", "src/main.rs"),
            ("src/main.rs", "src/main.rs"),
            ("/crates/warploom/std/src/index.rs", "std/src/index.rs"),
            ("/crates/warploom/src/lib.rs", "warploom/src/lib.rs"),
            (
                "/rustc/59/library/core/src/ptr/mod.rs",
                "core/src/ptr/mod.rs",
            ),
            ("/elsewhere/x.rs", "/elsewhere/x.rs"),
        ] {
            assert_eq!(sources.short(path), short);
        }
        assert!(sources.is_own("src/main.rs") && sources.is_own("/src/app/src/main.rs"));
        assert!(!sources.is_own("/src/other/src/lib.rs") && !sources.is_own("<invalid>"));
    }
}
