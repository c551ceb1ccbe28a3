//! The chapter of the book names every method.

use std::fs;
use std::path::{Path, PathBuf};

/// The names of the methods that traits declare in these files, without those that documentation hides.
fn methods(files: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let mut names = vec![];
    for file in files {
        let text = fs::read_to_string(file).unwrap_or_default();
        let (mut in_trait, mut hidden) = (false, false);
        for line in text.lines() {
            match line.trim_start() {
                _ if line.starts_with("pub trait ") => in_trait = true,
                _ if line == "}" => in_trait = false,
                "#[doc(hidden)]" => hidden = true,
                text if in_trait && line.starts_with("    fn ") => {
                    let name = text["fn ".len()..].split(['<', '(']).next();
                    names.extend(name.filter(|_| !hidden).map(str::to_owned));
                    hidden = false;
                }
                _ => {}
            }
        }
    }
    names
}

#[test]
fn the_chapter_has_every_method_of_a_stream_and_every_piece() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let chapter = fs::read_to_string(root.join("docs/book/src/algorithms.md")).unwrap();
    let source = root.join("libraries/algorithms/src");
    let of_streams = fs::read_dir(source.join("algorithms")).unwrap();
    let of_streams = methods(of_streams.map(|entry| entry.unwrap().path()));
    let pieces = ["block/group.rs", "block/methods.rs", "warp.rs"];
    let pieces = methods(pieces.iter().map(|file| source.join(file)));
    assert!(
        of_streams.len() > 40 && pieces.len() > 30,
        "{of_streams:?} {pieces:?}"
    );
    for name in of_streams.iter().chain(&pieces) {
        let forms = [
            format!("`{name}`"),
            format!("`{name}("),
            format!(">{name}("),
        ];
        assert!(
            forms.iter().any(|form| chapter.contains(form)),
            "docs/book/src/algorithms.md does not name `{name}`"
        );
    }
}
