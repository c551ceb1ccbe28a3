//! Errors and panics: what a launch refuses, and what a wait returns.

use warploom::model::{Emulator, Mode, Schedule};
use warploom::prelude::*;
use warploom::{LaunchError, StreamError};

use crate::transcript::shows;

// ANCHOR: kernel
/// Looks numbers up in a table. A number that is too large is a panic of its thread.
#[kernel]
fn look_up(i: Index1D, table: &[f32], numbers: &[u32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = table[numbers[i.get()] as usize];
    }
}
// ANCHOR_END: kernel

// ANCHOR: panic
#[test]
fn an_index_out_of_bounds_is_an_error() -> warploom::Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let table = device.upload(&[0.0, 10.0, 20.0])?;
    let numbers = device.upload(&[2u32, 1, 7, 0])?;
    let mut y = device.filled(4, -1.0f32)?;
    look_up::launch(&stream, Launch::new(1, 4), &table, &numbers, &mut y)?;
    match stream.synchronize() {
        Err(StreamError::Panic(panic)) => {
            assert_eq!(
                panic.message,
                "index out of bounds: the len is 3 but the index is 7"
            );
            assert_eq!((panic.block, panic.thread), ([0, 0, 0], [2, 0, 0]));
        }
        other => panic!("{other:?}"),
    }
    // The other threads went on, and the device takes further work.
    assert_eq!(y.to_vec(&stream)?, [20.0, 10.0, -1.0, 0.0]);
    Ok(())
}
// ANCHOR_END: panic

#[test]
fn the_text_of_a_panic() -> warploom::Result<()> {
    let device = Emulator::new()
        .mode(Mode::Checked)
        .schedule(Schedule::Forward)
        .device();
    let stream = device.stream()?;
    let (table, numbers) = (device.upload(&[0.0])?, device.upload(&[0u32, 7])?);
    let mut y = device.zeroed::<f32>(2)?;
    look_up::launch(&stream, Launch::new(1, 2), &table, &numbers, &mut y)?;
    let Err(StreamError::Panic(panic)) = stream.synchronize() else {
        panic!("index 7 of 1 element is no panic");
    };
    shows!("panic", &panic.to_string());
    Ok(())
}

// ANCHOR: refused
#[test]
fn a_launch_that_cannot_run_is_refused() -> warploom::Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let table = device.upload(&[0.0])?;
    let numbers = device.upload(&[0u32; 4096])?;
    let mut y = device.zeroed::<f32>(4096)?;
    let too_large = Launch::new(1, 4096);
    let refused = look_up::launch(&stream, too_large, &table, &numbers, &mut y);
    let Err(error @ LaunchError::BlockTooLarge { .. }) = refused else {
        panic!("{refused:?}");
    };
    shows!("refused", &error.to_string());
    Ok(())
}
// ANCHOR_END: refused
