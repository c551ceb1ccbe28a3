//! HeCBench `floydwarshall`: one pass over all pairs of vertices: is the way through a given vertex shorter, and which vertex is that.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "floyd_warshall",
    run,
};

// Distances are read by other threads than those that change them, in row and column `pass`, which do not change: raw.
#[kernel(block(16, 16))]
fn pass_through(
    i: Index2D,
    pass: u32,
    n: u32,
    mut distances: DisjointSlice<u32>,
    mut path: DisjointSlice2D<u32>,
) {
    let (pass, n) = (pass as usize, n as usize);
    let Some(path) = path.get_mut(i) else { return };
    assert!(distances.len() >= n * n && i.x() < n && i.y() < n && pass < n);
    let here = i.y() * n + i.x();
    // SAFETY: within the matrix; elements of row and column `pass` keep their values.
    unsafe {
        let old = *distances.raw().add(here);
        let through =
            *distances.raw().add(i.y() * n + pass) + *distances.raw().add(pass * n + i.x());
        if through < old {
            *distances.raw().add(here) = through;
            *path = pass as u32;
        }
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [60, 2048][scale as usize];
    let mut distances: Vec<u32> = below(n * n, 1000, 1);
    (0..n).for_each(|k| distances[k * n + k] = 0);
    let pass = n / 3;
    let (mut expected, mut paths) = (distances.clone(), vec![u32::MAX; n * n]);
    for from in 0..n {
        for to in 0..n {
            let through = distances[from * n + pass] + distances[pass * n + to];
            if through < distances[from * n + to] {
                expected[from * n + to] = through;
                paths[from * n + to] = pass as u32;
            }
        }
    }
    let mut outputs = (
        side.output(&distances, expected, 0.0)?,
        side.output(&vec![u32::MAX; n * n], paths, 0.0)?,
    );
    let (grid, block) = ((n.div_ceil(16) as u32, n.div_ceil(16) as u32), (16, 16));
    let (order, pass) = (n as u32, pass as u32);
    let arguments = arguments![&outputs.0.buffer, &outputs.1.buffer, order, pass];
    // SAFETY: two matrices, their order, a row of them.
    let twin = unsafe { Call::new("pass_through", grid, block, arguments) };
    side.kernel(
        "pass_through",
        vec![twin],
        &mut outputs,
        |stream, (distances, path)| {
            let shape = Launch::new(grid, block);
            let path = path.buffer.view_2d_mut(n)?;
            Ok(pass_through::launch(
                stream,
                shape,
                pass,
                order,
                &mut distances.buffer,
                path,
            )?)
        },
    )
}
