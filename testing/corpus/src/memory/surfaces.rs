//! Textures and surfaces: beyond the edge, without a value, between threads.

use warploom::ArrayShape;
use warploom::device_std::surface::{ReadOnly, Surface1d, Surface2d};
use warploom::device_std::texture::{Texture2d, TextureLinear};
use warploom::prelude::*;
use warploom::texture::Sampler;

use crate::case::{case, cases, count, launch};

const SHAPE: ArrayShape = ArrayShape::Plane {
    width: 16,
    height: 4,
};

/// The right neighbour of the last element of a row.
#[kernel]
fn right_neighbours<const BUG: bool>(
    i: Index1D,
    x: Surface2d<u32, ReadOnly>,
    mut y: DisjointSlice<u32>,
) {
    let (column, row) = (i.get() as i32 % 16, i.get() as i32 / 16);
    let right = if BUG { column + 1 } else { (column + 1) % 16 };
    if let Some(y) = y.get_mut(i) {
        *y = x.read_trapping(right, row); //~ WL0007
    }
}

/// A store one row below the last.
#[kernel]
fn a_row_too_many<const BUG: bool>(i: Index1D, mut x: Surface2d<u32>) {
    let (column, row) = (i.get() as i32 % 16, i.get() as i32 / 16);
    let below = if BUG { row + 1 } else { row };
    // SAFETY: each thread has an element of its own. The bug is the point.
    unsafe { x.store(column, below, 7) }; //~ WL0007
}

/// All threads of a block store into the same element.
#[kernel]
fn one_element_for_a_block<const BUG: bool>(block: Block, mut x: Surface1d<u32>) {
    let (at, value) = (block.index() as i32, block.thread() as u32);
    if BUG || block.thread() == 0 {
        // SAFETY: one thread of a block. The bug is the point.
        unsafe { x.store(at, value) }; //~ WL0110
    }
}

/// A thread reads through a surface what its neighbour stores.
#[kernel]
fn a_neighbour_writes<const BUG: bool>(
    i: Index1D,
    mut x: Surface1d<u32>,
    mut y: DisjointSlice<u32>,
) {
    let own = i.get() as i32;
    let read = if BUG { (own + 32) % 64 } else { own };
    if let Some(y) = y.get_mut(i) {
        // SAFETY: below 64. The bug is the point.
        *y = unsafe { x.load(read) }; //~ WL0111 first
        x.write(i, *y + 1); //~ WL0111 second
    }
}

/// The texture of an array of which the host wrote the first rows.
#[kernel]
fn rows_without_values<const BUG: bool>(i: Index1D, x: Texture2d<u32>, mut y: DisjointSlice<u32>) {
    let row = if BUG { 3.0 } else { 1.0 };
    if let Some(y) = y.get_mut(i) {
        *y = x.sample(i.get() as f32, row); //~ WL0021
    }
}

/// Linear memory of which the host wrote the first half.
#[kernel]
fn elements_without_values<const BUG: bool>(
    i: Index1D,
    x: TextureLinear<u32>,
    mut y: DisjointSlice<u32>,
) {
    let at = i.get() as i32 + if BUG { 16 } else { 0 };
    if let Some(y) = y.get_mut(i) {
        *y = x.fetch(at); //~ WL0021
    }
}

cases!("surfaces.rs":
    case!(right_neighbours, "", |run| {
        let x = run.device.array_from(SHAPE.with_surface(), &count::<u32>(64))?;
        let mut y = run.zeroed(64)?;
        launch!(run, right_neighbours, (2, 32), &x.surface()?, &mut y);
        run.expect(&y, |i| (i / 16 * 16 + (i + 1) % 16) as u32)
    }),
    case!(a_row_too_many, "", |run| {
        let mut x = run.device.array_from(SHAPE.with_surface(), &count::<u32>(64))?;
        launch!(run, a_row_too_many, (2, 32), &mut x.surface_mut()?);
        Ok(())
    }),
    case!(one_element_for_a_block, "", |run| {
        let shape = ArrayShape::Line { width: 2 };
        let mut x = run.device.array_from(shape.with_surface(), &[9_u32; 2])?;
        launch!(run, one_element_for_a_block, (2, 32), &mut x.surface_mut()?);
        Ok(())
    }),
    case!(a_neighbour_writes, "", |run| {
        let shape = ArrayShape::Line { width: 64 };
        let mut x = run.device.array_from(shape.with_surface(), &count::<u32>(64))?;
        let mut y = run.zeroed(64)?;
        launch!(run, a_neighbour_writes, (1, 64), &mut x.surface_mut()?, &mut y);
        run.expect(&y, |i| i as u32)
    }),
    case!(rows_without_values, "", |run| {
        let mut x = run.device.array_uninit::<u32>(SHAPE)?;
        x.part_mut(.., 0..2, ..)?.copy_from(&count::<u32>(32), run.stream)?;
        let mut y = run.zeroed(16)?;
        launch!(run, rows_without_values, (1, 16), &x.texture(Sampler::new())?, &mut y);
        run.expect(&y, |i| i as u32 + 16)
    }),
    case!(elements_without_values, "", |run| {
        let mut x = run.device.alloc_uninit::<u32>(32)?;
        x.copy_from(0, &count::<u32>(16), run.stream)?;
        let mut y = run.zeroed(16)?;
        launch!(run, elements_without_values, (1, 16), &x.texture()?, &mut y);
        run.expect(&y, |i| i as u32)
    }),
);
