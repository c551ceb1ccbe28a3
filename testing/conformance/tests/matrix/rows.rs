//! `ldmatrix` and `stmatrix`: a row of 16 bytes for each lane, and fragments that are the same as if each element were loaded.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::device_std::mma::{
    A, B, D, E4m3, Holds, InRows, M16N8, M16N8K8, M16N8K16, M16N8K32, Tf32, Transposes,
};
use warploom::device_std::shared_array;
use warploom::prelude::*;
use warploom_conformance::tensor_cores::Number;
use warploom_harness::device_test::on_each_device;

const LEN: usize = 2048;

/// Elements that differ, as far as their bits allow.
trait Numbered: InRows + Number {
    fn numbered(slot: usize) -> Self;
}

impl Numbered for F16 {
    fn numbered(slot: usize) -> Self {
        Self::from_bits(slot as u16)
    }
}
impl Numbered for Bf16 {
    fn numbered(slot: usize) -> Self {
        Self::from_bits(slot as u16)
    }
}
impl Numbered for Tf32 {
    fn numbered(slot: usize) -> Self {
        Self::truncate(slot as f32)
    }
}
impl Numbered for E4m3 {
    fn numbered(slot: usize) -> Self {
        Self::from_bits((slot + slot / 37) as u8)
    }
}
impl Numbered for i8 {
    fn numbered(slot: usize) -> Self {
        (slot + slot / 37) as i8
    }
}

/// Counts elements of fragments that `ldmatrix` loads otherwise than one by one.
#[kernel(block(64))]
fn plain<S: Holds<T>, T: Numbered>(
    block: Block,
    warp: Warp,
    mut tile: SharedTile<T, LEN>,
    at: usize,
    stride: usize,
    wrong: &[AtomicU32],
) {
    tile.fill(T::numbered);
    let tile = tile.publish(&block);
    let at = at * (1 + warp.index() as usize);
    let a = A::<S, T>::ldmatrix_rows(warp, &tile, at, stride);
    a.for_each(warp, |row, k, found| {
        differs(found, tile[at + row * stride + k], wrong)
    });
    let b = B::<S, T>::ldmatrix_columns(warp, &tile, at, stride);
    b.for_each(warp, |k, column, found| {
        differs(found, tile[at + column * stride + k], wrong)
    });
}

/// The same, transposed.
#[kernel(block(64))]
fn transposed<S: Holds<T>, T: Numbered + Transposes>(
    block: Block,
    warp: Warp,
    mut tile: DoubleTile<T, LEN>,
    at: usize,
    stride: usize,
    wrong: &[AtomicU32],
) {
    tile.fill(T::numbered);
    let tile = tile.publish(&block);
    let at = at * (1 + warp.index() as usize);
    let a = A::<S, T>::ldmatrix_columns(warp, &tile, at, stride);
    a.for_each(warp, |row, k, found| {
        differs(found, tile[at + k * stride + row], wrong)
    });
    let b = B::<S, T>::ldmatrix_rows(warp, &tile, at, stride);
    b.for_each(warp, |k, column, found| {
        differs(found, tile[at + k * stride + column], wrong)
    });
}

fn differs<T: Number>(found: T, expected: T, wrong: &[AtomicU32]) {
    if found.bits() != expected.bits() {
        wrong[0].fetch_add(1, Relaxed);
    }
}

#[track_caller]
fn check(launch: impl Fn(&Stream, &mut DeviceBuffer<u32>) -> Result<(), warploom::LaunchError>) {
    on_each_device(|device, stream| {
        let mut wrong = device.zeroed::<u32>(1)?;
        launch(stream, &mut wrong)?;
        assert_eq!(
            wrong.to_vec(stream)?,
            [0],
            "wrong elements on {}",
            device.name()
        );
        Ok(())
    });
}

macro_rules! loads {
    ($($name:ident: $kernel:ident $shape:ident $element:ident, $at:literal $stride:literal;)*) => {$(
        #[test]
        fn $name() {
            check(|stream, wrong| {
                $kernel::<$shape, $element>::launch(stream, (2, 64), $at, $stride, wrong.as_atomic())
            });
        }
    )*};
}

loads! {
    rows_of_f16_are_four_matrices: plain M16N8K16 F16, 8 24;
    rows_of_f16_are_two_matrices: plain M16N8K8 F16, 16 8;
    rows_of_bf16: plain M16N8K16 Bf16, 32 40;
    rows_of_tf32: plain M16N8K8 Tf32, 4 12;
    rows_of_e4m3: plain M16N8K32 E4m3, 16 48;
    rows_of_bytes_are_two_matrices: plain M16N8K16 i8, 32 16;
    columns_of_f16_are_four_matrices: transposed M16N8K16 F16, 8 24;
    columns_of_f16_are_two_matrices: transposed M16N8K8 F16, 16 16;
    columns_of_bf16: transposed M16N8K16 Bf16, 8 40;
}

/// Each of two warps stores a fragment by rows and one by columns, in parts of its own.
#[kernel(block(64))]
fn stores(block: Block, warp: Warp, wrong: &[AtomicU32]) {
    let rows = shared_array!(F16, 1024);
    let columns = shared_array!(F16, 1024);
    let number = |row: usize, column: usize| {
        F16::from_bits((warp.index() as usize * 1000 + row * 8 + column) as u16)
    };
    let d = D::<M16N8, F16>::from_fn(warp, number);
    let at = 512 * warp.index() as usize;
    // SAFETY: each warp has its own half.
    unsafe { d.stmatrix_rows(warp, rows, at + 8, 24) };
    // SAFETY: as above.
    unsafe { d.stmatrix_columns(warp, columns, at + 16, 32) };
    block.sync();
    let lane = warp.lane() as usize;
    for place in (lane..128).step_by(32) {
        let (row, column) = (place / 8, place % 8);
        // SAFETY: behind the barrier nothing is written.
        differs(
            unsafe { rows.get(at + 8 + row * 24 + column) },
            number(row, column),
            wrong,
        );
        // SAFETY: as above.
        differs(
            unsafe { columns.get(at + 16 + column * 32 + row) },
            number(row, column),
            wrong,
        );
    }
}

#[test]
fn stores_are_by_rows_and_by_columns() {
    check(|stream, wrong| stores::launch(stream, (2, 64), wrong.as_atomic()));
}

#[kernel(block(32))]
fn load_at(block: Block, warp: Warp, mut tile: SharedTile<F16, 256>, at: usize, stride: usize) {
    tile.fill(F16::numbered);
    let tile = tile.publish(&block);
    let _ = A::<M16N8K8, F16>::ldmatrix_rows(warp, &tile, at, stride);
}

#[test]
fn rows_that_are_misaligned_or_beyond_the_end_are_refused() {
    on_each_device(|_, stream| {
        load_at::launch(stream, (1, 32), 128, 8)?;
        stream.synchronize()?;
        let refused = |at, stride, text: &str| {
            load_at::launch(stream, (1, 32), at, stride).unwrap();
            let why = stream.synchronize().unwrap_err().to_string();
            assert!(why.contains(text), "{why}");
        };
        refused(4, 8, "begin at multiples of 16 bytes");
        refused(0, 12, "begin at multiples of 16 bytes");
        refused(136, 8, "reaches beyond the end");
        refused(0, 24, "reaches beyond the end");
        Ok(())
    });
}
