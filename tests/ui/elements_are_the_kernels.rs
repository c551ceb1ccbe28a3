use std::sync::atomic::{AtomicU32, Ordering};
use warploom::prelude::*;

#[kernel]
fn count(_i: Index1D, counts: &[AtomicU32]) {
    counts[0].fetch_add(1, Ordering::Relaxed);
}

fn main() {
    let device = Device::emulator();
    let (stream, counts) = (device.stream().unwrap(), device.zeroed::<u32>(1).unwrap());
    count::launch(&stream, Launch::covering(9), &counts).unwrap();
}
