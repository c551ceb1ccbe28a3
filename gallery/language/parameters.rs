//! Parameters of six types in a row: where the device expects each, and that all arrive; then a structure.
//!
//! The CUDA programming guide, section 3.3.3 (EX-21). Note: a parameter starts at a multiple of its own alignment, so that after an
//! integer of 4 bytes 12 are left out before four floats of 16. In C++ the host had to count these bytes; here `launch` has the kernel's
//! own types, rustc checks them, and the runtime compares sizes with what the device code says.
//!
//! `cargo run --release -p warploom-gallery --example parameters`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::mem::offset_of;
use std::process::ExitCode;

use warploom::device_std::vector::{Float2, Float4};
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// The same six in a structure, to see where a compiler puts them. An address has 8 bytes.
#[derive(Clone, Copy)]
#[repr(C)]
struct InARow {
    i: i32,
    f4: Float4,
    c: i8,
    f: f32,
    address: u64,
    f2: Float2,
}

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct MyStruct {
    f: f32,
    f4: Float4,
}

/// Writes down what it got.
#[kernel]
fn echo(
    at: Index1D,
    i: i32,
    f4: Float4,
    c: i8,
    f: f32,
    mut y: DisjointSlice<[f32; 9]>,
    f2: Float2,
) {
    if let Some(y) = y.get_mut(at) {
        *y = [
            i as f32,
            f4.x,
            f4.y,
            f4.z,
            f4.w,
            f32::from(c),
            f,
            f2.x,
            f2.y,
        ];
    }
}

#[kernel]
fn echo_struct(at: Index1D, s: MyStruct, mut y: DisjointSlice<[f32; 5]>) {
    if let Some(y) = y.get_mut(at) {
        *y = [s.f, s.f4.x, s.f4.y, s.f4.z, s.f4.w];
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let offsets = [
        offset_of!(InARow, i),
        offset_of!(InARow, f4),
        offset_of!(InARow, c),
        offset_of!(InARow, f),
        offset_of!(InARow, address),
        offset_of!(InARow, f2),
    ];
    let bytes = offsets[5] + size_of::<Float2>();
    println!("int, float4, char, float, pointer, float2 start at {offsets:?} of {bytes} bytes");
    program.equal("offsets", &offsets, &[0, 16, 32, 36, 40, 48]);
    program.is("bytes", bytes, 56);

    let stream = program.device().stream()?;
    let mut y = program.device().zeroed::<[f32; 9]>(2)?;
    let (f4, f2) = (Float4::new(1.0, 2.0, 3.0, 4.0), Float2::new(7.0, 8.0));
    echo::launch(&stream, Launch::new(1, 2), -5, f4, -6, 0.5, &mut y, f2)?;
    let found = y.to_vec(&stream)?;
    println!("what the kernel got: {:?}", found[0]);
    program.equal(
        "echo",
        &found,
        &[[-5.0, 1.0, 2.0, 3.0, 4.0, -6.0, 0.5, 7.0, 8.0]; 2],
    );

    let mut y = program.device().zeroed::<[f32; 5]>(2)?;
    echo_struct::launch(&stream, Launch::new(1, 2), MyStruct { f: 0.25, f4 }, &mut y)?;
    println!(
        "the structure: {} bytes, four floats at {}",
        size_of::<MyStruct>(),
        offset_of!(MyStruct, f4)
    );
    program.equal(
        "echo of a structure",
        &y.to_vec(&stream)?,
        &[[0.25, 1.0, 2.0, 3.0, 4.0]; 2],
    );
    Ok(())
}
