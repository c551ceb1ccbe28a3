//! Lines of source text that are neither empty nor comments, counted in the same way on both sides.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use super::ProgramsError;
use crate::results::{in_file, read_text, write_text};

/// The commit of HeCBench whose programs are counted and timed.
pub(super) const COMMIT: &str = "f27000a5188f8ac79bd43fc95a1b3f890c18823d";

/// Where the lines of HeCBench's programs are kept.
const TABLE: &str = "benches/algorithm-programs/originals.tsv";

const COLUMNS: &str = "program\talgorithm\tmain\theaders\n";

/// A program of HeCBench.
struct Original {
    name: &'static str,
    /// In its folder `src`, with the number of all lines.
    main: (&'static str, usize),
    /// Its own headers.
    header: Option<&'static str>,
    /// The lines of `main` that are what ours has between its anchors: the calls that are timed, kernels and types of functions for them, and temporary memory.
    algorithm: &'static [RangeInclusive<usize>],
}

const ORIGINALS: [Original; 5] = [
    Original {
        name: "radixsort2",
        main: ("radixsort2-cuda/main.cu", 143),
        header: Some("radixsort2-cuda/helper_string.h"),
        algorithm: &[106..=109],
    },
    // The variant with Thrust; that with CUB has more.
    Original {
        name: "scan3",
        main: ("scan3-cuda/main.cu", 152),
        header: Some("scan2-cuda/scan.h"),
        algorithm: &[81..=82, 94..=94],
    },
    Original {
        name: "segment-reduce",
        main: ("segment-reduce-cuda/main.cu", 95),
        header: None,
        algorithm: &[39..=40],
    },
    // Without the lines for older versions of CUDA.
    Original {
        name: "nonzero",
        main: ("nonzero-cuda/main.cu", 245),
        header: None,
        algorithm: &[
            12..=42,
            85..=87,
            92..=92,
            96..=96,
            101..=113,
            139..=139,
            144..=160,
        ],
    },
    Original {
        name: "rle",
        main: ("rle-cuda/main.cu", 513),
        header: Some("rle-cuda/test_util.h"),
        algorithm: &[55..=84, 217..=228],
    },
];

/// Whether a program is that of HeCBench.
pub(super) fn is_port(name: &str) -> bool {
    ORIGINALS.iter().any(|original| original.name == name)
}

/// How many lines a program has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Lines {
    /// Of the algorithm alone.
    pub algorithm: usize,
    /// Of the whole program, without its headers.
    pub main: usize,
    /// Of the headers of its own.
    pub headers: usize,
}

/// Counts HeCBench's programs in a checkout, and writes the table under `root`.
///
/// # Errors
/// [`ProgramsError`] if a file cannot be read or written, or is of another commit.
pub fn count(checkout: &Path, root: &Path) -> Result<(), ProgramsError> {
    let mut table = COLUMNS.to_owned();
    let read = |name: &str| {
        let path = checkout.join("src").join(name);
        let bytes = fs::read(&path).map_err(in_file(&path))?;
        // One of them has a character of another encoding in a comment.
        Ok::<_, ProgramsError>((String::from_utf8_lossy(&bytes).into_owned(), path))
    };
    for original in &ORIGINALS {
        let (name, expected) = original.main;
        let (text, path) = read(name)?;
        let found = text.lines().count();
        if found != expected {
            return Err(ProgramsError::OtherSource {
                path,
                found,
                expected,
                commit: COMMIT,
            });
        }
        let is_code = code(&text);
        let of = |range: &RangeInclusive<usize>| {
            let lines = is_code.iter().zip(1..);
            lines
                .filter(|(is_code, line)| **is_code && range.contains(line))
                .count()
        };
        let algorithm: usize = original.algorithm.iter().map(of).sum();
        let headers = match original.header {
            None => 0,
            Some(header) => total(&read(header)?.0),
        };
        let main = total(&text);
        table += &format!("{}\t{algorithm}\t{main}\t{headers}\n", original.name);
    }
    let path = root.join(TABLE);
    Ok(write_text(&path, &table)?)
}

/// The lines of all originals and twins, and of ours, by their names.
///
/// # Errors
/// [`ProgramsError`] if a file cannot be read.
pub fn lines(root: &Path) -> Result<BTreeMap<String, (Lines, Lines)>, ProgramsError> {
    let path = root.join(TABLE);
    let table = read_text(&path)?;
    let mut originals = BTreeMap::new();
    for (line, number) in table.lines().zip(1..).skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let parsed = |i: usize| fields.get(i)?.parse().ok();
        let (Some(algorithm), Some(main), Some(headers)) = (parsed(1), parsed(2), parsed(3)) else {
            return Err(ProgramsError::Table { path, line: number });
        };
        let lines = Lines {
            algorithm,
            main,
            headers,
        };
        originals.insert(fields[0].to_owned(), lines);
    }
    let folder = root.join("benches/algorithm-programs");
    let twins = folder.join("cuda");
    for entry in fs::read_dir(&twins).map_err(in_file(&twins))? {
        let twin = entry.map_err(in_file(&twins))?.path();
        if twin.extension().is_some_and(|extension| extension == "cu") {
            let name = twin.file_stem().unwrap_or_default().to_string_lossy();
            originals.insert(name.into_owned(), marked(&twin)?);
        }
    }
    let both = |(name, original): (String, Lines)| {
        let file = format!("src/programs/{}.rs", name.replace('-', "_"));
        Ok((name, (original, marked(&folder.join(file))?)))
    };
    originals.into_iter().map(both).collect()
}

/// The lines that all of our programs use, without tests.
///
/// # Errors
/// [`ProgramsError`] if a file cannot be read.
pub fn shared_lines(root: &Path) -> Result<usize, ProgramsError> {
    let own = |file: &str| {
        let path = root.join("benches/algorithm-programs/src").join(file);
        let text = read_text(&path)?;
        let (own, _tests) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
        Ok::<_, ProgramsError>(total(own))
    };
    Ok(own("bench.rs")? + own("noise.rs")?)
}

/// Of a source file whose algorithm is between anchors.
fn marked(path: &Path) -> Result<Lines, ProgramsError> {
    let text = read_text(path)?;
    let mut within = false;
    let mut algorithm = 0;
    for (line, is_code) in text.lines().zip(code(&text)) {
        if line.trim().starts_with("// ANCHOR") {
            within = line.trim() == "// ANCHOR: algorithm";
        }
        algorithm += usize::from(within && is_code);
    }
    Ok(Lines {
        algorithm,
        main: total(&text),
        headers: 0,
    })
}

fn total(text: &str) -> usize {
    code(text).into_iter().filter(|is_code| *is_code).count()
}

/// For each line whether something stands on it that is no comment. Of Rust and C++: comments to the end of a line, and between `/*` and `*/`, which begin no line of code.
pub(super) fn code(text: &str) -> Vec<bool> {
    let mut in_comment = false;
    let is_code = |line: &str| {
        let line = line.trim();
        if in_comment {
            in_comment = !line.contains("*/");
            return false;
        }
        if let Some(comment) = line.strip_prefix("/*") {
            in_comment = !comment.contains("*/");
            return false;
        }
        !line.is_empty() && !line.starts_with("//")
    };
    text.lines().map(is_code).collect()
}
