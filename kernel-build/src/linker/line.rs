//! rustc's link line: what goes in, and where the result goes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The parts of rustc's link line that matter here.
#[derive(Default)]
pub(super) struct LinkLine {
    pub(super) objects: Vec<PathBuf>,
    pub(super) archives: Vec<PathBuf>,
    pub(super) output: PathBuf,
}

impl LinkLine {
    pub(super) fn parse(args: &[OsString]) -> LinkLine {
        let mut line = LinkLine::default();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let text = arg.to_string_lossy();
            if text == "-o" {
                line.output = rest.next().map(PathBuf::from).unwrap_or_default();
            } else if let Some(file) = text.strip_prefix('@') {
                let more: Vec<OsString> = std::fs::read_to_string(file)
                    .unwrap_or_default()
                    .lines()
                    .map(unquote)
                    .collect();
                let inner = LinkLine::parse(&more);
                line.objects.extend(inner.objects);
                line.archives.extend(inner.archives);
                if inner.output != Path::new("") {
                    line.output = inner.output;
                }
            } else if text.ends_with(".o") {
                line.objects.push(PathBuf::from(arg));
            } else if text.ends_with(".rlib") {
                line.archives.push(PathBuf::from(arg));
            }
        }
        line
    }
}

/// rustc quotes the lines of response files with backslashes.
fn unquote(line: &str) -> OsString {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            out.extend(chars.next());
        } else if c != '"' {
            out.push(c);
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::LinkLine;
    use std::path::Path;

    #[test]
    fn a_response_file_is_read_with_its_quotes() {
        let path = std::env::temp_dir().join(format!("warploom-line-{}", std::process::id()));
        std::fs::write(&path, "-Wl,--as-needed\na\\ b.o\n\"c.rlib\"\n-o\nd\n").unwrap();
        let line = LinkLine::parse(&[format!("@{}", path.display()).into(), "e.rlib".into()]);
        assert_eq!(line.objects, [Path::new("a b.o")]);
        assert_eq!(line.archives, [Path::new("c.rlib"), Path::new("e.rlib")]);
        assert_eq!(line.output, Path::new("d"));
    }
}
