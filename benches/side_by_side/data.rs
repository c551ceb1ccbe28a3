//! Numbers without a pattern, the same in each run; made where they are needed.

use warploom::device_std::vector::{Float4, UInt4};
use warploom::prelude::*;

use super::session::{BenchError, Session};

/// Number `i` of the series `seed`.
#[inline(always)]
pub(crate) fn mixed(i: usize, seed: u32) -> u32 {
    let x = (i as u32).wrapping_add(seed.wrapping_mul(0x9e37_79b9));
    let x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    let x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// A number in -1..1, a multiple of 2^-23.
#[inline(always)]
pub(crate) fn noise(i: usize, seed: u32) -> f32 {
    (mixed(i, seed) >> 8) as f32 * (1.0 / 8_388_608.0) - 1.0
}

/// `len` times [`noise`] on the device.
pub(crate) fn noise_on_device(
    session: &Session,
    len: usize,
    seed: u32,
) -> Result<DeviceBuffer<f32>, BenchError> {
    let mut x = session.device.alloc_uninit::<f32>(len)?;
    fill_f32::launch(&session.stream, shape(len), seed, &mut x)?;
    Ok(x)
}

/// `len` times [`noise`] on the device, in double precision.
pub(crate) fn noise_on_device_f64(
    session: &Session,
    len: usize,
    seed: u32,
) -> Result<DeviceBuffer<f64>, BenchError> {
    let mut x = session.device.alloc_uninit::<f64>(len)?;
    fill_f64::launch(&session.stream, shape(len), seed, &mut x)?;
    Ok(x)
}

/// `len` times [`mixed`] on the device.
pub(crate) fn mixed_on_device(
    session: &Session,
    len: usize,
    seed: u32,
) -> Result<DeviceBuffer<u32>, BenchError> {
    let mut x = session.device.alloc_uninit::<u32>(len)?;
    fill_u32::launch(&session.stream, shape(len), seed, &mut x)?;
    Ok(x)
}

/// `4 * len` times [`noise`] on the device, in fours.
pub(crate) fn noise_in_fours(
    session: &Session,
    len: usize,
    seed: u32,
) -> Result<DeviceBuffer<Float4>, BenchError> {
    let mut x = session.device.alloc_uninit::<Float4>(len)?;
    fill_float4::launch(&session.stream, shape(len), seed, &mut x)?;
    Ok(x)
}

/// `4 * len` times [`mixed`] on the device, in fours.
pub(crate) fn mixed_in_fours(
    session: &Session,
    len: usize,
    seed: u32,
) -> Result<DeviceBuffer<UInt4>, BenchError> {
    let mut x = session.device.alloc_uninit::<UInt4>(len)?;
    fill_uint4::launch(&session.stream, shape(len), seed, &mut x)?;
    Ok(x)
}

/// The numbers of fours in a row.
pub(crate) fn flat(fours: Vec<Float4>) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(4 * fours.len());
    for four in fours {
        numbers.extend_from_slice(&four.to_array());
    }
    numbers
}

fn shape(len: usize) -> Launch {
    Launch::new(len.div_ceil(256).clamp(1, 4096) as u32, 256)
}

#[kernel]
fn fill_f32(i: Index1D, seed: u32, mut x: DisjointSlice<f32, GridStride>) {
    for (at, x) in x.iter_mut(i) {
        *x = noise(at, seed);
    }
}

#[kernel]
fn fill_f64(i: Index1D, seed: u32, mut x: DisjointSlice<f64, GridStride>) {
    for (at, x) in x.iter_mut(i) {
        *x = f64::from(noise(at, seed));
    }
}

#[kernel]
fn fill_u32(i: Index1D, seed: u32, mut x: DisjointSlice<u32, GridStride>) {
    for (at, x) in x.iter_mut(i) {
        *x = mixed(at, seed);
    }
}

#[kernel]
fn fill_float4(i: Index1D, seed: u32, mut x: DisjointSlice<Float4, GridStride>) {
    for (at, x) in x.iter_mut(i) {
        *x = [0, 1, 2, 3].map(|k| noise(4 * at + k, seed)).into();
    }
}

#[kernel]
fn fill_uint4(i: Index1D, seed: u32, mut x: DisjointSlice<UInt4, GridStride>) {
    for (at, x) in x.iter_mut(i) {
        *x = [0, 1, 2, 3].map(|k| mixed(4 * at + k, seed)).into();
    }
}
