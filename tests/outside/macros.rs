//! Kernels and launches that one call of a `macro_rules!` macro makes: they all stand at the place of the call.

use crate::support::Outside;

/// Two kernels with all that is told apart by its place: tiles, arrays, statics, texts, panics.
const KERNELS: &str = r#"use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use warploom::prelude::*;

macro_rules! kernels {
    ($($name:ident, $count:ident, $factor:literal;)*) => { $(
        device_static! { static $count: AtomicU32 = AtomicU32::new(0); }

        #[kernel]
        fn $name(i: Index1D, block: Block, mut tile: SharedTile<u32, 32>, mut y: DisjointSlice<u32>) {
            let sums = shared_array!(u32, 4);
            let other = shared_array!(u32, 4);
            if block.thread() == 0 {
                sums.atomic(0).store($factor, Relaxed);
                other.atomic(0).store(100 * $factor, Relaxed);
                $count.fetch_add($factor, Relaxed);
                gpu_println!("{} with {}", stringify!($name), $factor);
            }
            tile.fill(|slot| $factor * slot as u32);
            let tile = tile.publish(&block);
            if let Some(y) = y.get_mut(i) {
                *y = tile[i.get()] + unsafe { sums.get(0) + other.get(0) };
            }
        }
    )* };
}
kernels! { double, DOUBLED, 2; triple, TRIPLED, 3; }

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(32)?;
    double::launch(&stream, (1, 32), &mut y)?;
    assert_eq!(y.to_vec(&stream)?[5], 2 * 106);
    triple::launch(&stream, (1, 32), &mut y)?;
    assert_eq!(y.to_vec(&stream)?[5], 3 * 106);
    assert_eq!(device.symbol(&DOUBLED)?.read(&stream)?, 2);
    assert_eq!(device.symbol(&TRIPLED)?.read(&stream)?, 3);
    Ok(())
}
"#;

#[test]
fn two_kernels_of_one_call_of_a_macro_are_two() {
    let program = Outside::program("macro-kernels", KERNELS);
    program.builds();
    let said = program.prints("debug/macro-kernels");
    assert!(said.contains("double with 2"), "{said}");
    assert!(said.contains("triple with 3"), "{said}");
    let code = program.device_code();
    let mut kernels = code[0].kernels();
    kernels.sort_unstable();
    assert_eq!(kernels, ["macro_kernels::double", "macro_kernels::triple"]);
}

/// Two launches at one place, of instances that have one name.
const CLOSURES: &str = "use warploom::prelude::*;

#[kernel]
fn map<F: Fn(u32) -> u32 + Copy + Send + Sync + 'static>(i: Index1D, mut y: DisjointSlice<u32>, f: F) {
    if let Some(y) = y.get_mut(i) {
        *y = f(*y);
    }
}

macro_rules! both {
    ($stream:expr, $y:expr) => {
        map::launch($stream, (1, 32), &mut *$y, |v| v + 1)?;
        map::launch($stream, (1, 32), &mut *$y, |v| v * 2)?;
    };
}

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(32)?;
    both!(&stream, &mut y);
    Ok(())
}
";

#[test]
fn two_closures_launched_by_one_call_of_a_macro_are_refused_with_the_remedy() {
    let said = Outside::program("macro-closures", CLOSURES).fails();
    for expected in [
        "two closures",
        "kernel `map`",
        "src/main.rs:21:5",
        "if one call of a macro makes both launches, let each launch have a call of its own",
    ] {
        assert!(said.contains(expected), "no {expected:?} in {said}");
    }
}

/// Two kernels of one name, each in a block of its own, launched at one place.
const BLOCKS: &str = "use warploom::prelude::*;

macro_rules! each {
    ($stream:expr, $y:expr, $($factor:literal)*) => { $({
        #[kernel]
        fn times(i: Index1D, mut y: DisjointSlice<u32>) {
            if let Some(y) = y.get_mut(i) {
                *y *= $factor;
            }
        }
        times::launch($stream, (1, 32), &mut *$y)?;
    })* };
}

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.upload(&[1u32; 32])?;
    each!(&stream, &mut y, 2);
    each!(&stream, &mut y, 3);
    println!(\"{}\", y.to_vec(&stream)?[7]);
    Ok(())
}
";

#[test]
fn kernels_of_one_name_are_told_apart_by_the_launch() {
    let program = Outside::program("macro-blocks", BLOCKS);
    program.builds();
    assert_eq!(program.prints("debug/macro-blocks").trim(), "6");
}

#[test]
fn kernels_of_one_name_launched_by_one_call_of_a_macro_are_refused_with_the_remedy() {
    let main = BLOCKS.replace("each!(&stream, &mut y, 2);", "each!(&stream, &mut y, 2 5);");
    let said = Outside::program("macro-same", &main).fails();
    for expected in [
        "two kernels are both called `macro_same::main::times`",
        "src/main.rs:19:5",
        "give them different names",
    ] {
        assert!(said.contains(expected), "no {expected:?} in {said}");
    }
    assert!(!said.contains("closure"), "{said}");
}
