use kernels_lib::{Operator, fold_pairs, map, scale};
use warploom::prelude::*;

struct Largest;

impl Operator<u32> for Largest {
    fn apply(a: u32, b: u32) -> u32 {
        a.max(b)
    }
}

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let host: Vec<u32> = (0..1000).collect();
    let x = device.upload(&host)?;
    let mut y = device.zeroed::<u32>(1000)?;
    let summand = 5;
    map::launch(&stream, Launch::covering(1000), &x, &mut y, move |v| v + summand)?;
    scale::launch(&stream, Launch::covering(1000), 10, &mut y)?;
    let mut pairs = device.zeroed::<u32>(500)?;
    fold_pairs::<u32, Largest>::launch(&stream, Launch::covering(500), &y, &mut pairs)?;
    let pairs = pairs.to_vec(&stream)?;
    let expected = (0..500).map(|i| (2 * i + 1 + summand) * 10 + 70_001);
    println!("right: {}", pairs.iter().copied().eq(expected));
    Ok(())
}
