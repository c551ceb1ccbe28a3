//! docs/generated/intrinsics.md is generated from the declarations in device-std/src/intrinsics/.

use super::{read, root};
use warploom::device_std::intrinsics::TABLES;
use warploom_harness::generated::assert_current;

/// What lines with arrays of registers promise.
const REGISTERS: &str = "Each pointer is that of as many registers as the instruction has, or that of a row. All lanes of the warp make this call together.";

/// One intrinsic as its source declares it.
#[derive(Debug, Default)]
struct Declared {
    /// `scalar`, `convergent` or `unsafe`.
    kind: &'static str,
    name: String,
    signature: String,
    symbol: String,
    document: String,
    safety: String,
    /// Written out, not a line of a table.
    stands_alone: bool,
}

/// Reads device-std/src/intrinsics.rs: documents, signatures and symbols stand there once.
fn declared_intrinsics(source: &str) -> Vec<Declared> {
    let mut all: Vec<Declared> = Vec::new();
    let mut document = String::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            document.push_str(text.trim());
            document.push('\n');
            continue;
        }
        if let Some((_, rest)) = line.split_once("#[link_name = \"")
            && let Some(last) = all.last_mut().filter(|d| d.symbol.is_empty())
        {
            last.symbol = rest.trim_end_matches("\"]").to_owned();
        }
        if line.starts_with("#[") {
            continue;
        }
        let heads = [
            ("scalar fn ", "scalar"),
            ("convergent fn ", "convergent"),
            ("unsafe convergent fn ", "convergent"),
            ("unsafe fn ", "unsafe"),
            ("pub unsafe fn ", "unsafe"),
            ("pub fn ", "scalar"),
        ];
        let head = heads
            .iter()
            .find_map(|(h, kind)| Some((line.strip_prefix(h)?, *kind)));
        if let Some((rest, kind)) = head.filter(|(rest, _)| !rest.starts_with(['$', '<'])) {
            let (signature, symbol) = match rest.split_once(" = \"") {
                Some((signature, symbol)) => (
                    signature,
                    format!("__warploom.{}", symbol.split('"').next().unwrap_or(symbol)),
                ),
                None => (rest.trim_end_matches(" {"), String::new()),
            };
            let (text, safety) = document.split_once("# Safety").unwrap_or((&document, ""));
            // The macro of these lines writes what all of them promise.
            let safety = match symbol.starts_with("__warploom.registers:") {
                true => REGISTERS,
                false => safety,
            };
            all.push(Declared {
                kind,
                name: signature.split('(').next().unwrap().to_owned(),
                signature: signature.to_owned(),
                symbol,
                document: one_line(text),
                safety: one_line(safety),
                stands_alone: line.starts_with("pub "),
            });
        }
        document.clear();
    }
    all
}

/// A paragraph as a cell of a table.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").replace('|', "\\|");
    text.replace("[`crate::", "`")
        .replace("[`", "`")
        .replace("`]", "`")
}

/// The PTX that a symbol names.
fn ptx_of(symbol: &str) -> Option<&str> {
    if let Some(registers) = symbol.strip_prefix("registers:") {
        return registers.splitn(3, '|').nth(2);
    }
    Some(symbol.strip_prefix("asm:")?.split_once('|')?.1)
}

fn intrinsics_document(declared: &[Declared]) -> String {
    let mut text = "\
# Intrinsics

<!-- Generated from device-std/src/intrinsics/. To write it anew: WARPLOOM_BLESS=1 cargo test --test repo_checks -->

The operations that the hardware has and Rust has no word for, in `warploom::device_std::intrinsics`. Everything else of `warploom::device_std` is
written over them. On the CPU each calls the emulator's function of the same name and signature. On the device it calls a symbol: the
device linker puts the LLVM intrinsic of that name in its place, or, where none is named, a body of its own.

Products of matrices, `mma_…`, are not listed: `device_std::mma` has the table.

Kernels rarely need them: `Index1D`, `Block`, `Warp`, `SharedTile` and `AtomicF32` are the same operations with their obligations
checked.
"
    .to_owned();
    let chapters = [
        (
            "scalar",
            "For one thread",
            "Each thread gets its own answer; no thread waits.",
        ),
        (
            "convergent",
            "For lanes that meet",
            "The lanes of the mask wait for each other (`active_mask` has none and asks who is there). No compiler may move such a call into a \
             branch or out of it: calls are `convergent`. All that take a mask are `unsafe`; the promise is one: the caller's lane is in the \
             mask, and every lane of it that has not returned makes this call with the same mask.",
        ),
        (
            "unsafe",
            "With a promise of the caller",
            "Each is `unsafe`; the last column is the promise.",
        ),
    ];
    for (kind, title, words) in chapters {
        let last = if kind == "unsafe" { " promise |" } else { "" };
        let rule = if kind == "unsafe" { "---|" } else { "" };
        text.push_str(&format!(
            "\n## {title}\n\n{words}\n\n| function | what it does | on the device |{last}\n|---|---|---|{rule}\n"
        ));
        for line in declared.iter().filter(|d| d.kind == kind) {
            let symbol = line.symbol.trim_start_matches("__warploom.");
            let device = match symbol.strip_prefix("llvm.") {
                Some(rest) => format!("`llvm.{rest}`"),
                None => match ptx_of(symbol) {
                    Some(ptx) => format!("`{}`", ptx.replace('|', "\\|")),
                    None => "a body of the device linker".to_owned(),
                },
            };
            let promise = match kind {
                "unsafe" => format!(" {} |", line.safety),
                _ => String::new(),
            };
            text.push_str(&format!(
                "| `{}` | {} | {device} |{promise}\n",
                line.signature, line.document
            ));
        }
    }
    text
}

#[test]
fn the_table_of_intrinsics_is_documented() {
    let folder = "device-std/src/intrinsics";
    let index = read(&format!("{folder}/mod.rs"));
    let files = index.lines().filter_map(|l| l.strip_prefix("mod "));
    let declared: Vec<Declared> = files
        .filter_map(|l| l.split_once(';'))
        .flat_map(|(file, _)| declared_intrinsics(&read(&format!("{folder}/{file}.rs"))))
        .collect();
    let safe: Vec<(&str, &str, bool)> = declared
        .iter()
        .filter(|d| d.kind != "unsafe" && !d.stands_alone)
        .map(|d| (&*d.name, &*d.symbol, d.kind == "convergent"))
        .collect();
    let table: Vec<(&str, &str, bool)> = TABLES
        .iter()
        .copied()
        .flatten()
        .map(|line| (line.name, line.symbol, line.convergent))
        .collect();
    assert_eq!(safe, table, "read from the source (left), compiled table");
    for line in &declared {
        assert!(
            !line.document.is_empty() && !line.symbol.is_empty(),
            "{line:?}"
        );
        assert!(line.kind != "unsafe" || !line.safety.is_empty(), "{line:?}");
    }
    let expected = intrinsics_document(&declared);
    let bless = "cargo test --test repo_checks";
    assert_current(root(), "docs/generated/intrinsics.md", &expected, bless);
}
