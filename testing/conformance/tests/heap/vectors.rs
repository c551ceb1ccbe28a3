//! `Vec`.

use warploom::StreamError;
use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

#[kernel]
fn grows(i: Index1D, mut y: DisjointSlice<u64>) {
    let n = i.get() as u32 % 97;
    if let Some(y) = y.get_mut(i) {
        let mut all = Vec::new();
        for k in 0..n {
            all.push(u64::from(k) * u64::from(k));
        }
        *y = all.iter().sum::<u64>() + all.len() as u64;
    }
}

//@ rows: HEAP-vec
#[test]
fn a_vector_grows_by_pushes() {
    let sum = |n: u64| (0..n).map(|k| k * k).sum::<u64>() + n;
    let expected: Vec<u64> = (0..350).map(|i| sum(i % 97)).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(350)?;
        grows::launch(stream, (5, 70), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// How many elements are read back as they were pushed, of vectors of all primitive types.
macro_rules! pushed {
    ($n:ident: $($of:expr),*) => {{
        let mut right = 0;
        $({
            let of = $of;
            let mut all = Vec::new();
            for k in 0..$n {
                all.push(of(k));
            }
            for (k, value) in (0..$n).zip(&all) {
                right += u32::from(*value == of(k));
            }
        })*
        right
    }};
}

#[kernel]
fn primitive(i: Index1D, mut y: DisjointSlice<u32>) {
    let n = (i.get() % 37) as u8;
    if let Some(y) = y.get_mut(i) {
        let whole = pushed!(n: u16::from, u32::from, u64::from, u128::from, usize::from, |k: u8| k);
        let signed = pushed!(n: |k: u8| k as i8, i16::from, i32::from, i64::from, i128::from, |k: u8| k as isize);
        let other = pushed!(n: f32::from, f64::from, |k: u8| k % 3 == 1, char::from);
        *y = whole + signed + other;
    }
}

// The crates that run kernels push to vectors of some of these types, and they have no code on the device: the link said that the instances of
// `RawVec::grow_one` for `usize` and `i32` were missing.
//@ rows: HEAP-vec
#[test]
fn vectors_of_all_primitive_types_grow_by_pushes() {
    let expected: Vec<u32> = (0..100).map(|i| 16 * (i % 37)).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(100)?;
        primitive::launch(stream, (2, 50), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn operations(i: Index1D, mut y: DisjointSlice<[u32; 6]>) {
    let n = i.get() % 50 + 1;
    if let Some(y) = y.get_mut(i) {
        let zeros = vec![0u32; n];
        let mut all: Vec<u32> = (0..n as u32).map(|k| (k * 37) % 101).collect();
        all.sort_unstable();
        let sorted = all.is_sorted();
        all.insert(0, 7);
        let last = all.pop().unwrap_or(0);
        all.truncate(n / 2 + 1);
        all.shrink_to_fit();
        let copy = all.clone();
        all.reserve(1000);
        all.extend_from_slice(&copy);
        *y = [
            zeros.iter().sum(),
            u32::from(sorted),
            last,
            all.len() as u32,
            all.iter().sum(),
            u32::from(all.capacity() >= 1000),
        ];
    }
}

fn operated(n: usize) -> [u32; 6] {
    let mut all: Vec<u32> = (0..n as u32).map(|k| (k * 37) % 101).collect();
    all.sort_unstable();
    all.insert(0, 7);
    let last = all.pop().unwrap_or(0);
    all.truncate(n / 2 + 1);
    let len = 2 * all.len() as u32;
    [0, 1, last, len, 2 * all.iter().sum::<u32>(), 1]
}

//@ rows: HEAP-vec
#[test]
fn vectors_shrink_copy_and_sort() {
    let expected: Vec<[u32; 6]> = (0..130).map(|i| operated(i % 50 + 1)).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(130)?;
        operations::launch(stream, (2, 65), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn nested(i: Index1D, mut y: DisjointSlice<u32>) {
    let n = i.get() as u32 % 9;
    if let Some(y) = y.get_mut(i) {
        let rows: Vec<Vec<u8>> = (0..n).map(|k| vec![k as u8; k as usize]).collect();
        let flat: Vec<u8> = rows.into_iter().flatten().collect();
        *y = flat.iter().map(|v| u32::from(*v)).sum();
    }
}

//@ rows: HEAP-vec
#[test]
fn vectors_hold_vectors() {
    let expected: Vec<u32> = (0..96).map(|i| (0..i % 9).map(|k| k * k).sum()).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(96)?;
        nested::launch(stream, (1, 96), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn without_bytes(i: Index1D, mut y: DisjointSlice<u32>) {
    let n = i.get();
    if let Some(y) = y.get_mut(i) {
        let mut units = Vec::new();
        units.resize(n, ());
        let empty: Vec<u64> = Vec::with_capacity(0);
        *y = (units.len() + empty.len()) as u32;
    }
}

//@ rows: HEAP-vec
#[test]
fn elements_without_bytes_take_no_memory() {
    let expected: Vec<u32> = (0..66).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(66)?;
        without_bytes::launch(stream, (2, 33), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn too_large(i: Index1D, len: u64, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let all: Vec<u64> = Vec::with_capacity(len as usize);
        *y = all.capacity() as u32;
    }
}

//@ rows: HEAP-vec
#[test]
fn a_capacity_beyond_all_memory_is_a_panic() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(1)?;
        too_large::launch(stream, (1, 1), u64::MAX / 2, &mut y)?;
        let Err(StreamError::Panic(panic)) = stream.synchronize() else {
            panic!("no panic on {}", device.name());
        };
        assert_eq!(
            (&*panic.kernel, &*panic.message),
            ("too_large", "capacity overflow")
        );
        too_large::launch(stream, (1, 1), 3, &mut y)?;
        assert_eq!(y.to_vec(stream)?, [3], "the device goes on");
        Ok(())
    });
}
