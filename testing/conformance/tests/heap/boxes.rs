//! `Box`.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

#[inline(never)]
fn boxed(i: u32) -> Box<[u64; 9]> {
    Box::new([u64::from(i); 9])
}

#[kernel]
fn boxes(i: Index1D, mut y: DisjointSlice<u64>) {
    let at = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        let mut all = boxed(at);
        all[3] += 5;
        let one = Box::new(at % 7);
        *y = all.iter().sum::<u64>() + u64::from(*one);
    }
}

//@ rows: HEAP-box
#[test]
fn a_box_holds_its_value() {
    let expected: Vec<u64> = (0..300).map(|i| 9 * i + 5 + i % 7).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(300)?;
        boxes::launch(stream, (5, 70), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

struct Counted<'a>(&'a AtomicU32, u32);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(self.1, Relaxed);
    }
}

#[kernel]
fn drops(i: Index1D, counters: &[AtomicU32]) {
    let kept = Box::new(Counted(&counters[0], 1));
    let moved = Box::new(Counted(&counters[1], 10));
    drop(moved);
    if i.get().is_multiple_of(3) {
        std::mem::forget(kept); // a leak: allowed, and never dropped
    }
}

//@ rows: HEAP-box
#[test]
fn destructors_run() {
    check(&[140, 2100], |device, stream| {
        let mut counters = device.zeroed::<u32>(2)?;
        drops::launch(stream, (3, 70), counters.as_atomic())?;
        Ok(counters.to_vec(stream)?)
    });
}

#[repr(align(128))]
#[derive(Clone, Copy)]
struct Line([u32; 32]);

#[kernel]
fn aligned(i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    let at = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        let lines = [Box::new(Line([at; 32])), Box::new(Line([at + 1; 32]))];
        let misaligned = lines.iter().filter(|l| (&raw const ***l).addr() % 128 != 0);
        *y = [
            misaligned.count() as u32,
            lines.iter().map(|l| l.0[31]).sum(),
        ];
    }
}

//@ rows: HEAP-box
#[test]
fn alignment_is_kept() {
    let expected: Vec<[u32; 2]> = (0..200).map(|i| [0, 2 * i + 1]).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(200)?;
        aligned::launch(stream, (4, 50), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

trait Shape {
    fn area(&self) -> u32;
}

struct Square(u32);
struct Oblong(u32, u32);

impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}

impl Shape for Oblong {
    fn area(&self) -> u32 {
        self.0 * self.1
    }
}

#[kernel]
fn objects(i: Index1D, mut y: DisjointSlice<u32>) {
    let at = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        let shape: Box<dyn Shape> = if at.is_multiple_of(2) {
            Box::new(Square(at))
        } else {
            Box::new(Oblong(at, 3))
        };
        *y = shape.area();
    }
}

//@ rows: HEAP-box
#[test]
fn a_boxed_trait_object_is_called_and_dropped() {
    let expected: Vec<u32> = (0..96)
        .map(|i| if i % 2 == 0 { i * i } else { i * 3 })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(96)?;
        objects::launch(stream, (2, 48), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn nodes(mut y: DisjointSlice<u32>, i: Index1D) {
    struct Node {
        value: u32,
        next: Option<Box<Node>>,
    }
    let at = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        let mut head = None;
        for value in 0..at % 10 {
            head = Some(Box::new(Node { value, next: head }));
        }
        let mut sum = 0;
        while let Some(node) = head {
            sum = 3 * sum + node.value;
            head = node.next;
        }
        *y = sum;
    }
}

//@ rows: HEAP-box
#[test]
fn a_list_is_built_and_taken_apart() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(70)?;
        nodes::launch(stream, (1, 70), &mut y)?;
        let sum = |n: u32| (0..n % 10).rev().fold(0, |sum, value| 3 * sum + value);
        assert_eq!(y.to_vec(stream)?, (0..70).map(sum).collect::<Vec<u32>>());
        Ok(())
    });
}
