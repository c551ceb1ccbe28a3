//! Host and device code are two compilations: where a `cfg` made them differ, a launch is refused.

use crate::support::Outside;

/// Panics unwind on the host and abort in device code, which `cfg(panic)` shows.
const DIFFERING: &str = r#"use warploom::prelude::*;

/// Four bytes and four bytes on both sides, in another order.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Swapped {
    #[cfg(panic = "unwind")]
    low: u32,
    #[cfg(panic = "unwind")]
    high: u32,
    #[cfg(panic = "abort")]
    high: u32,
    #[cfg(panic = "abort")]
    low: u32,
}

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Element {
    #[cfg(panic = "unwind")]
    value: f32,
    #[cfg(panic = "abort")]
    value: u32,
}

#[derive(Clone, Copy, KernelArg)]
enum Choice {
    One,
    #[cfg(panic = "unwind")]
    Two,
    Three,
}

const LIMIT: usize = if cfg!(panic = "abort") { 400 } else { 4 };

#[kernel]
fn fields(i: Index1D, swapped: Swapped, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = swapped.low - swapped.high;
    }
}

#[kernel]
fn elements(i: Index1D, x: &[Element], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x.value as u32;
    }
}

#[kernel]
fn variants(i: Index1D, choice: Choice, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = choice as u32;
    }
}

#[kernel(requires(y.len() <= LIMIT))]
fn constant(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

#[cfg_attr(panic = "unwind", kernel(launch_bounds(64)))] #[cfg_attr(panic = "abort", kernel(launch_bounds(32)))]
fn bounds(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}

#[kernel(requires(y.len() <= 4))]
fn same(i: Index1D, choice: u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = choice;
    }
}

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(4)?;
    let x = device.upload(&[Element { value: Default::default() }; 4])?;
    let launch = Launch::covering(4);
    same::launch(&stream, launch, 7, &mut y)?;
    println!("same: {:?}", y.to_vec(&stream)?);
    let all = [
        fields::launch(&stream, launch, Swapped { low: 2, high: 1 }, &mut y),
        elements::launch(&stream, launch, &x, &mut y),
        variants::launch(&stream, launch, Choice::Three, &mut y),
        constant::launch(&stream, launch, &mut y),
        bounds::launch(&stream, launch, &mut y),
    ];
    for result in all {
        println!("{}", result.expect_err("host and device differ"));
    }
    Ok(())
}
"#;

#[test]
fn code_that_differs_between_host_and_device_is_not_launched() {
    let outer = Outside::program("agreement", DIFFERING)
        .env("RUSTFLAGS", "-Aunused")
        .env("WARPLOOM_EMULATOR", "checked");
    outer.builds();
    let printed = outer.prints("debug/agreement");
    let lines: Vec<&str> = printed.lines().collect();
    let expected = [
        "same: [7, 7, 7, 7]",
        "cannot launch `fields`: the type of parameter 1 has other fields",
        "cannot launch `elements`: the type of parameter 1 has other fields",
        "cannot launch `variants`: the type of parameter 1 has other fields",
        "cannot launch `constant`: its hash of `requires` and its constants is",
        "cannot launch `bounds`: its launch_bounds (threads) is 64 on the host, but 32 in the device code",
    ];
    assert_eq!(lines.len(), expected.len(), "{printed}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{printed}");
    }
}
