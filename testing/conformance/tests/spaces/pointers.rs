//! Data that refers to other data by addresses of the device, and what a kernel may assume of its pointers.

use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

/// A node of a search tree. The addresses are those of other buffers; 0 is none.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Node {
    left: u64,
    right: u64,
    key: u32,
    value: u32,
}

#[kernel]
fn look_up(i: Index1D, root: u64, keys: &[u32], mut y: DisjointSlice<u32>) {
    let (Some(y), Some(key)) = (y.get_mut(i), keys.get(i.get())) else {
        return;
    };
    let mut at = root;
    *y = loop {
        if at == 0 {
            break u32::MAX;
        }
        // SAFETY: the host made a tree of buffers that are valid until this kernel is done, and no thread writes them.
        let node = unsafe { std::ptr::with_exposed_provenance::<Node>(at as usize).read() };
        if node.key == *key {
            break node.value;
        }
        at = if *key < node.key {
            node.left
        } else {
            node.right
        };
    };
}

/// Puts a tree of `keys`, which are sorted, into one buffer per node; gives the root's address.
fn grow(
    device: &Device,
    keys: &[u32],
    nodes: &mut Vec<DeviceBuffer<Node>>,
) -> warploom::Result<u64> {
    let Some(key) = keys.get(keys.len() / 2).copied() else {
        return Ok(0);
    };
    let left = grow(device, &keys[..keys.len() / 2], nodes)?;
    let right = grow(device, &keys[keys.len() / 2 + 1..], nodes)?;
    let value = key * 10 + 1;
    let node = device.upload(&[Node {
        left,
        right,
        key,
        value,
    }])?;
    let address = node.raw_ptr();
    nodes.push(node);
    Ok(address)
}

//@ rows: GVAR-16
#[test]
fn a_tree_of_separate_buffers() {
    let keys = Vec::from_iter((0..61u32).map(|k| 3 * k + 5));
    let asked = Vec::from_iter(0..210u32);
    let of = |k: &u32| {
        if keys.contains(k) {
            k * 10 + 1
        } else {
            u32::MAX
        }
    };
    let expected = Vec::from_iter(asked.iter().map(of));
    check(&expected, |device, stream| {
        let mut nodes = Vec::new();
        let root = grow(device, &keys, &mut nodes)?;
        let mut y = device.zeroed(210)?;
        look_up::launch(stream, (3, 70), root, &device.upload(&asked)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// The same by indices, all in safe code.
#[kernel]
fn follow(i: Index1D, next: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let mut at = i.get() as u32;
        *y = 0;
        while let Some(n) = next.get(at as usize) {
            at = *n;
            *y += 1;
        }
    }
}

//@ rows: GVAR-16
#[test]
fn a_chain_of_indices() {
    let next = Vec::from_iter((0..100u32).map(|i| if i % 10 == 9 { u32::MAX } else { i + 1 }));
    check(
        &Vec::from_iter((0..100).map(|i| 10 - i % 10)),
        |device, stream| {
            let mut y = device.zeroed(100)?;
            follow::launch(stream, (2, 50), &device.upload(&next)?, &mut y)?;
            Ok(y.to_vec(stream)?)
        },
    );
}

/// All threads of a block read one element, whose index does not depend on the thread.
#[kernel]
fn uniform(i: Index1D, block: Block, x: &[u16], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0;
        for k in 0..x.len() {
            sum += u32::from(x[(k + block.index()) % x.len()]) * (k as u32 + 1);
        }
        *y = sum;
    }
}

//@ rows: AN-6, GVAR-21
#[test]
fn uniform_reads_are_reads() {
    let x = [7u16, 65_535, 3, 0, 12];
    let sum = |b: usize| {
        (0..5)
            .map(|k| u32::from(x[(k + b) % 5]) * (k as u32 + 1))
            .sum()
    };
    let expected: Vec<u32> = (0..6 * 35).map(|i| sum(i / 35)).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(210)?;
        uniform::launch(stream, (6, 35), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Six products, each of what was read before the last was written.
#[kernel]
fn products(i: Index1D, a: &[f32], b: &[f32], mut c: DisjointSlice<f32, Chunks<6>>) {
    if let Some(c) = c.get_mut(i) {
        c[0] = a[0] * b[0];
        c[1] = a[0] * b[0];
        c[2] = a[0] * b[0] * a[1];
        c[3] = a[0] * a[1];
        c[4] = a[0] * b[0];
        c[5] = b[0];
    }
}

/// The same through pointers, of which nothing is known.
#[kernel]
#[expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the same expressions as in `products`, through pointers"
)]
unsafe fn products_raw(i: Index1D, a: *const f32, b: *const f32, c: *mut f32) {
    // SAFETY: the host hands over pointers to two, one and six elements for each thread.
    unsafe {
        let c = c.add(6 * i.get());
        *c = *a * *b;
        *c.add(1) = *a * *b;
        *c.add(2) = *a * *b * *a.add(1);
        *c.add(3) = *a * *a.add(1);
        *c.add(4) = *a * *b;
        *c.add(5) = *b;
    }
}

//@ rows: AN-5, GVAR-19
#[test]
fn results_are_those_of_pointers_that_may_alias() {
    let (a, b) = ([1.5f32, -2.0], [3.0f32]);
    let expected = [4.5, 4.5, -9.0, -3.0, 4.5, 3.0];
    on_each_device(|device, stream| {
        let (a, b, mut c) = (device.upload(&a)?, device.upload(&b)?, device.zeroed(60)?);
        products::launch(stream, (2, 5), &a, &b, &mut c)?;
        assert_eq!(c.to_vec(stream)?, expected.repeat(10));
        let mut d = device.zeroed::<f32>(60)?;
        d.copy_from(0, &[0.0], stream)?;
        let [a, b] = [&a, &b].map(|x| std::ptr::with_exposed_provenance(x.raw_ptr() as usize));
        let to = std::ptr::with_exposed_provenance_mut(d.raw_ptr() as usize);
        // SAFETY: two, one and six times ten elements, in buffers that are valid until the copy below is done.
        unsafe { products_raw::launch(stream, (2, 5), a, b, to)? };
        assert_eq!(d.to_vec(stream)?, expected.repeat(10));
        Ok(())
    });
}

//@ rows: AN-5
#[test]
fn raw_pointers_may_alias() {
    on_each_device(|device, stream| {
        let mut x = device.upload(&[2.0f32, 3.0, 5.0, 7.0, 11.0, 13.0])?;
        x.copy_from(0, &[2.0], stream)?;
        let at = std::ptr::with_exposed_provenance_mut::<f32>(x.raw_ptr() as usize);
        // SAFETY: six elements, used by one thread, in a buffer that is valid until the copy below is done.
        unsafe { products_raw::launch(stream, (1, 1), at, at, at)? };
        // Each product reads what the last one left: 4, 16, 16 * 16 * 16, 16 * 16 …
        let expected = [4.0, 16.0, 256.0, 64.0, 16.0, 4.0];
        assert_eq!(x.to_vec(stream)?, expected);
        Ok(())
    });
}
