//! One name for several functions: by the types of the arguments, with an argument left out, in two modules, and specialised for a type.
//!
//! The CUDA programming guide, sections D.1 (EX-35), D.2 (EX-36), D.4 (EX-38), D.5 (EX-39). Rust says these things by traits: an overload
//! is an implementation for each type, a specialisation is one that replaces a default, an argument that may be left out is an `Option`.
//! Note: all of it is ordinary Rust, which the kernel calls as the host does.
//!
//! `cargo run --release -p warploom-gallery --example overloads`
//@ rows: GCX-1, GCX-2, GCX-4
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Which one is meant depends on the type.
trait Overloaded {
    fn f(self) -> f32;
}

impl Overloaded for f32 {
    fn f(self) -> f32 {
        self + 0.5
    }
}

impl Overloaded for i32 {
    fn f(self) -> f32 {
        (self * 100) as f32
    }
}

impl Overloaded for (f64, f64) {
    fn f(self) -> f32 {
        (self.0 - self.1) as f32
    }
}

/// `None` is 0.0.
fn with_default(x: impl Into<Option<f32>>) -> f32 {
    x.into().unwrap_or(0.0) * 3.0 + 1.0
}

mod nvidia {
    pub(crate) fn f(x: f32) -> f32 {
        x + 1.0
    }
}

mod other {
    pub(crate) fn f(x: f32) -> f32 {
        x - 1.0
    }
}

/// False, unless a type says otherwise.
trait Kind {
    const IS_INT: bool = false;
}

impl Kind for f32 {}
impl Kind for i32 {
    const IS_INT: bool = true;
}

fn is_int<T: Kind>(_: T) -> bool {
    T::IS_INT
}

/// All of them, with the number of a thread.
fn all(i: i32) -> [f32; 9] {
    let x = i as f32;
    [
        x.f(),
        i.f(),
        (f64::from(i), 0.25).f(),
        with_default(None),
        with_default(x),
        nvidia::f(x),
        other::f(x),
        f32::from(is_int(i)),
        f32::from(is_int(0.5)),
    ]
}

#[kernel]
fn calls(i: Index1D, mut y: DisjointSlice<[f32; 9]>) {
    if let Some(y) = y.get_mut(i) {
        *y = all(i.get() as i32);
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let stream = program.device().stream()?;
    let mut y = program.device().zeroed::<[f32; 9]>(100)?;
    calls::launch(&stream, Launch::covering(100), &mut y)?;
    let y = y.to_vec(&stream)?;
    let [a, b, c, left_out, given, nvidia, other, int, float] = y[7];
    println!("f(7.0) = {a}, f(7) = {b}, f(7.0, 0.25) = {c}");
    println!("with a default: f() = {left_out}, f(7.0) = {given}");
    println!("nvidia::f(7.0) = {nvidia}, other::f(7.0) = {other}");
    println!("is_int(7) = {int}, is_int(0.5) = {float}");
    program.equal(
        "thread 7",
        &y[7],
        &[7.5, 700.0, 6.75, 1.0, 22.0, 8.0, 6.0, 1.0, 0.0],
    );
    let of_host: Vec<[f32; 9]> = (0..100).map(all).collect();
    program.equal("the same functions on the host", &y, &of_host);
    Ok(())
}
