//! PTX of several images as one text: a program has an image for each group of kernels that share statics, and starting the assembler and the
//! disassembler takes longer than their work on one kernel.

use std::collections::HashMap;

/// One text for all images, or as few as possible: images that give one name to different things stand in different texts. All images must be for the same
/// version and architecture.
pub(super) fn merged(images: &[&str]) -> Vec<String> {
    let mut texts: Vec<Text> = Vec::new();
    for image in images {
        let items = items(image);
        match texts.iter_mut().find(|text| text.takes(&items)) {
            Some(text) => text.add(&items),
            None => {
                let mut text = Text::default();
                text.add(&items);
                texts.push(text);
            }
        }
    }
    texts.into_iter().map(|text| text.content).collect()
}

#[derive(Default)]
struct Text<'a> {
    content: String,
    known: HashMap<Key<'a>, &'a str>,
}

impl<'a> Text<'a> {
    fn takes(&self, items: &[(Key<'a>, &'a str)]) -> bool {
        let same = |(key, item): &(Key<'_>, &str)| self.known.get(key).is_none_or(|k| k == item);
        items.iter().all(same)
    }

    fn add(&mut self, items: &[(Key<'a>, &'a str)]) {
        for (key, item) in items {
            if self.known.insert(*key, item).is_none() {
                self.content.push_str(item);
            }
        }
    }
}

/// Of what no two may be in one text: the name, and whether it is a function's body, which may follow its declaration.
type Key<'a> = (&'a str, bool);

/// The parts of a text at its top level: `.version` and the like, variables, functions.
fn items(image: &str) -> Vec<(Key<'_>, &str)> {
    let mut items = Vec::new();
    let (mut start, mut at, mut in_body) = (0, 0, false);
    for line in image.split_inclusive('\n') {
        let text = line.trim_end();
        let between = image[start..at].trim().is_empty();
        let is_comment = between && (text.is_empty() || text.trim_start().starts_with("//"));
        if is_comment {
            start = at + line.len();
        }
        in_body |= text == "{";
        at += line.len();
        let directive = [".version ", ".target ", ".address_size "];
        let ends = match in_body {
            true => text == "}",
            false => text.ends_with(';') || directive.iter().any(|d| text.starts_with(d)),
        };
        if ends && !is_comment {
            let item = &image[start..at];
            items.push(((name(item), in_body), item));
            (start, in_body) = (at, false);
        }
    }
    items
}

/// That of a variable or function; the first word of all else.
fn name(item: &str) -> &str {
    let line = item.lines().next().unwrap_or_default();
    if line.contains(".func") || line.contains(".entry") {
        // `.func (.param .b32 result) name(`
        let line = line.trim_end_matches([';', '(', ')']);
        return line.rsplit([' ', '\t', ')']).next().unwrap_or(line);
    }
    if [".version", ".target", ".address_size"]
        .iter()
        .any(|d| line.starts_with(d))
    {
        return line.split(' ').next().unwrap_or(line);
    }
    let declared = line
        .split(['=', '[', ';'])
        .next()
        .unwrap_or(line)
        .trim_end();
    declared.rsplit([' ', '\t']).next().unwrap_or(declared)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "//\n// Generated\n//\n\n.version 8.0\n.target sm_90\n.address_size 64\n";

    fn image(rest: &str) -> String {
        format!("{HEAD}\n{rest}")
    }

    #[test]
    fn what_two_images_share_stands_there_once() {
        let shared = ".visible .global .align 4 .u32 claim;\n.global .align 1 .b8 name[2] = {98, 0};\n\
            .func fail(\n\t.param .b32 fail_param_0\n)\n.noreturn\n;\n.func fail(\n\t.param .b32 fail_param_0\n)\n.noreturn\n{\n\texit;\n}\n";
        let kernel = |name: &str| {
            format!(
                ".visible .entry {name}(\n\t.param .u64 p\n)\n{{\n\t// a comment\n\tret;\n\n}}\n"
            )
        };
        let a = image(&format!("{shared}\t// .globl a\n{}", kernel("a")));
        let b = image(&format!("{shared}\t// .globl b\n{}", kernel("b")));
        let expected = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n{shared}{}{}",
            kernel("a"),
            kernel("b")
        );
        assert_eq!(merged(&[&a, &b]), [expected]);
    }

    #[test]
    fn a_name_for_two_things_makes_two_texts() {
        let a = image(".global .align 1 .b8 name[2] = {98, 0};\n");
        let b = image(".global .align 1 .b8 name[3] = {98, 99, 0};\n");
        let merged = merged(&[&a, &b, &a]);
        assert_eq!(merged.len(), 2, "{merged:?}");
        let with_result = |n: u32| {
            image(&format!(
                ".func  (.param .b32 func_retval0) f()\n{{\n\tmov.b32 %r1, {n};\n}}\n"
            ))
        };
        assert_eq!(super::merged(&[&with_result(1), &with_result(2)]).len(), 2);
    }

    #[test]
    fn another_architecture_is_another_text() {
        let other = image("").replace("sm_90", "sm_80");
        assert_eq!(merged(&[&image(""), &other]).len(), 2);
    }
}
