//! Crates that have `warploom` under another path.

use crate::support::{BUILD, Outside};

/// A library that hands `warploom` on, and a macro that makes kernels in the crate of its user.
const LIBRARY: &str = r#"pub use warploom;

#[macro_export]
macro_rules! filling {
    ($name:ident, $value:expr) => {
        #[$crate::warploom::kernel(crate = $crate::warploom)]
        pub fn $name(i: $crate::warploom::device_std::Index1D, mut y: $crate::warploom::device_std::DisjointSlice<u32>) {
            if let Some(y) = y.get_mut(i) {
                *y = $value;
            }
        }
    };
}
"#;

/// All macros, none of which may name `::warploom`. `ROOT` stands for the path.
const PROGRAM: &str = r#"use ROOT::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[derive(Clone, Copy, Plain)]
#[warploom(crate = ROOT)]
#[repr(C)]
struct Pair {
    a: u32,
    b: u32,
}

#[derive(Clone, Copy, KernelArg)]
#[warploom(crate = ROOT)]
enum Choice {
    Sum,
    Product(u32),
}

device_static! { static BLOCKS: AtomicU32 = AtomicU32::new(0); }

#[kernel(crate = ROOT, dim(1), requires(x.len() == y.len()))]
fn apply(i: Index1D, block: Block, choice: Choice, x: &[Pair], mut y: DisjointSlice<u32>) {
    let firsts = shared_array!(u32, 1);
    if block.thread() == 0 {
        firsts.atomic(0).store(i.get() as u32, Relaxed);
        BLOCKS.fetch_add(1, Relaxed);
        gpu_println!("block of {}", i.get());
    }
    block.sync();
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = match choice {
            Choice::Sum => x.a + x.b,
            Choice::Product(factor) => x.a * x.b * factor,
        };
    }
}

fn main() -> ROOT::Result<()> {
    let device = Device::open()?;
    device.on_print(|_| ());
    let stream = device.stream()?;
    let host: Vec<Pair> = (0..300).map(|a| Pair { a, b: 2 }).collect();
    let x = device.upload(&host)?;
    let mut y = device.zeroed::<u32>(300)?;
    apply::launch(&stream, Launch::covering(300), Choice::Sum, &x, &mut y)?;
    assert!(y.to_vec(&stream)?.iter().enumerate().all(|(i, y)| *y == i as u32 + 2));
    apply::launch(&stream, Launch::covering(300), Choice::Product(3), &x, &mut y)?;
    assert!(y.to_vec(&stream)?.iter().enumerate().all(|(i, y)| *y == i as u32 * 6));
    MORE
    println!("right");
    Ok(())
}
"#;

fn manifest(name: &str, dependencies: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n\n[build-dependencies]\nwarploom-build = \"0.1\"\n"
    )
}

#[test]
fn a_library_hands_warploom_on() {
    let _library = Outside::empty("handing-on", "handing-on")
        .file("Cargo.toml", &manifest("handing-on", "warploom = \"0.1\""))
        .file("build.rs", BUILD)
        .file("src/lib.rs", LIBRARY);
    let more = "fill::launch(&stream, Launch::covering(300), &mut y)?;
    assert_eq!(y.to_vec(&stream)?, [77; 300]);";
    let main = PROGRAM
        .replace("ROOT", "handing_on::warploom")
        .replace("MORE", more);
    let dependency = "handing-on = { path = \"../handing-on\" }";
    let user = Outside::empty("handed-on", "handed-on")
        .file("Cargo.toml", &manifest("handed-on", dependency))
        .file("build.rs", BUILD)
        .file(
            "src/main.rs",
            &format!("{main}\nhanding_on::filling!(fill, 77);\n"),
        );
    user.builds();
    assert_eq!(user.prints("debug/handed-on").trim(), "right");
    let code = user.device_code();
    let kernels: Vec<&str> = code.iter().flat_map(|c| c.kernels()).collect();
    assert_eq!(kernels, ["handed_on::apply", "handed_on::fill"]);
}

#[test]
fn a_dependency_has_another_name() {
    let main = PROGRAM.replace("ROOT", "::loom").replace("MORE", "");
    let main = main.replace("use ::loom", "use loom");
    let user = Outside::empty("renaming", "renaming")
        .file(
            "Cargo.toml",
            &manifest(
                "renaming",
                "loom = { package = \"warploom\", version = \"0.1\" }",
            ),
        )
        .file("build.rs", BUILD)
        .file("src/main.rs", &main);
    user.builds();
    assert_eq!(user.prints("debug/renaming").trim(), "right");
    assert_eq!(user.device_code()[0].kernels(), ["renaming::apply"]);
}
