//! Tests of PTX: what a kernel's code must look like is written in comments under the kernel.
//!
//! ```text
//! #[kernel]
//! fn any_negative(…) { … }
//! // ptx: vote.sync.any.pred         a line that contains this; several of them in this order
//! // ptx-next: selp                  the line after the one before
//! // ptx-not: vote.sync.ballot       no line
//! // ptx-count: 1 vote.sync.any      exactly so many lines, those of panics left out
//! // ptx-module: fence.sys           a line of the kernel or of a function that it reaches
//! // ptx-module-not: trap            no line of these
//! // ptx-arch: sm_75                 what follows under this kernel is about this image alone, which must be there
//! ```
//! Blanks count as one, `...` stands for any text within a line. `//@ arch: sm_75 sm_90` in the file's head names the images that
//! must be there and are checked; without it all are. `//@ release` leaves the file out of builds with debug assertions. Takes a test's
//! source and the program's own device code; must not know LLVM.

use std::collections::HashSet;
use std::io::Write as _;

use warploom_manifest::container::Container;

/// Set to 1 where missing device code must not go unnoticed.
const REQUIRE: &str = "WARPLOOM_REQUIRE_DEVICE_CODE";

/// PTX that this program carries, for one architecture.
#[derive(Debug, Clone)]
pub struct Image {
    /// The crate target whose kernels these are.
    pub target: String,
    /// `sm_75`, `sm_90a`.
    pub arch: String,
    /// Full name and entry of each kernel.
    pub kernels: Vec<(String, String)>,
    /// The text.
    pub ptx: String,
}

/// The device code of this program; `None`, and a remark past the test runner's capture, if it was built without any.
///
/// # Panics
/// If device code was wanted and could not be made, or is damaged, or is missing although `WARPLOOM_REQUIRE_DEVICE_CODE` is 1.
#[must_use]
#[expect(clippy::panic, reason = "this is how a test fails")]
pub fn images() -> Option<Vec<Image>> {
    let containers = match warploom_runtime::embedded() {
        Ok(containers) => containers,
        Err(damaged) => panic!("{damaged}"),
    };
    let why: Vec<&str> = containers
        .iter()
        .filter_map(|c| c.manifest.failure.as_deref())
        .collect();
    if let Some(broken) = why.iter().find(|w| w.starts_with("the device pass of ")) {
        panic!("{broken}");
    }
    let images: Vec<Image> = containers.iter().flat_map(of_container).collect();
    if images.is_empty() {
        let text = format!("no device code, nothing to check: {}\n", why.join("; "));
        assert!(!std::env::var(REQUIRE).is_ok_and(|v| v == "1"), "{text}");
        remark(&text);
        return None;
    }
    Some(images)
}

/// Past the test runner's capture.
fn remark(text: &str) {
    // Nothing is lost but the remark.
    drop(std::io::stderr().write_all(text.as_bytes()));
}

fn of_container<'a>(container: &'a Container<'a>) -> impl Iterator<Item = Image> + 'a {
    let manifest = &container.manifest;
    let kernels = manifest.kernels.iter();
    let kernels: Vec<_> = kernels.map(|k| (k.name.clone(), k.entry.clone())).collect();
    manifest.images.iter().map(move |image| {
        let ptx = container.ptx(image).unwrap_or_default();
        let ptx = String::from_utf8_lossy(ptx)
            .trim_end_matches('\0')
            .to_owned();
        let exact = if image.exact { "a" } else { "" };
        Image {
            target: manifest.target.clone(),
            arch: format!("sm_{}{exact}", image.sm),
            kernels: kernels.clone(),
            ptx,
        }
    })
}

/// Compares the kernels of one test file with the comments under them. `module` is the file's `module_path!()`.
///
/// # Panics
/// When a directive does not hold, is unknown, belongs to no kernel, or when there is none.
#[track_caller]
#[expect(clippy::panic, reason = "this is how a test fails")]
pub fn check(module: &str, source: &str) {
    let Some(images) = images() else { return };
    if cfg!(debug_assertions) && source.lines().any(|l| l.starts_with("//@ release")) {
        remark(&format!(
            "{module} is skipped: it holds in release builds\n"
        ));
        return;
    }
    if let Err(text) = compare(module, source, &images) {
        panic!("{text}");
    }
}

/// [`check`] for the file that calls it: `warploom_harness::ptx_file!("barriers.rs")`.
#[macro_export]
macro_rules! ptx_file {
    ($name:literal) => {
        $crate::ptx::check(module_path!(), include_str!($name))
    };
}

/// The PTX of all instances of one kernel: of the kernel alone, and with all that it reaches.
#[must_use]
pub fn instances(images: &[Image], name: &str) -> Vec<Code> {
    let is = |full: &str| {
        let rest = full.strip_prefix(name);
        rest.is_some_and(|r| r.is_empty() || r.starts_with('<'))
    };
    let mut found = Vec::new();
    for image in images {
        for (full, entry) in image.kernels.iter().filter(|(full, _)| is(full)) {
            if let Some(own) = definition(&image.ptx, entry) {
                found.push(Code {
                    name: full.clone(),
                    arch: image.arch.clone(),
                    whole: reachable(&image.ptx, own),
                    own: own.to_owned(),
                });
            }
        }
    }
    found
}

/// One kernel's PTX.
#[derive(Debug, Clone)]
pub struct Code {
    /// Full name.
    pub name: String,
    /// `sm_75`, `sm_90a`.
    pub arch: String,
    /// From its first line to the closing brace.
    pub own: String,
    /// With the functions that it reaches.
    pub whole: String,
}

/// The definition of a function or kernel, from its first line to the closing brace.
fn definition<'a>(ptx: &'a str, name: &str) -> Option<&'a str> {
    let mut start = 0;
    for line in ptx.split_inclusive('\n') {
        let words = line.contains(".entry ") || line.contains(".func ");
        if words && names(line).any(|n| n == name) {
            let body = &ptx[start..];
            let end = body.find("\n}")? + 2;
            // A declaration ends before any body begins.
            let declared = body.find(';').unwrap_or(end) < body.find('{').unwrap_or(end);
            if !declared {
                return Some(&body[..end]);
            }
        }
        start += line.len();
    }
    None
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
}

/// The definition, and those of the functions it refers to, and so on. Functions called through tables are those of every table.
fn reachable(ptx: &str, own: &str) -> String {
    let heads = ptx.lines().filter(|l| l.contains(".func "));
    let functions: HashSet<&str> = heads.flat_map(names).filter(|n| !n.is_empty()).collect();
    let tables = ptx
        .lines()
        .filter(|l| l.contains(".global ") || l.contains(".const "));
    let tables: HashSet<&str> = tables.flat_map(names).collect();
    let mut all = own.to_owned();
    let mut seen = HashSet::new();
    let mut todo: Vec<&str> = names(own).collect();
    let mut with_tables = true;
    while let Some(name) = todo.pop() {
        if !functions.contains(name) || !seen.insert(name) {
            continue;
        }
        if let Some(body) = definition(ptx, name) {
            all.push('\n');
            all.push_str(body);
            todo.extend(names(body));
        }
        if todo.is_empty() && std::mem::take(&mut with_tables) {
            todo.extend(&tables);
        }
    }
    all
}

#[cfg(test)]
#[path = "ptx_tests.rs"]
mod tests;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    InOrder,
    Next,
    Not,
    Count(usize),
    Module,
    ModuleNot,
}

/// A promise about a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Directive {
    kind: Kind,
    text: String,
    /// In the test file.
    line: usize,
    kernel: String,
    /// The one image that it is about.
    arch: Option<String>,
}

fn compare(module: &str, source: &str, images: &[Image]) -> Result<(), String> {
    let directives = parse(source)?;
    let wanted = source.lines().find_map(|l| l.strip_prefix("//@ arch:"));
    let wanted: Vec<&str> = wanted.unwrap_or_default().split_whitespace().collect();
    let mut kernels: Vec<&str> = directives.iter().map(|d| d.kernel.as_str()).collect();
    kernels.dedup();
    for kernel in kernels {
        let name = format!("{module}::{kernel}");
        let mut codes = instances(images, &name);
        codes.retain(|c| wanted.is_empty() || wanted.contains(&c.arch.as_str()));
        if codes.is_empty() {
            return Err(format!("no PTX of kernel `{name}` for {wanted:?}"));
        }
        if let Some(arch) = wanted.iter().find(|a| codes.iter().all(|c| c.arch != **a)) {
            return Err(format!("no PTX of kernel `{name}` for {arch}"));
        }
        let of_kernel: Vec<&Directive> = directives.iter().filter(|d| d.kernel == kernel).collect();
        let missing = of_kernel.iter().find_map(|d| {
            let arch = d.arch.as_ref()?;
            codes.iter().all(|c| c.arch != *arch).then_some(arch)
        });
        if let Some(arch) = missing {
            return Err(format!("no PTX of kernel `{name}` for {arch}"));
        }
        for code in codes {
            let about = |d: &&&Directive| d.arch.as_ref().is_none_or(|a| *a == code.arch);
            let directives: Vec<&Directive> = of_kernel.iter().filter(about).copied().collect();
            hold(&directives, &code)?;
        }
    }
    Ok(())
}

/// Reads the directives of a file, each with the kernel above it.
fn parse(source: &str) -> Result<Vec<Directive>, String> {
    let mut kernel: Option<String> = None;
    let mut arch: Option<String> = None;
    let mut marked = false;
    let mut found = Vec::new();
    for (line, text) in (1..).zip(source.lines()) {
        let text = text.trim();
        marked |= text.starts_with("#[kernel");
        if marked && let Some((_, rest)) = text.split_once("fn ") {
            kernel = names(rest).next().map(str::to_owned);
            arch = None;
            marked = false;
        }
        let Some(directive) = text.strip_prefix("// ptx") else {
            continue;
        };
        let unknown = || format!("line {line} is no directive: {text}");
        let (word, rest) = directive.split_once(':').ok_or_else(unknown)?;
        let (kind, rest) = match word {
            "" => (Kind::InOrder, rest),
            "-next" => (Kind::Next, rest),
            "-arch" => {
                arch = Some(rest.trim().to_owned());
                continue;
            }
            "-not" => (Kind::Not, rest),
            "-module" => (Kind::Module, rest),
            "-module-not" => (Kind::ModuleNot, rest),
            "-count" => {
                let (number, rest) = rest.trim_start().split_once(' ').ok_or_else(unknown)?;
                (Kind::Count(number.parse().map_err(|_| unknown())?), rest)
            }
            _ => return Err(unknown()),
        };
        let kernel = kernel.clone();
        found.push(Directive {
            kind,
            text: one_blank(rest),
            line,
            arch: arch.clone(),
            kernel: kernel.ok_or_else(|| format!("line {line} stands under no kernel: {text}"))?,
        });
    }
    if found.is_empty() {
        return Err("the file promises nothing".into());
    }
    Ok(found)
}

fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hold(directives: &[&Directive], code: &Code) -> Result<(), String> {
    let lines: Vec<String> = code.own.lines().map(one_blank).collect();
    let whole: Vec<String> = code.whole.lines().map(one_blank).collect();
    let mut after = 0; // the line behind the last one that a directive in order found
    for directive in directives {
        let is = |line: &&String| contains(line, &directive.text);
        let trouble = match directive.kind {
            Kind::InOrder => match lines[after..].iter().position(|l| is(&l)) {
                Some(at) => {
                    after += at + 1;
                    None
                }
                None if lines.iter().any(|l| is(&l)) => {
                    Some("stands before what precedes it".to_owned())
                }
                None => Some("is nowhere".to_owned()),
            },
            Kind::Next => match lines.get(after) {
                Some(line) if is(&line) => {
                    after += 1;
                    None
                }
                line => Some(format!("is not the next line, that is {line:?}")),
            },
            Kind::Not => lines.iter().find(is).map(|l| format!("is there: {l}")),
            Kind::Count(expected) => {
                let found = without_panics(&lines).into_iter().filter(is).count();
                (found != expected).then(|| format!("is there {found} times, not {expected}"))
            }
            Kind::Module => (!whole.iter().any(|l| is(&l)))
                .then(|| "is nowhere, in no function either".to_owned()),
            Kind::ModuleNot => whole.iter().find(is).map(|l| format!("is there: {l}")),
        };
        if let Some(trouble) = trouble {
            let whole = matches!(directive.kind, Kind::Module | Kind::ModuleNot);
            return Err(format!(
                "line {}: `{}` {trouble}\nkernel {} for {}:\n{}",
                directive.line,
                directive.text,
                code.name,
                code.arch,
                if whole { &code.whole } else { &code.own },
            ));
        }
    }
    Ok(())
}

/// The lines but those of panics that are written in the kernel, from behind the comment that names them to their `exit`: how many there
/// are, and with them how often they load and store, depends on how the program is built.
fn without_panics(lines: &[String]) -> Vec<&String> {
    let mut inside = false;
    let left = lines.iter().filter(|line| {
        let is_left = !inside;
        inside = (inside || line.starts_with("// __warploom_panic")) && *line != "exit;";
        is_left
    });
    left.collect()
}

/// Whether a line contains a text in which `...` stands for anything.
#[must_use]
pub fn contains(line: &str, text: &str) -> bool {
    let mut rest = line;
    text.split("...").all(|part| match rest.find(part.trim()) {
        Some(at) => {
            rest = &rest[at + part.trim().len()..];
            true
        }
        None => false,
    })
}
