//! Which module of a crate names which other module of it, read from the tokens of its sources.
//!
//! Counted are paths that begin with `crate`, `super`, `self` or a child module, in `use` declarations, in expressions and in
//! macro bodies. Items under `#[cfg(test)]` and files of tests are left out: tests may name everything.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module's path below its crate, `a::b`; empty for the crate root.
pub(crate) type Module = String;

/// The modules of one crate, and the modules that each one names.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    pub(crate) edges: BTreeMap<Module, BTreeSet<Module>>,
}

impl Imports {
    /// Reads the sources below `folder`, the `src` folder of a crate.
    pub(crate) fn of(folder: &Path) -> Imports {
        let mut sources = BTreeMap::new();
        collect(folder, &[], &mut sources);
        let modules: BTreeSet<Module> = sources.keys().cloned().collect();
        let root = sources.get("").map(|tokens| paths(tokens, &[], &modules));
        let reexports: BTreeMap<String, Vec<String>> = root
            .into_iter()
            .flatten()
            .filter_map(|path| Some((path.last()?.clone(), path)))
            .collect();
        let mut edges = BTreeMap::new();
        for (module, tokens) in &sources {
            let own: Vec<String> = segments(module);
            let mut targets: BTreeSet<Module> = paths(tokens, &own, &modules)
                .iter()
                .filter_map(|path| resolve(path, &modules, &reexports))
                .collect();
            targets.remove(module);
            edges.insert(module.clone(), targets);
        }
        Imports { edges }
    }

    /// Sets of modules that name one another, directly or through others; single modules are left out.
    pub(crate) fn circles(&self) -> Vec<BTreeSet<Module>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self
            .edges
            .keys()
            .map(|module| (module.as_str(), self.reach(module)))
            .collect();
        let mut circles: Vec<BTreeSet<Module>> = Vec::new();
        for (module, targets) in &reached {
            if !targets.contains(module) || circles.iter().any(|c| c.contains(*module)) {
                continue;
            }
            let circle = targets
                .iter()
                .filter(|other| reached[*other].contains(module));
            circles.push(circle.map(|other| (*other).to_owned()).collect());
        }
        circles
    }

    /// All that `from` names, and what that names in turn. The crate root is the facade over all modules, so it is left out.
    fn reach(&self, from: &str) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut todo = vec![from];
        while let Some(module) = todo.pop() {
            for target in &self.edges[module] {
                if !target.is_empty() && reached.insert(target.as_str()) {
                    todo.push(target);
                }
            }
        }
        reached
    }
}

fn segments(module: &str) -> Vec<String> {
    let parts = module.split("::").filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// The tokens of every source file below `folder`, by module.
fn collect(folder: &Path, path: &[String], sources: &mut BTreeMap<Module, TokenStream>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap().path();
        let name = entry.file_stem().unwrap().to_string_lossy().into_owned();
        if name == "tests" || name.ends_with("_tests") || name == "bin" {
            continue;
        }
        let mut inner = path.to_vec();
        if entry.is_dir() {
            inner.push(name);
            collect(&entry, &inner, sources);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            let is_root = path.is_empty() && (name == "lib" || name == "main");
            if name != "mod" && !is_root {
                inner.push(name);
            }
            let text = fs::read_to_string(&entry).unwrap();
            sources.insert(inner.join("::"), text.parse().unwrap());
        }
    }
}

/// All paths of this crate that `tokens` name, from the crate root.
fn paths(tokens: &TokenStream, own: &[String], modules: &BTreeSet<Module>) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    walk(tokens.clone(), own, modules, &mut found);
    found
}

fn walk(
    tokens: TokenStream,
    own: &[String],
    modules: &BTreeSet<Module>,
    found: &mut Vec<Vec<String>>,
) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        if is_test_attribute(&tokens[at..]) {
            at = end_of_item(&tokens, at + 2);
            continue;
        }
        match &tokens[at] {
            // The path of a `pub(in path)` is no import.
            TokenTree::Ident(word) if word == "in" && at == 0 => return,
            TokenTree::Ident(word) if word == "mod" => {
                if let [_, TokenTree::Ident(name), TokenTree::Group(body), ..] = &tokens[at..] {
                    let mut inner = own.to_vec();
                    inner.push(name.to_string());
                    walk(body.stream(), &inner, modules, found);
                    at += 2;
                }
            }
            TokenTree::Ident(word) if is_path_separator(&tokens[at + 1..]) => {
                let after = at
                    .checked_sub(2)
                    .map_or(&tokens[..0], |two| &tokens[two..at]);
                if !is_path_separator(after)
                    && let Some(start) = start_of_path(&word.to_string(), own, modules)
                {
                    tree(&tokens, at + 3, start, found);
                }
            }
            TokenTree::Group(group) => walk(group.stream(), own, modules, found),
            _ => {}
        }
        at += 1;
    }
}

/// `#[cfg(test)]` and what contains it, such as `#[cfg(all(test, loom))]`.
fn is_test_attribute(tokens: &[TokenTree]) -> bool {
    let [TokenTree::Punct(hash), TokenTree::Group(attribute), ..] = tokens else {
        return false;
    };
    let text = attribute.stream().to_string();
    let text: String = text.split_whitespace().collect();
    let names_test = text.split(['(', ')', ',']).any(|word| word == "test");
    hash.as_char() == '#' && text.starts_with("cfg(") && names_test && !text.contains("not(test")
}

/// Behind the item that begins at `at`: its `;` or its block.
fn end_of_item(tokens: &[TokenTree], at: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    let rest = tokens[at..].iter().position(ends);
    rest.map_or(tokens.len(), |n| at + n + 1)
}

fn is_path_separator(tokens: &[TokenTree]) -> bool {
    let colon = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ':');
    tokens.len() >= 2 && tokens[..2].iter().all(colon)
}

/// The module that the first word of a path stands for; `None` if it is not one of this crate.
fn start_of_path(word: &str, own: &[String], modules: &BTreeSet<Module>) -> Option<Vec<String>> {
    match word {
        "crate" => Some(vec![]),
        "self" => Some(own.to_vec()),
        "super" => Some(own[..own.len().saturating_sub(1)].to_vec()),
        child => {
            let mut path = own.to_vec();
            path.push(child.to_owned());
            modules.contains(&path.join("::")).then_some(path)
        }
    }
}

/// The paths of a `use` tree or of one path, from the token at `at` on, behind a `::`.
fn tree(tokens: &[TokenTree], at: usize, mut path: Vec<String>, found: &mut Vec<Vec<String>>) {
    match tokens.get(at) {
        Some(TokenTree::Ident(word)) if word == "super" => {
            path.pop();
        }
        Some(TokenTree::Ident(word)) if word != "self" => path.push(word.to_string()),
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            return branches(group, &path, found);
        }
        _ => {
            found.push(path);
            return;
        }
    }
    if is_path_separator(&tokens[at + 1..]) {
        tree(tokens, at + 3, path, found);
    } else {
        found.push(path);
    }
}

fn branches(group: &Group, path: &[String], found: &mut Vec<Vec<String>>) {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let comma = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ',');
    for branch in tokens.split(comma).filter(|branch| !branch.is_empty()) {
        tree(branch, 0, path.to_vec(), found);
    }
}

/// The module that a path leads into. What the crate root re-exports counts as the module that it comes from.
fn resolve(
    path: &[String],
    modules: &BTreeSet<Module>,
    reexports: &BTreeMap<String, Vec<String>>,
) -> Option<Module> {
    let module = |path: &[String]| {
        let prefixes = (1..=path.len()).rev().map(|n| path[..n].join("::"));
        prefixes.into_iter().find(|prefix| modules.contains(prefix))
    };
    module(path).or_else(|| module(reexports.get(path.first()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        let modules = ["a", "a::b", "a::c", "d", "d::e"].map(str::to_owned);
        let own = ["a".to_owned(), "b".to_owned()];
        let paths = paths(
            &source.parse().unwrap(),
            &own,
            &modules.into_iter().collect(),
        );
        paths.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn use_trees_are_expanded() {
        assert_eq!(
            found("use crate::{d::{self, e::*, X}, a::c::Y as Z}; use super::c::f;"),
            ["d", "d::e", "d::X", "a::c::Y", "a::c::f"]
        );
    }

    #[test]
    fn paths_in_expressions_and_macros_count() {
        assert_eq!(found("fn f() { vec![crate::d::new::<u8>()] }"), ["d::new"]);
    }

    #[test]
    fn tests_and_visibilities_do_not_count() {
        let source = "#[cfg(test)] mod tests { use crate::d::X; } pub(in crate::a) fn f() {}";
        assert!(found(source).is_empty());
    }
}
