//! A kernel's part of a module of LLVM IR, and the module in what the device pass leaves with `WARPLOOM_DUMP=1`.

use crate::source_lines::{Line, Place, Sources};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The newest module of an architecture that defines a kernel. The device pass leaves them in the folder `warploom` beside the program's.
pub(crate) fn find(program: &Path, arch: &str, entry: &str) -> Result<String, String> {
    let folder = program
        .ancestors()
        .skip(1)
        .map(|folder| folder.join("warploom"))
        .find(|folder| folder.is_dir())
        .ok_or_else(|| {
            format!(
                "there is no folder of the device pass beside {}",
                program.display()
            )
        })?;
    let mut modules = Vec::new();
    collect(&folder, &format!(".{arch}.ll"), &mut modules);
    modules.sort_by(|a, b| b.cmp(a));
    for (_, path) in modules {
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        if text.lines().any(|line| defined(line) == Some(entry)) {
            return Ok(text);
        }
    }
    Err(format!(
        "the device pass left no IR of `{entry}` for {arch} under {}",
        folder.display()
    ))
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<(SystemTime, PathBuf)>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, ending, found);
        } else if path.to_string_lossy().ends_with(ending)
            && let Ok(written) = entry.metadata().and_then(|m| m.modified())
        {
            found.push((written, path));
        }
    }
}

/// The name that a line `define … @name(…) {` defines.
fn defined(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("define ")?;
    let (_, name) = rest.split_once('@')?;
    match name.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => name.split('(').next(),
    }
}

/// The lines of a kernel and of the functions that it calls; `None` if the module does not define it.
pub(crate) fn listing(module: &str, entry: &str, sources: &Sources) -> Option<Vec<Line>> {
    let functions = functions(module);
    let metadata = Metadata::of(module);
    let mut todo = vec![entry];
    let mut seen = HashSet::new();
    let mut lines = Vec::new();
    functions.get(entry)?;
    while let Some(name) = todo.pop() {
        let Some(body) = functions.get(name).filter(|_| seen.insert(name)) else {
            continue;
        };
        if !lines.is_empty() {
            lines.push(Line::of("", None));
        }
        for line in body {
            let names = line.split('@').skip(1);
            todo.extend(
                names.map(|rest| rest.split(|c: char| !is_name(c)).next().unwrap_or_default()),
            );
            let (text, number) = without_debug(line);
            let place = number.and_then(|number| metadata.place(number, sources));
            lines.push(Line::of(text, place.as_ref()));
        }
    }
    Some(lines)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_.$-".contains(c)
}

/// The lines of each function.
fn functions(module: &str) -> HashMap<&str, Vec<&str>> {
    let mut all = HashMap::new();
    let mut lines = module.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = defined(line) {
            let mut body = vec![line];
            for line in lines.by_ref() {
                body.push(line);
                if line == "}" {
                    break;
                }
            }
            all.insert(name, body);
        }
    }
    all
}

/// An instruction without `, !dbg !12`, and that number.
fn without_debug(line: &str) -> (String, Option<u32>) {
    let Some((before, rest)) = line.split_once("!dbg !") else {
        return (line.to_owned(), None);
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (number, rest) = rest.split_at(end);
    let before = before.trim_end().trim_end_matches(',');
    (
        format!("{before}{rest}"),
        number.parse().ok().filter(|_| !line.starts_with("define ")),
    )
}

/// The module's numbered metadata.
struct Metadata<'a>(HashMap<u32, &'a str>);

impl<'a> Metadata<'a> {
    fn of(module: &'a str) -> Metadata<'a> {
        let numbered = |line: &'a str| {
            let (number, rest) = line.strip_prefix('!')?.split_once(" = ")?;
            Some((number.parse().ok()?, rest))
        };
        Metadata(module.lines().filter_map(numbered).collect())
    }

    /// The place of a `DILocation`: the innermost frame in the project's own files, else the innermost one.
    fn place(&self, location: u32, sources: &Sources) -> Option<Place> {
        const FRAMES: usize = 100; // metadata may be a circle, where it is damaged
        let frames = std::iter::successors(Some(location), |frame| {
            self.number(self.0.get(frame)?, "inlinedAt: !")
        });
        let mut places = frames.take(FRAMES).filter_map(|frame| {
            let text = self.0.get(&frame)?;
            let line = self.number(text, "line: ").filter(|line| *line > 0)?;
            let file = self.file(self.number(text, "scope: !")?)?;
            Some(Place { file, line })
        });
        let first = places.next()?;
        if sources.is_own(&first.file) {
            return Some(first);
        }
        places
            .find(|place| sources.is_own(&place.file))
            .or(Some(first))
    }

    /// The path of the file of a scope.
    fn file(&self, scope: u32) -> Option<String> {
        let file = self.0.get(&self.number(self.0.get(&scope)?, "file: !")?)?;
        let field = |name: &str| Some(file.split_once(name)?.1.split('"').next()?.to_owned());
        let name = field("filename: \"")?;
        let folder = field("directory: \"").unwrap_or_default();
        // The name of the codegen unit stands behind the path in some files.
        let path = Path::new(&folder).join(name.split("/@/").next().unwrap_or(&name));
        Some(path.display().to_string())
    }

    fn number(&self, text: &str, before: &str) -> Option<u32> {
        let rest = text.split_once(before)?.1;
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %0) #0 !dbg !3 {
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !5
  %3 = call i32 @helper(i32 %2), !dbg !4
  store i32 %3, ptr %0, align 4, !dbg !4, !noalias !9
  ret void
}

define internal i32 @helper(i32 %0) {
  ret i32 %0
}

define ptx_kernel void @l() {
  ret void
}

!1 = !DIFile(filename: "src/main.rs", directory: "/p")
!2 = !DIFile(filename: "/d/src/index.rs", directory: "/p")
!3 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 4)
!4 = !DILocation(line: 7, column: 3, scope: !3)
!5 = !DILocation(line: 88, column: 30, scope: !6, inlinedAt: !7)
!6 = distinct !DISubprogram(name: "thread", scope: !2, file: !2, line: 80)
!7 = distinct !DILocation(line: 5, column: 9, scope: !8)
!8 = !DILexicalBlockFile(scope: !3, file: !1, discriminator: 0)
"#;

    #[test]
    fn a_kernel_comes_with_the_functions_that_it_calls() {
        let sources = Sources::new(Path::new("/p"), None, vec![]);
        let lines = listing(MODULE, "k", &sources).unwrap();
        let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
        assert_eq!(texts[0], "define ptx_kernel void @k(ptr %0) #0 {");
        assert_eq!(texts[3], "  store i32 %3, ptr %0, align 4, !noalias !9");
        assert!(texts.contains(&"define internal i32 @helper(i32 %0) {"));
        assert!(!texts.iter().any(|text| text.contains("@l()")));
        assert_eq!(listing(MODULE, "m", &sources), None);
    }

    #[test]
    fn instructions_belong_to_the_projects_own_lines() {
        let sources = Sources::new(Path::new("/p"), None, vec![]);
        let lines = listing(MODULE, "k", &sources).unwrap();
        let place = |at: usize| lines[at].place.clone().map(|p| (p.file, p.line));
        assert_eq!(place(0), None);
        assert_eq!(
            place(1),
            Some(("/p/src/main.rs".into(), 5)),
            "the call, not what was inlined"
        );
        assert_eq!(place(3), Some(("/p/src/main.rs".into(), 7)));
        assert_eq!(place(4), None);
        let elsewhere = Sources::new(Path::new("/q"), None, vec![]);
        let lines = listing(MODULE, "k", &elsewhere).unwrap();
        assert_eq!(
            lines[1].place.as_ref().map(|p| &*p.file),
            Some("/d/src/index.rs")
        );
    }

    #[test]
    fn names_of_functions_are_read() {
        assert_eq!(
            defined("define internal void @\"a b\"(i32 %0) {"),
            Some("a b")
        );
        assert_eq!(defined("declare void @k()"), None);
    }
}
