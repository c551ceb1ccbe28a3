//! What a kernel stands in. A macro gets the tokens of its item alone; what is around them is in the source file, which is read again.

use std::fs;
use std::path::Path;

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ImplItem, ItemImpl, ItemTrait, TraitItem};

/// A block whose functions are no free functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Enclosing {
    Impl,
    /// With its name.
    Trait(String),
}

impl Enclosing {
    pub(crate) fn describe(&self) -> String {
        match self {
            Enclosing::Impl => "the `impl`".to_owned(),
            Enclosing::Trait(name) => format!("the trait `{name}`"),
        }
    }
}

/// Marks the attribute in question in a copy of its file.
const MARK: &str = "__warploom_here";

/// The block around the attribute that begins here, in lines and columns that count from 1; `None` where that cannot be learnt, as in a
/// function that another macro made.
pub(crate) fn of_file(path: &Path, line: usize, column: usize) -> Option<Enclosing> {
    // Without indentation there is no block around it, and most files need not be read.
    if column <= 1 {
        return None;
    }
    of_text(&fs::read_to_string(path).ok()?, line, column)
}

fn of_text(text: &str, line: usize, column: usize) -> Option<Enclosing> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !may_be_in_one(text, line) {
        return None;
    }
    let lines_before = text.split_inclusive('\n').take(line.checked_sub(1)?);
    let start: usize = lines_before.map(str::len).sum();
    let (offset, _) = text
        .get(start..)?
        .char_indices()
        .nth(column.checked_sub(1)?)?;
    let (before, after) = text.split_at(start + offset);
    if !after.starts_with('#') {
        return None;
    }
    let mut file = syn::parse_file(&format!("{before}#[{MARK}]{after}")).ok()?;
    let mut finder = Finder { found: None };
    finder.visit_file_mut(&mut file);
    finder.found
}

/// Whether a line with less indentation than this one, the nearest before it, may begin or continue the head of an `impl` or a trait. Parsing
/// a file takes milliseconds, and kernels in modules are frequent.
fn may_be_in_one(text: &str, line: usize) -> bool {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().take(line).collect();
    let Some((here, before)) = lines.split_last() else {
        return false;
    };
    let outer = |l: &&&str| !l.trim().is_empty() && indentation(l) < indentation(here);
    let Some(head) = before.iter().rev().find(outer) else {
        return true;
    };
    let is_other = |word: &str| matches!(word, "mod" | "fn" | "macro_rules!");
    !head.split_whitespace().any(is_other)
}

struct Finder {
    found: Option<Enclosing>,
}

impl VisitMut for Finder {
    fn visit_item_impl_mut(&mut self, item: &mut ItemImpl) {
        let marked = |member: &ImplItem| matches!(member, ImplItem::Fn(f) if is_marked(&f.attrs));
        if item.items.iter().any(marked) {
            self.found = Some(Enclosing::Impl);
        }
        visit_mut::visit_item_impl_mut(self, item);
    }

    fn visit_item_trait_mut(&mut self, item: &mut ItemTrait) {
        let marked = |member: &TraitItem| matches!(member, TraitItem::Fn(f) if is_marked(&f.attrs));
        if item.items.iter().any(marked) {
            self.found = Some(Enclosing::Trait(item.ident.to_string()));
        }
        visit_mut::visit_item_trait_mut(self, item);
    }
}

fn is_marked(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.path().is_ident(MARK))
}

#[cfg(test)]
mod tests {
    use super::{Enclosing, of_text};

    /// What is around the attribute of `fn k`.
    fn around(text: &str) -> Option<Enclosing> {
        let line = text.lines().position(|l| l.contains("#[kernel]")).unwrap();
        let column = text.lines().nth(line).unwrap().find("#[kernel]").unwrap();
        of_text(text, line + 1, column + 1)
    }

    #[test]
    fn methods_are_found() {
        let one = "struct A;\nimpl A {\n    fn a() {}\n    #[kernel]\n    fn k() {}\n}\n";
        assert_eq!(around(one), Some(Enclosing::Impl));
        let where_clause =
            "impl<T> A<T>\nwhere\n    T: Copy,\n{\n    #[kernel(block(32))]\n    fn k() {}\n}\n";
        let where_clause = where_clause.replace("kernel(block(32))", "kernel");
        assert_eq!(around(&where_clause), Some(Enclosing::Impl));
        let in_function = "fn main() {\n    trait B {\n        /// Text.\n        #[kernel]\n        fn k() {}\n    }\n}\n";
        assert_eq!(around(in_function), Some(Enclosing::Trait("B".to_owned())));
        assert_eq!(
            around("impl A { #[kernel] fn k() {} }\n"),
            Some(Enclosing::Impl)
        );
    }

    #[test]
    fn free_functions_are_not() {
        for text in [
            "mod a {\n    #[kernel]\n    fn k() {}\n}\n",
            "impl A {\n    fn a() {\n        #[kernel]\n        fn k() {}\n    }\n}\n",
            "impl A {\n    fn a() {\n        {\n            #[kernel]\n            fn k() {}\n        }\n    }\n}\n",
            "macro_rules! m {\n    () => {\n        impl A {\n            #[kernel]\n            fn k() {}\n        }\n    };\n}\n",
            "impl A {\n    x! { #[kernel]\n    fn k() {} }\n}\n",
            "does not parse {\n    #[kernel]\n    fn k() {}\n}\n",
        ] {
            assert_eq!(around(text), None, "{text}");
        }
    }

    #[test]
    fn places_are_in_characters() {
        let text = "impl A { /* µ */ #[kernel] fn k() {} }\n";
        assert_eq!(of_text(text, 1, 18), Some(Enclosing::Impl));
        assert_eq!(of_text(text, 1, 19), None);
        assert_eq!(of_text(text, 7, 1), None);
    }
}
