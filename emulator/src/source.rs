//! The source text behind a place: found on disk when a report is made, and how much of a line belongs to it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::{Arc, PoisonError};

use crate::sync::StaticMutex;

/// Larger files are not read.
const MOST_BYTES: u64 = 16 << 20;

/// Finds and keeps source files. What was read once is not read again.
///
/// ```
/// use warploom_emulator::check::Sources;
///
/// // Nothing is found below a folder that does not exist, and reports stand without source text then.
/// let sources = Sources::below(["no/such/folder"]);
/// assert_eq!(sources.text("src/main.rs"), None);
/// ```
#[derive(Debug, Default)]
pub struct Sources {
    roots: Vec<PathBuf>,
    /// Whether names are looked for below the folders of [`Sources::built_in`] first.
    of_program: bool,
    files: StaticMutex<Known>,
}

/// What was looked for.
#[derive(Debug, Default)]
struct Known {
    texts: HashMap<String, Option<Arc<str>>>,
    /// As many folders of builds were known then: with another one a file may be found that was not.
    n_builds: usize,
}

/// Where code of this process was compiled.
static BUILT_IN: StaticMutex<Vec<PathBuf>> = StaticMutex::new(Vec::new());

/// Those of this program, looked for once.
pub(crate) fn sources() -> &'static Sources {
    static SOURCES: OnceLock<Sources> = OnceLock::new();
    SOURCES.get_or_init(Sources::of_this_program)
}

impl Sources {
    /// Looks for relative names below these folders, in this order.
    pub fn below<P: Into<PathBuf>>(roots: impl IntoIterator<Item = P>) -> Sources {
        Sources {
            roots: roots.into_iter().map(Into::into).collect(),
            ..Sources::default()
        }
    }

    /// Some code of this process was compiled in this folder, so that names of its files are relative to it: the first place where
    /// [`Sources::of_this_program`] looks from now on, also one that was made before.
    ///
    /// ```
    /// use warploom_emulator::check::Sources;
    ///
    /// let sources = Sources::of_this_program();
    /// Sources::built_in(std::env::temp_dir());
    /// assert_eq!(sources.text("no/such/file.rs"), None);
    /// ```
    pub fn built_in(folder: impl Into<PathBuf>) {
        let folder = folder.into();
        let mut folders = BUILT_IN.lock().unwrap_or_else(PoisonError::into_inner);
        if folder.is_absolute() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }

    /// Knows these texts and no others.
    #[cfg(test)]
    pub(super) fn of_texts(texts: &[(&str, &str)]) -> Sources {
        let known = texts
            .iter()
            .map(|(name, text)| ((*name).to_owned(), Some(Arc::from(*text))));
        let known = Known {
            texts: known.collect(),
            n_builds: 0,
        };
        Sources {
            files: StaticMutex::new(known),
            ..Sources::default()
        }
    }

    /// Looks where the sources of this program may be. Cargo calls the compiler in the folder of the workspace, and names are relative to
    /// that. So: the folders in which code of this process was compiled, as far as the program says ([`Sources::built_in`]); the workspace
    /// around `CARGO_MANIFEST_DIR` (which cargo sets for `run` and `test`) or around the program's file, the folder of the package, and
    /// the current folder.
    #[must_use]
    pub fn of_this_program() -> Sources {
        let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let program = std::env::current_exe().ok();
        let current = std::env::current_dir().ok();
        let around = |path: &Option<PathBuf>| path.as_deref().and_then(workspace_around);
        let mut roots = Vec::new();
        for root in [
            around(&package),
            around(&program),
            package.clone(),
            around(&current),
            current.clone(),
        ]
        .into_iter()
        .flatten()
        {
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        Sources {
            of_program: true,
            ..Sources::below(roots)
        }
    }

    /// The text of a file; `None` if it is not there or no text.
    #[must_use]
    pub fn text(&self, file: &str) -> Option<Arc<str>> {
        let builds = match self.of_program {
            true => BUILT_IN
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
            false => vec![],
        };
        let mut known = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if known.n_builds != builds.len() {
            known.n_builds = builds.len();
            known.texts.clear();
        }
        if let Some(text) = known.texts.get(file) {
            return text.clone();
        }
        let text = self.read(&builds, file);
        known.texts.insert(file.to_owned(), text.clone());
        text
    }

    /// A line, from 1, without its end.
    #[must_use]
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let text = self.text(file)?;
        text.lines().nth(index).map(str::to_owned)
    }

    fn read(&self, builds: &[PathBuf], file: &str) -> Option<Arc<str>> {
        if file.is_empty() {
            return None;
        }
        let name = Path::new(file);
        if name.is_absolute() {
            return read(name);
        }
        let mut folders = builds.iter().chain(&self.roots);
        folders.find_map(|folder| read(&folder.join(name)))
    }
}

fn read(path: &Path) -> Option<Arc<str>> {
    let about = std::fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    String::from_utf8(bytes).ok().map(Arc::from)
}

/// The nearest folder above `path`, or `path` itself, that has cargo's lock file.
fn workspace_around(path: &Path) -> Option<PathBuf> {
    let lock = OsStr::new("Cargo.lock");
    path.ancestors()
        .find(|folder| folder.join(lock).is_file())
        .map(Path::to_owned)
}

/// The bytes of `line` that a place at `column` is about: the expression that starts there, as far as one line and brackets tell.
///
/// `column` counts from 1; 0 is the whole line. Columns of instrumented code count bytes, those of panics characters. What they mean
/// differs only behind characters of several bytes, and there the one is taken at which an expression may start. `None`: there is no such column.
pub(super) fn extent(line: &str, column: u32) -> Option<Range<usize>> {
    let start = match column {
        0 => line.len() - line.trim_start().len(),
        _ => start(line, column as usize - 1)?,
    };
    let rest = &line[start..];
    let length = match column {
        0 => rest.trim_end().len(),
        _ => expression(rest),
    };
    // A place at the end of a line still gets its mark.
    Some(start..start + length)
}

fn start(line: &str, index: usize) -> Option<usize> {
    let of_bytes = (index <= line.len() && line.is_char_boundary(index)).then_some(index);
    let ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
    let of_chars = ends.into_iter().nth(index);
    match (of_bytes, of_chars) {
        (Some(bytes), Some(chars))
            if starts_expression(line, bytes) || !starts_expression(line, chars) =>
        {
            Some(bytes)
        }
        (bytes, chars) => chars.or(bytes),
    }
}

/// Whether an expression may start there.
fn starts_expression(line: &str, at: usize) -> bool {
    let (before, behind) = line.split_at(at);
    let Some(first) = behind.chars().next() else {
        return false;
    };
    match is_word(first) {
        true => !before.chars().next_back().is_some_and(is_word),
        false => "*&-!([{\"'|<".contains(first),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length of the path, call, index or field access that `text` starts with, in bytes; at least one character.
fn expression(text: &str) -> usize {
    let prefix = text.len() - text.trim_start_matches(['*', '&', '-', '!']).len();
    let mut at = prefix;
    loop {
        let rest = &text[at..];
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let step = if word > 0 {
            word
        } else if rest.starts_with("::<") {
            2 + brackets(&rest[2..])
        } else if rest.starts_with("::") {
            2
        } else if rest.starts_with('.') && rest[1..].starts_with(is_word) {
            1
        } else if rest.starts_with("![") || rest.starts_with("!(") || rest.starts_with("!{") {
            1 + brackets(&rest[1..])
        } else if rest.starts_with(['(', '[']) {
            brackets(rest)
        } else {
            0
        };
        if step == 0 {
            break;
        }
        at += step;
    }
    match text.chars().next() {
        Some(first) => at.max(first.len_utf8()),
        None => 0,
    }
}

/// Length of what `text`'s first bracket and its partner enclose; to the end of the line if that has no partner.
fn brackets(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if text[..at].ends_with(['-', '=']) => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(line: &str, column: u32) -> &str {
        &line[extent(line, column).unwrap()]
    }

    #[test]
    fn an_expression_ends_with_its_brackets() {
        let line = "    acc += tile[31 - t] * 2.0;";
        assert_eq!(marked(line, 12), "tile[31 - t]");
        assert_eq!(marked("x.get(a[1], (b, c))? + 1", 1), "x.get(a[1], (b, c))");
        assert_eq!(marked("*p = 1;", 1), "*p");
        assert_eq!(marked("f::<Vec<u8>>(x) + g()", 1), "f::<Vec<u8>>(x)");
        assert_eq!(marked("shared![f32; 4] ", 1), "shared![f32; 4]");
        assert_eq!(marked("a.0.b = 3", 1), "a.0.b");
    }

    #[test]
    fn an_expression_that_goes_on_is_marked_to_the_end_of_its_line() {
        assert_eq!(marked("  store(a,   ", 3), "store(a,");
        assert_eq!(marked("0..10", 1), "0");
    }

    #[test]
    fn without_a_column_the_line_is_marked() {
        assert_eq!(marked("\t  let x = 1; \t", 0), "let x = 1;");
    }

    #[test]
    fn columns_count_bytes_or_characters() {
        let line = "    let größe = größen[i];";
        let (bytes, chars) = (line.rfind("größen").unwrap(), 16);
        assert_eq!(marked(line, bytes as u32 + 1), "größen[i]");
        assert_eq!(marked(line, chars + 1), "größen[i]");
    }

    #[test]
    fn a_column_beyond_the_line_marks_nothing() {
        assert_eq!(extent("abc", 9), None);
        assert_eq!(extent("abc", 4), Some(3..3));
        assert_eq!(extent("", 0), Some(0..0));
    }

    #[test]
    fn files_are_looked_for_below_all_roots() {
        let here = env!("CARGO_MANIFEST_DIR");
        let sources = Sources::below(["no/such/folder", here]);
        let first = sources.line("src/source.rs", 1).unwrap();
        assert!(first.starts_with("//! The source text"), "{first}");
        assert_eq!(sources.line("src/source.rs", 0), None);
        assert_eq!(sources.line("src/source.rs", 100_000), None);
        assert_eq!(sources.text("src"), None);
    }

    #[test]
    fn folders_of_builds_come_first_also_for_what_was_not_found() {
        let name = format!("warploom-built-{}.rs", std::process::id());
        let (program, others) = (Sources::of_this_program(), Sources::below(["no/such"]));
        assert_eq!(program.text(&name), None);
        let folder = std::env::temp_dir();
        std::fs::write(folder.join(&name), "fn built() {}\n").unwrap();
        Sources::built_in(&folder);
        let found = program.line(&name, 1);
        let elsewhere = others.line(&name, 1);
        std::fs::remove_file(folder.join(&name)).unwrap();
        assert_eq!(found.as_deref(), Some("fn built() {}"));
        assert_eq!(elsewhere, None);
        Sources::built_in("relative/folder");
        let folders = BUILT_IN.lock().unwrap();
        assert!(folders.iter().all(|folder| folder.is_absolute()));
    }

    #[test]
    fn the_workspace_is_the_first_place_to_look() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(
            workspace_around(&here.join("src")).as_deref(),
            here.parent()
        );
    }
}
