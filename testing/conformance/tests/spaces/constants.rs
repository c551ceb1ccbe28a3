//! `constant_static!`: read by kernels, written by the host between them.

use warploom::prelude::*;
use warploom_device_std::constant_static;
use warploom_harness::device_test::on_each_device;

constant_static! {
    static COEF: [f32; 16] = [0.5; 16];
    pub static LARGE: [f32; 256] = [0.0; 256];
}

#[kernel]
fn polynomial(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = COEF.iter().fold(0.0, |sum, c| sum * x + c);
    }
}

fn expected(coef: &[f32; 16], x: &[f32]) -> Vec<f32> {
    let one = |x: &f32| coef.iter().fold(0.0, |sum, c| sum * x + c);
    x.iter().map(one).collect()
}

//@ rows: MS-2, GVAR-2, GPM-9
#[test]
fn the_initial_value_and_then_what_the_host_wrote() {
    on_each_device(|device, stream| {
        let x = Vec::from_iter((0..190).map(|i| i as f32 / 256.0 - 0.25));
        let on_device = device.upload(&x)?;
        let mut y = device.zeroed(190)?;
        let coef = device.symbol(&COEF)?;
        // Emulators share it: the other tests of this file leave it alone, and this one puts it back.
        coef.write(stream, &[0.5; 16])?;
        let mut current = [0.5; 16];
        for round in 0..3u8 {
            polynomial::launch(stream, (2, 95), &on_device, &mut y)?;
            assert_eq!(y.to_vec(stream)?, expected(&current, &x), "round {round}");
            current = std::array::from_fn(|k| (k as f32 - 7.0) / 8.0 + f32::from(round));
            coef.write(stream, &current)?;
            assert_eq!(coef.read(stream)?, current);
        }
        coef.write(stream, &[0.5; 16])?;
        Ok(())
    });
}

constant_static! {
    static NEVER_WRITTEN: [[i64; 3]; 2] = [[1, -2, 3], [-4, 5, i64::MIN]];
}

#[kernel]
fn read_initial(i: Index1D, mut y: DisjointSlice<i64>) {
    if let Some(y) = y.get_mut(i) {
        let [row, column] = [i.get() / 3 % 2, i.get() % 3];
        *y = NEVER_WRITTEN[row][column];
    }
}

//@ rows: MS-2
#[test]
fn the_initial_value_is_there_without_the_host() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(8)?;
        read_initial::launch(stream, (2, 4), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [1, -2, 3, -4, 5, i64::MIN, 1, -2]);
        Ok(())
    });
}

#[kernel]
fn look_up(i: Index1D, at: &[u32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(at)) = (y.get_mut(i), at.get(i.get())) {
        *y = LARGE[*at as usize];
    }
}

//@ rows: GVAR-2, MS-3
#[test]
fn the_host_sets_256_floats() {
    on_each_device(|device, stream| {
        let table: [f32; 256] = std::array::from_fn(|k| (k * k) as f32);
        let symbol = device.symbol(&LARGE)?;
        assert_eq!(symbol.size(), 1024);
        symbol.write(stream, &table)?;
        let at = Vec::from_iter((0..300u32).map(|i| i * 7 % 256));
        let mut y = device.zeroed(300)?;
        look_up::launch(stream, (5, 60), &device.upload(&at)?, &mut y)?;
        let expected = Vec::from_iter(at.iter().map(|&at| table[at as usize]));
        assert_eq!(y.to_vec(stream)?, expected);
        Ok(())
    });
}

constant_static! {
    static SHARED_BY_TWO: u32 = 1;
}

#[kernel]
fn first_reader(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = *SHARED_BY_TWO + 1;
    }
}

#[kernel]
fn second_reader(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = *SHARED_BY_TWO * 2;
    }
}

//@ rows: MS-2
#[test]
fn all_kernels_read_one_value() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(5)?;
        device.symbol(&SHARED_BY_TWO)?.write(stream, &20)?;
        first_reader::launch(stream, (1, 5), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [21; 5]);
        second_reader::launch(stream, (1, 5), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [40; 5]);
        Ok(())
    });
}

//@ rows: MS-2
#[test]
fn the_write_waits_for_kernels_of_other_streams() {
    on_each_device(|device, stream| {
        let other = device.stream()?;
        let symbol = device.symbol(&IN_USE)?;
        symbol.write(stream, &3)?;
        let mut y = device.zeroed(64)?;
        spin_and_read::launch(&other, (1, 64), 1 << 14, &mut y)?;
        symbol.write(stream, &5)?;
        assert_eq!(y.to_vec(&other)?, [3; 64]);
        Ok(())
    });
}

constant_static! {
    static IN_USE: u32 = 0;
}

/// Reads the constant after some time.
#[kernel]
fn spin_and_read(i: Index1D, steps: u32, mut y: DisjointSlice<u32>) {
    let mut state = i.get() as u32 | 1;
    for _ in 0..steps {
        state = state.wrapping_mul(state).wrapping_add(2);
    }
    if let Some(y) = y.get_mut(i) {
        // Never zero, which the compiler does not know.
        *y = if state == 0 { 0 } else { *IN_USE };
    }
}
