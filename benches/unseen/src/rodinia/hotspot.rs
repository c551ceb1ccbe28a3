//! Rodinia `hotspot`: the temperature of a chip by explicit steps of the heat equation. A block takes several steps on a tile of which the valid part
//! shrinks by one cell at each side per step, so tiles of neighbouring blocks overlap.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "hotspot",
    run,
};

const BLOCK: i32 = 16;

/// Factors of the heat equation for one time step.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Heat {
    step_by_capacity: f32,
    along_x: f32,
    along_y: f32,
    along_z: f32,
}

// The output is raw: tiles overlap, and the element of a thread is none that an index stands for.
#[kernel(fma, block(16, 16))]
fn calculate_temp(
    block: Block,
    iterations: i32,
    rows: i32,
    columns: i32,
    heat: Heat,
    power: &[f32],
    source: &[f32],
    mut tile: SharedTile<f32, 256>,
    mut target: DisjointSlice<f32>,
) {
    let (tx, ty) = (thread_idx().x as i32, thread_idx().y as i32);
    let step = BLOCK - 2 * iterations;
    let top = step * block_idx().y as i32 - iterations;
    let left = step * block_idx().x as i32 - iterations;
    let (y, x) = (top + ty, left + tx);
    let index = (y * columns + x) as usize;
    let mut power_here = 0.0;
    if (0..rows).contains(&y) && (0..columns).contains(&x) {
        tile.set_own(0, source[index]);
        power_here = power[index];
    }

    let valid_y = (-top).max(0)..=(rows - 1 - top).min(BLOCK - 1);
    let valid_x = (-left).max(0)..=(columns - 1 - left).min(BLOCK - 1);
    let north = (ty - 1).max(*valid_y.start());
    let south = (ty + 1).min(*valid_y.end());
    let west = (tx - 1).max(*valid_x.start());
    let east = (tx + 1).min(*valid_x.end());
    let at = |y: i32, x: i32| (y * BLOCK + x) as usize;

    let mut result = None;
    for i in 0..iterations {
        let old = tile.publish(&block);
        let inner = i + 1..=BLOCK - i - 2;
        result = None;
        if inner.contains(&tx)
            && inner.contains(&ty)
            && valid_x.contains(&tx)
            && valid_y.contains(&ty)
        {
            let here = old[at(ty, tx)];
            result = Some(
                here + heat.step_by_capacity
                    * (power_here
                        + (old[at(south, tx)] + old[at(north, tx)] - 2.0 * here) * heat.along_y
                        + (old[at(ty, east)] + old[at(ty, west)] - 2.0 * here) * heat.along_x
                        + (AMBIENT - here) * heat.along_z),
            );
        }
        tile = old.reclaim(&block);
        if let Some(result) = result {
            tile.set_own(0, result);
        }
    }
    if let Some(result) = result {
        // SAFETY: the cell lies within the grid, and the inner parts of tiles do not overlap.
        unsafe { target.raw().add(index).write(result) };
    }
}

const AMBIENT: f32 = 80.0;
const ITERATIONS: i32 = 2;
const HEAT: Heat = Heat {
    step_by_capacity: 0.3,
    along_x: 0.1,
    along_y: 0.12,
    along_z: 0.05,
};

fn reference(n: usize, power: &[f32], source: &[f32]) -> Vec<f32> {
    let mut old = source.to_vec();
    for _ in 0..ITERATIONS {
        let mut new = old.clone();
        for y in 0..n {
            for x in 0..n {
                let here = old[y * n + x];
                let south = old[(y + 1).min(n - 1) * n + x];
                let north = old[y.saturating_sub(1) * n + x];
                let east = old[y * n + (x + 1).min(n - 1)];
                let west = old[y * n + x.saturating_sub(1)];
                new[y * n + x] = here
                    + HEAT.step_by_capacity
                        * (power[y * n + x]
                            + (south + north - 2.0 * here) * HEAT.along_y
                            + (east + west - 2.0 * here) * HEAT.along_x
                            + (AMBIENT - here) * HEAT.along_z);
            }
        }
        old = new;
    }
    old
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [50, 2048][scale as usize];
    let power = uniform(n * n, 1);
    let source: Vec<f32> = uniform(n * n, 2).iter().map(|x| 70.0 + 20.0 * x).collect();
    let expected = reference(n, &power, &source);
    let (power, source) = (side.upload(&power)?, side.upload(&source)?);
    let mut target = side.output(&vec![f32::NAN; n * n], expected, 1e-5)?;

    let blocks = n.div_ceil((BLOCK - 2 * ITERATIONS) as usize) as u32;
    let (grid, n) = ((blocks, blocks), n as i32);
    let Heat {
        step_by_capacity,
        along_x,
        along_y,
        along_z,
    } = HEAT;
    let arguments = arguments![
        ITERATIONS,
        n,
        n,
        step_by_capacity,
        along_x,
        along_y,
        along_z,
        &power,
        &source,
        &target.buffer
    ];
    // SAFETY: steps, rows and columns, four factors, three matrices of that size.
    let twin = unsafe { Call::new("calculate_temp", grid, (16, 16), arguments) };
    side.kernel(
        "calculate_temp",
        vec![twin],
        &mut target,
        |stream, target| {
            let shape = Launch::new(grid, (16, 16));
            let target = &mut target.buffer;
            Ok(calculate_temp::launch(
                stream, shape, ITERATIONS, n, n, HEAT, &power, &source, target,
            )?)
        },
    )
}
