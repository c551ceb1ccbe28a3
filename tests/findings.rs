//! What a program says about its kernels: on its error stream, in files, and when it ends.
//!
//! Each test starts this program anew with one of the tests called `child_…`, which launches kernels in checked mode.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use warploom::model::{Emulator, Mode};
use warploom::prelude::*;
use warploom::{Result, StreamError};

/// Threads return before a barrier: a note.
#[kernel]
fn some_return(block: Block, i: Index1D, n: u32, mut y: DisjointSlice<u32>) {
    if i.get() >= n as usize {
        return;
    }
    block.sync(); //~ note
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

/// The same, reviewed and allowed.
#[kernel]
fn some_may_return(block: Block, i: Index1D, n: u32, mut y: DisjointSlice<u32>) {
    if i.get() >= n as usize {
        return;
    }
    // warploom: allow(WL0201, reason = "only newer GPUs run this")
    block.sync();
    if let Some(y) = y.get_mut(i) {
        *y = 1; // warploom: allow(WL0114, reason = "never found")
    }
}

/// Without the barrier between writing and reading.
#[kernel(block(64))]
fn reverse<T: Plain>(block: Block, i: Index1D, x: &[T], mut y: DisjointSlice<T>) {
    let tile = shared_array!(u32, 64);
    let own = block.thread();
    // SAFETY: within the tile; the race is what the test is about.
    unsafe { tile.set(own, i.get() as u32) }; //~ write
    // SAFETY: as above.
    let other = unsafe { tile.get(63 - own) }; //~ read
    if let Some(y) = y.get_mut(i) {
        *y = x[other as usize % 64];
    }
}

#[kernel]
fn lost(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get() + 1]; //~ panic
    }
}

/// Four numbers that a GPU reads and writes with one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C, align(16))]
struct Vector {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

#[kernel]
fn scaled(i: Index1D, by: f32, x: &[Vector], mut y: DisjointSlice<Vector>) {
    if let (Some(y), Some(v)) = (y.get_mut(i), x.get(i.get())) {
        *y = Vector {
            x: by * v.x,
            y: by * v.y,
            z: by * v.z,
            w: by * v.w,
        };
    }
}

/// Each thread reads back what it wrote: the tile is of no use.
#[kernel(block(64))]
fn own_slots(block: Block, i: Index1D, mut tile: SharedTile<u32, 64>, mut y: DisjointSlice<u32>) {
    tile.fill(|slot| slot as u32);
    let tile = tile.publish(&block); //~ publish
    if let Some(y) = y.get_mut(i) {
        *y = tile[block.thread()];
    }
}

/// The last barrier of `reduce_sum` is for another call, which does not come.
#[kernel(block(64))]
fn sums_of_blocks(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32, PerBlock>) {
    let sum = block.reduce_sum(x[i.get()]);
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = sum;
    }
}

/// Each thread takes its neighbour's element, into memory of which only the address is known.
#[kernel]
unsafe fn shift(i: Index1D, x: &[u32], to: *mut u32) {
    if let Some(next) = x.get(i.get() + 1) {
        // SAFETY: the caller promises as many elements.
        let to = unsafe { to.add(i.get()) };
        // SAFETY: as above.
        unsafe { *to = *next };
    }
}

/// The same; the address is itself in memory.
#[kernel]
unsafe fn shift_to(i: Index1D, x: &[u32], tos: &[u64]) {
    let to = std::ptr::with_exposed_provenance_mut::<u32>(tos[0] as usize);
    if let Some(next) = x.get(i.get() + 1) {
        // SAFETY: the caller promises as many elements.
        let to = unsafe { to.add(i.get()) };
        // SAFETY: as above.
        unsafe { *to = *next };
    }
}

/// Each thread takes its neighbour's element.
#[kernel]
fn shifted(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(next)) = (y.get_mut(i), x.get(i.get() + 1)) {
        *y = *next;
    }
}

/// The number of the line that ends with this mark.
fn line(mark: &str) -> usize {
    let mark = format!("//~ {mark}");
    1 + include_str!("findings.rs")
        .lines()
        .position(|line| line.ends_with(&mark))
        .unwrap()
}

#[test]
fn child_returns() -> Result<()> {
    let device = Device::emulator();
    let (stream, mut y) = (device.stream()?, device.zeroed::<u32>(64)?);
    for _ in 0..2 {
        some_return::launch(&stream, Launch::new(1, 64), 40, &mut y)?;
    }
    stream.synchronize()?;
    Ok(())
}

#[test]
fn child_may_return() -> Result<()> {
    let device = Device::emulator();
    let (stream, mut y) = (device.stream()?, device.zeroed::<u32>(64)?);
    some_may_return::launch(&stream, Launch::new(1, 64), 40, &mut y)?;
    stream.synchronize()?;
    Ok(())
}

#[test]
fn child_races() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (x, mut y) = (device.zeroed::<f32>(128)?, device.zeroed::<f32>(128)?);
    reverse::launch(&stream, Launch::new(2, 64), &x, &mut y)?;
    match stream.synchronize() {
        Err(StreamError::Check(found)) => eprintln!("{found}"),
        other => other?,
    }
    stream.synchronize()?; // said once
    Ok(())
}

#[test]
fn child_races_often() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (x, mut y) = (device.zeroed::<f32>(128)?, device.zeroed::<f32>(128)?);
    for _ in 0..3 {
        reverse::launch(&stream, Launch::new(2, 64), &x, &mut y)?;
        match stream.synchronize() {
            Err(StreamError::Check(found)) => eprintln!("{found}"),
            other => other?,
        }
    }
    Ok(())
}

#[test]
fn child_panics() -> Result<()> {
    let device = Device::emulator();
    let (stream, x, mut y) = (
        device.stream()?,
        device.zeroed::<u32>(8)?,
        device.zeroed::<u32>(8)?,
    );
    lost::launch(&stream, Launch::covering(8), &x, &mut y)?;
    match stream.synchronize() {
        Err(StreamError::Panic(panic)) => eprintln!("{panic}"),
        other => other?,
    }
    Ok(())
}

/// A copy of memory without a value, after a launch.
#[test]
fn child_copies_what_has_no_value() -> Result<()> {
    let device = Device::emulator();
    let (stream, mut y) = (device.stream()?, device.zeroed::<u32>(64)?);
    let x = device.alloc_uninit::<u32>(4)?;
    some_return::launch(&stream, Launch::new(1, 64), 64, &mut y)?;
    x.to_vec(&stream)?;
    Ok(())
}

#[test]
fn programs_take_warnings_of_launches_without_an_error() -> Result<()> {
    let device = Emulator::new().mode(Mode::Checked).device();
    let (stream, mut y) = (device.stream()?, device.zeroed::<u32>(64)?);
    for _ in 0..2 {
        some_return::launch(&stream, Launch::new(1, 64), 40, &mut y)?;
    }
    some_may_return::launch(&stream, Launch::new(1, 64), 40, &mut y)?;
    stream.synchronize()?;
    let warnings = device.take_warnings();
    let found: Vec<_> = warnings
        .iter()
        .map(|report| (report.code.to_string(), &*report.kernel))
        .collect();
    assert_eq!(found, [("WL0201".to_owned(), "some_return")]);
    assert!(device.take_warnings().is_empty());
    some_return::launch(&stream, Launch::new(1, 64), 40, &mut y)?;
    assert_eq!(device.take_warnings().len(), 1, "taken ones are found anew");
    Ok(())
}

#[test]
fn a_vector_is_one_access_for_the_lints() -> Result<()> {
    let device = Emulator::new().mode(Mode::Checked).lints(true).device();
    let stream = device.stream()?;
    let v = Vector {
        x: 1.0,
        y: 2.0,
        z: 3.0,
        w: 4.0,
    };
    let (x, mut y) = (device.upload(&[v; 2048])?, device.upload(&[v; 2048])?);
    scaled::launch(&stream, Launch::new(16, 128), 2.0, &x, &mut y)?;
    assert_eq!(y.to_vec(&stream)?[2047].w, 8.0);
    assert_eq!(device.take_warnings(), []);
    Ok(())
}

#[test]
fn barriers_of_tiles_and_library_functions_are_not_to_be_removed() -> Result<()> {
    let device = Emulator::new().mode(Mode::Checked).lints(true).device();
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(256)?;
    own_slots::launch(&stream, Launch::new(4, 64), &mut y)?;
    stream.synchronize()?;
    let warnings = device.take_warnings();
    let found: Vec<_> = warnings.iter().map(|w| w.code.to_string()).collect();
    assert_eq!(found, ["WL0504"]);
    let text = format!("{:?}", warnings[0]);
    assert!(text.contains("a tile changes its phase"), "{text}");
    let line = line("publish") as u32;
    assert_eq!(warnings[0].sides[0].place.as_ref().unwrap().line, line);

    let mut sums = device.zeroed::<u32>(4)?;
    sums_of_blocks::launch(&stream, Launch::new(4, 64), &y, &mut sums)?;
    stream.synchronize()?;
    assert_eq!(device.take_warnings(), []);
    Ok(())
}

/// The code of the only finding of the launches since the last.
fn code(stream: &Stream) -> String {
    match stream.synchronize() {
        Err(StreamError::Check(found)) => found.findings()[0].code.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn memory_that_is_written_through_a_pointer_argument_is_not_only_read() -> Result<()> {
    let device = Emulator::new().mode(Mode::Checked).device();
    let (stream, x) = (device.stream()?, device.upload(&[7_u32; 128])?);
    let other = device.zeroed::<u32>(128)?;
    for (y, expected) in [(&other, "Ok(())"), (&x, "WL0111")] {
        let to = std::ptr::with_exposed_provenance_mut(y.raw_ptr() as usize);
        // SAFETY: 128 elements; that they are those which are read is what the test is about.
        unsafe { shift::launch(&stream, Launch::new(1, 128), &x, to)? };
        assert_eq!(code(&stream), expected);
    }
    Ok(())
}

#[test]
fn a_write_to_memory_that_a_launch_only_reads_is_found() -> Result<()> {
    let device = Emulator::new().mode(Mode::Checked).device();
    let (stream, x) = (device.stream()?, device.upload(&[7_u32; 128])?);
    let other = device.zeroed::<u32>(128)?;
    for (y, expected) in [(&other, "Ok(())"), (&x, "WL0006")] {
        let tos = device.upload(&[y.raw_ptr()])?;
        // SAFETY: as above.
        unsafe { shift_to::launch(&stream, Launch::new(4, 32), &x, &tos)? };
        assert_eq!(code(&stream), expected);
    }
    Ok(())
}

#[test]
fn parts_of_one_buffer_are_read_and_written() -> Result<()> {
    let device = Emulator::new().mode(Mode::Checked).device();
    let (stream, mut x) = (device.stream()?, device.upload(&[7_u32; 128])?);
    let (left, right) = x.split_at_mut(64)?;
    shifted::launch(&stream, Launch::new(2, 32), &left, right)?;
    assert_eq!(code(&stream), "Ok(())");
    // What one launch only reads, the next may write.
    let y = device.upload(&[9_u32; 128])?;
    shifted::launch(&stream, Launch::new(4, 32), &y, &mut x)?;
    assert_eq!(code(&stream), "Ok(())");
    assert_eq!(x.to_vec(&stream)?[..3], [9; 3]);
    Ok(())
}

/// Runs one of the tests above with these variables; it passes.
fn child(test: &str, variables: &[(&str, &str)]) -> Output {
    let output = run(test, variables);
    assert!(output.status.success(), "{output:?}");
    output
}

/// Runs one of the tests above with these variables.
fn run(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=2"]);
    for name in [
        "WARPLOOM_REPORT",
        "WARPLOOM_ALLOW",
        "WARPLOOM_SCHEDULE",
        "WARPLOOM_CHECK_KERNELS",
        "WARPLOOM_CHECK_LAUNCHES",
        "CARGO_TERM_COLOR",
    ] {
        command.env_remove(name);
    }
    command
        .env("WARPLOOM_EMULATOR", "checked")
        .env("NO_COLOR", "1");
    command.envs(variables.iter().copied()).output().unwrap()
}

/// What it said on its error stream.
fn said(test: &str, variables: &[(&str, &str)]) -> String {
    String::from_utf8(child(test, variables).stderr).unwrap()
}

#[test]
fn a_note_is_said_once_with_its_line() {
    let said = said("child_returns", &[]);
    assert_eq!(said.matches("note[WL0201]: ").count(), 1, "{said}");
    let shown = format!("\n{} |     block.sync(); //~ note\n", line("note"));
    assert!(said.contains(&shown), "{said}");
    assert!(
        said.contains("= launch: some_return <<<(1,1,1),(64,1,1)>>> at tests/findings.rs:"),
        "{said}"
    );
    let replay = "= replay: WARPLOOM_SCHEDULE=forward cargo test child_returns -- --exact";
    assert!(said.contains(replay), "{said}");
}

#[test]
fn a_race_has_both_lines() {
    let said = said("child_races", &[]);
    assert!(said.contains("kernel `reverse::<f32>` has "), "{said}");
    assert_eq!(said.matches("error[WL0101]: ").count(), 1, "{said}");
    for mark in ["write", "read"] {
        let text = match mark {
            "write" => "unsafe { tile.set(own, i.get() as u32) };",
            _ => "let other = unsafe { tile.get(63 - own) };",
        };
        let shown = format!("\n{} |     {text} //~ {mark}\n", line(mark));
        assert!(said.contains(&shown), "{said}");
    }
    assert!(
        said.contains("= launch: reverse::<f32> <<<(2,1,1),(64,1,1)>>> at tests/findings.rs:"),
        "{said}"
    );
}

#[test]
fn a_race_can_be_allowed_at_either_line() {
    for mark in ["write", "read"] {
        let place = format!("WL0101,WL0103@tests/findings.rs:{}=a test", line(mark));
        let said = said("child_races", &[("WARPLOOM_ALLOW", &place)]);
        assert!(!said.contains("WL0"), "{said}");
    }
}

#[test]
fn what_is_allowed_is_not_said() {
    let said = said("child_may_return", &[]);
    assert!(!said.contains("WL0201"), "{said}");
}

#[test]
fn the_end_of_the_process_says_what_was_allowed_in_vain() {
    let said = said("child_may_return", &[]);
    assert_eq!(said.matches("warning[WL0921]: ").count(), 1, "{said}");
    assert!(
        said.contains("`allow(WL0114)` allows what was not found"),
        "{said}"
    );
}

#[test]
fn a_list_allows_what_has_no_comment() {
    let place = format!(
        "WL0201@tests/findings.rs:{}=only newer GPUs run this",
        line("note")
    );
    let said = said("child_returns", &[("WARPLOOM_ALLOW", &place)]);
    assert!(!said.contains("WL0"), "{said}");
}

#[test]
fn quiet_is_quiet() {
    let said = said("child_returns", &[("WARPLOOM_REPORT", "quiet")]);
    assert!(!said.contains("WL0"), "{said}");
}

#[test]
fn json_goes_to_the_error_stream_line_by_line() {
    let said = said("child_returns", &[("WARPLOOM_REPORT", "json")]);
    let lines: Vec<_> = said
        .lines()
        .filter(|line| line.starts_with("{\"schema\":1,"))
        .collect();
    assert_eq!(lines.len(), 1, "{said}");
    assert!(lines[0].contains("\"code\":\"WL0201\""), "{said}");
}

#[test]
fn json_goes_to_a_file() {
    let path: PathBuf =
        std::env::temp_dir().join(format!("warploom-findings-{}.jsonl", std::process::id()));
    let report = format!("json:{}", path.display());
    for _ in 0..2 {
        child("child_panics", &[("WARPLOOM_REPORT", &report)]);
    }
    let written = fs::read_to_string(&path);
    fs::remove_file(&path).unwrap();
    let written = written.unwrap();
    assert_eq!(written.lines().count(), 2, "{written}");
    for line in written.lines() {
        assert!(
            line.starts_with(
                "{\"schema\":1,\"code\":\"WL0400\",\"name\":\"PANIC\",\"severity\":\"error\","
            ),
            "{line}"
        );
    }
}

#[test]
fn a_panic_has_its_line_of_source() {
    let said = said("child_panics", &[]);
    let start = "kernel `lost` panicked at tests/findings.rs:";
    assert!(said.contains(start), "{said}");
    let shown = format!(
        "\n{} |         *y = x[i.get() + 1]; //~ panic\n",
        line("panic")
    );
    assert!(said.contains(&shown), "{said}");
    assert!(
        said.contains("error[WL0400]: index out of bounds: the len is 8 but the index is 8\n"),
        "{said}"
    );
}

#[test]
fn colours_can_be_forced() {
    let said = said("child_returns", &[("CARGO_TERM_COLOR", "always")]);
    assert!(said.contains("\x1b["), "{said}");
}

#[test]
fn a_variable_that_cannot_be_read_is_said() {
    let said = said("child_returns", &[("WARPLOOM_REPORT", "xml")]);
    assert!(
        said.contains("warploom: WARPLOOM_REPORT is `xml`; use "),
        "{said}"
    );
}

#[test]
fn only_kernels_of_the_names_that_are_asked_for_are_checked() {
    for (wanted, is_checked) in [
        ("reverse", true),
        ("findings::", true),
        ("reverse::<f32>", true),
        ("lost,some", false),
        ("findings,-reverse", false),
    ] {
        let said = said("child_races", &[("WARPLOOM_CHECK_KERNELS", wanted)]);
        assert_eq!(said.contains("WL0101"), is_checked, "{wanted}: {said}");
    }
}

#[test]
fn only_launches_of_the_numbers_that_are_asked_for_are_checked() {
    for (wanted, numbers) in [
        ("", vec![1, 2, 3]),
        ("2", vec![2]),
        ("..=2", vec![1, 2]),
        ("1,3..", vec![1, 3]),
        ("4..", vec![]),
    ] {
        let said = said("child_races_often", &[("WARPLOOM_CHECK_LAUNCHES", wanted)]);
        let is_found = |number: &u32| said.contains(&format!("(launch {number})\n"));
        let found: Vec<u32> = (1..=3).filter(is_found).collect();
        assert_eq!(found, numbers, "{wanted}: {said}");
    }
}

#[test]
fn a_launch_that_is_not_checked_forgets_what_has_no_value() {
    let test = "child_copies_what_has_no_value";
    assert!(said(test, &[]).contains("WL0021"));
    let said = said(test, &[("WARPLOOM_CHECK_KERNELS", "-some_return")]);
    assert!(!said.contains("WL0021"), "{said}");
}

#[test]
fn a_filter_that_cannot_be_read_is_an_error_of_the_launch() {
    for (variable, expected) in [
        (
            ("WARPLOOM_CHECK_KERNELS", "scan,"),
            "WARPLOOM_CHECK_KERNELS=scan,: names of kernels, ",
        ),
        (
            ("WARPLOOM_CHECK_LAUNCHES", "0"),
            "WARPLOOM_CHECK_LAUNCHES=0: numbers of launches from 1 on ",
        ),
    ] {
        let output = run("child_returns", &[variable]);
        let said = String::from_utf8(output.stdout).unwrap();
        let said = said + &String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}
