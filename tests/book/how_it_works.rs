//! How it works: one body, two compilations, and what the program carries.

use warploom::module::carried_ptx;
use warploom::prelude::*;

// ANCHOR: kernel
/// On a GPU `arch()` is a constant such as 75 or 90; on the emulator it is 0.
#[kernel]
fn where_am_i(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = if is_device() { arch() } else { 0 };
    }
}
// ANCHOR_END: kernel

#[test]
fn a_kernel_knows_its_architecture() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.filled(40, 7u32)?;
    where_am_i::launch(&stream, Launch::covering(40), &mut y)?;
    let y = y.to_vec(&stream)?;
    assert_eq!(y[39] > 0, device.is_gpu());
    Ok(())
}

// ANCHOR: carried
#[test]
fn the_program_carries_ptx() -> warploom::Result<()> {
    let images = carried_ptx()?;
    let ptx = images
        .iter()
        .find_map(|image| image.kernel("book::how_it_works::where_am_i"));
    assert!(ptx.is_some_and(|text| text.contains(".entry")), "no PTX");
    Ok(())
}
// ANCHOR_END: carried
