use warploom::device_std::mma::{A, B, D, M16N8K16};
use warploom::prelude::*;

fn mixed(warp: Warp, a: A<M16N8K16, F16>, b: B<M16N8K16, Bf16>) {
    let _ = warp.mma(a, b, D::<_, f32>::zero());
}

fn main() {}
