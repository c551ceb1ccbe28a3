//! Elements that bytemuck vouches for, in kernels.

use bytemuck::{TransparentWrapper, Zeroable};
use warploom::interop::Pod;
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

/// As another crate would have it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

// SAFETY: zeros are numbers.
unsafe impl Zeroable for Complex {}
// SAFETY: two numbers without padding.
unsafe impl bytemuck::Pod for Complex {}

#[kernel]
fn multiply(i: Index1D, by: Pod<Complex>, x: &[Pod<Complex>], mut y: DisjointSlice<Pod<Complex>>) {
    if let Some(y) = y.get_mut(i) {
        let (a, b) = (x[i.get()].0, by.0);
        y.0 = Complex {
            re: a.re * b.re - a.im * b.im,
            im: a.re * b.im + a.im * b.re,
        };
    }
}

#[test]
fn kernels_take_elements_of_others() {
    on_each_device(|device, stream| {
        let z: Vec<Complex> = (0..100u8)
            .map(|n| Complex {
                re: n.into(),
                im: 1.0,
            })
            .collect();
        let i = Pod(Complex { re: 0.0, im: 1.0 });
        let x = device.upload(Pod::wrap_slice(&z))?;
        let mut y = device.zeroed::<Pod<Complex>>(100)?;
        multiply::launch(stream, Launch::covering(100), i, &x, &mut y)?;
        for (given, found) in z.iter().zip(Pod::peel_slice(&y.to_vec(stream)?)) {
            assert_eq!((found.re, found.im), (-given.im, given.re));
        }
        Ok(())
    });
}
