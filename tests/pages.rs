//! Pages about kernels (`WARPLOOM_LINTS=html:DIR`): from the program to the file, with instrumented kernels.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail as the tests do"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use warploom::prelude::*;
use warploom::{Result, shared_array};

/// Takes a column of a tile: the lanes of a warp meet in one bank.
#[kernel(block(32))]
fn columns<T: Plain>(block: Block, i: Index1D, x: &[T], mut y: DisjointSlice<T>) {
    let tile = shared_array!(u32, 1024);
    let t = block.thread();
    // SAFETY: each thread has its own column of the tile.
    unsafe { tile.set(32 * t, i.get() as u32) }; //~ conflict
    // SAFETY: as above.
    let own = unsafe { tile.get(32 * t) } as usize;
    if let Some(y) = y.get_mut(i) {
        *y = x[own]; //~ copy
    }
}

/// Reads every eighth element, and compares: `<`, `&` and `"` are no markup.
#[kernel]
fn strided(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let v = x[8 * i.get() % x.len()]; //~ stride
    let is_small = v < 9 && "<b>".len() == 3; //~ markup
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(is_small); //~ result
    }
}

#[test]
fn child_launches() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (x, mut y) = (
        device.upload(&[2.5_f32; 1280])?,
        device.zeroed::<f32>(1280)?,
    );
    columns::launch(&stream, Launch::new(40, 32), &x, &mut y)?;
    let (x, mut y) = (
        device.upload(&[7_u32; 10_240])?,
        device.zeroed::<u32>(1280)?,
    );
    strided::launch(&stream, Launch::new(1, 32), &x, &mut y)?;
    strided::launch(&stream, Launch::new(40, 32), &x, &mut y)?; // the one that does more
    stream.synchronize()?;
    Ok(())
}

/// The pages that the launches above leave, by the names of their files.
fn pages(folder: &Path) -> Vec<(String, String)> {
    drop(fs::remove_dir_all(folder));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child_launches"]);
    for name in ["WARPLOOM_REPORT", "WARPLOOM_ALLOW", "WARPLOOM_SCHEDULE"] {
        command.env_remove(name);
    }
    command
        .env("WARPLOOM_EMULATOR", "checked")
        .env("WARPLOOM_LINTS", format!("html:{}", folder.display()));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut pages: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    pages.sort();
    pages
}

/// The number of the line that ends with this mark, and its text as a page shows it without colours.
fn line(mark: &str) -> (usize, String) {
    let mark = format!(" //~ {mark}");
    let mut lines = (1..).zip(include_str!("pages.rs").lines());
    let (number, text) = lines.find(|(_, line)| line.ends_with(&mark)).unwrap();
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;");
    (number, text)
}

/// The row of a line in the table of its file: the cells, and the text without the elements that colour it.
fn row(page: &str, number: usize) -> (String, String) {
    let start = format!("<td class=\"line\">{number}</td>");
    let Some((_, rest)) = page.split_once(&start) else {
        panic!("line {number} is not on the page");
    };
    let row = rest.split("</tr>").next().unwrap();
    let (cells, text) = row.split_once("<td class=\"text\">").unwrap();
    let mut plain = String::new();
    for part in text.split('<') {
        plain.push_str(part.split_once('>').map_or(part, |(_, text)| text));
    }
    (cells.to_owned(), plain)
}

#[test]
fn each_kernel_has_a_page_with_its_lines_and_what_they_cost() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pages");
    let pages = pages(&folder);
    let names: Vec<&str> = pages.iter().map(|(name, _)| &**name).collect();
    let [(_, first), (_, second)] = &pages[..] else {
        panic!("two kernels, and these pages: {names:?}")
    };
    assert!(
        names[0].starts_with("columns") && names[1] == "strided.html",
        "{names:?}"
    );

    assert!(first.contains("<h1>columns::&lt;f32&gt;</h1>"));
    assert!(first.contains("grid <b>40 × 1 × 1</b>") && first.contains("block <b>32 × 1 × 1</b>"));
    assert!(first.contains("at tests/pages.rs:"), "the launch");
    for (page, mark, cell) in [
        (first, "conflict", "worst request: 32-way"),
        (
            first,
            "copy",
            "4 sectors of 32 bytes per request; 4 would do",
        ),
        (
            second,
            "stride",
            "32 sectors of 32 bytes per request; 4 would do",
        ),
        (second, "markup", "class=\"cell\""),
        (
            second,
            "result",
            "1\u{a0}280 executions by single lanes; 40 requests of warps",
        ),
    ] {
        let (number, expected) = line(mark);
        let (cells, text) = row(page, number);
        assert_eq!(text, expected, "line {number}");
        assert!(
            cells.contains(cell),
            "no {cell:?} in line {number}: {cells}"
        );
    }
    // Of two launches the page is about that which did more.
    assert!(second.contains("grid <b>40 × 1 × 1</b>"));
    for (page, code, mark) in [(first, "WL0501", "conflict"), (second, "WL0500", "stride")] {
        let finding = format!(
            "<span class=\"code warning\">{code}</span><span>line {}</span>",
            line(mark).0
        );
        assert!(page.contains(&finding), "no {finding}");
    }
    // And each is about its own lines.
    for (page, mark) in [(first, "result"), (second, "conflict")] {
        let other = format!("<td class=\"line\">{}</td>", line(mark).0);
        assert!(!page.contains(&other), "{other}");
    }
}
