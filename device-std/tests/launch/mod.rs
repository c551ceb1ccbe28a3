//! Launches a kernel body on the emulator, as the code around a kernel does.
#![allow(dead_code, reason = "each test file uses its part")]

use warploom_device_std::output::Space;
use warploom_device_std::{Dim3, DisjointSlice, DisjointSlice2D, Plain};
use warploom_emulator::{Fault, Shape, run};

/// Runs `body` once per thread.
pub(crate) fn launch(
    grid: impl Into<Dim3>,
    block: impl Into<Dim3>,
    body: impl Fn() + Sync,
) -> Result<(), Fault> {
    let (grid, block) = (grid.into(), block.into());
    let shape = Shape {
        grid: [grid.x, grid.y, grid.z],
        block: [block.x, block.y, block.z],
        dynamic_shared_bytes: 1024,
        workers: Some(2),
    };
    run(shape, &body)
}

/// Memory that a kernel writes.
pub(crate) struct Output<T> {
    start: *mut T,
    len: usize,
}

// SAFETY: a kernel's threads reach the elements through disjoint slices alone.
unsafe impl<T: Plain> Sync for Output<T> {}

impl<T: Plain> Output<T> {
    pub(crate) fn new(value: T, len: usize) -> Self {
        let elements = Box::leak(vec![value; len].into_boxed_slice());
        Output {
            start: elements.as_mut_ptr(),
            len,
        }
    }

    /// The parameter that each thread gets.
    pub(crate) fn slice<'k, S: Space>(&self) -> DisjointSlice<'k, T, S> {
        // SAFETY: `len` elements that are valid until `self` is dropped; the tests give each output to one kernel at a time, once.
        unsafe { DisjointSlice::from_launch(self.start, self.len) }
    }

    /// The parameter that each thread gets, as a matrix.
    pub(crate) fn matrix<'k, S: Space>(&self, width: usize) -> DisjointSlice2D<'k, T, S> {
        // SAFETY: as above; `width * (len / width)` is at most `len`.
        unsafe { DisjointSlice2D::from_launch(self.start, width, self.len / width) }
    }

    /// What the kernel left.
    pub(crate) fn read(&self) -> Vec<T> {
        // SAFETY: `len` elements, made in `new`; no kernel runs now.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }.to_vec()
    }
}

impl<T> Drop for Output<T> {
    fn drop(&mut self) {
        // SAFETY: made by `Box::leak` in `new`, dropped once.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.start, self.len)) });
    }
}

/// The value of `f` in each thread, threads of block 0 first.
pub(crate) fn each_thread<T: Plain + Default>(
    grid: u32,
    block: impl Into<Dim3>,
    f: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let block = block.into();
    let threads = block.count() as usize;
    let output = Output::new(T::default(), grid as usize * threads);
    let result = launch(grid, block, || {
        // SAFETY: a witness of this very thread.
        let group = unsafe { warploom_device_std::Block::from_launch() };
        let at = group.index() * threads + group.thread();
        let value = f(at);
        let start = output.slice::<warploom_device_std::Linear>().raw();
        // SAFETY: below the length.
        let element = unsafe { start.add(at) };
        // SAFETY: `at` differs in each thread.
        unsafe { element.write(value) };
    });
    assert_eq!(result, Ok(()));
    output.read()
}
