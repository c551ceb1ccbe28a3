use warploom::prelude::*;

#[kernel]
fn integers(x: Texture1d<u8>) {
    let _: f32 = x.sample(0.5);
}

fn no_fraction(_: Texture2d<f32, Normalized>) {}

fn main() {}
