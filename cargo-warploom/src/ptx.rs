//! A kernel's part of a PTX text: the entry, the functions that it calls, the variables that they use.

use crate::source_lines::{Line, Place};
use std::collections::{HashMap, HashSet};

/// A function, a variable, or a directive of the text.
#[derive(Debug)]
struct Item<'a> {
    /// The name that it defines; empty for directives.
    name: &'a str,
    is_function: bool,
    is_entry: bool,
    lines: Vec<&'a str>,
}

/// The lines of a kernel; `None` if the text has no such entry.
pub(crate) fn listing(ptx: &str, entry: &str) -> Option<Vec<Line>> {
    let files = files(ptx);
    let items = items(ptx);
    let wanted = reached(&items, entry)?;
    let mut lines = Vec::new();
    for (number, item) in items.iter().enumerate() {
        let is_directive = item.name.is_empty();
        if is_directive || wanted.contains(&number) {
            if item.is_function {
                lines.push(Line::of("", None));
            }
            append(item, &files, &mut lines);
        }
    }
    Some(lines)
}

/// The paths of `.file 1 "/path"`.
fn files(ptx: &str) -> HashMap<&str, &str> {
    let lines = ptx.lines().map(str::trim);
    let read = |line: &'_ str| -> Option<(usize, usize)> {
        let rest = line.strip_prefix(".file")?;
        let quote = rest.find('"')?;
        Some((line.len() - rest.len(), quote))
    };
    lines
        .filter_map(|line| {
            let (start, quote) = read(line)?;
            let (number, path) = line[start..].split_at(quote);
            Some((number.trim(), path.trim_matches('"')))
        })
        .collect()
}

/// The text in its parts; sections with debug information and comments between the parts are left out.
fn items(ptx: &str) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    let mut lines = ptx.lines().peekable();
    while let Some(line) = lines.next() {
        let word = line.split_whitespace().next().unwrap_or_default();
        if word == ".section" {
            for line in lines.by_ref() {
                if line.trim_end().ends_with('}') {
                    break;
                }
            }
        } else if [".version", ".target", ".address_size"].contains(&word) {
            items.push(directive(line));
        } else if word.starts_with('.') && word != ".file" && word != ".loc" {
            let mut all = vec![line];
            let has = |line: &str, word: &str| line.split_whitespace().any(|w| w == word);
            let (is_entry, is_func) = (has(line, ".entry"), has(line, ".func"));
            let mut ended = line.trim_end().ends_with(';');
            while !ended && let Some(line) = lines.next() {
                all.push(line);
                // A body ends with a brace at the start of a line, a declaration with a semicolon.
                let in_body = all.iter().any(|line| line.starts_with('{'));
                ended = line.starts_with('}') || (!in_body && line.trim_end().ends_with(';'));
            }
            let is_function = is_entry || is_func;
            let is_body = all.iter().any(|line| line.starts_with('{'));
            items.push(Item {
                name: name_of(&all, is_function),
                is_function: is_function && is_body,
                is_entry,
                lines: all,
            });
        }
    }
    items
}

fn directive(line: &str) -> Item<'_> {
    Item {
        name: "",
        is_function: false,
        is_entry: false,
        lines: vec![line],
    }
}

/// The name that an item defines: of a function the word before its parameters, of a variable the last one before its extent or value.
fn name_of<'a>(lines: &[&'a str], is_function: bool) -> &'a str {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let head = lines[0];
    let end = match is_function {
        true => {
            let mut rest = head;
            for word in [".entry", ".func"] {
                rest = rest.split_once(word).map_or(rest, |(_, rest)| rest);
            }
            // What a function returns stands in parentheses before its name.
            let rest = rest.trim_start();
            let name = match rest.strip_prefix('(') {
                Some(rest) => rest.split_once(')').map_or("", |(_, name)| name),
                None => rest,
            };
            let name = name.trim();
            return name.split(|c| !is_name(c)).next().unwrap_or_default();
        }
        false => head.find(['[', '=', ';']).unwrap_or(head.len()),
    };
    head[..end]
        .trim_end()
        .rsplit(|c| !is_name(c))
        .next()
        .unwrap_or_default()
}

/// The items that an entry needs, by their numbers.
fn reached(items: &[Item<'_>], entry: &str) -> Option<HashSet<usize>> {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, item) in items.iter().enumerate().filter(|(_, i)| !i.name.is_empty()) {
        by_name.entry(item.name).or_default().push(number);
    }
    let is_it = |item: &Item<'_>| item.is_entry && item.name == entry;
    let mut todo = vec![items.iter().position(is_it)?];
    let mut found = HashSet::new();
    while let Some(number) = todo.pop() {
        if !found.insert(number) {
            continue;
        }
        for line in &items[number].lines {
            let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
            todo.extend(words.filter_map(|word| by_name.get(word)).flatten());
        }
    }
    Some(found)
}

/// The lines of an item without what only debuggers need.
fn append(item: &Item<'_>, files: &HashMap<&str, &str>, lines: &mut Vec<Line>) {
    let mut place: Option<Place> = None;
    for line in &item.lines {
        let text = line.trim();
        let is_label = |prefix: &str| text.starts_with(prefix) && text.ends_with(':');
        if is_label("$L__tmp") || is_label("$L__func_") {
            continue;
        }
        if let Some(rest) = text.strip_prefix(".loc") {
            place = location(rest, files);
            continue;
        }
        let is_code = item.is_function && line.starts_with('\t') && !text.starts_with('.');
        lines.push(Line::of(*line, place.as_ref().filter(|_| is_code)));
    }
}

/// The place of `.loc 1 7 19`. Line 0 is code that belongs to no line.
fn location(rest: &str, files: &HashMap<&str, &str>) -> Option<Place> {
    let mut words = rest.split_whitespace();
    let file = files.get(words.next()?)?;
    let line = words.next()?.trim_end_matches(',').parse().ok()?;
    (line > 0).then(|| Place {
        file: (*file).to_owned(),
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "//
// Generated by LLVM NVPTX Back-End
//

.version 7.1
.target sm_75
.address_size 64

\t// .globl\tk
.visible .global .align 4 .u32 claim;
.global .align 1 .b8 text[3] = {1, 2, 3};
.shared .align 4 .b8 tile[1024];
.func  (.param .b32 func_retval0) other
(
\t.param .b32 other_param_0
)
;
.func (.param .b32 func_retval0) helper(
\t.param .b32 helper_param_0
)
{
\tld.global.b8 %r1, [text];
\tret;
}

.visible .entry k(
\t.param .u64 k_param_0
)
{
\t.reg .b32 \t%r<4>;
$L__func_begin0:
\t.loc\t1 4 0

\tmov.u32 \t%r1, %tid.x;
$L__tmp0:
\t.loc\t2 88 30, function_name $L__info_string0, inlined_at 1 5 3
\tst.shared.b32 \t[tile], %r1;
\t.loc\t1 0 9
\t{
\tcall.uni (retval0), helper, (param0);
\t}
$L__BB0_3:
\tret;
$L__func_end0:

}
\t// .globl\tl
.visible .entry l(
)
{
\tst.global.b32 [claim], 1;
\tret;
}
\t.file\t1 \"/p/src/main.rs\"
\t.file\t2 \"/d/src/index.rs\"
\t.section\t.debug_str
\t{
$L__info_string0:
.b8 107
\t}
";

    fn text(entry: &str) -> String {
        let lines = listing(PTX, entry).unwrap();
        lines.iter().map(|line| line.text.clone() + "\n").collect()
    }

    #[test]
    fn a_kernel_comes_with_what_it_reaches() {
        let k = text("k");
        for there in [
            ".target sm_75",
            "entry k(",
            "helper(",
            "text[3]",
            "tile[1024]",
            "$L__BB0_3:",
        ] {
            assert!(k.contains(there), "{there} in {k}");
        }
        for absent in [
            "claim",
            "entry l(",
            "debug_str",
            "$L__tmp0",
            ".loc",
            "other",
        ] {
            assert!(!k.contains(absent), "{absent} in {k}");
        }
        assert!(text("l").contains("claim") && !text("l").contains("tile"));
        assert_eq!(listing(PTX, "helper"), None);
    }

    #[test]
    fn instructions_know_their_lines() {
        let lines = listing(PTX, "k").unwrap();
        let place = |part: &str| {
            let line = lines.iter().find(|line| line.text.contains(part)).unwrap();
            line.place.clone().map(|place| (place.file, place.line))
        };
        assert_eq!(place("%tid.x"), Some(("/p/src/main.rs".into(), 4)));
        assert_eq!(place("st.shared"), Some(("/d/src/index.rs".into(), 88)));
        assert_eq!(place("call.uni"), None, "line 0 is none");
        assert_eq!(place("ld.global.b8"), None);
        assert_eq!(place("entry k("), None);
    }
}
