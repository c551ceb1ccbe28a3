//! `+` for a type of one's own: four bytes that wrap around, and a pixel with constructors.
//!
//! The CUDA programming guide, sections D.3 (EX-37) and D.6.1 (EX-40). Note: `UChar4` has a `+` already, which overflows as Rust's `u8`
//! does (a panic in a debug build); a type around it says that its sums wrap, as C's do. A pixel saturates instead: white and white is
//! white.
//!
//! `cargo run --release -p warploom-gallery --example pixels`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::ops::Add;
use std::process::ExitCode;

use warploom::device_std::vector::UChar4;
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// Four bytes, each modulo 256.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(transparent)]
struct Wrapping4(UChar4);

impl Add for Wrapping4 {
    type Output = Wrapping4;
    fn add(self, other: Wrapping4) -> Wrapping4 {
        let (a, b) = (self.0.to_array(), other.0.to_array());
        let sum = std::array::from_fn(|k| a[k].wrapping_add(b[k]));
        Wrapping4(UChar4::from(sum))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C, align(4))]
struct PixelRgba {
    r: u8,
    g: u8,
    b: u8,
    a: u8,
}

impl PixelRgba {
    fn new(r: u8, g: u8, b: u8, a: u8) -> PixelRgba {
        PixelRgba { r, g, b, a }
    }
}

impl Add for PixelRgba {
    type Output = PixelRgba;
    fn add(self, other: PixelRgba) -> PixelRgba {
        PixelRgba {
            r: self.r.saturating_add(other.r),
            g: self.g.saturating_add(other.g),
            b: self.b.saturating_add(other.b),
            a: self.a.saturating_add(other.a),
        }
    }
}

/// One kernel for all types that have a `+`.
#[kernel]
fn add<T: Plain + Add<Output = T>>(i: Index1D, x: &[T], y: &[T], mut sum: DisjointSlice<T>) {
    if let Some(sum) = sum.get_mut(i) {
        *sum = x[i.get()] + y[i.get()];
    }
}

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let (device, n) = (program.device(), 256);
    let stream = device.stream()?;

    let of = |i: usize| Wrapping4(UChar4::new(i as u8, 2, 255, 128));
    let x: Vec<Wrapping4> = (0..n).map(of).collect();
    let (input, mut sum) = (device.upload(&x)?, device.upload(&x)?);
    add::launch(&stream, Launch::covering(n), &input, &input, &mut sum)?;
    let found = sum.to_vec(&stream)?;
    println!("{:?} and itself: {:?}", x[200].0, found[200].0);
    program.is("200 + 200", found[200].0, UChar4::new(144, 4, 254, 0));
    let expected: Vec<Wrapping4> = x.iter().map(|&x| x + x).collect();
    program.equal("bytes", &found, &expected);

    let x: Vec<PixelRgba> = (0..n)
        .map(|i| PixelRgba::new(i as u8, 2, 255, 128))
        .collect();
    let black = vec![PixelRgba::default(); n];
    let (input, mut sum) = (device.upload(&x)?, device.upload(&black)?);
    add::launch(&stream, Launch::covering(n), &input, &input, &mut sum)?;
    let found = sum.to_vec(&stream)?;
    println!("{:?} and itself: {:?}", x[200], found[200]);
    program.is("200 and 200", found[200], PixelRgba::new(255, 4, 255, 255));
    add::launch(
        &stream,
        Launch::covering(n),
        &input,
        &device.upload(&black)?,
        &mut sum,
    )?;
    program.equal("nothing is added", &sum.to_vec(&stream)?, &x);
    Ok(())
}
