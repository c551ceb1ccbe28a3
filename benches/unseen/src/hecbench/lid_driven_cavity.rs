//! HeCBench `lid-driven-cavity`: the tentative velocity along x of a step of the Navier-Stokes equations, and a step of the pressure's relaxation.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "lid_driven_cavity",
    run,
};

const STEP: f64 = 0.002;
const REYNOLDS: f64 = 1000.0;
/// Part of upwind differences.
const GAMMA: f64 = 0.9;
const OMEGA: f64 = 1.7;

// Values lie with a border of one cell; outputs are raw, because threads have the inner cells alone.
#[kernel(fma)]
fn tentative_velocity(i: Index2D, n: u32, h: f64, u: &[f64], v: &[f64], mut f: DisjointSlice<f64>) {
    let n = n as usize;
    let (row, column) = (i.y() + 1, i.x() + 1);
    if row > n || column > n {
        return;
    }
    let width = n + 2;
    let here = row * width + column;
    let value = if column == n {
        u[here]
    } else {
        let (centre, east, west) = (u[here], u[here + 1], u[here - 1]);
        let (north, south) = (u[here + width], u[here - width]);
        let (v00, v10) = (v[here], v[here + 1]);
        let (v01, v11) = (v[here - width], v[here - width + 1]);
        let (to_east, from_west) = (centre + east, west + centre);
        let du2dx = (to_east * to_east - from_west * from_west
            + GAMMA * (to_east.abs() * (centre - east) - from_west.abs() * (west - centre)))
            / (4.0 * h);
        let (above, below) = (v00 + v10, v01 + v11);
        let duvdy = (above * (centre + north) - below * (south + centre)
            + GAMMA * (above.abs() * (centre - north) - below.abs() * (south - centre)))
            / (4.0 * h);
        let laplace = (east - 2.0 * centre + west + north - 2.0 * centre + south) / (h * h);
        centre + STEP * (laplace / REYNOLDS - du2dx - duvdy)
    };
    assert!(here < f.len());
    // SAFETY: within the slice; each thread has a cell of its own.
    unsafe { f.raw().add(here).write(value) };
}

// Red cells change by black ones: raw.
#[kernel(fma)]
fn relax_red(i: Index2D, n: u32, h: f64, right: &[f64], mut p: DisjointSlice<f64>) {
    let n = n as usize;
    let row = i.y() + 1;
    let column = 2 * i.x() + 1 + row % 2;
    if row > n || column > n {
        return;
    }
    let width = n + 2;
    let here = row * width + column;
    assert!(here + width < p.len());
    let p = p.raw();
    // SAFETY: the cell and its neighbours lie within the slice; only red cells are written, each by one thread, and only black ones are read
    // beside it.
    unsafe {
        let sum = *p.add(here + 1) + *p.add(here - 1) + *p.add(here + width) + *p.add(here - width);
        let gauss = (sum - h * h * right[here]) / 4.0;
        *p.add(here) = (1.0 - OMEGA) * *p.add(here) + OMEGA * gauss;
    }
}

fn reference_velocity(n: usize, h: f64, u: &[f64], v: &[f64], at: usize) -> f64 {
    let width = n + 2;
    let (row, column) = (at / width, at % width);
    if row == 0 || column == 0 || row > n || column > n {
        return 0.0;
    }
    if column == n {
        return u[at];
    }
    let at_offset = |a: &[f64], dx: i32, dy: i32| a[(at as i32 + dy * width as i32 + dx) as usize];
    let c = u[at];
    let (e, w) = (at_offset(u, 1, 0), at_offset(u, -1, 0));
    let (n_, s) = (at_offset(u, 0, 1), at_offset(u, 0, -1));
    let above = v[at] + at_offset(v, 1, 0);
    let below = at_offset(v, 0, -1) + at_offset(v, 1, -1);
    let square = |x: f64| x * x;
    let du2dx = (square(c + e) - square(w + c)
        + GAMMA * ((c + e).abs() * (c - e) - (w + c).abs() * (w - c)))
        / (4.0 * h);
    let duvdy = (above * (c + n_) - below * (s + c)
        + GAMMA * (above.abs() * (c - n_) - below.abs() * (s - c)))
        / (4.0 * h);
    let laplace = (e + w + n_ + s - 4.0 * c) / (h * h);
    c + STEP * (laplace / REYNOLDS - du2dx - duvdy)
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [40, 2048][scale as usize];
    let (width, h) = (n + 2, 1.0 / n as f64);
    let doubles = |seed| -> Vec<f64> {
        noise(width * width, seed)
            .into_iter()
            .map(f64::from)
            .collect()
    };
    let (u, v) = (doubles(1), doubles(2));
    let (right, p) = (doubles(3), doubles(4));
    let expected = |at: usize| reference_velocity(n, h, &u, &v, at);
    let mut f = side.sampled(&vec![0.0; width * width], expected, 1e-11)?;
    let (d_u, d_v) = (side.upload(&u)?, side.upload(&v)?);
    let (grid, block) = ((n.div_ceil(128) as u32, n as u32), (128, 1));
    let arguments = arguments![n as i32, h, &d_u, &d_v, &f.buffer];
    // SAFETY: inner cells along an edge, their size, three matrices of them with a border.
    let twin = unsafe { Call::new("tentative_velocity", grid, block, arguments) };
    side.kernel("tentative_velocity", vec![twin], &mut f, |stream, f| {
        let shape = Launch::new(grid, block);
        Ok(tentative_velocity::launch(
            stream,
            shape,
            n as u32,
            h,
            &d_u,
            &d_v,
            &mut f.buffer,
        )?)
    })?;

    let relaxed = |at: usize| {
        let (row, column) = (at / width, at % width);
        let red = (row + column) % 2 == 1 && (1..=n).contains(&row) && (1..=n).contains(&column);
        if red {
            let sum = p[at + 1] + p[at - 1] + p[at + width] + p[at - width];
            (1.0 - OMEGA) * p[at] + OMEGA * (sum - h * h * right[at]) / 4.0
        } else {
            p[at]
        }
    };
    let mut pressure = side.sampled(&p, relaxed, 1e-12)?;
    let d_right = side.upload(&right)?;
    let grid = (n.div_ceil(256) as u32, n as u32);
    let arguments = arguments![n as i32, h, &d_right, &pressure.buffer];
    // SAFETY: inner cells along an edge, their size, two matrices of them with a border.
    let twin = unsafe { Call::new("relax_red", grid, block, arguments) };
    side.kernel(
        "relax_red",
        vec![twin],
        &mut pressure,
        |stream, pressure| {
            let shape = Launch::new(grid, block);
            Ok(relax_red::launch(
                stream,
                shape,
                n as u32,
                h,
                &d_right,
                &mut pressure.buffer,
            )?)
        },
    )
}
